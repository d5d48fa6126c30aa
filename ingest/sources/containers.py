"""Containers of submissions (tar, tar.gz, zip), read member by member and never trusted.

A tar is a stream that must have an end marker: a copy that was cut off between two members looks
complete to other readers. A member's name is used only as a text, never as a path.
"""

import shutil
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Literal, NamedTuple, Protocol

from filelock import lock_descriptor

from ingest.sources.source import DAMAGED_GZIP, GZIP_MAGIC, open_gzip, report_write_errors

ContainerKind = Literal["zip", "tar", "gzip", "other", "damaged"]
_BLOCK = tarfile.BLOCKSIZE
_ZIP_MAGICS = (b"PK\x03\x04", b"PK\x05\x06")
# Bytes of a member's name and attributes.
_MAX_ATTRIBUTES = 1_000_000
_MAX_DIGITS = 20  # of a size
# Bytes read after the end of a tar, which is padded to whole records, mostly of 10 kB.
_MAX_FILLING = 16_000_000
_PIECE = 1_000_000
_PLAIN = (tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.CONTTYPE)
_ZIP_FAULTS = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError, ValueError, OSError)


class Readable(Protocol):
    """A stream that can be read once, from its beginning to its end."""

    def read(self, size: int, /) -> bytes: ...


class DamagedContainer(Exception):
    """A container, or one member of it, cannot be read further; the text says why."""


class Member(NamedTuple):
    """One file of a container; `content` raises DamagedContainer, and ends with the next member."""

    name: str
    content: Readable


class Peekable:
    """A stream whose beginning can be examined before it is read."""

    def __init__(self, stream: Readable) -> None:
        self._stream = stream
        self._head = b""

    def peek(self, size: int) -> bytes:
        """Return the next `size` bytes, fewer only at the end; raises DamagedContainer."""
        while len(self._head) < size:
            more = read_piece(self._stream, size - len(self._head))
            if not more:
                break
            self._head += more
        return self._head[:size]

    def read(self, size: int, /) -> bytes:
        """Return the next bytes, at most `size`; none at the end."""
        if not self._head:
            return self._stream.read(size)
        piece, self._head = self._head[:size], self._head[size:]
        return piece

    def readinto(self, buffer: bytearray | memoryview, /) -> int:
        """Read into a buffer, for readers of gzip; return the number of bytes."""
        piece = self.read(len(buffer))
        buffer[: len(piece)] = piece
        return len(piece)


def identify(stream: Readable) -> tuple[ContainerKind, Peekable]:
    """Identify a stream by its first bytes; return its kind and the stream, decompressed if gzip.

    A stream whose beginning cannot be read is `damaged`.
    """
    packed = Peekable(stream)
    try:
        head = packed.peek(_BLOCK)
    except DamagedContainer:
        return "damaged", packed
    if head.startswith(_ZIP_MAGICS):
        return "zip", packed
    if not head.startswith(GZIP_MAGIC):
        return ("tar" if _is_tar(head) else "other"), packed
    unpacked = Peekable(open_gzip(packed))
    try:
        return ("tar" if _is_tar(unpacked.peek(_BLOCK)) else "gzip"), unpacked
    except DamagedContainer:
        return "damaged", packed


def tar_members(stream: Readable) -> Iterator[Member]:
    """Yield the files of a tar in order; raises DamagedContainer if it cannot be read further."""
    attributes: dict[str, str] = {}
    while (info := _next_header(stream)) is not None:
        content = _TarContent(stream, int(attributes.get("size", info.size)))
        if info.type == tarfile.GNUTYPE_LONGNAME:
            attributes["path"] = _text(content.attributes().rstrip(b"\0"))
        elif info.type == tarfile.XHDTYPE:
            attributes |= _pax(content.attributes())
        elif info.type in (tarfile.GNUTYPE_LONGLINK, tarfile.XGLTYPE):
            pass
        else:
            if info.type in _PLAIN:
                yield Member(attributes.get("path", info.name), content)
            attributes = {}
        content.skip()
    _read_filling(stream)


def zip_members(file: BinaryIO) -> Iterator[Member]:
    """Yield the files of a zip in order; raises DamagedContainer if its directory is damaged."""
    try:
        container = zipfile.ZipFile(file)
    except _ZIP_FAULTS as error:
        raise DamagedContainer(str(error)) from None
    with container:
        for info in container.infolist():
            if not info.is_dir():
                with _ZipContent(container, info) as content:
                    yield Member(info.filename, content)


class _TarContent:
    """The bytes of one member, padded to a whole block."""

    def __init__(self, stream: Readable, size: int) -> None:
        if size < 0:
            raise DamagedContainer("a member has a negative size")
        self._stream = stream
        self._size = size
        self._left = size
        self._filling = -size % _BLOCK

    def read(self, size: int, /) -> bytes:
        piece = read_piece(self._stream, min(size, self._left)) if self._left else b""
        if self._left and not piece and size:
            raise DamagedContainer("it is cut off inside of a member")
        self._left -= len(piece)
        return piece

    def attributes(self) -> bytes:
        """Read the whole content of a member that describes the next one."""
        if self._size > _MAX_ATTRIBUTES:
            raise DamagedContainer("a member's name is longer than any name")
        pieces = []
        while piece := self.read(_PIECE):
            pieces.append(piece)
        return b"".join(pieces)

    def skip(self) -> None:
        """Read up to the next header."""
        while self.read(_PIECE):
            pass
        while self._filling:
            piece = read_piece(self._stream, self._filling)
            if not piece:
                raise DamagedContainer("it is cut off inside of a member")
            self._filling -= len(piece)


