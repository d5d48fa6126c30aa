"""Where a report's sections stand in its searchable text.

A section begins where a line or an element does, so the text from there on is the same, whether
made of all the body or of the next few thousand bytes. That is enough to find its beginning, and
what comes next is where it ends. What is in doubt is found by all of its words.
"""

from collections.abc import Sequence

from edgar_search.edgar.submission import Document
from ingest.reading.document_kind import DocumentKind, searched_kind
from ingest.reading.section_edges import edges_in_text
from ingest.reading.section_words import Words, fragment_text

Span = tuple[int, int]


def section_places(document: Document, text: str, sections: Sequence[Span]) -> list[Span | None]:
    """The place of each section in `text`, the document's searchable text, in code points.

    `sections` are bytes of the body, in order, without overlaps. A place is None where it is
    not certain: neither are both edges known, nor do the section's words, all of them and nothing
    between, stand in the text in one place only.
    """
    kind = searched_kind(document) if sections else None
    if kind is None:
        return [None] * len(sections)
    body = document.body
    edges = edges_in_text(kind, body, text, sorted({at for each in sections for at in each}))
    chosen = _in_order(
        [_between(text, edges.get(start), edges.get(end)) for start, end in sections]
    )
    if None in chosen:
        _find_by_words(kind, body, text, sections, chosen)
    return chosen


def _between(text: str, start: int | None, end: int | None) -> Span | None:
    """From the first word to the end of the last, None where an edge is not known."""
    if start is None or end is None:
        return None
    while end > start and text[end - 1].isspace():
        end -= 1
    return (start, end) if start < end else None


def _find_by_words(
    kind: DocumentKind,
    body: bytes,
    text: str,
    sections: Sequence[Span],
    chosen: list[Span | None],
) -> None:
    """Put the places that are missing in `chosen` there, of those sections whose words have one."""
    words = Words(text)
    candidates: dict[int, list[Span]] = {}
    for number, (start, end) in enumerate(sections):
        if chosen[number] is None:
            candidates[number] = words.places(fragment_text(kind, body[start:end]))
    for number, places in candidates.items():
        if len(places) == 1:
            chosen[number] = places[0]
    chosen[:] = _in_order(chosen)
    for number, places in candidates.items():
        if len(places) > 1:
            chosen[number] = _only_one_between(chosen, number, places)


def _in_order(places: Sequence[Span | None]) -> list[Span | None]:
    """The same without those that are not behind all before them, or not before all behind them."""
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


def _only_one_between(
    chosen: Sequence[Span | None], number: int, places: list[Span]
) -> Span | None:
    """The place that lies between the sections before and behind, if just one does."""
    least = max((each[1] for each in chosen[:number] if each), default=0)
    most = min((each[0] for each in chosen[number + 1 :] if each), default=None)
    fits = [each for each in places if each[0] >= least and (most is None or each[1] <= most)]
    return fits[0] if len(fits) == 1 else None
