"""Sources: the bytes of one submission, in a file, and how to read them."""

import gzip
import hashlib
import os
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol, Self, cast

from isal import igzip
from msgspec import Struct

from edgar_search.archive.members import DAMAGED
from edgar_search.edgar.envelope import Content, Mapped, explain_no_submission
from edgar_search.errors import EdgarSearchError


@contextmanager
def report_write_errors(where: Path | str | None) -> Iterator[None]:
    """Translate an OSError inside to EdgarSearchError, with the file that it names, or `where`.

    `where` is None for the system's folder of temporary files.
    """
    try:
        yield
    except OSError as error:
        place = error.filename or where or tempfile.gettempdir()
        raise EdgarSearchError(f"{place}: cannot be written: {error.strerror}") from error


GZIP_MAGIC = b"\x1f\x8b"
# A larger submission is read from a file. Nearly all of EDGAR's are smaller.
MAPPED_BYTES = 16_000_000
_PIECE_BYTES = 1_000_000
# Real submissions unpack to up to 63 times their size, mere zeros to a thousand times.
_BOMB_RATIO, _BOMB_BYTES = 200, 200_000_000
# Ten times the size that EDGAR accepts; a larger file is a trap, and would fill the disk.
SUBMISSION_BYTES = 10_000_000_000
# Several times the largest of EDGAR's reference files, which are read whole.
MAX_FILE_BYTES = 1_000_000_000
# The errors that damaged gzip data raises, also when it is read as a file.
DAMAGED_GZIP: tuple[type[Exception], ...] = (*DAMAGED, gzip.BadGzipFile)


class Source(Struct, frozen=True):
    """One submission to load: a file, or a container's member copied to one.

    `name` is for people (`feed.tar.gz!0001234567-24-000001.nc`). A `spooled` file is a copy of
    `size` bytes, which is deleted after use. `refusal` says why there is nothing to read,
    `fetched_at` when it came from EDGAR within an archive.
    """

    path: str
    name: str
    spooled: bool = False
    size: int = 0
    refusal: str | None = None
    fetched_at: datetime | None = None

    @classmethod
    def of(cls, path: Path) -> "Source":
        """Make the source of a file."""
        return cls(str(path), printable(str(path)))


class SourceList(Protocol):
    """Submissions for a load, in order; the length is their number as far as it is known."""

    def __iter__(self) -> Iterator[Source]: ...

    def __len__(self) -> int: ...


class ReadSubmission(NamedTuple):
    """A submission as received, unpacked, and its SHA-256 in hex."""

    content: Content
    sha256: str


@contextmanager
def open_submission(source: Source, folder: str | None, limit: int) -> Iterator[ReadSubmission]:
    """Open a submission, in memory or, if it is large, in a file; gzip is decompressed.

    The file has no name in `folder`, and disappears with this context or the process, because a
    file that others may change cannot be read from its mapping. Copies of our own are read in
    place. Raises OSError if the source cannot be read, is damaged, holds more than `limit` bytes or
    more than gzip makes of any submission, or is large and does not begin like a submission;
    EdgarSearchError if the folder's disk is full.
    """
    with open(source.path, "rb") as file:
        if source.spooled and source.size > MAPPED_BYTES and not _is_gzip(file):
            read = ReadSubmission(Mapped(file), hashlib.file_digest(file, "sha256").hexdigest())
        else:
            read = _unpack(file, folder, limit)
    try:
        yield read
    finally:
        if isinstance(read.content, Mapped):
            read.content.close()


def read(source: Source, limit: int = MAX_FILE_BYTES) -> bytes:
    """Read a whole file that is not a submission; raises as `open_submission` does."""
    data = read_head(source, limit + 1)
    if len(data) > limit:
        raise OSError(f"it has more than {limit} bytes, perhaps only when unpacked")
    return data


def read_head(source: Source, size: int) -> bytes:
    """Read the first `size` bytes, decompressed, or all; raises as `open_submission` does."""
    with open(source.path, "rb") as file:
        return b"".join(_pieces(file, size))


def _is_gzip(file: BinaryIO) -> bool:
    start = file.read(len(GZIP_MAGIC))
    file.seek(0)
    return start == GZIP_MAGIC


def too_many_bytes(limit: int) -> str:
    """Return the reason for refusing a submission of more than `limit` bytes."""
    return f"it has more than {limit} bytes unpacked"


def _unpack(file: BinaryIO, folder: str | None, limit: int) -> ReadSubmission:
    digest = hashlib.sha256()
    packed = os.fstat(file.fileno()).st_size or limit  # A pipe has no size.
    pieces: list[bytes] = []
    size = 0
    with ExitStack() as stack:
        copy: _Copy | None = None
        for piece in _pieces(file, limit + 1):
            digest.update(piece)
            pieces.append(piece)
            size += len(piece)
            if size > limit:
                raise OSError(too_many_bytes(limit))
            if size > max(_BOMB_BYTES, packed * _BOMB_RATIO):
                raise OSError(f"it has more than {_BOMB_RATIO} times as many bytes unpacked")
            if size > MAPPED_BYTES:
                if copy is None:
                    if (reason := explain_no_submission(b"".join(pieces[:1]))) is not None:
                        raise OSError(reason)
                    copy = stack.enter_context(_Copy(folder))
                copy.write(pieces)
                pieces = []
        content = copy.mapped() if copy else b"".join(pieces)
    return ReadSubmission(content, digest.hexdigest())


class _Copy:
    """A file without a name, which disappears when it is closed; raises EdgarSearchError."""

    def __init__(self, folder: str | None) -> None:
        self._folder = folder
        with report_write_errors(folder):
            if folder is not None:
                os.makedirs(folder, exist_ok=True)
            self._file = tempfile.TemporaryFile(dir=folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # A failure to write was raised before.
            self._file.close()

    def write(self, pieces: list[bytes]) -> None:
        with report_write_errors(self._folder):
            self._file.writelines(pieces)

    def mapped(self) -> Mapped:
        """Map all that was written; the mapping outlasts this context."""
        with report_write_errors(self._folder):
            self._file.flush()
            return Mapped(self._file)


def _pieces(file: BinaryIO, size: int) -> Iterator[bytes]:
    """Yield at most `size` bytes, decompressed; raises gzip.BadGzipFile if they are damaged."""
    if not _is_gzip(file):
        yield from _up_to(file, size)
        return
    try:
        with open_gzip(file) as unpacked:
            yield from _up_to(unpacked, size)
    except DAMAGED_GZIP as error:
        raise gzip.BadGzipFile(f"the gzip data is damaged: {error}") from None


def _up_to(file: BinaryIO, size: int) -> Iterator[bytes]:
    # Reading all of them at once would reserve their memory first.
    while size > 0 and (piece := file.read(min(size, _PIECE_BYTES))):
        yield piece
        size -= len(piece)


def release(source: Source) -> None:
    """Delete the copy of a submission after its use."""
    if source.spooled:
        Path(source.path).unlink(missing_ok=True)


def open_gzip(file: object) -> BinaryIO:
    """Open gzip members as one decompressed stream; `file` is anything with `read`."""
    return cast("BinaryIO", igzip.IGzipFile(fileobj=file))  # type: ignore[no-untyped-call]


def printable(name: str) -> str:
    """Decode a file's name, which may be any bytes."""
    return os.fsencode(name).decode(errors="replace")
