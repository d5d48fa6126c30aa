"""The archive: submissions as received, compressed and never changed, and their documents.

A submission is one gzip file of several members, one for its header and one for each document, so
that one document can be read without the rest and any gunzip reads the whole. In the archive, a
folder or an object store, the files lie at
`<first 10 digits>/<yy>/<accession number>.<first 16 hex digits of the SHA-256>.gz`.
"""

import gzip
import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import NamedTuple

from msgspec import Struct

from edgar_search.archive.members import Member, Packed, member_chunks, members_in
from edgar_search.archive.store import ArchiveFolder, ArchiveStore, ListedFile
from edgar_search.edgar.document import body_start, decode_chunks, is_uuencoded
from edgar_search.edgar.envelope import Content
from edgar_search.edgar.identifiers import ACCESSION_NUMBER, is_accession_number
from edgar_search.edgar.media_type import content_type
from edgar_search.extras import require_package
from edgar_search.settings.values import ArchivePlace

_NAME = re.compile(ACCESSION_NUMBER + r"\.[0-9a-f]{16}\.gz")
# More than any file has.
_WHOLE = 1 << 62


class ArchivedSubmission(Struct, frozen=True):
    """Where a submission is: `path` is relative to the archive, members are in order."""

    path: str
    members: list[Member]


def write(
    store: ArchiveStore,
    accession_number: str,
    sha256: str,
    data: Content,
    member_starts: Iterable[int],
) -> ArchivedSubmission:
    """Keep `data`, whose SHA-256 in hex is `sha256`, with a member at 0 and at each start.

    After the return the file survives a crash of the machine. A file that is there already stays
    as it is unless it is damaged. Raises as the store does, ValueError for what is no accession
    number.
    """
    path = f"{_versions_start(accession_number)}{sha256[:16]}.gz"
    try:
        members = members_in(store.pieces(path, 0, _WHOLE), len(data))
        there = True
    except FileNotFoundError:
        members, there = None, False
    if members is None:
        packed = Packed(data, member_starts)
        if not store.put(path, packed, replace=there):
            # Another process has just written it, perhaps with other members.
            return write(store, accession_number, sha256, data, member_starts)
        members = packed.members
    return ArchivedSubmission(path, members)


def versions(store: ArchiveStore, accession_number: str) -> list[str]:
    """Return the paths of all versions of a submission, the first received first."""
    found = store.below(_versions_start(accession_number))
    return [kept.path for kept in in_order(found)]


def in_order(found: Iterable[ListedFile]) -> list[ListedFile]:
    """The archive's own files of a listing by accession number, then as they were received."""
    return sorted(
        (kept for kept in found if is_archived(_name(kept.path))),
        key=lambda kept: (_stem(kept.path), kept.modified, kept.path),
    )


def is_archived(name: str) -> bool:
    """Say whether a file's name is one that this archive gives."""
    return _NAME.fullmatch(name) is not None


def remove_all(store: ArchiveStore, accession_number: str) -> int:
    """Delete every version of a submission; their number."""
    return store.delete_all(_versions_start(accession_number))


def _versions_start(accession_number: str) -> str:
    """What the paths of all versions of a submission begin with, and no others."""
    if not is_accession_number(accession_number):
        raise ValueError(f"{accession_number!r} is no accession number")
    return f"{accession_number[:10]}/{accession_number[11:13]}/{accession_number}."


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _stem(path: str) -> str:
    """A path without the hash."""
    return path.rpartition("/")[0] + "/" + _name(path).partition(".")[0]


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

    Raises as the store does, and OSError if the file is damaged, also while the chunks are
    taken: they come to exactly `size` bytes or to an error.
    """
    pieces = member_chunks(store, path, member[0], member[1])
    head = _head(pieces)
    binary = is_uuencoded(head)
    body: Iterable[bytes] = chain([head], pieces)
    decoded = _take(decode_chunks(body) if binary else iter(body), size)
    first = next(decoded, b"")
    kind = content_type(file_name, first, binary=binary)
    return ArchivedDocument(kind, chain([first], decoded))


def _head(pieces: Iterator[bytes]) -> bytes:
    """The beginning of the body, at least some lines of it if it has them."""
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


def _take(chunks: Iterator[bytes], size: int) -> Iterator[bytes]:
    left = size
    for chunk in chunks:
        if chunk and left:
            yield chunk[:left]
            left -= min(left, len(chunk))
        if not left:
            return
    if left:
        raise gzip.BadGzipFile(f"the archive has {left} bytes less than the document had")


def open_archive(place: ArchivePlace) -> ArchiveStore:
    """The store of a place, for this process alone: it must not be taken through a fork.

    Raises SettingsError if the object store's own variables are of no use, and as
    `require_store`.
    """
    require_store(place)
    if place.folder is not None:
        return ArchiveFolder(place.folder)
    # Most installations have a folder, and need not pay for the library of an object store.
    from edgar_search.archive.object_store import ObjectStore

    return ObjectStore.at(place.url)


def require_store(place: ArchivePlace) -> None:
    """Raise SettingsError if the library of an object store is needed and not installed."""
    if place.folder is None:
        require_package("obstore", "object-store", f"EDGAR_SEARCH_ARCHIVE_URL: {place.url}")
