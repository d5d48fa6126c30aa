"""The part of a marked passage that a hit shows."""

import html
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from edgar_search.search.folding import BREAK, Folded, fold
from edgar_search.search.marks import CLOSING, Shown, Span, Unmarked, own_leaf, unmark, with_ends
from edgar_search.search.parts import MAX_LENGTH, MarkedText, at_blanks, best_cores
from edgar_search.text.rules import CELL_SEPARATOR

__all__ = ["MARK_END", "MARK_START", "MAX_LENGTH", "PlacedSnippet", "placed_snippet", "snippet"]

# Around marked text in a reply: noncharacters, which no text in Unicode holds.
MARK_START, MARK_END = "\ufdd0", "\ufdd1"
ELLIPSIS = "..."
# What folding adds to a text: at most so much for each line end or cell, and the ends of two marks.
_WIDER, _ENDS = len(BREAK) - 1, 4
# Of a text so many characters on both sides are folded, and more where lines are not long.
_NEAR, _LONG = 350, 600


class PlacedSnippet(NamedTuple):
    """A snippet with its place, and those of what it marks, in code points."""

    html: str
    place: Span
    marks: list[Span]

    def moved(self, by: int) -> "PlacedSnippet":
        """The same in a text in which the passage begins there."""
        marks = [Span(start + by, end + by) for start, end in self.marks]
        return PlacedSnippet(self.html, Span(self.place.start + by, self.place.end + by), marks)


class _Cut(NamedTuple):
    """A part of a folded text, which was cut out of the passage at `before`."""

    text: str
    part: Span
    spans: list[Span]
    begins: bool
    ends: bool
    folded: Folded
    before: int


def snippet(
    marked: str,
    start_mark: str,
    end_mark: str,
    *,
    begins: bool,
    ends: bool,
    leaves: Shown = own_leaf,
) -> str:
    """The best part of a passage as HTML: escaped text, with `<mark>` as the only markup.

    `begins` and `ends` say that the passage begins or ends its document's text; elsewhere an
    ellipsis says that text was left out. White space and rulers are folded (`folding.fold`). The
    part with the most different leaves wins, of those the one that shows them closest together or
    in prose, and the first of equals; it is cut at white space.
    """
    cut = _cut(unmark(marked, start_mark, end_mark), begins, ends, leaves)
    return _rendered(*cut[:5])


def placed_snippet(
    marked: str, start_mark: str, end_mark: str, *, begins: bool, ends: bool, leaves: Shown
) -> PlacedSnippet:
    """The same with its places in the passage."""
    cut = _cut(unmark(marked, start_mark, end_mark), begins, ends, leaves)
    return PlacedSnippet(
        _rendered(*cut[:5]),
        _placed(cut, cut.part),
        [_placed(cut, span) for span in _shown(cut.spans, cut.part)],
    )


def _cut(passage: Unmarked, begins: bool, ends: bool, leaves: Shown) -> _Cut:
    text, marks, words = passage
    shown = list(map(leaves, words))
    core, near, which = _close_core(text, marks, shown), Span(0, len(text)), slice(0, len(marks))
    if core:
        near = _surroundings(text, core)
        begins, ends = begins and near.start == 0, ends and near.end == len(text)
        text, which = text[near.start : near.end], _within(marks, near)
    folded = fold(text)
    edges = [min(edge, near.end) - near.start for mark in marks[which] for edge in mark]
    spans = _spans(folded, edges)
    part = _part(folded, spans, shown, core and _all(spans, _within(marks, core), which.start))
    return _Cut(folded.text, part, spans, begins, ends, folded, near.start)


def _placed(cut: _Cut, span: Span) -> Span:
    """Where a span of the folded text was in the passage; it begins and ends with no separator."""
    start, end = max(span.start, cut.part.start), min(span.end, cut.part.end)
    if start == end:
        return Span(cut.before, cut.before)
    first, last = cut.folded.original(start), cut.folded.original(end - 1)
    return Span(cut.before + first, cut.before + last + 1)


def _part(
    folded: Folded, spans: Sequence[Span], leaves: Sequence[frozenset[object]], core: Span | None
) -> Span:
    if not spans:
        return at_blanks(folded.text, Span(0, MAX_LENGTH), Span(0, 0))
    text = MarkedText(folded.text, folded.lines, spans)
    return text.part(core) if core else text.best_part(leaves)


def _within(spans: Sequence[Span], piece: Span) -> slice:
    """Which spans begin in a piece of their text."""
    return slice(bisect_left(spans, (piece.start,)), bisect_left(spans, (piece.end,)))


def _all(spans: Sequence[Span], which: slice, left_out: int) -> Span:
    """From the first to the last of some spans, before which so many were left out."""
    return Span(spans[which.start - left_out].start, spans[which.stop - left_out - 1].end)


def _close_core(
    text: str, spans: Sequence[Span], leaves: Sequence[frozenset[object]]
) -> Span | None:
    """Of an unfolded text what is best to be shown, if it has all leaves and will surely fit."""
    cores = best_cores(spans, leaves)
    if not cores:
        return None
    core = cores[0] if len(cores) == 1 else MarkedText(text, [0], spans).best(cores)
    gaps = text.count("\n", *core) + text.count(CELL_SEPARATOR, *core)
    if core.end - core.start + _WIDER * gaps + _ENDS > MAX_LENGTH:
        return None
    inside = leaves[_within(spans, core)]
    if len(inside) < len(leaves) and frozenset().union(*inside) != frozenset().union(*leaves):
        return None
    return core


def _surroundings(text: str, core: Span) -> Span:
    """The lines around the core, cut at blanks where they are long."""
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
    """Where the folded text is marked: from one edge to the next by turns."""
    text = folded.text
    places = iter(folded.places(edges))
    return [
        with_ends(text, Span(start, end)) if text[end : end + 1] in CLOSING else Span(start, end)
        for start, end in zip(places, places, strict=True)
    ]


def _rendered(text: str, part: Span, spans: list[Span], begins: bool, ends: bool) -> str:
    pieces = ["" if begins and not text[: part.start].strip() else ELLIPSIS]
    place = part.start
    for span in _shown(spans, part):
        start, end = max(span.start, place), min(span.end, part.end)
        pieces += (_escaped(text[place:start]), f"<mark>{_escaped(text[start:end])}</mark>")
        place = end
    pieces.append(_escaped(text[place : part.end]))
    pieces.append("" if ends and not text[part.end :].strip() else ELLIPSIS)
    return "".join(pieces)


def _shown(spans: list[Span], part: Span) -> list[Span]:
    """The marks that the part shows whole; where there is none, the one that it shows most of."""
    inside = spans[_within(spans, part)]
    if inside and inside[-1].end > part.end:
        inside.pop()
    return inside or [span for span in spans if span.start < part.end and span.end > part.start]


def _escaped(text: str) -> str:
    return html.escape(text, quote=False) if "&" in text or "<" in text or ">" in text else text
