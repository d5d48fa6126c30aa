"""The part of a marked passage that a hit shows.

It is computed for several parts of each passage of a page, so it counts in bytes: a letter for the
class of each character shows a word's beginning by the letter before it.

A snippet is made from its key alone, which has the whole marked passage, so a remembered one is
never stale. A function tells the leaves that a text shows, the same one for the same leaves.
"""

import html
import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from math import inf
from typing import NamedTuple

from edgar_search.search.language import Leaf
from edgar_search.search.snippets.column_heads import column_heads
from edgar_search.search.snippets.folding import BREAK, CELL, Folded, fold
from edgar_search.search.snippets.marks import (
    CLOSING,
    Shown,
    Span,
    Unmarked,
    leaves_shown,
    own_leaf,
    unmark,
    with_ends,
)
from edgar_search.search.snippets.page_lines import after_page_lines, outside_page_lines
from edgar_search.text.words import CELL_SEPARATOR

_SEPARATOR_COST = -0.5
_SEPARATORS = BREAK.strip(), CELL.strip()
_BEGINS_WITH_A_LETTER = re.compile(r"(?<!\S)[^\W\d_]")
# One byte for each character, with the quotes, dashes and letters that filings have beyond ASCII.
_CODING = "cp1252"
_BLANK, _LETTER, _OTHER, _BREAK, _CELL = b" a.ec"


def _kind(byte: int) -> int:
    char = bytes([byte]).decode(_CODING, "replace")
    if char.isspace():
        return _BLANK
    if _BEGINS_WITH_A_LETTER.match(char):
        return _LETTER
    return {_SEPARATORS[0]: _BREAK, _SEPARATORS[1]: _CELL}.get(char, _OTHER)


_KINDS = bytes(map(_kind, range(256)))


def prose(text: str) -> float:
    """The share of words, less that of separators; 1 at most.

    Blanks separate words, and words that begin with a letter count; `text` is folded
    (`folding.fold`) or a piece of a passage that is not.
    """
    # In a text that is not folded yet, these will separate.
    unfolded = text.count(CELL_SEPARATOR) + text.count("\n\n")
    letters, words, separators = _count(text)
    separators += unfolded
    return (letters + _SEPARATOR_COST * separators) / max(1, words + unfolded)


def _count(text: str) -> tuple[int, int, int]:
    """Words that begin with a letter, words, and those that are separators."""
    try:
        # Encoding ASCII costs nothing, and most texts are nothing else.
        coded = text.encode() if text.isascii() else text.encode(_CODING)
    except UnicodeEncodeError:
        each = text.split()
        letters = len(_BEGINS_WITH_A_LETTER.findall(text))
        return letters, len(each), each.count(_SEPARATORS[0]) + each.count(_SEPARATORS[1])
    kinds = b" " + coded.translate(_KINDS)
    letters = kinds.count(b" a")
    if b"e" not in kinds and b"c" not in kinds:
        return letters, letters + kinds.count(b" ."), 0
    words = kinds.split()
    return letters, len(words), words.count(b"e") + words.count(b"c")


# Characters of text, without marks and ellipses at its ends.
MAX_LENGTH = 300
# A part goes back to the beginning of a sentence or line this far before its core, in shares of the
# room beside the core: to the first beginning within the one, else to the last within the other.
_ROOM_BEFORE, _MOST_BEFORE = 0.5, 0.85
# A piece of another sentence or line at the end that is this short says nothing, and is left out.
_SHORT_REST = 40
# A part all of words is as good as one whose marks are this many characters closer together.
_PROSE_WORTH = 300
# Amounts, shares and counts, which years and days are not.
_FIGURE = re.compile(
    r"[$\u20ac\u00a3] ?\d|\d ?%|\d,\d{3}|\d\.\d"
    r"|\d (?:thousand|million|billion|percent|cents|shares)\b"
)
# The number of parts compared that show equally many leaves.
_MOST_PARTS = 12
# Each mark that a part shows, up to some, is worth this many characters.
_REPEATED_WORTH, _MOST_REPEATED = 15, 3

_SENTENCE_END = re.compile(r"[.!?][\"'\u201d\u2019)]* (?=[A-Z\d\"\u201c(])")
_NO_SENTENCE_END = frozenset("co corp dr inc jr ltd messrs mr mrs ms no nos st vs".split())
_LAST_WORD = re.compile(r"[^\W_]*\Z")
_LONGEST_ABBREVIATION = max(map(len, _NO_SENTENCE_END))
# Between two sentences: a full stop, some quotes and brackets, a blank.
_LONGEST_END = 6
# The separators of lines and cells, with the blanks around.
_EDGES = BREAK + CELL


