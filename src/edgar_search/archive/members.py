"""The gzip members of an archived submission, written, counted and read in chunks."""

import gzip
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import cast

from isal import igzip, isal_zlib

from edgar_search.archive.store import ArchiveStore
from edgar_search.edgar.envelope import Content, pieces

# On the real submissions, level 2 of ISA-L wrote 694 MB/s to 17.8 % of their size, and zlib's level
# 6 wrote 46 MB/s to 15.2 %: it would take a quarter of a load's time to save a seventh of the
# archive.
_LEVEL = 2
# The library's stub declares its error class as an instance.
DAMAGED: tuple[type[Exception], ...] = (EOFError, cast("type[Exception]", isal_zlib.IsalError))
_GZIP_WINDOW = 31  # zlib's code for gzip with the largest window and no time stamp
# The largest chunk in which a member is read.
CHUNK_BYTES = 65_536
# How much is unpacked at once if it is only counted.
_UNPACKED_BYTES = 1_048_576

# Offset and length in the gzip file, start and length in the submission, all in bytes.
Member = tuple[int, int, int, int]


class Packed:
    """The gzip file of `data` in pieces, with a member at 0 and at each start.

    It can be iterated again. `members` is complete once all pieces were taken.
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
    """Decompress all gzip members; raises gzip.BadGzipFile if they are damaged."""
    try:
        content: bytes = igzip.decompress(compressed)  # type: ignore[no-untyped-call]
    except DAMAGED as error:
        raise gzip.BadGzipFile(f"the gzip data is damaged: {error}") from None
    return content


def members_in(file: Iterable[bytes], size: int) -> list[Member] | None:
    """Find the members of a gzip file; None if it does not unpack to `size` bytes."""
    counted = _Counted()
    try:
        for piece in file:
            counted.add(piece)
    except DAMAGED:
        return None
    return counted.members if counted.whole and counted.start == size else None


def member_chunks(store: ArchiveStore, path: str, offset: int, length: int) -> Iterator[bytes]:
    """Yield one member in chunks of at most `CHUNK_BYTES`, reading nothing else of the file.

    Raises gzip.BadGzipFile, an OSError, if it is damaged, or as the store does, even between
    chunks.
    """
    return _decompress(store.pieces(path, offset, length))


def _decompress(pieces: Iterable[bytes]) -> Iterator[bytes]:
    decompressor = isal_zlib.decompressobj(_GZIP_WINDOW)
    for piece in pieces:
        left = piece
        # More output may be pending although all input was read.
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
    """The members in the pieces added so far; `start` is where the next one begins, unpacked."""

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
                # More output may be pending although all input was read.
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
