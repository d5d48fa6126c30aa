"""Submissions as received, kept compressed and never changed.

A submission is one gzip file of several members, one for its header and one for each document, so
that one document can be read without the rest and any gunzip reads the whole. In the archive, a
folder or an object store, the files lie at
`<first 10 digits>/<yy>/<accession number>.<first 16 hex digits of the SHA-256>.gz`.
"""

import gzip
import re
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import cast

from isal import igzip, isal_zlib
from msgspec import Struct

from edgar_search.edgar.archive_file import Kept
from edgar_search.edgar.archive_store import ArchiveStore

# Over the real submissions, level 2 of ISA-L wrote 694 MB/s to 17.8 % of their size, zlib's level 6
# wrote 46 MB/s to 15.2 %: a quarter of a whole load's time, for a seventh of the archive.
_LEVEL = 2
# The library's own type information takes its error class for an instance.
DAMAGED: tuple[type[Exception], ...] = (EOFError, cast("type[Exception]", isal_zlib.IsalError))
GZIP_WINDOW = 31  # zlib's code for the largest window with gzip's header, without a time stamp
_ACCESSION_NUMBER = re.compile(r"[0-9]{10}-[0-9]{2}-[0-9]{6}")
_NAME = re.compile(r"[0-9]{10}-[0-9]{2}-[0-9]{6}\.[0-9a-f]{16}\.gz")

# Offset and length in the gzip file, start and length in the submission, all in bytes.
Member = tuple[int, int, int, int]


class ArchivedSubmission(Struct, frozen=True):
    """Where a submission is: `path` is relative to the archive, members are in order."""

    path: str
    members: list[Member]


def write(
    store: ArchiveStore,
    accession_number: str,
    sha256: str,
    data: bytes,
    member_starts: Iterable[int],
) -> ArchivedSubmission:
    """Keep `data`, whose SHA-256 in hex is `sha256`, with a member at 0 and at each start.

    After the return the file survives a crash of the machine. A file that is there already stays
    as it is unless it is damaged. Raises as the store does, ValueError for what is no accession
    number.
    """
    path = _relative(accession_number, sha256)
    there = _there(store, path)
    members = None if there is None else _members(there, len(data))
    if members is None:
        content, members = compressed(data, member_starts)
        if not store.put(path, content, replace=there is not None):
            # Another process has just written it, perhaps with other members.
            return write(store, accession_number, sha256, data, member_starts)
    return ArchivedSubmission(path, members)


def _there(store: ArchiveStore, path: str) -> bytes | None:
    try:
        return store.read(path)
    except FileNotFoundError:
        return None


def locate(home: Path, relative: str) -> Path:
    """Return the file of an archived submission's `path`, where the archive is the home's."""
    return home / "archive" / relative


def versions(store: ArchiveStore, accession_number: str) -> list[str]:
    """Return the paths of all versions of a submission, the first received first."""
    found = store.below(_versions_start(accession_number))
    return [kept.path for kept in in_order(found)]


def in_order(found: Iterable[Kept]) -> list[Kept]:
    """The archive's own files of a listing by accession number, then as they were received."""
    return sorted(
        (kept for kept in found if is_archived(_name(kept.path))),
        key=lambda kept: (_stem(kept.path), kept.modified, kept.path),
    )


def is_archived(name: str) -> bool:
    """Whether a file's name is one that this archive gives."""
    return _NAME.fullmatch(name) is not None


def remove_all(store: ArchiveStore, accession_number: str) -> int:
    """Delete every version of a submission; their number."""
    return store.delete_all(_versions_start(accession_number))


def read(path: Path) -> bytes:
    """Return a whole submission as received; raises OSError if it is not there or damaged."""
    return gunzip(path.read_bytes())


def read_member(path: Path, offset: int, length: int) -> bytes:
    """Return one member from its offset and length in the gzip file; raises as `read`."""
    with path.open("rb") as file:
        file.seek(offset)
        return gunzip(file.read(length))


def gunzip(compressed: bytes) -> bytes:
    """Return what gzip members hold; raises gzip.BadGzipFile where they are damaged."""
    try:
        content: bytes = igzip.decompress(compressed)  # type: ignore[no-untyped-call]
    except DAMAGED as error:
        raise gzip.BadGzipFile(f"the gzip data is damaged: {error}") from None
    return content


def _relative(accession_number: str, sha256: str) -> str:
    return f"{_versions_start(accession_number)}{sha256[:16]}.gz"


def _versions_start(accession_number: str) -> str:
    """What the paths of all versions of a submission begin with, and no others."""
    if not _ACCESSION_NUMBER.fullmatch(accession_number):
        raise ValueError(f"{accession_number!r} is no accession number")
    return f"{accession_number[:10]}/{accession_number[11:13]}/{accession_number}."


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _stem(path: str) -> str:
    """A path without the hash."""
    return path.rpartition("/")[0] + "/" + _name(path).partition(".")[0]


def compressed(data: bytes, member_starts: Iterable[int]) -> tuple[bytes, list[Member]]:
    """Return the gzip file of `data` with a member at 0 and at each start, and its members."""
    pieces: list[bytes] = []
    members: list[Member] = []
    offset = 0
    for start, end in pairwise(sorted({0, *member_starts, len(data)})):
        compressor = isal_zlib.compressobj(_LEVEL, isal_zlib.DEFLATED, GZIP_WINDOW)
        piece = compressor.compress(memoryview(data)[start:end]) + compressor.flush()
        pieces.append(piece)
        members.append((offset, len(piece), start, end - start))
        offset += len(piece)
    return b"".join(pieces), members


def _members(content: bytes, size: int) -> list[Member] | None:
    """Return the members of a file, None if it is not whole."""
    members: list[Member] = []
    offset = start = 0
    try:
        while offset < len(content):
            decompressor = isal_zlib.decompressobj(GZIP_WINDOW)
            length = len(decompressor.decompress(memoryview(content)[offset:]))
            end = len(content) - len(decompressor.unused_data)
            if not decompressor.eof:
                return None
            members.append((offset, end - offset, start, length))
            offset, start = end, start + length
    except DAMAGED:
        return None
    return members if start == size else None
