"""The archive: submissions as received, compressed and never changed, and their documents.

A submission is a gzip file with a member for its header and one for each document. A document can
be read without the rest, and any gunzip reads the whole file. The archive is a folder or an object
store; paths are `<first 10 digits>/<yy>/<accession number>.<first 16 hex digits of the
SHA-256>.gz`.
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
from edgar_search.settings.extras import require_package
from edgar_search.settings.values import ArchivePlace

_NAME = re.compile(ACCESSION_NUMBER + r"\.[0-9a-f]{16}\.gz")
# Larger than any file.
_WHOLE = 1 << 62


class ArchivedSubmission(Struct, frozen=True):
    """An archived submission: `path` is relative to the archive, members are in order."""

    path: str
    members: list[Member]


def write(
    store: ArchiveStore,
    accession_number: str,
    sha256: str,
    data: Content,
    member_starts: Iterable[int],
) -> ArchivedSubmission:
    """Archive `data`, whose SHA-256 in hex is `sha256`, with a member at 0 and at each start.

    Once this returns, the file survives a crash of the machine. An existing file is kept unless it
    is damaged. Raises as the store does, and ValueError for an invalid accession number.
    """
    path = path_of(accession_number, sha256)
    try:
        members = members_in(store.pieces(path, 0, _WHOLE), len(data))
        exists = True
    except FileNotFoundError:
        members, exists = None, False
    if members is None:
        packed = Packed(data, member_starts)
        if not store.put(path, packed, replace=exists):
            # Another process has just written the file, perhaps with other members.
            return write(store, accession_number, sha256, data, member_starts)
        members = packed.members
    return ArchivedSubmission(path, members)


def path_of(accession_number: str, sha256: str) -> str:
    """Return the path of a version of a submission; ValueError for an invalid accession number."""
    return f"{_versions_start(accession_number)}{sha256[:16]}.gz"


def versions(store: ArchiveStore, accession_number: str) -> list[str]:
    """Return the paths of all versions of a submission, the first received first."""
    listed = store.below(_versions_start(accession_number))
    return [file.path for file in in_order(listed)]


def in_order(found: Iterable[ListedFile]) -> list[ListedFile]:
    """Sort the archive's files in a listing by accession number, then by time received."""
    return sorted(
        (file for file in found if is_archived(_name(file.path))),
        key=lambda file: (_stem(file.path), file.modified, file.path),
    )


def is_archived(name: str) -> bool:
    """Return True if a file name has the form that the archive gives."""
    return _NAME.fullmatch(name) is not None


def remove_all(store: ArchiveStore, accession_number: str) -> int:
    """Delete all versions of a submission; return how many."""
    return store.delete_all(_versions_start(accession_number))


def _versions_start(accession_number: str) -> str:
    """Return the prefix of the paths of all versions of a submission, and of nothing else."""
    if not is_accession_number(accession_number):
        raise ValueError(f"{accession_number!r} is not an accession number")
    return f"{accession_number[:10]}/{accession_number[11:13]}/{accession_number}."


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _stem(path: str) -> str:
    """Return a path without its hash."""
    return path.rpartition("/")[0] + "/" + _name(path).partition(".")[0]


# How far a document's text may begin in its member; only a few lines come before it.
_MOST_HEAD = 1_048_576


class ArchivedDocument(NamedTuple):
    """A document's decoded content and its media type; `chunks` can be read once."""

    content_type: str
    chunks: Iterator[bytes]


def open_document(
    store: ArchiveStore, path: str, member: Member, file_name: str, size: int
) -> ArchivedDocument:
    """Open a document of `size` bytes, which has a member of its own.

    Raises as the store does, and OSError if the file is damaged, even while the chunks are read:
    together they have exactly `size` bytes, or end in an error.
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
    """Read the beginning of the body, up to its first lines if it has lines."""
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
        raise gzip.BadGzipFile("the archive has no text at the place of the document")
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
        raise gzip.BadGzipFile(f"the archive has {left} bytes fewer than the document")


def open_archive(place: ArchivePlace) -> ArchiveStore:
    """Open the store at this address, for this process only: it must not be used after a fork.

    Raises SettingsError if the object store's own variables are unusable, and as `require_store`.
    """
    require_store(place)
    if place.folder is not None:
        return ArchiveFolder(place.folder)
    # Most installations use a folder, and need not load the library of object stores.
    from edgar_search.archive.object_store import ObjectStore

    return ObjectStore.at(place.url)


def require_store(place: ArchivePlace) -> None:
    """Raise SettingsError if an object store's library is needed but not installed."""
    if place.folder is None:
        require_package("obstore", "object-store", f"EDGAR_SEARCH_ARCHIVE_URL: {place.url}")
