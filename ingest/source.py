"""Where the bytes of one submission are, and how they are read."""

import gzip
import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from isal import igzip, isal_zlib
from msgspec import Struct

GZIP_MAGIC = b"\x1f\x8b"
# Several times the largest submission of EDGAR's; more is a trap or no submission.
MAX_SUBMISSION_BYTES = 1_000_000_000
_PIECE_BYTES = 8_000_000
# What gzip data raises that is damaged; the library's own type information misnames the last.
DAMAGED_GZIP = (EOFError, gzip.BadGzipFile, cast("type[Exception]", isal_zlib.IsalError))


class Source(Struct, frozen=True):
    """One submission to load: a file, or a copy of an archive's member that lies in a file.

    `name` is what people see of it (`feed.tar.gz!0001234567-24-000001.nc`). A `spooled` file is a
    copy of `size` bytes that nobody needs once the submission has been dealt with. `refusal` says
    why there is nothing to read.
    """

    path: str
    name: str
    spooled: bool = False
    size: int = 0
    refusal: str | None = None

    @classmethod
    def of(cls, path: Path) -> "Source":
        """A file that is there as it is."""
        return cls(str(path), printable(str(path)))


class SourceList(Protocol):
    """What a load takes: submissions in order, and how many there are, as far as that is known."""

    def __iter__(self) -> Iterator[Source]: ...

    def __len__(self) -> int: ...


def read(source: Source, limit: int = MAX_SUBMISSION_BYTES) -> bytes:
    """The submission, decompressed where it is gzip by its first bytes.

    Raises OSError where the file cannot be read, is damaged, or holds more than `limit` bytes.
    """
    data = read_head(source, limit + 1)
    if len(data) > limit:
        raise OSError(f"it has more than {limit} bytes, perhaps only when unpacked")
    return data


def read_head(source: Source, size: int) -> bytes:
    """The first `size` bytes, or all if there are fewer, decompressed; raises as `read`."""
    with open(source.path, "rb") as file:
        start = file.read(len(GZIP_MAGIC))
        file.seek(0)
        if start != GZIP_MAGIC:
            return _read_up_to(file, size)
        try:
            with gunzipping(file) as unpacked:
                return _read_up_to(unpacked, size)
        except DAMAGED_GZIP as error:
            raise gzip.BadGzipFile(f"the gzip data is damaged: {error}") from None


def _read_up_to(file: BinaryIO, size: int) -> bytes:
    """At most `size` bytes; asked for at once, all of them would be reserved first."""
    pieces = []
    while size > 0 and (piece := file.read(min(size, _PIECE_BYTES))):
        pieces.append(piece)
        size -= len(piece)
    return pieces[0] if len(pieces) == 1 else b"".join(pieces)


def release(source: Source) -> None:
    """Delete the copy of a submission that has been dealt with."""
    if source.spooled:
        Path(source.path).unlink(missing_ok=True)


def gunzipping(file: object) -> BinaryIO:
    """What gzip members hold, as a stream; anything with `read` will do."""
    return cast("BinaryIO", igzip.IGzipFile(fileobj=file))  # type: ignore[no-untyped-call]


def printable(name: str) -> str:
    """A file's name as text; it may be any bytes."""
    return os.fsencode(name).decode(errors="replace")
