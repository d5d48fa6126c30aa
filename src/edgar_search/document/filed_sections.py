"""Sections of a report as HTML, cut out of the bytes that were filed."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from edgar_search.archive.store import ArchiveStore
from edgar_search.document.filed_view import kind_of
from edgar_search.document.original import find_original, open_original
from edgar_search.document.text import Passages, document_text
from edgar_search.edgar.document import section_content
from edgar_search.edgar.media_type import has_html_tags
from edgar_search.engine.engine import Engine
from edgar_search.stored.filings import FilingDocument, StoredFiling, StoredSection
from edgar_search.text.place_map import PlaceMap, Span, map_places

# The markup that opens the element in which a section begins, with an anchor that is closed.
_OPENING = re.compile(rb"(?:<[A-Za-z][^<>]{0,1500}>\s*(?:</[Aa]>\s*)?)+\Z")
_MOST_OPENING = 4_000  # bytes


class _Filed(NamedTuple):
    body: bytes
    is_html: bool
    places: PlaceMap


def document_of(section: StoredSection) -> str:
    """The document that has a section's content: that which it leads to, else the report."""
    return section.followed.document_id if section.followed else section.document_id


async def sections_html(
    engine: Engine,
    store: ArchiveStore,
    filing: StoredFiling,
    sections: Sequence[StoredSection],
    account: str,
) -> list[str | None]:
    """The content of each section as HTML; None if it is not certain where it is.

    Some engine requests for each document that has sections. Raises NotFound, TextChanging.
    """
    filed: dict[str, _Filed] = {}
    for document_id in dict.fromkeys(map(document_of, sections)):
        original = find_original(filing, document_id)
        opened = await asyncio.to_thread(open_original, store, original)
        body = await asyncio.to_thread(b"".join, opened.chunks)
        text = await document_text(engine, document_id, account)
        read = await Passages(engine, text, account).whole(0, text.length)
        places = await asyncio.to_thread(_map, original.document, body, read)
        filed[document_id] = _Filed(body, has_html_tags(body), places)
    return await asyncio.to_thread(_contents, sections, filed)


def _map(listed: FilingDocument, body: bytes, text: str) -> PlaceMap:
    """Find the places of a document's text in its bytes."""
    kind = kind_of(listed, body)
    return PlaceMap(b"", "") if kind is None else map_places(kind, body, text)


def _contents(sections: Sequence[StoredSection], filed: Mapping[str, _Filed]) -> list[str | None]:
    return [_content(section, filed[document_of(section)]) for section in sections]


def _content(section: StoredSection, filed: _Filed) -> str | None:
    parts = [section_content(filed.body, *span) for span in _spans(section, filed)]
    return "\n".join(parts) if parts else None


def _spans(section: StoredSection, filed: _Filed) -> list[Span]:
    """The bytes of a section, with the markup that opens its first element."""
    if section.followed:
        places = [(each.start, each.end) for each in section.followed.places]
    elif section.start is not None and section.end is not None:
        # An older version stored the bytes.
        return [(section.start, section.end)]
    else:
        places = [(section.text_start or 0, section.text_end or 0)]
    spans: list[Span] = []
    for start, end in places:
        runs = list(filed.places.filed_runs(start, end))
        if runs and runs[0][0] < runs[-1][1]:
            first = runs[0][0]
            before = filed.body[max(0, first - _MOST_OPENING) : first] if filed.is_html else b""
            opening = _OPENING.search(before)
            spans.append((first - len(opening[0]) if opening else first, runs[-1][1]))
    return spans