class _ZipContent:
    """The bytes of one member; errors in it affect no other member."""

    def __init__(self, container: zipfile.ZipFile, info: zipfile.ZipInfo) -> None:
        self._container = container
        self._info = info
        self._file: Readable | None = None

    def __enter__(self) -> "_ZipContent":
        return self

    def __exit__(self, *_: object) -> None:
        if isinstance(self._file, zipfile.ZipExtFile):
            self._file.close()

    def read(self, size: int, /) -> bytes:
        try:
            if self._file is None:
                self._file = self._container.open(self._info)
            return self._file.read(size)
        except _ZIP_FAULTS as error:
            raise DamagedContainer(str(error)) from None


def _next_header(stream: Readable) -> tarfile.TarInfo | None:
    """Read the next member's header; None at the end marker."""
    block = b""
    while len(block) < _BLOCK and (more := read_piece(stream, _BLOCK - len(block))):
        block += more
    if not block:
        raise DamagedContainer("it ends without its end marker")
    try:
        return tarfile.TarInfo.frombuf(block, "utf-8", "replace")
    except tarfile.EOFHeaderError:  # type: ignore[attr-defined]
        return None
    except tarfile.HeaderError as error:
        raise DamagedContainer(f"a member's header is damaged: {error}") from None


def _read_filling(stream: Readable) -> None:
    """Read to the end of the stream, so that gzip compares its checksum."""
    bytes_left = _MAX_FILLING
    while bytes_left > 0 and (piece := read_piece(stream, _PIECE)):
        bytes_left -= len(piece)


def read_piece(stream: Readable, size: int) -> bytes:
    """Return the next bytes, at most `size`; none at the end. Raises DamagedContainer."""
    try:
        return stream.read(size)
    except DAMAGED_GZIP as error:
        raise DamagedContainer(f"the gzip data is damaged: {error}") from None
    except OSError as error:
        raise DamagedContainer(f"it cannot be read: {error.strerror or error}") from None


def _pax(content: bytes) -> dict[str, str]:
    """Parse path and size from a member's attributes: `<length> <name>=<value>\\n`."""
    attributes = {}
    while content:
        length, _, _ = content.partition(b" ")
        if not _is_number(length) or not 0 < int(length) <= len(content):
            raise DamagedContainer("a member's attributes are damaged")
        name, _, value = content[len(length) + 1 : int(length) - 1].partition(b"=")
        if name == b"size" and not _is_number(value):
            raise DamagedContainer("a member's attributes are damaged")
        if name in (b"path", b"size"):
            attributes[name.decode()] = _text(value)
        content = content[int(length) :]
    return attributes


def _is_number(text: bytes) -> bool:
    """Return True if the text is a plausible number of bytes."""
    return len(text) <= _MAX_DIGITS and text.isdigit()


def _is_tar(head: bytes) -> bool:
    try:
        tarfile.TarInfo.frombuf(head, "utf-8", "replace")
    except tarfile.HeaderError:
        return False
    return True


def _text(name: bytes) -> str:
    return name.decode("utf-8", "replace")


_LOCK = "lock"


class Spool:
    """A folder of copies below `<home>/spool`, made with the first copy, and removed by `close`.

    The folder of a killed run is removed by the next run. Without a home it is one of the system's
    temporary folders.
    """

    def __init__(self, home: Path | None) -> None:
        self._home = home / "spool" if home is not None else None
        self._folder: Path | None = None
        self._lock: BinaryIO | None = None
        self._copies = 0

    def copy(self, content: Readable, limit: int) -> tuple[Path | None, int]:
        """Write all of `content`, or nothing if it exceeds `limit` bytes; return path and size.

        Raises EdgarSearchError if the disk is full, DamagedContainer as `content` does.
        """
        with report_write_errors(self._home):
            path = self._next_path()
            size = 0
            with path.open("wb") as file:
                while size <= limit and (piece := read_piece(content, _PIECE)):
                    size += file.write(piece)
            if size > limit:
                path.unlink()
        return (path, size) if size <= limit else (None, size)

    def close(self) -> None:
        """Remove all copies."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
            self._folder = None
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def _next_path(self) -> Path:
        if self._folder is None:
            if self._home is not None:
                self._home.mkdir(parents=True, exist_ok=True)
                _remove_left_over(self._home)
            self._folder = Path(tempfile.mkdtemp(prefix="run-", dir=self._home))
            self._lock = (self._folder / _LOCK).open("wb")
            lock_descriptor(self._lock.fileno())
        self._copies += 1
        return self._folder / f"{self._copies}"


def _remove_left_over(home: Path) -> None:
    """Remove the folders of runs that have ended: nobody holds their lock."""
    for lock in home.glob(f"run-*/{_LOCK}"):
        try:
            with lock.open("rb") as file:
                if not lock_descriptor(file.fileno(), blocking=False):
                    continue
        except OSError:
            continue  # Another run has just removed it.
        shutil.rmtree(lock.parent, ignore_errors=True)
