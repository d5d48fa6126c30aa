"""Snippets of a marked passage: HTML with `<mark>` as its only markup, and its position.

A snippet is made from a request alone, which contains the whole marked passage, so a cached one is
never stale.
"""

import html
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from edgar_search.search.snippets.column_heads import column_heads
from edgar_search.search.snippets.folding import BREAK, Folded, fold
from edgar_search.search.snippets.letterheads import below_letterhead
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
from edgar_search.search.snippets.page_lines import outside_page_lines
from edgar_search.search.snippets.parts import (
    BY_WORDS,
    MAX_LENGTH,
    MarkedText,
    Wanted,
    at_blanks,
    best_cores,
)
from edgar_search.text.words import CELL_SEPARATOR

ELLIPSIS = "..."
# Characters that folding adds to a text: for each line end or cell, and for the ends of two marks.
_WIDER, _ENDS = len(BREAK) - 1, 4
# A shorter piece next to a snippet does not make another one.
_LEAST_PIECE = 100
# How many characters on either side are folded, and how many if lines are short.
_NEAR, _LONG = 350, 600
# The leaf shown by a mark in a page header.
_NO_LEAF: frozenset[object] = frozenset()


class LocatedSnippet(NamedTuple):
    """A snippet with its position, and the positions of its marks, in code points."""

    html: str
    place: Span
    marks: list[Span]

    def shift(self, by: int) -> "LocatedSnippet":
        """Return the snippet for a text in which the passage begins at `by`."""
        marks = [Span(start + by, end + by) for start, end in self.marks]
        return LocatedSnippet(self.html, Span(self.place.start + by, self.place.end + by), marks)


