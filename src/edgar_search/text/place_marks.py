"""Finds where to insert marks into the filed bytes for spans of a text; pure."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from edgar_search.text.place_map import PlaceMap, Span

# Their content has no HTML elements: a mark would be text, or would not show.
_FOREIGN = re.compile(
    rb"<(textarea|xmp|iframe|noembed|noframes|noscript|plaintext|svg|math)(?=[\s/>])",
    re.IGNORECASE,
)
_BRACKETS = (b"<", b">")
_LETTER = re.compile(rb"[0-9A-Za-z]")
_WIDE = (b"\xff\xfe", b"\xfe\xff")


def pieces_to_mark(body: bytes, places: PlaceMap, spans: Iterable[Span]) -> list[list[Span]]:
    """Return, for each span of a text, the pieces of `body` to put a mark around.

    `places` is the map of the document (`map_places`), `spans` are spans of its text in code
    points, `end` exclusive. A piece contains no tag or comment, and does not begin or end inside
    one, inside an entity or inside a character: an inline element may be put around it without
    changing the document's tree or text. A span has several pieces if it contains tags, and none if
    nothing of it was filed there: labels of forms, white space. Elements whose content has no
    elements (<textarea>, <xmp>) have none either, nor has a body in UTF-16. Pieces are in text
    order, which is byte order unless a parser moved something.
    """
    if body.startswith(_WIDE):
        return [[] for _ in spans]
    foreign = _foreign(body)
    starts = [start for start, _ in foreign]
    return [
        [piece for piece in _pieces(body, places, span) if not _is_in(foreign, starts, piece)]
        for span in spans
    ]


def _pieces(body: bytes, places: PlaceMap, span: Span) -> list[Span]:
    pieces: list[Span] = []
    for start, end in places.filed_runs(*span):
        if pieces and pieces[-1][0] <= start and _is_one(body, places, pieces[-1][1], start):
            pieces[-1] = pieces[-1][0], max(end, pieces[-1][1])
        else:
            pieces.append((start, end))
    return pieces


def _is_one(body: bytes, places: PlaceMap, end: int, start: int) -> bool:
    """Return True if a mark may continue from one run to the next: nothing else is between them.

    Words between them belong elsewhere if a paragraph continues behind a page number.
    """
    if _has_tag(body, end, start):
        return False
    return _LETTER.search(body, end, start) is None or not places.is_shown(end, start)


def _has_tag(body: bytes, start: int, end: int) -> bool:
    return any(body.find(bracket, start, end) >= 0 for bracket in _BRACKETS)


def _foreign(body: bytes) -> list[Span]:
    """Return the elements that must not contain marks, in order.

    An unclosed one extends to the end of the body.
    """
    elements: list[Span] = []
    at = 0
    while (begin := _FOREIGN.search(body, at)) is not None:
        end = re.compile(b"</%b" % begin[1], re.IGNORECASE).search(body, begin.end())
        at = end.end() if end else len(body)
        elements.append((begin.start(), at))
    return elements


def _is_in(elements: Sequence[Span], starts: Sequence[int], piece: Span) -> bool:
    number = bisect_right(starts, piece[0]) - 1
    return number >= 0 and piece[0] < elements[number][1]
