"""A cache of views of documents as filed."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

from cachetools import LRUCache

from edgar_search.archive.archive import ArchivedDocument
from edgar_search.document.filed_layout import read_view
from edgar_search.document.filed_view import FiledView
from edgar_search.document.reading_room import ReadingOf, ReadingRoom
from edgar_search.edgar.envelope import decode_bytes
from edgar_search.stored.filings import FilingDocument

ReadText: TypeAlias = Callable[[], Awaitable[str]]
# The byte order marks of UTF-16.
_WIDE = (b"\xff\xfe", b"\xfe\xff")
# 32 MB of positions and cuts in recently viewed documents.
_MOST_REMEMBERED = 32_000_000
_REMEMBERED: LRUCache[str, FiledView] = LRUCache(_MOST_REMEMBERED, lambda view: view.size)


def read_body(opened: ArchivedDocument) -> bytes:
    """Read a document's bytes, converting UTF-16 to UTF-8; slow, so call it in a thread."""
    body = b"".join(opened.chunks)
    return decode_bytes(body).encode() if body.startswith(_WIDE) else body


async def view_of(
    room: ReadingRoom,
    account: str,
    listed: FilingDocument,
    version: str,
    body: bytes,
    text: ReadText | None,
) -> FiledView:
    """Return the view of a document with these bytes; `text` reads its text for positions.

    `version` is the text's hash. Raises as the room does.
    """
    key = f"{listed.document_id} {version}"
    view = _REMEMBERED.get(key)
    if view is not None and (text is None or view.places is not None):
        return view
    about = f"{version} {'without' if text is None else 'with'} places"
    reading = ReadingOf(listed.document_id, account, about)
    view = await room.run(reading, read_view, listed, body, await text() if text else None)
    # The view's size may have changed.
    _REMEMBERED.pop(key, None)
    if view.size <= _MOST_REMEMBERED:
        _REMEMBERED[key] = view
    return view
