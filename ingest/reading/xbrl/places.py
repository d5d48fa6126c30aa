"""Positions of the numbers of inline XBRL in the text of their document."""

import re
from collections.abc import Iterator

from edgar_search.edgar.envelope import decode_bytes
from edgar_search.text.marked_spans import marked_spans
from edgar_search.text.place_map import Span
from edgar_search.text.versions import DocumentKind

_TAG = re.compile(r"<(/?)ix:nonFraction\b([^<>]*)>")
_ID = re.compile(r"""\bid\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_NUMBERED = b"<ix:nonFraction"


def fact_places(body: bytes, text: str) -> dict[str, Span]:
    """Return the positions of numbers in `text`, the document's searchable text, by id.

    A hidden number has none, and no number has one if the text is not certain.
    """
    if _NUMBERED not in body:
        return {}
    source = decode_bytes(body)
    numbers = dict(_numbers(source))
    spans = marked_spans(DocumentKind.HTML, source, text, list(numbers.values()))
    return {name: span for name, span in zip(numbers, spans, strict=True) if span is not None}


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
