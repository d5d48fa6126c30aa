"""Submissions as received, kept compressed and never changed.

A submission is one gzip file of several members, one for its header and one for each document, so
that one document can be read without the rest and any gunzip reads the whole. The files lie at
`<home>/archive/<first 10 digits>/<yy>/<accession number>.<first 16 hex digits of the SHA-256>.gz`.
"""

import fcntl
import gzip
import os
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import cast

from isal import igzip, isal_zlib
from msgspec import Struct

# Over the real submissions, level 2 of ISA-L wrote 694 MB/s to 17.8 % of their size, zlib's level 6
# wrote 46 MB/s to 15.2 %: a quarter of a whole load's time, for a seventh of the archive.
_LEVEL = 2
# The library's own type information takes its error class for an instance.
_DAMAGED: tuple[type[Exception], ...] = (EOFError, cast("type[Exception]", isal_zlib.IsalError))
_GZIP_WINDOW = 31  # zlib's code for the largest window with gzip's header, without a time stamp
# What is held of a member that is read in pieces, a few times over.
CHUNK_BYTES = 65_536
_ACCESSION_NUMBER = re.compile(r"[0-9]{10}-[0-9]{2}-[0-9]{6}")
_NAME = re.compile(r"[0-9]{10}-[0-9]{2}-[0-9]{6}\.[0-9a-f]{16}\.gz")

# Offset and length in the gzip file, start and length in the submission, all in bytes.
Member = tuple[int, int, int, int]


class ArchivedSubmission(Struct, frozen=True):
    """Where a submission is: `path` is relative to `<home>/archive`, members are in order."""

    path: str
    members: list[Member]


def write(
    home: Path, accession_number: str, sha256: str, data: bytes, member_starts: Iterable[int]
) -> ArchivedSubmission:
    """Keep `data`, whose SHA-256 in hex is `sha256`, with a member at 0 and at each start.

    After the return the file survives a crash of the machine. A file that is there already stays
    as it is unless it is damaged. Raises OSError if it cannot be written, ValueError for what is no
    accession number.
    """
    relative = _relative(accession_number, sha256)
    path = locate(home, relative)
    members = _members(path, len(data))
    if members is None:
        content, members = compressed(data, member_starts)
        _write_durably(path, content)
    return ArchivedSubmission(relative, members)


def locate(home: Path, relative: str) -> Path:
    """Return the file of an archived submission's `path`."""
    return home / "archive" / relative


def versions(home: Path, accession_number: str) -> list[Path]:
    """Return the files of all versions of a submission, the first received first."""
    folder = locate(home, _relative(accession_number, "")).parent
    found = [path for path in folder.glob(f"{accession_number}.*.gz") if is_archived(path.name)]
    return sorted(found, key=lambda path: (path.stat().st_mtime_ns, path.name))


def is_archived(name: str) -> bool:
    """Whether a file's name is one that this archive gives."""
    return _NAME.fullmatch(name) is not None


def remove_all(home: Path, accession_number: str) -> int:
    """Delete every version of a submission; their number."""
    files = versions(home, accession_number)
    folder = locate(home, _relative(accession_number, "")).parent
    for path in (*files, *folder.glob(f".{accession_number}.*")):
        path.unlink(missing_ok=True)
    return len(files)


def read(path: Path) -> bytes:
    """Return a whole submission as received; raises OSError if it is not there or damaged."""
    return gunzip(path.read_bytes())


def read_member(path: Path, offset: int, length: int) -> bytes:
    """Return one member from its offset and length in the gzip file; raises as `read`."""
    with path.open("rb") as file:
        file.seek(offset)
        return gunzip(file.read(length))


def member_chunks(path: Path, offset: int, length: int) -> Iterator[bytes]:
    """Yield one member in pieces of at most `CHUNK_BYTES`; raises as `read`, also on the way."""
    decompressor = isal_zlib.decompressobj(_GZIP_WINDOW)
    with path.open("rb") as file:
        file.seek(offset)
        compressed = b""
        while not decompressor.eof:
            if not compressed:
                compressed = file.read(min(length, CHUNK_BYTES))
                length -= len(compressed)
            try:
                piece = decompressor.decompress(compressed, CHUNK_BYTES)
            except _DAMAGED as error:
                raise gzip.BadGzipFile(f"the gzip data is damaged: {error}") from None
            if not piece and not compressed:
                raise gzip.BadGzipFile("the gzip data is damaged: it ends too early")
            compressed = decompressor.unconsumed_tail
            yield piece


def gunzip(compressed: bytes) -> bytes:
    """Return what gzip members hold; raises gzip.BadGzipFile where they are damaged."""
    try:
        content: bytes = igzip.decompress(compressed)  # type: ignore[no-untyped-call]
    except _DAMAGED as error:
        raise gzip.BadGzipFile(f"the gzip data is damaged: {error}") from None
    return content


def _relative(accession_number: str, sha256: str) -> str:
    if not _ACCESSION_NUMBER.fullmatch(accession_number):
        raise ValueError(f"{accession_number!r} is no accession number")
    folder = f"{accession_number[:10]}/{accession_number[11:13]}"
    return f"{folder}/{accession_number}.{sha256[:16]}.gz"


def compressed(data: bytes, member_starts: Iterable[int]) -> tuple[bytes, list[Member]]:
    """Return the gzip file of `data` with a member at 0 and at each start, and its members."""
    pieces: list[bytes] = []
    members: list[Member] = []
    offset = 0
    for start, end in pairwise(sorted({0, *member_starts, len(data)})):
        compressor = isal_zlib.compressobj(_LEVEL, isal_zlib.DEFLATED, _GZIP_WINDOW)
        piece = compressor.compress(memoryview(data)[start:end]) + compressor.flush()
        pieces.append(piece)
        members.append((offset, len(piece), start, end - start))
        offset += len(piece)
    return b"".join(pieces), members


def _members(path: Path, size: int) -> list[Member] | None:
    """Return the members of the file at `path`, None if it is not there or not whole."""
    members: list[Member] = []
    offset = start = 0
    try:
        compressed = path.read_bytes()
        while offset < len(compressed):
            decompressor = isal_zlib.decompressobj(_GZIP_WINDOW)
            length = len(decompressor.decompress(memoryview(compressed)[offset:]))
            end = len(compressed) - len(decompressor.unused_data)
            if not decompressor.eof:
                return None
            members.append((offset, end - offset, start, length))
            offset, start = end, start + length
    except (FileNotFoundError, *_DAMAGED):  # type: ignore[misc]
        return None
    return members if start == size else None


def _write_durably(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # One name, so that what a killed process left over is used up by whoever comes next.
    temporary = path.parent / f".{path.name}.partial"
    with os.fdopen(_locked(temporary), "wb") as file:
        try:
            file.truncate()
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _locked(path: Path) -> int:
    """Open a file that nobody else writes; one that was moved meanwhile is another file."""
    while True:
        handle = os.open(path, os.O_CREAT | os.O_WRONLY, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            if os.path.exists(path) and os.path.samestat(os.fstat(handle), os.stat(path)):
                return handle
        except FileNotFoundError:
            pass
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
