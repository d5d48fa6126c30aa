"""One document out of an archived submission, in pieces: never the whole in memory."""

import gzip
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from edgar_search.archive.members import Member, member_chunks
from edgar_search.archive.store import ArchiveStore
from edgar_search.edgar.document import body_start
from edgar_search.edgar.media_type import content_type
from edgar_search.edgar.uuencoded import decode_chunks, is_uuencoded

# What stands above a document's text is a few lines.
_MOST_HEAD = 1_048_576


class ArchivedDocument(NamedTuple):
    """A document's content, decoded, and its media type; `chunks` can be taken once."""

    content_type: str
    chunks: Iterator[bytes]


def open_document(
    store: ArchiveStore, path: str, member: Member, file_name: str, size: int
) -> ArchivedDocument:
    """Begin to read a document of `size` bytes, which has a member of its own.

    Raises as the store does, and OSError where the file is damaged, also while the chunks are
    taken: they come to exactly `size` bytes or to an error.
    """
    pieces = member_chunks(store, path, member[0], member[1])
    head = _head(pieces)
    binary = is_uuencoded(head)
    body: Iterable[bytes] = chain([head], pieces)
    decoded = _cut(decode_chunks(body) if binary else iter(body), size)
    first = next(decoded, b"")
    kind = content_type(file_name, first, binary=binary)
    return ArchivedDocument(kind, chain([first], decoded))


def _head(pieces: Iterator[bytes]) -> bytes:
    """The beginning of the body, at least some lines of it where it has them."""
    beginning = b""
    for piece in pieces:
        beginning += piece
        start = body_start(beginning, whole=False)
        if start is not None:
            return beginning[start:]
        if len(beginning) > _MOST_HEAD:
            break
    start = body_start(beginning, whole=True)
    if start is None:
        raise gzip.BadGzipFile("the archive has no text where the document was")
    return beginning[start:]


def _cut(chunks: Iterator[bytes], size: int) -> Iterator[bytes]:
    left = size
    for chunk in chunks:
        if chunk and left:
            yield chunk[:left]
            left -= min(left, len(chunk))
        if not left:
            return
    if left:
        raise gzip.BadGzipFile(f"the archive has {left} bytes less than the document had")
