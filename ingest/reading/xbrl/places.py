"""Places of the numbers of inline XBRL in the text of their document.

Before and behind each number a mark is put, and the document is read again by the same reader. What
it gives without the marks must be the document's text, white space apart; then a mark is where the
number is, whatever the reader hides or moves.
"""

import re
from collections.abc import Iterator

from edgar_search.edgar.envelope import decode_bytes
from edgar_search.text.document_text import text_of
from edgar_search.text.place_map import (
    CompactText,
    Span,
    number_stretches,
    split_at_numbers,
)
from edgar_search.text.versions import DocumentKind

_TAG = re.compile(r"<(/?)ix:nonFraction\b([^<>]*)>")
_ID = re.compile(r"""\bid\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_NUMBERED = b"<ix:nonFraction"


def fact_places(body: bytes, text: str) -> dict[str, Span]:
    """Return the places of numbers in `text`, the document's searchable text, by their ids.

    A number that is hidden has none, nor has any if the text is not certain.
    """
    if _NUMBERED not in body:
        return {}
    source = decode_bytes(body)
    numbers = dict(_numbers(source))
    edges = sorted({edge for span in numbers.values() for edge in span})
    marked = number_stretches(source, [(edge, edge) for edge in edges])
    pieces, order = split_at_numbers(text_of(DocumentKind.HTML, marked))
    shown = CompactText(text)
    found: dict[int, int] = {}
    at = 0
    for piece, number in zip(pieces, [*order, None], strict=True):
        at = shown.behind(piece, at)
        if at < 0:
            return {}
        if number is not None:
            found[edges[number]] = at
    if at != len(shown.text):
        return {}
    return {
        name: (shown.place(found[start]), shown.place(found[end] - 1) + 1)
        for name, (start, end) in numbers.items()
        if start in found and end in found and found[start] < found[end]
    }


def _numbers(source: str) -> Iterator[tuple[str, Span]]:
    """Yield the id of each number with the part of the source between its tags."""
    begun: list[re.Match[str]] = []
    for tag in _TAG.finditer(source):
        if not tag[1]:
            if not tag[2].endswith("/"):
                begun.append(tag)
        elif begun:
            first = begun.pop()
            if name := _ID.search(first[2]):
                yield name[1] or name[2] or "", (first.end(), tag.start())