class MarkedText:
    """A folded text with at least one mark."""

    def __init__(
        self, text: str, lines: Sequence[int], spans: Sequence[Span], figures: bool = False
    ) -> None:
        self._text, self._lines, self._spans, self._figures = text, lines, spans, figures

    def best_part(self, leaves: Sequence[frozenset[object]]) -> Span:
        cores = best_cores(self._spans, leaves)
        if not cores:
            # A phrase too long to be shown whole: its beginning.
            start = self._spans[0].start
            return self.part(Span(start, start))
        return self.part(cores[0] if len(cores) == 1 else self.best(cores))

    def best(self, cores: Iterable[Span]) -> Span:
        """The core of the greatest value with its surroundings, the first of equals."""
        best, most = Span(0, 0), -inf
        spans = self._spans
        for core, start in islice(self._apart(cores), _MOST_PARTS):
            end = start + MAX_LENGTH
            first = bisect_left(spans, (start,))
            # No more marks than count are looked for.
            last = min(len(spans), first + _MOST_REPEATED)
            marks = bisect_left(spans, (end,), first, last) - first
            value: float = _REPEATED_WORTH * marks - (core.end - core.start)
            # A part that cannot win is not read.
            if value + _PROSE_WORTH > most:
                value += self._worth(start, end)
                if value > most:
                    best, most = core, value
        return best

    def _worth(self, start: int, end: int) -> float:
        """Value a part by its prose, or by its figures if these are asked for."""
        if self._figures:
            return _PROSE_WORTH if _FIGURE.search(self._text, start, end) else 0.0
        return _PROSE_WORTH * prose(self._text[start:end])

    def _apart(self, cores: Iterable[Span]) -> Iterator[tuple[Span, int]]:
        """The cores that are not shown well with another one, each with the start of its part."""
        end = size = 0
        for core in cores:
            if core.end > end - MAX_LENGTH // 3 or core.end - core.start < size:
                start = self._middle(core)
                end, size = start + MAX_LENGTH, core.end - core.start
                yield core, start

    def _middle(self, core: Span) -> int:
        """Find where a part begins that has the same on both sides, but at the ends of the text."""
        before = int(_spare(core) * _ROOM_BEFORE)
        return max(0, min(core.start - before, len(self._text) - MAX_LENGTH))

    def part(self, core: Span) -> Span:
        """The core with as much as fits, from the beginning of a sentence or line near by."""
        length = len(self._text)
        earliest = core.start - int(_spare(core) * _MOST_BEFORE)
        start = self._begin(self._middle(core), core.start, earliest)
        start = after_page_lines(self._text, start, core.start)
        end = min(length, start + MAX_LENGTH)
        if end < length:
            end = self._without_rest(end, core.end)
        return at_blanks(self._text, Span(start, end), core)

    def _begin(self, middle: int, latest: int, earliest: int) -> int:
        """Find where a part begins that goes back to `middle`, or to `earliest` for a sentence."""
        line = bisect_left(self._lines, middle)
        if line < len(self._lines) and self._lines[line] <= latest:
            return self._lines[line]
        before = max(min(earliest, middle), self._lines[line - 1])
        sentences = list(_sentences(self._text, before, latest))
        for sentence in sentences:
            if sentence >= middle:
                return sentence
        begins = [begin for begin in (self._lines[line - 1], *sentences) if begin >= earliest]
        return begins[-1] if begins else middle

    def _without_rest(self, end: int, least: int) -> int:
        """Find where the last sentence or line before `end` ends, if little of the next is left."""
        after = max(least, end - _SHORT_REST - 1)
        line = self._lines[bisect_right(self._lines, end) - 1]
        last = max([line, *_sentences(self._text, after + 1, end)])
        return last if last > after else end


def _spare(core: Span) -> int:
    """Characters that fit beside a core; an empty core is the beginning of a long phrase."""
    return MAX_LENGTH - (core.end - core.start) if core.end > core.start else 0


def best_cores(spans: Sequence[Span], leaves: Sequence[frozenset[object]]) -> list[Span]:
    """From the first to the last mark of each part that shows the most different leaves.

    For each mark the part that ends with it. One pass, as a passage may have hundreds of marks.
    """
    if leaves and leaves.count(leaves[0]) == len(leaves):
        # Nearly half of all passages: each mark by itself shows all leaves.
        return [span for span in spans if span.end - span.start <= MAX_LENGTH]
    shown: dict[object, int] = {}
    first = different = most = 0
    cores: list[Span] = []
    for last, (_, end) in enumerate(spans):
        for leaf in leaves[last]:
            count = shown.get(leaf, 0)
            different += not count
            shown[leaf] = count + 1
        while first < last:
            # A mark is dropped if later ones show its leaves again, or if it is too far away.
            if end - spans[first][0] <= MAX_LENGTH and 1 in [shown[leaf] for leaf in leaves[first]]:
                break
            for leaf in leaves[first]:
                shown[leaf] -= 1
                different -= not shown[leaf]
            first += 1
        if different >= most and end - spans[first][0] <= MAX_LENGTH:
            if different > most:
                most = different
                cores.clear()
            cores.append(Span(spans[first][0], end))
    return cores


