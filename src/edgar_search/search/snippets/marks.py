"""Marks in a text: their positions, and the query leaves that they show."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from fnmatch import translate
from functools import partial
from itertools import accumulate
from typing import NamedTuple

from edgar_search.search.language import Leaf, Phrase, Wildcard, Word
from edgar_search.search.query.common_words import distinctive_leaves
from edgar_search.search.snippets.preferences import telling_leaves
from edgar_search.text.words import tokens

# Around marked text in a reply: noncharacters, which Unicode text never contains.
MARK_START, MARK_END = "\ufdd0", "\ufdd1"
# The leaves that a marked text shows: any values that identify them.
Shown = Callable[[str], frozenset[object]]

_OPENING = {")": "(", "]": "["}
# Characters that may belong to the word before them.
CLOSING = frozenset([*_OPENING, "."])
# As in `U.S`, whose last full stop the tokenizer leaves out.
_ABBREVIATED = re.compile(r"[^\W\d_]\.[^\W\d_]\Z")
_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_YEAR = re.compile(r"(?:19|20)\d\d")
# A marked month, a day that may be marked, and the years that follow.
_DATES = re.compile(
    rf"{MARK_START}(?:{_MONTHS}){MARK_END}(?:\s+{MARK_START}?\d{{1,2}}{MARK_END}?)?,?\s+"
    r"(?P<years>(?:19|20)\d\d(?:(?:,|,? and|,? or)\s(?:19|20)\d\d\b)*)",
    re.IGNORECASE,
)
# How many marked texts have their leaves cached: enough for all texts of most queries.
_MOST_KNOWN = 500


class Span(NamedTuple):
    """A range of text in code points; `end` is exclusive."""

    start: int
    end: int


# The same as the class, in less than half the time.
_span: Callable[[tuple[int, int]], Span] = partial(tuple.__new__, Span)


class Unmarked(NamedTuple):
    """A text without marks, the positions of its marks, and the marked words."""

    text: str
    spans: list[Span]
    words: list[str]


def unmark(marked: str) -> Unmarked:
    """Remove the marks; return the text and their positions."""
    # Alternately outside and inside marks.
    pieces = marked.replace(MARK_END, MARK_START).split(MARK_START)
    words = pieces[1::2]
    edges = list(accumulate(map(len, pieces)))
    # A passage may have hundreds of marks.
    spans = list(map(_span, zip(edges[:-1:2], edges[1::2], strict=True)))
    if not all(words):
        spans = [span for span in spans if span.start < span.end]
        words = list(filter(None, words))
    return Unmarked("".join(pieces), spans, words)


def without_marks(marked: str, words: Iterable[str]) -> str:
    """Remove the marks of these words, as spelled here, from a marked text.

    If no other mark would be left they stay: a snippet shows why its document is found.
    """
    bare = marked
    for word in words:
        bare = bare.replace(f"{MARK_START}{word}{MARK_END}", word)
    return bare if MARK_START in bare else marked


def without_other_years(marked: str, years: Iterable[str]) -> str:
    """Remove marks from days and months of other years than these, if any are given."""
    wanted = frozenset(years)
    if not wanted:
        return marked

    def unmark_other(match: re.Match[str]) -> str:
        if not wanted.isdisjoint(_YEAR.findall(match["years"])):
            return match[0]
        return match[0].replace(MARK_START, "").replace(MARK_END, "")

    return _DATES.sub(unmark_other, marked)


def with_ends(text: str, span: Span) -> Span:
    """Extend the span by the closing brackets and the full stop that belong to its last word.

    `401(k` gets its bracket and `U.S` its full stop; a sentence's full stop, and a bracket that was
    opened before, stay outside.
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
    """Return each marked text as a leaf of its own, ignoring case."""
    return frozenset([mark.casefold()])


def leaves_shown(leaves: Iterable[Leaf], little: Collection[Leaf] = ()) -> Shown:
    """Return a cached function that finds the leaves a marked text shows.

    The most common words count as leaves only if there are no others. Beside leaves that say
    `little`, each other leaf counts as several.
    """
    distinct = distinctive_leaves(leaves)
    telling = telling_leaves(distinct, little)
    if len(telling) < len(distinct):
        return _Known(_Weighed(_Named(distinct), _Named(telling))).__getitem__
    return _Known(_Named(distinct)).__getitem__


class _Known(dict[str, frozenset[object]]):
    """The leaves that marked texts show, cached for the most recent ones."""

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
                self._exact |= {
                    tuple(tokens(alternative)): words for alternative in leaf.alternatives
                }
        self._lengths = sorted({len(words) for words in self._exact})

    def of(self, words: Sequence[str]) -> Iterator[object]:
        """Yield the leaves that these tokens show.

        Overlapping marks are merged, so there may be several.
        """
        for length in self._lengths:
            for start in range(len(words) - length + 1):
                if (leaf := self._exact.get(tuple(words[start : start + length]))) is not None:
                    yield leaf
        yield from (loose for loose in self._loose if loose.issubset(words))
        for name, pattern in self._patterns:
            if any(map(pattern.match, words)):
                yield name


# A leaf that says more counts as this many that say little.
_WEIGHT = 4


class _Weighed(NamedTuple):
    """Leaves by the tokens that show them, and the leaves that count as several."""

    named: _Named
    telling: _Named

    def of(self, words: Sequence[str]) -> Iterator[object]:
        """Yield the leaves that these tokens show; a leaf that says more comes several times."""
        yield from self.named.of(words)
        for leaf in self.telling.of(words):
            yield from ((number, leaf) for number in range(1, _WEIGHT))
