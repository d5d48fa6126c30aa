"""Positions of the numbers of inline XBRL, and of its auditor, in the text of their document."""

import re
from collections.abc import Iterator
from itertools import islice

from edgar_search.edgar.envelope import decode_bytes
from edgar_search.text.marked_spans import marked_spans
from edgar_search.text.place_map import Span
from edgar_search.text.versions import DocumentKind

_TAG = re.compile(r"<(/?)ix:nonFraction\b([^<>]*)>")
_ID = re.compile(r"""\bid\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_NUMBERED = b"<ix:nonFraction"
_AUDITOR = re.compile(
    r"""<ix:nonNumeric\b(?=[^<>]*\bname\s*=\s*["']dei:AuditorName["'])([^<>]*)>"""
)
_END = "</ix:nonNumeric>"
# Names of auditors that are located, more than any report has, and the most characters of one.
_MOST_AUDITORS, _LONGEST_AUDITOR = 10, 4_000


def fact_places(body: bytes, text: str) -> dict[str, Span]:
    """Return the positions of numbers and auditors in the document's searchable `text`, by id.

    A hidden one has none, and none has one if the text is not certain.
    """
    if _NUMBERED not in body:
        return {}
    source = decode_bytes(body)
    numbers = {**dict(_numbers(source)), **dict(_auditors(source))}
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


def _auditors(source: str) -> Iterator[tuple[str, Span]]:
    """Yield the id of each auditor's name with the part of the source between its tags."""
    for tag in islice(_AUDITOR.finditer(source), _MOST_AUDITORS):
        end = source.find(_END, tag.end(), tag.end() + _LONGEST_AUDITOR)
        if end >= 0 and (name := _ID.search(tag[1])):
            yield name[1] or name[2] or "", (tag.end(), end)
