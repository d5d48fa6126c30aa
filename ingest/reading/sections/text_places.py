"""Places of a report's sections in its searchable text.

The stretches of text behind the edges of sections are replaced by numbers, and the report is read
again: a number is then at the place of the stretch. All between two numbers must be the text's own,
white space apart; else the map of all places is made, which takes three times as long.
"""

from collections.abc import Sequence
from html import unescape
from itertools import islice, pairwise

from edgar_search.edgar.envelope import decode_bytes
from edgar_search.edgar.submission import Document
from edgar_search.text.document_text import searched_kind, text_of
from edgar_search.text.place_map import (
    ByteOffsets,
    CompactText,
    map_places,
    number_stretches,
    split_at_numbers,
    stretches,
)
from edgar_search.text.versions import DocumentKind
from edgar_search.text.words import normalise

Span = tuple[int, int]

# Some of the stretches behind an edge may be hidden.
_NUMBERED = 3


def section_places(document: Document, text: str, sections: Sequence[Span]) -> list[Span | None]:
    """Return the place of each section in `text`, the document's searchable text, in code points.

    `sections` are bytes of the body, in order, without overlaps. A place is None if nothing of the
    section is text, or if a parser moved a part of it.
    """
    kind = searched_kind(document) if sections else None
    if kind is None:
        return [None] * len(sections)
    body = document.body
    edges = sorted({at for section in sections for at in section})
    places = _edge_places(kind, body, text, edges)
    if places is None:
        known = map_places(kind, body, text)
        spans = [known.text_span(start, end) for start, end in sections]
        return _in_order([span and _stripped(text, *span) for span in spans])
    found = dict(zip(edges, places, strict=True))
    return _in_order([_stripped(text, found[start], found[end]) for start, end in sections])


def _edge_places(
    kind: DocumentKind, body: bytes, text: str, edges: Sequence[int]
) -> list[int] | None:
    """Return the place of the first character behind each edge, None if it is not certain."""
    source = decode_bytes(body)
    offsets = ByteOffsets(body, source)
    behind = [
        list(islice(stretches(kind, source, offsets.character(edge)), _NUMBERED)) for edge in edges
    ]
    spans = sorted({span for some in behind for span in some})
    if any(start < end for (_, end), (start, _) in pairwise(spans)):
        return None  # an edge is amid of a stretch
    between, order = split_at_numbers(text_of(kind, number_stretches(source, spans)))
    shown = CompactText(text)
    found: dict[Span, int] = {}
    at = shown.behind(between[0], 0)
    for number, piece in zip(order, between[1:], strict=True):
        if at >= 0:
            found[spans[number]] = at
            at = shown.behind(normalise(unescape(source[slice(*spans[number])])), at)
        if at >= 0:
            at = shown.behind(piece, at)
    if at != len(shown.text):
        return None
    places: list[int] = []
    for some in behind:
        first = next((found[span] for span in some if span in found), None)
        if first is None and len(some) == _NUMBERED:
            return None
        places.append(len(text) if first is None else shown.place(first))
    return places


def _stripped(text: str, start: int, end: int) -> Span | None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return (start, end) if start < end else None


def _in_order(places: Sequence[Span | None]) -> list[Span | None]:
    """Return the places, None for each that overlaps or is out of order with another."""
    kept: list[Span | None] = []
    for number, place in enumerate(places):
        before = [each[1] for each in places[:number] if each]
        behind = [each[0] for each in places[number + 1 :] if each]
        fits = (
            place
            and max(before, default=0) <= place[0]
            and place[1] <= min(behind, default=place[1])
        )
        kept.append(place if fits else None)
    return kept
