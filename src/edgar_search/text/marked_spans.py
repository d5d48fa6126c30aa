"""Places in a text of parts of a document as filed, without a map of the whole; pure.

At the edges of each part a mark is put, and the document is read again by the same reader. What it
gives without the marks must be the document's text, white space apart; then a mark is where the
edge is, whatever the reader hides or moves.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from edgar_search.text.document_text import text_of
from edgar_search.text.place_map import Span, number_stretches, split_at_numbers
from edgar_search.text.versions import DocumentKind


def marked_spans(
    kind: DocumentKind, source: str, text: str, spans: Sequence[Span]
) -> list[Span | None]:
    """Return the places in `text` of parts of its decoded `source`, whose edges are in text.

    A part has none if it is empty or one of its edges is hidden, and all have none if the text is
    not certain.
    """
    edges = sorted({edge for span in spans for edge in span})
    marked = number_stretches(source, [(edge, edge) for edge in edges])
    pieces, order = split_at_numbers(text_of(kind, marked))
    shown = _CompactText(text)
    found: dict[int, int] = {}
    at = 0
    for piece, number in zip(pieces, [*order, None], strict=True):
        at = shown.behind(piece, at)
        if at < 0:
            return [None] * len(spans)
        if number is not None:
            found[edges[number]] = at
    if at != len(shown.text):
        return [None] * len(spans)
    return [
        (shown.place(found[start]), shown.place(found[end] - 1) + 1)
        if start in found and end in found and found[start] < found[end]
        else None
        for start, end in spans
    ]


class _CompactText:
    """A text without white space."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        compact = ["".join(line.split()) for line in self._lines]
        self.text = "".join(compact)
        self._before = list(accumulate(map(len, compact), initial=0))
        self._starts = list(accumulate((len(line) + 1 for line in self._lines), initial=0))

    def behind(self, piece: str, at: int) -> int:
        """Return where this piece ends that is to begin at a place, -1 if another is there."""
        piece = "".join(piece.split())
        return at + len(piece) if self.text.startswith(piece, at) else -1

    def place(self, at: int) -> int:
        """Return the place in the whole text of a character."""
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