def _sentences(text: str, start: int, end: int) -> Iterator[int]:
    """Find where sentences begin, from `start` to `end`."""
    for found in _SENTENCE_END.finditer(text, max(0, start - _LONGEST_END), end + 1):
        stop = found.start()
        word = _LAST_WORD.search(text, max(0, stop - _LONGEST_ABBREVIATION - 1), stop)
        # After a single letter a full stop is an abbreviation's.
        if found.end() >= start and word and len(word[0]) != 1:
            if word[0].lower() not in _NO_SENTENCE_END:
                yield found.end()


def at_blanks(text: str, span: Span, core: Span) -> Span:
    """The span without words that it cuts, and without blanks at its ends; the core stays whole."""
    start, end = span.start, min(span.end, len(text))
    if start > 0 and not text[start - 1].isspace():
        while start < core.start and not text[start].isspace():
            start += 1
    if end < len(text) and not text[end].isspace():
        cut = end
        while cut > max(core.end, start) and not text[cut - 1].isspace():
            cut -= 1
        end = cut if cut > start else end
    while start < core.start and text[start] in _EDGES:
        start += 1
    while end > max(core.end, start) and text[end - 1] in _EDGES:
        end -= 1
    return Span(start, end)


__all__ = ["MARK_END", "MARK_START", "MAX_LENGTH", "LocatedSnippet", "located_snippets", "snippet"]

# Around marked text in a reply: noncharacters, which no text in Unicode holds.
MARK_START, MARK_END = "\ufdd0", "\ufdd1"
ELLIPSIS = "..."
# The characters that folding adds to a text: for each line end or cell, and for two marks' ends.
_WIDER, _ENDS = len(BREAK) - 1, 4
# A shorter piece beside a snippet gives no other one.
_LEAST_PIECE = 100
# This many characters on both sides are folded, and more if lines are not long.
_NEAR, _LONG = 350, 600
# What a mark in the header of a page shows.
_NO_LEAF: frozenset[object] = frozenset()


class LocatedSnippet(NamedTuple):
    """A snippet with its place, and the places of its marks, in code points."""

    html: str
    place: Span
    marks: list[Span]

    def shift(self, by: int) -> "LocatedSnippet":
        """The same in a text in which the passage begins there."""
        marks = [Span(start + by, end + by) for start, end in self.marks]
        return LocatedSnippet(self.html, Span(self.place.start + by, self.place.end + by), marks)


class _Cut(NamedTuple):
    """A part of a folded text, which was cut out of the passage at `before`.

    `heads` are those of the columns of a row that it shows, from above it.
    """

    text: str
    part: Span
    spans: list[Span]
    begins: bool
    ends: bool
    folded: Folded
    before: int
    heads: str = ""

    def render(self) -> str:
        """Return the part as HTML, below the heads of its columns if there are any."""
        part = _render(self.text, self.part, self.spans, self.begins, self.ends)
        return f"{_escape(self.heads)}{BREAK}{part}" if self.heads else part


def snippet(
    marked: str,
    start_mark: str,
    end_mark: str,
    *,
    begins: bool,
    ends: bool,
    leaves: Shown = own_leaf,
    figures: bool = False,
    heads: bool = False,
) -> str:
    """The best part of a passage as HTML: escaped text, with `<mark>` as the only markup.

    `begins` and `ends` say that the passage begins or ends its document's text; elsewhere an
    ellipsis says that text was left out. White space and rulers are folded (`folding.fold`). The
    part with the most different leaves wins, of those the one that shows them closest together or
    in prose, and the first of equals; it is cut at white space.
    """
    cut = _cut(unmark(marked, start_mark, end_mark), begins, ends, leaves, figures, heads)
    return cut.render()


class _Piece(NamedTuple):
    """A piece of a passage with the part of it to show; `worth` is its number of leaves."""

    span: Span
    cut: _Cut
    worth: int

    def locate(self) -> LocatedSnippet:
        """Return the part as a snippet of the passage."""
        cut = self.cut
        marks = [_original_span(cut, span) for span in _marks_of(cut.spans, cut.part)]
        shown = LocatedSnippet(cut.render(), _original_span(cut, cut.part), marks)
        return shown.shift(self.span.start)


