"""Archives generated while they are sent: zip and tar.gz, with one member or chunk in memory."""

import struct
import zlib
from collections.abc import Iterable, Iterator
from datetime import datetime
from tarfile import BLOCKSIZE, NUL, USTAR_FORMAT, TarInfo
from tempfile import SpooledTemporaryFile
from types import TracebackType
from typing import Self
from zlib import compressobj, crc32

_LEVEL = 4
_GZIP_WINDOW = zlib.MAX_WBITS | 16
# Larger numbers go into fields of ZIP64.
_MOST_MEMBERS, _MOST_BYTES = 0xFFFF, 0xFFFFFFFF
_DEFLATED, _VERSION, _VERSION_64, _UTF_8 = 8, 20, 45, 0x800
# A larger directory, at 46 bytes and a name for each member, is kept in a file.
_SPOOLED = 1_000_000
_PIECE = 65_536


class ZipStream:
    """A zip as bytes, member after member; its directory, the last part, waits in a file.

        with ZipStream(modified) as packed:
            send(packed.member("name", data))
            for piece in packed.end():
                send(piece)

    `zipfile` keeps an object for each member, and there may be a million.
    """

    def __init__(self, modified: datetime) -> None:
        date = (max(modified.year, 1980) - 1980) << 9 | modified.month << 5 | modified.day
        time = modified.hour << 11 | modified.minute << 5 | modified.second // 2
        self._moment = (time, date)
        self._directory = SpooledTemporaryFile(_SPOOLED)
        self._members = 0
        self._sent = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._directory.close()

    def member(self, name: str, data: bytes) -> bytes:
        """Return the bytes of the next member, of less than 4 GB."""
        deflate = compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
        body = deflate.compress(data) + deflate.flush()
        encoded = name.encode()
        sizes = (crc32(data), len(body), len(data))
        about = (_UTF_8, _DEFLATED, *self._moment, *sizes, len(encoded))
        head = struct.pack("<4sHHHHHLLLHH", b"PK\x03\x04", _VERSION, *about, 0) + encoded
        large = self._sent >= _MOST_BYTES
        extra = struct.pack("<HHQ", 1, 8, self._sent) if large else b""
        self._directory.write(
            struct.pack(
                "<4sHHHHHHLLLHHHHHLL",
                *(b"PK\x01\x02", _VERSION_64, _VERSION_64 if large else _VERSION, *about),
                *(len(extra), 0, 0, 0, 0, min(self._sent, _MOST_BYTES)),
            )
            + encoded
            + extra
        )
        self._members += 1
        self._sent += len(head) + len(body)
        return head + body

    def end(self) -> Iterator[bytes]:
        """Yield the directory of all members."""
        size, start = self._directory.tell(), self._sent
        self._directory.seek(0)
        while piece := self._directory.read(_PIECE):
            yield piece
        if self._members >= _MOST_MEMBERS or max(size, start) >= _MOST_BYTES:
            counts = (self._members, self._members, size, start)
            versions = (_VERSION_64, _VERSION_64)
            yield struct.pack("<4sQHHLLQQQQ", b"PK\x06\x06", 44, *versions, 0, 0, *counts)
            yield struct.pack("<4sLQL", b"PK\x06\x07", 0, start + size, 1)
        members = min(self._members, _MOST_MEMBERS)
        bounded = (min(size, _MOST_BYTES), min(start, _MOST_BYTES))
        yield struct.pack("<4sHHHHLLH", b"PK\x05\x06", 0, 0, members, members, *bounded, 0)


class TarGzip:
    """A tar.gz as bytes, chunk after chunk."""

    def __init__(self) -> None:
        self._gzip = compressobj(_LEVEL, zlib.DEFLATED, _GZIP_WINDOW)

    def member(
        self, name: str, size: int, modified: datetime, chunks: Iterable[bytes]
    ) -> Iterator[bytes]:
        """Yield the bytes of the next member, whose chunks add up to its size."""
        info = TarInfo(name)
        info.size, info.mtime = size, int(modified.timestamp())
        yield self._gzip.compress(info.tobuf(USTAR_FORMAT))
        for chunk in chunks:
            yield self._gzip.compress(chunk)
        yield self._gzip.compress(NUL * (-size % BLOCKSIZE))

    def end(self) -> bytes:
        """Return the end of the archive."""
        return self._gzip.compress(NUL * 2 * BLOCKSIZE) + self._gzip.flush()
