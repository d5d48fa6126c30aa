"""Sections cut from the filed bytes, as HTML; in a reading room only."""

import re
from collections.abc import Sequence

from edgar_search.document.filed_layout import kind_of
from edgar_search.edgar.document import section_content
from edgar_search.edgar.media_type import has_html_tags
from edgar_search.stored.filings import FilingDocument, StoredSection
from edgar_search.text.place_map import PlaceMap, Span, map_places

# The markup that opens the element where a section begins, with an anchor that is closed at once.
_OPENING = re.compile(rb"(?:<[A-Za-z][^<>]{0,1500}>\s*(?:</[Aa]>\s*)?)+\Z")
_MOST_OPENING = 4_000  # bytes


def cut_sections(
    listed: FilingDocument, body: bytes, text: str, sections: Sequence[StoredSection]
) -> list[str | None]:
    """Return each section's content in a document; None if its position is uncertain."""
    kind = kind_of(listed, body)
    places = PlaceMap(b"", "") if kind is None else map_places(kind, body, text)
    return [_content(section, body, places) for section in sections]


def _content(section: StoredSection, body: bytes, places: PlaceMap) -> str | None:
    parts = [section_content(body, *span) for span in _spans(section, body, places)]
    return "\n".join(parts) if parts else None


def _spans(section: StoredSection, body: bytes, places: PlaceMap) -> list[Span]:
    """Return the byte ranges of a section, with the markup that opens its first element."""
    if section.followed:
        wanted = [
            (followed_range.start, followed_range.end) for followed_range in section.followed.places
        ]
    elif section.start is not None and section.end is not None:
        # Older versions stored the bytes.
        return [(section.start, section.end)]
    else:
        wanted = [(section.text_start or 0, section.text_end or 0)]
    is_html = has_html_tags(body)
    spans: list[Span] = []
    for start, end in wanted:
        runs = list(places.filed_runs(start, end))
        if runs and runs[0][0] < runs[-1][1]:
            first = runs[0][0]
            before = body[max(0, first - _MOST_OPENING) : first] if is_html else b""
            opening = _OPENING.search(before)
            spans.append((first - len(opening[0]) if opening else first, runs[-1][1]))
    return spans
