"""The gzip members of an archived submission: written, counted and read, never one as a whole."""

import gzip
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import cast

from isal import igzip, isal_zlib

from edgar_search.archive.store import ArchiveStore
from edgar_search.edgar.envelope import Content, pieces

# Over the real submissions, level 2 of ISA-L wrote 694 MB/s to 17.8 % of their size, zlib's level 6
# wrote 46 MB/s to 15.2 %: a quarter of a whole load's time, for a seventh of the archive.
_LEVEL = 2
# The library's own type information takes its error class for an instance.
DAMAGED: tuple[type[Exception], ...] = (EOFError, cast("type[Exception]", isal_zlib.IsalError))
_GZIP_WINDOW = 31  # zlib's code for the largest window with gzip's header, without a time stamp
# The largest chunk of a member that is read.
CHUNK_BYTES = 65_536
# The bytes that are unpacked at once, only to be counted.
_UNPACKED_BYTES = 1_048_576

# Offset and length in the gzip file, start and length in the submission, all in bytes.
Member = tuple[int, int, int, int]


class Packed:
    """The gzip file of `data` in pieces, with a member at 0 and at each start.

    It may be iterated again. `members` are complete after all pieces were taken.
    """

    def __init__(self, data: Content, member_starts: Iterable[int]) -> None:
        self._data = data
        self._edges = sorted({0, *member_starts, len(data)})
        self.members: list[Member] = []

    def __iter__(self) -> Iterator[bytes]:
        self.members = []
        offset = 0
        for start, end in pairwise(self._edges):
            length = 0
            for packed in _compress(self._data, start, end):
                length += len(packed)
                yield packed
            self.members.append((offset, length, start, end - start))
            offset += length


def _compress(data: Content, start: int, end: int) -> Iterator[bytes]:
    compressor = isal_zlib.compressobj(_LEVEL, isal_zlib.DEFLATED, _GZIP_WINDOW)
    for piece in pieces(data, start, end):
        if packed := compressor.compress(piece):
            yield packed
    yield compressor.flush()


def gunzip(compressed: bytes) -> bytes:
    """Return the content of gzip members; raises gzip.BadGzipFile if they are damaged."""
    try:
        content: bytes = igzip.decompress(compressed)  # type: ignore[no-untyped-call]
    except DAMAGED as error:
        raise gzip.BadGzipFile(f"the gzip data is damaged: {error}") from None
    return content


def members_in(file: Iterable[bytes], size: int) -> list[Member] | None:
    """Find the members of a gzip file in pieces; None if its content does not have `size` bytes."""
    counted = _Counted()
    try:
        for piece in file:
            counted.add(piece)
    except DAMAGED:
        return None
    return counted.members if counted.whole and counted.start == size else None


def member_chunks(store: ArchiveStore, path: str, offset: int, length: int) -> Iterator[bytes]:
    """Yield one member in chunks of at most `CHUNK_BYTES`, reading nothing else of the file.

    Raises gzip.BadGzipFile, an OSError, if it is damaged, else as the store, even between chunks.
    """
    return _decompress(store.pieces(path, offset, length))


def _decompress(pieces: Iterable[bytes]) -> Iterator[bytes]:
    decompressor = isal_zlib.decompressobj(_GZIP_WINDOW)
    for piece in pieces:
        left = piece
        # A call may have more output although it has read all of its input.
        while not decompressor.eof:
            try:
                chunk = decompressor.decompress(left, CHUNK_BYTES)
            except DAMAGED as error:
                raise gzip.BadGzipFile(f"the gzip data is damaged: {error}") from None
            left = decompressor.unconsumed_tail
            if chunk:
                yield chunk
            elif not left:
                break
    if not decompressor.eof:
        raise gzip.BadGzipFile("the gzip data is damaged: it ends too early")


class _Counted:
    """The members in the pieces added so far; `start` is the unpacked start of the next one."""

    def __init__(self) -> None:
        self.members: list[Member] = []
        self.start = 0
        self.whole = True
        self._taken = self._offset = self._length = 0
        self._decompressor = _decompressor()

    def add(self, piece: bytes) -> None:
        self._taken += len(piece)
        left = piece
        while True:
            unpacked = self._decompressor.decompress(left, _UNPACKED_BYTES)
            self._length += len(unpacked)
            self.whole = False
            if self._decompressor.eof:
                left = self._decompressor.unused_data
                self._end_member(self._taken - len(left))
                if not left:
                    return
            else:
                left = self._decompressor.unconsumed_tail
                # It may have more output although it has read all of its input.
                if not left and not unpacked:
                    return

    def _end_member(self, end: int) -> None:
        self.members.append((self._offset, end - self._offset, self.start, self._length))
        self._offset = end
        self.start += self._length
        self._length = 0
        self.whole = True
        self._decompressor = _decompressor()


def _decompressor() -> "isal_zlib.Decompress":
    return isal_zlib.decompressobj(_GZIP_WINDOW)