def located_snippets(
    marked: str,
    start_mark: str,
    end_mark: str,
    *,
    begins: bool,
    ends: bool,
    leaves: Shown,
    figures: bool = False,
    heads: bool = False,
    most: int = 1,
) -> list[LocatedSnippet]:
    """Return the snippet of a passage with its places, then others from what is beside it.

    The others show leaves too; they come by the number of these.
    """
    whole = unmark(marked, start_mark, end_mark)
    end = len(whole.text)

    def cut_piece(span: Span) -> _Piece:
        inside = _within(whole.spans, span)
        marks = [
            Span(mark.start - span.start, mark.end - span.start)
            for mark in whole.spans[inside]
            if mark.end <= span.end
        ]
        text, words = whole.text[span.start : span.end], whole.words[inside][: len(marks)]
        at_start, at_end = begins and span.start == 0, ends and span.end == end
        cut = _cut(Unmarked(text, marks, words), at_start, at_end, leaves, figures, heads)
        shown = words[_within(marks, _original_span(cut, cut.part))]
        return _Piece(span, cut, len(frozenset[object]().union(*map(leaves, shown))))

    pieces, found = [cut_piece(Span(0, end))], list[LocatedSnippet]()
    while pieces and len(found) < most:
        best = max(pieces, key=lambda piece: piece.worth)
        pieces.remove(best)
        found.append(best.locate())
        if len(found) < most:
            place = found[-1].place
            beside = Span(best.span.start, place.start), Span(place.end, best.span.end)
            rest = [cut_piece(each) for each in beside if each.end - each.start >= _LEAST_PIECE]
            pieces += [piece for piece in rest if piece.worth]
    return found


def _cut(
    passage: Unmarked, begins: bool, ends: bool, leaves: Shown, figures: bool, heads: bool
) -> _Cut:
    text, marks, words = passage
    shown = list(map(leaves, words))
    outside = outside_page_lines(text, [mark.start for mark in marks], words)
    if outside is not None and any(outside):
        shown = [each if is_out else _NO_LEAF for each, is_out in zip(shown, outside, strict=True)]
    core, near, which = (
        _close_core(text, marks, shown, figures),
        Span(0, len(text)),
        slice(0, len(marks)),
    )
    if core:
        near = _surroundings(text, core)
        begins, ends = begins and near.start == 0, ends and near.end == len(text)
        text, which = text[near.start : near.end], _within(marks, near)
    folded = fold(text)
    edges = [min(edge, near.end) - near.start for mark in marks[which] for edge in mark]
    spans = _spans(folded, edges)
    if core:
        inside = _within(marks, core)
        first, last = inside.start - which.start, inside.stop - which.start - 1
        core = Span(spans[first].start, spans[last].end)
    part = _part(folded, spans, shown, core, figures)
    cut = _Cut(folded.text, part, spans, begins, ends, folded, near.start)
    marks_shown = _marks_of(spans, part) if heads else []
    if not marks_shown:
        return cut
    first_mark = _original_span(cut, marks_shown[0]).start
    return cut._replace(
        heads=column_heads(passage.text, first_mark, _original_span(cut, part).start)
    )


def _original_span(cut: _Cut, span: Span) -> Span:
    """Find the original place of a span of the folded text; separators at its ends are left out."""
    start, end = max(span.start, cut.part.start), min(span.end, cut.part.end)
    if start == end:
        return Span(cut.before, cut.before)
    first, last = cut.folded.original(start), cut.folded.original(end - 1)
    return Span(cut.before + first, cut.before + last + 1)


def _part(
    folded: Folded,
    spans: Sequence[Span],
    leaves: Sequence[frozenset[object]],
    core: Span | None,
    figures: bool,
) -> Span:
    if not spans:
        return at_blanks(folded.text, Span(0, MAX_LENGTH), Span(0, 0))
    text = MarkedText(folded.text, folded.lines, spans, figures)
    return text.part(core) if core else text.best_part(leaves)


def _within(spans: Sequence[Span], piece: Span) -> slice:
    """The spans that begin in a piece of their text."""
    return slice(bisect_left(spans, (piece.start,)), bisect_left(spans, (piece.end,)))


