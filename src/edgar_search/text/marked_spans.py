"""Locates parts of a filed document in its text, without a map of the whole; pure.

A mark is put at both edges of each part, and the same reader reads the document again. Without its
marks, the result must equal the document's text, apart from white space; then the marks show where
the edges are, whatever the reader hides or moves.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from edgar_search.edgar.envelope import plain_text
from edgar_search.text.document_text import finished_text, laid_out_html, text_of
from edgar_search.text.html_pages import PAGE_END, ReadText, read_pages
from edgar_search.text.place_map import Span, number_stretches, split_at_numbers
from edgar_search.text.versions import DocumentKind

# An edge is located by this many filed characters beside it; of their text, without white space,
# the longest of these lengths must occur only once.
_BESIDE, _CONTEXTS = 4_000, (200, 80, 40)


def text_spans(
    kind: DocumentKind, source: str, text: str, spans: Sequence[Span]
) -> list[Span | None]:
    """Return what `marked_spans` does, mostly without reading the whole document again.

    An edge is found by the words beside it if they occur once in the text.
    """
    compact = _CompactText(text)
    located: list[Span | None] = []
    for start, end in spans:
        first = _first_place(compact.text, _words_of(kind, source[start : start + _BESIDE]))
        last = _last_place(compact.text, _words_of(kind, source[max(0, end - _BESIDE) : end]))
        if first is None or last is None or first >= last:
            located.append(None)
        else:
            located.append((compact.place(first), compact.place(last - 1) + 1))
    missing = [span for span, place in zip(spans, located, strict=True) if place is None]
    if not missing:
        return located
    marked = iter(marked_spans(kind, source, text, missing))
    return [next(marked) if place is None else place for place in located]


def _words_of(kind: DocumentKind, part: str) -> str:
    """Return the text of a source between whole tags, without white space.

    It keeps the order of the source, which the document's text does not around page breaks.
    """
    if part.find(">") < part.find("<") or "<" not in part:
        part = part[part.find(">") + 1 :]
    if part.rfind("<") > part.rfind(">"):
        part = part[: part.rfind("<")]
    if kind is DocumentKind.HTML:
        text = laid_out_html(part).replace(PAGE_END, " ")
    else:
        text = finished_text(plain_text(part))
    return "".join(text.split())


def _first_place(text: str, words: str) -> int | None:
    """Return where these words begin if their beginning occurs exactly once, else None."""
    for length in _CONTEXTS:
        if len(words) >= length and (at := text.find(words[:length])) >= 0:
            return at if text.find(words[:length], at + 1) < 0 else None
    return None


def _last_place(text: str, words: str) -> int | None:
    """Return where these words end if their end occurs exactly once, else None."""
    for length in _CONTEXTS:
        if len(words) >= length and (at := text.find(words[-length:])) >= 0:
            return at + length if text.find(words[-length:], at + 1) < 0 else None
    return None


def marked_spans(
    kind: DocumentKind, source: str, text: str, spans: Sequence[Span]
) -> list[Span | None]:
    """Return the positions in `text` of parts of its decoded `source`, whose edges are in text.

    A part that is empty or has a hidden edge has no position; no part has one if the text is not
    certain.
    """
    edges = sorted({edge for span in spans for edge in span})
    marked = number_stretches(source, [(edge, edge) for edge in edges])
    laid_out = laid_out_html(marked) if kind is DocumentKind.HTML else text_of(kind, marked)
    pieces, order = split_at_numbers(laid_out)
    laid_out = "".join(pieces)
    read = read_pages(laid_out) if kind is DocumentKind.HTML else ReadText(laid_out, [])
    # The words are elsewhere in reading order.
    found_in = _CompactText(laid_out.replace(PAGE_END, " "))
    read_as = _CompactText(read.text) if read.lines else found_in
    compact = _CompactText(text)
    if read_as.text != compact.text:
        return [None] * len(spans)
    edge_places: dict[int, int] = {}
    at = 0
    for piece, number in zip(pieces, order, strict=False):
        at += len("".join(piece.replace(PAGE_END, " ").split()))
        edge_places[edges[number]] = at

    def place(at: int) -> int | None:
        if read.lines:
            moved = read.place(found_in.place(at))
            return None if moved is None else compact.place(read_as.number(moved))
        return compact.place(at)

    places: list[Span | None] = []
    for start, end in spans:
        if start in edge_places and end in edge_places and edge_places[start] < edge_places[end]:
            first, last = place(edge_places[start]), place(edge_places[end] - 1)
            if first is not None and last is not None and first <= last:
                places.append((first, last + 1))
                continue
        places.append(None)
    return places


class _CompactText:
    """A text without white space."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        compact = ["".join(line.split()) for line in self._lines]
        self.text = "".join(compact)
        self._before = list(accumulate(map(len, compact), initial=0))
        self._starts = list(accumulate((len(line) + 1 for line in self._lines), initial=0))

    def number(self, place: int) -> int:
        """Return how many characters precede a position of the whole text."""
        line = bisect_right(self._starts, place) - 1
        before = self._lines[line][: place - self._starts[line]]
        return self._before[line] + len("".join(before.split()))

    def place(self, at: int) -> int:
        """Return the position of a character in the whole text."""
        line = bisect_right(self._before, at) - 1
        if line >= len(self._lines):
            return self._starts[-1] - 1
        left = at - self._before[line]
        for inside, char in enumerate(self._lines[line]):
            if not char.isspace():
                if not left:
                    return self._starts[line] + inside
                left -= 1
        raise AssertionError("a line has as many characters as were counted")
