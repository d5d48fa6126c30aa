"""Marks in a text: their places, and the leaves of the query that they show."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import translate
from functools import partial
from itertools import accumulate
from typing import NamedTuple

from edgar_search.search.language import Leaf, Phrase, Wildcard, Word
from edgar_search.search.query.scoring import distinctive_leaves
from edgar_search.text.words import tokens

# The leaves that a marked text shows: anything that tells them apart.
Shown = Callable[[str], frozenset[object]]

_OPENING = {")": "(", "]": "["}
# Characters that may belong to the word before them.
CLOSING = frozenset([*_OPENING, "."])
# As in `U.S`, whose last full stop the tokenizer leaves out.
_ABBREVIATED = re.compile(r"[^\W\d_]\.[^\W\d_]\Z")
# The number of marked texts whose leaves are remembered: all of most queries.
_MOST_KNOWN = 500


class Span(NamedTuple):
    """A piece of text, by code points; `end` is exclusive."""

    start: int
    end: int


# As the class itself makes one, in less than half of the time.
_span: Callable[[tuple[int, int]], Span] = partial(tuple.__new__, Span)


class Unmarked(NamedTuple):
    """A text without marks, the places of its marks, and their words."""

    text: str
    spans: list[Span]
    words: list[str]


def unmark(marked: str, start_mark: str, end_mark: str) -> Unmarked:
    """The text without marks, and the places of the marks."""
    # Beside marks and in marks by turns.
    pieces = marked.replace(end_mark, start_mark).split(start_mark)
    words = pieces[1::2]
    edges = list(accumulate(map(len, pieces)))
    # A passage may have hundreds of marks.
    spans = list(map(_span, zip(edges[:-1:2], edges[1::2], strict=True)))
    if not all(words):
        spans = [span for span in spans if span.start < span.end]
        words = list(filter(None, words))
    return Unmarked("".join(pieces), spans, words)


def without_marks(marked: str, words: Iterable[str], start_mark: str, end_mark: str) -> str:
    """The marked text without the marks of these words, as they are written here.

    If no other mark would be left they stay: a snippet shows why its document is found.
    """
    bare = marked
    for word in words:
        bare = bare.replace(f"{start_mark}{word}{end_mark}", word)
    return bare if start_mark in bare else marked


def with_ends(text: str, span: Span) -> Span:
    """The span with the closing brackets and the full stop that belong to its last word.

    `401(k` ends with its bracket and `U.S` with its full stop; a sentence's full stop, and a
    bracket that was opened before, stay outside.
    """
    start, end = span
    while (opening := _OPENING.get(text[end : end + 1])) is not None:
        inside = text[start:end]
        if inside.count(opening) <= inside.count(text[end]):
            break
        end += 1
    if text[end : end + 1] == "." and _ABBREVIATED.search(text[start:end]):
        end += 1
    return Span(start, end)


def own_leaf(mark: str) -> frozenset[object]:
    """Each marked text as a leaf of its own, in whatever case."""
    return frozenset([mark.casefold()])


def leaves_shown(leaves: Iterable[Leaf]) -> Shown:
    """Return a function that finds the leaves a marked text shows; it remembers its last answers.

    The commonest words count as leaves only if there are no others.
    """
    return _Known(_Named(distinctive_leaves(leaves))).__getitem__


class _Known(dict[str, frozenset[object]]):
    """The leaves that marked texts show, remembered for the last of them."""

    def __init__(self, named: "_Named") -> None:
        self._named = named

    def __missing__(self, mark: str) -> frozenset[object]:
        if len(self) >= _MOST_KNOWN:
            self.clear()
        self[mark] = frozenset(self._named.of(tokens(mark)))
        return self[mark]


class _Named:
    """Leaves by the tokens that show them."""

    def __init__(self, leaves: Iterable[Leaf]) -> None:
        self._exact: dict[tuple[str, ...], object] = {}
        self._loose: list[frozenset[str]] = []
        self._patterns: list[tuple[str, re.Pattern[str]]] = []
        for leaf in leaves:
            if isinstance(leaf, Wildcard):
                self._patterns.append((leaf.pattern, re.compile(translate(leaf.pattern))))
                continue
            words = tuple(tokens(leaf.text))
            if isinstance(leaf, Phrase) and leaf.slop:
                self._loose.append(frozenset(words))
            else:
                self._exact[words] = words
            if isinstance(leaf, Word):
                self._exact |= {tuple(tokens(each)): words for each in leaf.alternatives}
        self._lengths = sorted({len(words) for words in self._exact})

    def of(self, words: Sequence[str]) -> Iterator[object]:
        """The leaves that these tokens show; marks that overlap are one, so they may be several."""
        for length in self._lengths:
            for start in range(len(words) - length + 1):
                if (leaf := self._exact.get(tuple(words[start : start + length]))) is not None:
                    yield leaf
        yield from (loose for loose in self._loose if loose.issubset(words))
        for name, pattern in self._patterns:
            if any(map(pattern.match, words)):
                yield name