class _Cut(NamedTuple):
    """A part of a folded text, cut from the passage at `before`.

    `heads` are the column headings of a row that it shows.
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
        """Return the part as HTML, below its column headings if there are any."""
        part = _render(self.text, self.part, self.spans, self.begins, self.ends)
        return f"{_escape(self.heads)}{BREAK}{part}" if self.heads else part


class SnippetRequest(NamedTuple):
    """A passage with marks between MARK_START and MARK_END, and what its snippets show.

    `begins` and `ends` are true if the passage begins or ends its document's text. `leaves` gives
    the leaves of the query that marked words show; pass the same function for the same leaves.
    `wanted` says which parts are preferred. With `heads` a table row comes
    below its column headings. `most` is the number of snippets. With `below` a passage without
    marks is shown from below its letterhead.
    """

    marked: str
    begins: bool
    ends: bool
    leaves: Shown = own_leaf
    wanted: Wanted = BY_WORDS
    heads: bool = False
    most: int = 1
    below: bool = False


class _Piece(NamedTuple):
    """A piece of a passage with the part of it to show."""

    span: Span
    cut: _Cut
    marks: Sequence[Span]
    words: Sequence[str]

    def locate(self) -> LocatedSnippet:
        """Return the part as a snippet of the passage."""
        cut = self.cut
        marks = [_original_span(cut, span) for span in _marks_of(cut.spans, cut.part)]
        snippet = LocatedSnippet(cut.render(), _original_span(cut, cut.part), marks)
        return snippet.shift(self.span.start) if self.span.start else snippet

    def worth(self, leaves: Shown) -> int:
        """Return the number of leaves that the part shows."""
        words = self.words[_within(self.marks, _original_span(self.cut, self.cut.part))]
        return len(frozenset[object]().union(*map(leaves, words)))


def make_snippets(request: SnippetRequest) -> list[LocatedSnippet]:
    """Return the passage's snippet, then others from the text beside it, by number of leaves.

    A snippet is escaped text in which white space and rulers are folded (`folding.fold`); an
    ellipsis marks text that was left out. The part with the most different leaves wins; of several,
    the one that shows them closest together or in prose, then the first. It is cut at white space.
    """
    passage = unmark(request.marked)
    if request.below and not passage.spans:
        start = below_letterhead(passage.text)
        if start:
            below = request._replace(marked=passage.text[start:], begins=False)
            return [snippet.shift(start) for snippet in make_snippets(below)]
    end = len(passage.text)

    def cut_piece(span: Span) -> _Piece:
        inside = _within(passage.spans, span)
        marks = [
            Span(mark.start - span.start, mark.end - span.start)
            for mark in passage.spans[inside]
            if mark.end <= span.end
        ]
        text, words = passage.text[span.start : span.end], passage.words[inside][: len(marks)]
        begins, ends = request.begins and span.start == 0, request.ends and span.end == end
        cut = _cut(request, Unmarked(text, marks, words), begins, ends)
        return _Piece(span, cut, marks, words)

    first = _Piece(Span(0, end), _cut(request, passage, request.begins, request.ends), *passage[1:])
    pieces, snippets = [first], list[LocatedSnippet]()
    while pieces and len(snippets) < request.most:
        best = max(pieces, key=lambda piece: piece.worth(request.leaves)) if snippets else first
        pieces.remove(best)
        snippets.append(best.locate())
        if len(snippets) < request.most:
            place = snippets[-1].place
            beside = Span(best.span.start, place.start), Span(place.end, best.span.end)
            others = [cut_piece(span) for span in beside if span.end - span.start >= _LEAST_PIECE]
            pieces += [piece for piece in others if piece.worth(request.leaves)]
    return snippets


def _cut(request: SnippetRequest, passage: Unmarked, begins: bool, ends: bool) -> _Cut:
    text, marks, words = passage
    wanted = request.wanted
    leaves = list(map(request.leaves, words))
    outside = outside_page_lines(text, [mark.start for mark in marks], words)
    if outside is not None and any(outside):
        leaves = [
            word_leaves if is_out else _NO_LEAF
            for word_leaves, is_out in zip(leaves, outside, strict=True)
        ]
    core, near, which = (
        _close_core(text, marks, leaves, wanted),
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
    part = _part(folded, spans, leaves, core, wanted)
    cut = _Cut(folded.text, part, spans, begins, ends, folded, near.start)
    marks_shown = _marks_of(spans, part) if request.heads else []
    if not marks_shown:
        return cut
    first_mark = _original_span(cut, marks_shown[0]).start
    return cut._replace(
        heads=column_heads(passage.text, first_mark, _original_span(cut, part).start)
    )


def _original_span(cut: _Cut, span: Span) -> Span:
    """Map a span of the folded text to the original; separators at its ends are dropped."""
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
    wanted: Wanted,
) -> Span:
    if not spans:
        return at_blanks(folded.text, Span(0, MAX_LENGTH), Span(0, 0))
    text = MarkedText(folded.text, folded.lines, spans, wanted)
    return text.part(core) if core else text.best_part(leaves)


def _within(spans: Sequence[Span], piece: Span) -> slice:
    """Return the spans that begin in a piece of their text."""
    return slice(bisect_left(spans, (piece.start,)), bisect_left(spans, (piece.end,)))


def _close_core(
    text: str, spans: Sequence[Span], leaves: Sequence[frozenset[object]], wanted: Wanted
) -> Span | None:
    """Find the best part of an unfolded text, if it has all leaves and will certainly fit."""
    cores = best_cores(spans, leaves)
    if not cores:
        return None
    core = cores[0] if len(cores) == 1 else MarkedText(text, [0], spans, wanted).best(cores)
    gaps = text.count("\n", *core) + text.count(CELL_SEPARATOR, *core)
    if core.end - core.start + _WIDER * gaps + _ENDS > MAX_LENGTH:
        return None
    inside = leaves[_within(spans, core)]
    if len(inside) < len(leaves) and frozenset().union(*inside) != frozenset().union(*leaves):
        return None
    return core


def _surroundings(text: str, core: Span) -> Span:
    """Return the lines around the core, cut at blanks if they are long."""
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
    """Return the marked spans of the folded text, given alternating edges."""
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
    """Return the marks that the part shows whole, or else the marks that it cuts."""
    inside = spans[_within(spans, part)]
    if inside and inside[-1].end > part.end:
        inside.pop()
    return inside or [span for span in spans if span.start < part.end and span.end > part.start]


def _escape(text: str) -> str:
    return html.escape(text, quote=False) if "&" in text or "<" in text or ">" in text else text


# The leaves of a query take a few kilobytes.
_QUERIES = 200


leaves_of = lru_cache(_QUERIES)(leaves_shown)


# Passages have about 2,000 characters, and slightly more with marks; at four bytes each these are
# 20 MB at the very most, and 4 MB in practice.
_REMEMBERED, _LONGEST = 1_000, 5_000
_remembered = lru_cache(_REMEMBERED)(make_snippets)


def snippets_of(request: SnippetRequest) -> Sequence[LocatedSnippet]:
    """Return a passage's snippets, given the engine's reply; the same as `make_snippets`."""
    make = _remembered if len(request.marked) <= _LONGEST else make_snippets
    return make(request)
