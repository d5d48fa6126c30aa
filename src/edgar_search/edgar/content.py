"""The bytes of a submission: in memory, or in a file where they are too many for it.

Both are searched and cut alike. What a file's mapping shows counts as memory of the process until
it is given back, so whoever is done with a part says so.
"""

import mmap
import os
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, BinaryIO, Self

# What is looked at before it is given back, and what is handled at once.
PIECE_BYTES = 1_048_576
# Of what is looked at, the system shows the whole block that it was read in, of up to so much.
_SHOWN_BYTES = 2_097_152


class Mapped(mmap.mmap):
    """A file, which nobody may change meanwhile: a part cut off would end the process (SIGBUS).

    Slices are read from the file and not from the mapping, so that they are in memory once.
    """

    _file: BinaryIO

    def __new__(cls, file: BinaryIO) -> Self:
        """Map a file of at least one byte; raises OSError, ValueError where it has none."""
        self = super().__new__(cls, file.fileno(), 0, access=mmap.ACCESS_READ)
        self._file = os.fdopen(os.dup(file.fileno()), "rb", buffering=0)
        return self

    def find(self, sub: Any, start: int = 0, end: int | None = None, /) -> int:
        """As `bytes.find`, for positions that are not negative."""
        end = len(self) if end is None else min(end, len(self))
        while start < end:
            stop = min(start + PIECE_BYTES + len(sub) - 1, end)
            at = super().find(sub, start, stop)
            self.give_back(start, stop if at < 0 else at)
            if at >= 0:
                return at
            start += PIECE_BYTES
        return -1

    def __getitem__(self, key: Any, /) -> Any:
        if not isinstance(key, slice):
            return super().__getitem__(key)
        start, stop, step = key.indices(len(self))
        assert step == 1
        read = os.pread(self._file.fileno(), max(0, stop - start), start)
        if len(read) != max(0, stop - start):
            raise OSError(f"only {len(read)} of {stop - start} bytes could be read of a submission")
        return read

    def give_back(self, start: int, stop: int) -> None:
        """Let the memory go that shows these bytes; it comes back when they are looked at."""
        first = start - start % _SHOWN_BYTES
        stop = min(stop + -stop % _SHOWN_BYTES, len(self))
        if stop > first:
            self.madvise(mmap.MADV_DONTNEED, first, stop - first)

    def close(self) -> None:
        """Let the file go; while something still looks at the mapping, its memory stays."""
        self._file.close()
        with suppress(BufferError):
            super().close()


Content = bytes | Mapped


def give_back(content: Content, start: int, stop: int) -> None:
    """Say that these bytes are done with for now; of what is in memory nothing goes."""
    if isinstance(content, Mapped):
        content.give_back(start, stop)


def pieces(content: Content, start: int, end: int) -> Iterator[bytes]:
    """These bytes in order, at most `PIECE_BYTES` at once."""
    for at in range(start, end, PIECE_BYTES):
        yield content[at : min(at + PIECE_BYTES, end)]
