"""Marks in a text: their places, and the leaves of the query that they show."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from fnmatch import translate
from functools import cache, partial
from itertools import accumulate
from typing import NamedTuple

from edgar_search.search.language import Leaf, Phrase, Wildcard, Word
from edgar_search.search.query.common_words import distinctive_leaves
from edgar_search.search.snippets.preferences import telling_leaves
from edgar_search.text.words import tokens

# The leaves that a marked text shows: anything that tells them apart.
Shown = Callable[[str], frozenset[object]]

_OPENING = {")": "(", "]": "["}
# Characters that may belong to the word before them.
CLOSING = frozenset([*_OPENING, "."])
# As in `U.S`, whose last full stop the tokenizer leaves out.
_ABBREVIATED = re.compile(r"[^\W\d_]\.[^\W\d_]\Z")
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_YEAR = re.compile(r"(?:19|20)\d\d")
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


def without_other_years(marked: str, years: Iterable[str], start_mark: str, end_mark: str) -> str:
    """The marked text without marks of days and months of other years than these, if any."""
    wanted = frozenset(years)
    if not wanted:
        return marked

    def unmark_other(match: re.Match[str]) -> str:
        if not wanted.isdisjoint(_YEAR.findall(match["years"])):
            return match[0]
        return match[0].replace(start_mark, "").replace(end_mark, "")

    return _dates(start_mark, end_mark).sub(unmark_other, marked)


@cache
def _dates(start_mark: str, end_mark: str) -> re.Pattern[str]:
    """Marked months, a day, which may be marked, and the years that follow."""
    start, end = re.escape(start_mark), re.escape(end_mark)
    return re.compile(
        rf"{start}(?:{_MONTHS}){end}(?:\s+{start}?\d{{1,2}}{end}?)?,?\s+"
        r"(?P<years>(?:19|20)\d\d(?:(?:,|,? and|,? or)\s(?:19|20)\d\d\b)*)",
        re.IGNORECASE,
    )


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


def leaves_shown(leaves: Iterable[Leaf], little: Collection[Leaf] = ()) -> Shown:
    """Return a function that finds the leaves a marked text shows; it remembers its last answers.

    The commonest words count as leaves only if there are no others. Beside leaves that tell
    `little` each other one counts as several.
    """
    shown = distinctive_leaves(leaves)
    telling = telling_leaves(shown, little)
    if len(telling) < len(shown):
        return _Known(_Weighed(_Named(shown), _Named(telling))).__getitem__
    return _Known(_Named(shown)).__getitem__


class _Known(dict[str, frozenset[object]]):
    """The leaves that marked texts show, remembered for the last of them."""

    def __init__(self, named: "_Named | _Weighed") -> None:
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


# One that tells more is worth as much as this many that tell little.
_WEIGHT = 4


class _Weighed(NamedTuple):
    """Leaves by the tokens that show them, and the leaves that count as several."""

    named: _Named
    telling: _Named

    def of(self, words: Sequence[str]) -> Iterator[object]:
        """The leaves that these tokens show, with further ones for those that tell more."""
        yield from self.named.of(words)
        for leaf in self.telling.of(words):
            yield from ((number, leaf) for number in range(1, _WEIGHT))
