"""A file that is being downloaded: a part until it is whole, and the record of what came."""

import fcntl
import hashlib
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import Struct


class Download(Struct, frozen=True):
    """A submission as fetched; the record of it lies beside the file.

    `owner` is the load that fetched it, or took it over, and removes it when it is loaded.
    """

    url: str
    sha256: str
    size: int
    fetched_at: datetime
    etag: str | None = None
    last_modified: str | None = None
    owner: str | None = None


class _Part(Struct):
    """What is known of a file that is not whole yet: what it is a part of."""

    url: str = ""
    total: int | None = None
    etag: str | None = None
    last_modified: str | None = None

    @property
    def validator(self) -> str | None:
        """What tells that the rest still is the rest of the same."""
        strong = self.etag and not self.etag.startswith("W/")
        return self.etag if strong else self.last_modified


class DownloadInProgress(Exception):
    """Another process is fetching the same file, or has, and is loading it."""


def read_record(target: Path) -> Download | None:
    """The record of a file that was fetched before, if the file still is as it says."""
    try:
        record = msgspec.json.decode(record_path(target).read_bytes(), type=Download)
        return record if _sha256(target) == record.sha256 else None
    except (FileNotFoundError, msgspec.DecodeError):
        return None


def write_record(target: Path, record: Download) -> None:
    """Write the record of a file, whole or not at all."""
    temporary = record_path(target).with_suffix(".new")
    temporary.write_bytes(msgspec.json.encode(record))
    temporary.rename(record_path(target))


def record_path(target: Path) -> Path:
    """Where the record of a fetched file is."""
    return target.with_name(f"{target.name}.json")


def discard(target: Path) -> None:
    """Remove a fetched file and its record."""
    target.unlink(missing_ok=True)
    record_path(target).unlink(missing_ok=True)


class PartFile:
    """`<target>.part`, and beside it what it is a part of.

    Raises DownloadInProgress where it is held.
    """

    def __init__(self, target: Path) -> None:
        self._path = target.with_name(f"{target.name}.part")
        self._about = target.with_name(f"{target.name}.part.json")
        self._file = self._held()
        self._part = self._known()
        self.size = self._file.seek(0, os.SEEK_END)

    def _held(self) -> BinaryIO:
        """The file with a lock on it, and no file that has another name, or none, since."""
        while True:
            file = self._path.open("a+b")
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.close()
                raise DownloadInProgress from None
            if _is_at(file, self._path):
                return file
            file.close()

    def __enter__(self) -> "PartFile":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    @property
    def total(self) -> int | None:
        """The size of the whole, where it is known."""
        return self._part.total

    @total.setter
    def total(self, total: int) -> None:
        self._part.total = total

    def headers(self, url: str) -> dict[str, str]:
        """What asks for the rest only, if it still is the rest of the same."""
        headers = {"Accept-Encoding": "identity"}
        if self.size and self._part.url == url and self._part.validator:
            headers |= {"Range": f"bytes={self.size}-", "If-Range": self._part.validator}
        return headers

    def begin(self, url: str, headers: Mapping[str, str]) -> None:
        """Begin anew, with what the answer says about the whole."""
        self.clear()
        length = headers.get("Content-Length", "")
        if "Content-Encoding" in headers:
            self._part = _Part(url)  # Of what came packed neither size nor place is known.
        else:
            total = int(length) if length.isdecimal() else None
            self._part = _Part(url, total, headers.get("ETag"), headers.get("Last-Modified"))
        self._about.write_bytes(msgspec.json.encode(self._part))

    def write(self, piece: bytes) -> None:
        """Add what came."""
        self._file.write(piece)
        self.size += len(piece)

    def clear(self) -> None:
        """Forget what came: it is no part of the whole."""
        self._file.truncate(0)
        self._about.unlink(missing_ok=True)
        self._part = _Part()
        self.size = 0

    def tail(self, size: int) -> bytes:
        """The last bytes that came."""
        self._file.flush()
        self._file.seek(max(0, self.size - size))
        return self._file.read()

    def remove(self) -> None:
        """Leave nothing behind."""
        self._path.unlink(missing_ok=True)
        self._about.unlink(missing_ok=True)

    def finish(self, target: Path, url: str, owner: str | None = None) -> Download:
        """Let the file appear under its name, whole; its record first."""
        self._file.flush()
        os.fsync(self._file.fileno())
        sha256 = _sha256(self._path)
        part = self._part
        now = datetime.now(UTC)
        record = Download(url, sha256, self.size, now, part.etag, part.last_modified, owner)
        write_record(target, record)
        self._path.rename(target)
        self._about.unlink(missing_ok=True)
        return record

    def _known(self) -> _Part:
        try:
            return msgspec.json.decode(self._about.read_bytes(), type=_Part)
        except (FileNotFoundError, msgspec.DecodeError):
            return _Part()


def _is_at(file: BinaryIO, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
