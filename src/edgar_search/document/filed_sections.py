"""Sections of a report as HTML, cut from the filed bytes."""

import asyncio
from collections.abc import Sequence

from edgar_search.archive.store import ArchiveStore
from edgar_search.document.original import find_original, open_original
from edgar_search.document.reading_room import ReadingOf, ReadingRoom
from edgar_search.document.section_cuts import cut_sections
from edgar_search.document.text import Passages, document_text
from edgar_search.engine.engine import Engine
from edgar_search.stored.filings import StoredFiling, StoredSection


def document_of(section: StoredSection) -> str:
    """Return the document with a section's content: the one it refers to, else the report."""
    return section.followed.document_id if section.followed else section.document_id


async def sections_html(
    engine: Engine,
    store: ArchiveStore,
    room: ReadingRoom,
    filing: StoredFiling,
    sections: Sequence[StoredSection],
    account: str,
) -> list[str | None]:
    """Return each section's content as HTML; None if its position is uncertain.

    Makes some engine requests for each document with sections. Raises NotFound, TextChanging, and
    as the room does.
    """
    contents: list[str | None] = [None] * len(sections)
    for document_id in dict.fromkeys(map(document_of, sections)):
        original = find_original(filing, document_id)
        opened = await asyncio.to_thread(open_original, store, original)
        body = await asyncio.to_thread(b"".join, opened.chunks)
        text = await document_text(engine, document_id)
        read = await Passages(engine, text).whole(0, text.length)
        reading = ReadingOf(document_id, account, text.sha256)
        wanted = [
            place for place, section in enumerate(sections) if document_of(section) == document_id
        ]
        some = [sections[place] for place in wanted]
        contents_read = await room.run(reading, cut_sections, original.document, body, read, some)
        for place, content in zip(wanted, contents_read, strict=True):
            contents[place] = content
    return contents