def _close_core(
    text: str, spans: Sequence[Span], leaves: Sequence[frozenset[object]], figures: bool
) -> Span | None:
    """Find the best part of an unfolded text, if it has all leaves and will surely fit."""
    cores = best_cores(spans, leaves)
    if not cores:
        return None
    core = cores[0] if len(cores) == 1 else MarkedText(text, [0], spans, figures).best(cores)
    gaps = text.count("\n", *core) + text.count(CELL_SEPARATOR, *core)
    if core.end - core.start + _WIDER * gaps + _ENDS > MAX_LENGTH:
        return None
    inside = leaves[_within(spans, core)]
    if len(inside) < len(leaves) and frozenset().union(*inside) != frozenset().union(*leaves):
        return None
    return core


def _surroundings(text: str, core: Span) -> Span:
    """The lines around the core, cut at blanks if they are long."""
    start = text.rfind("\n", 0, max(0, core.start - _NEAR)) + 1
    if core.start - start > _LONG:
        start = text.rfind(" ", start, core.start - _NEAR) + 1 or start
    end = text.find("\n", core.end + _NEAR)
    end = end if end >= 0 else len(text)
    if end - core.end > _LONG:
        cut = text.find(" ", core.end + _NEAR, end)
        end = cut if cut >= 0 else end
    return Span(start, end)


def _spans(folded: Folded, edges: Sequence[int]) -> list[Span]:
    """Find the marked places of the folded text: from one edge to the next by turns."""
    text = folded.text
    places = iter(folded.places(edges))
    return [
        with_ends(text, Span(start, end)) if text[end : end + 1] in CLOSING else Span(start, end)
        for start, end in zip(places, places, strict=True)
    ]


def _render(text: str, part: Span, spans: list[Span], begins: bool, ends: bool) -> str:
    pieces = ["" if begins and not text[: part.start].strip() else ELLIPSIS]
    place = part.start
    for span in _marks_of(spans, part):
        start, end = max(span.start, place), min(span.end, part.end)
        pieces += (_escape(text[place:start]), f"<mark>{_escape(text[start:end])}</mark>")
        place = end
    pieces.append(_escape(text[place : part.end]))
    pieces.append("" if ends and not text[part.end :].strip() else ELLIPSIS)
    return "".join(pieces)


def _marks_of(spans: list[Span], part: Span) -> list[Span]:
    """Return the marks that the part shows whole; if there are none, those that it cuts."""
    inside = spans[_within(spans, part)]
    if inside and inside[-1].end > part.end:
        inside.pop()
    return inside or [span for span in spans if span.start < part.end and span.end > part.start]


def _escape(text: str) -> str:
    return html.escape(text, quote=False) if "&" in text or "<" in text or ">" in text else text


# Passages have about 2,000 characters, and with marks some more; at four bytes for each these are
# 20 MB for each of the two kinds at the very most, and 4 MB in practice.
_REMEMBERED, _LONGEST = 1_000, 5_000


# The leaves of a query are a few kilobytes.
_QUERIES = 200


@lru_cache(_QUERIES)
def leaves_of(leaves: Sequence[Leaf], little: frozenset[Leaf] = frozenset()) -> Shown:
    """Return the function that names leaves in a marked text."""
    return leaves_shown(leaves, little)


def cached_snippet(
    marked: str,
    *,
    begins: bool,
    ends: bool,
    leaves: Shown = own_leaf,
    figures: bool = False,
    heads: bool = False,
) -> str:
    """The snippet of a passage as it comes back from the engine; as `snippet`."""
    make = _snippet if len(marked) <= _LONGEST else _snippet.__wrapped__
    return make(marked, begins, ends, leaves, figures, heads)


def cached_located_snippets(
    marked: str, *, begins: bool, ends: bool, leaves: Shown, figures: bool, heads: bool, most: int
) -> Sequence[LocatedSnippet]:
    """The snippet of a passage with its places in it, and further ones; as `located_snippets`."""
    make = _located_snippets if len(marked) <= _LONGEST else _located_snippets.__wrapped__
    return make(marked, begins, ends, leaves, figures, heads, most)


@lru_cache(_REMEMBERED)
def _snippet(
    marked: str, begins: bool, ends: bool, leaves: Shown, figures: bool, heads: bool
) -> str:
    return snippet(
        marked,
        MARK_START,
        MARK_END,
        begins=begins,
        ends=ends,
        leaves=leaves,
        figures=figures,
        heads=heads,
    )


@lru_cache(_REMEMBERED)
def _located_snippets(
    marked: str, begins: bool, ends: bool, leaves: Shown, figures: bool, heads: bool, most: int
) -> Sequence[LocatedSnippet]:
    return located_snippets(
        marked,
        MARK_START,
        MARK_END,
        begins=begins,
        ends=ends,
        leaves=leaves,
        figures=figures,
        heads=heads,
        most=most,
    )
