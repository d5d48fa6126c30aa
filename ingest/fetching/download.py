"""Downloads from EDGAR to a file: resumable, and either complete or absent."""

import asyncio
import hashlib
import os
import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

import msgspec
from filelock import lock_descriptor
from msgspec import Struct

from edgar_search.errors import EdgarUnavailable, FetchFailed
from ingest.fetching.client import HEAD_BYTES, Edgar, TemporaryFailure, Verdict
from ingest.loading.owner import Owner
from ingest.sources.source import report_write_errors


class Download(Struct, frozen=True):
    """The record of a fetched file, which is kept beside the file.

    `owner` is the load that fetched the file, or took it over, and removes it after loading it.
    """

    url: str
    sha256: str
    size: int
    fetched_at: datetime
    etag: str | None = None
    last_modified: str | None = None
    owner: str | None = None


class _Part(Struct):
    """The remote file to which a partial file belongs."""

    url: str = ""
    total: int | None = None
    etag: str | None = None
    last_modified: str | None = None

    @property
    def validator(self) -> str | None:
        """The validator by which EDGAR confirms that the file has not changed."""
        strong = self.etag and not self.etag.startswith("W/")
        return self.etag if strong else self.last_modified


class DownloadInProgress(Exception):
    """Another process is fetching or loading the same file."""


def read_record(target: Path) -> Download | None:
    """Return the record of a fetched file, if its hash still matches."""
    try:
        record = msgspec.json.decode(record_path(target).read_bytes(), type=Download)
        return record if _sha256(target) == record.sha256 else None
    except (FileNotFoundError, msgspec.DecodeError):
        return None


def write_record(target: Path, record: Download) -> None:
    """Write the record of a file atomically."""
    temporary = record_path(target).with_suffix(".new")
    temporary.write_bytes(msgspec.json.encode(record))
    temporary.rename(record_path(target))


def record_path(target: Path) -> Path:
    """Return the path of a fetched file's record."""
    return target.with_name(f"{target.name}.json")


def discard(target: Path) -> None:
    """Remove a fetched file and its record."""
    target.unlink(missing_ok=True)
    record_path(target).unlink(missing_ok=True)


class PartFile:
    """The partial file `<target>.part`, and a note about the complete one beside it.

    The file itself is locked, not a lock file: it is renamed once it is complete, and a lock file
    would be left behind for each download. Raises DownloadInProgress if another process holds it.
    """

    def __init__(self, target: Path) -> None:
        self._path = target.with_name(f"{target.name}.part")
        self._about = target.with_name(f"{target.name}.part.json")
        self._file = self._open_locked()
        self._part = self._read_about()
        self.size = self._file.seek(0, os.SEEK_END)

    def _open_locked(self) -> BinaryIO:
        """Open and lock the file; retry if it was renamed or deleted in between."""
        while True:
            file = self._path.open("a+b")
            if not lock_descriptor(file.fileno(), blocking=False):
                file.close()
                raise DownloadInProgress
            with suppress(FileNotFoundError):
                if os.path.samestat(os.fstat(file.fileno()), self._path.stat()):
                    return file
            file.close()

    def __enter__(self) -> "PartFile":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    @property
    def total(self) -> int | None:
        """The size of the complete file, if known."""
        return self._part.total

    @total.setter
    def total(self, total: int) -> None:
        self._part.total = total

    def headers(self, url: str) -> dict[str, str]:
        """Return headers that request only the rest, provided the file has not changed."""
        headers = {"Accept-Encoding": "identity"}
        if self.size and self._part.url == url and self._part.validator:
            headers |= {"Range": f"bytes={self.size}-", "If-Range": self._part.validator}
        return headers

    def begin(self, url: str, headers: Mapping[str, str]) -> None:
        """Start over, with the answer's headers about the complete file."""
        self.clear()
        length = headers.get("Content-Length", "")
        if "Content-Encoding" in headers:
            self._part = _Part(url)  # A compressed answer reveals neither size nor position.
        else:
            total = int(length) if length.isdecimal() else None
            self._part = _Part(url, total, headers.get("ETag"), headers.get("Last-Modified"))
        self._about.write_bytes(msgspec.json.encode(self._part))

    def write(self, piece: bytes) -> None:
        """Append received bytes."""
        self._file.write(piece)
        self.size += len(piece)

    def clear(self) -> None:
        """Discard the bytes so far, which do not belong to the complete file."""
        self._file.truncate(0)
        self._about.unlink(missing_ok=True)
        self._part = _Part()
        self.size = 0

    def tail(self, size: int) -> bytes:
        """Return the last bytes received."""
        self._file.flush()
        self._file.seek(max(0, self.size - size))
        return self._file.read()

    def remove(self) -> None:
        """Delete the partial file and its note."""
        self._path.unlink(missing_ok=True)
        self._about.unlink(missing_ok=True)

    def finish(self, target: Path, url: str, owner: str | None = None) -> Download:
        """Write the record, then rename the complete file to its name."""
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

    def _read_about(self) -> _Part:
        try:
            return msgspec.json.decode(self._about.read_bytes(), type=_Part)
        except (FileNotFoundError, msgspec.DecodeError):
            return _Part()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


# Every submission in EDGAR's archive ends with one of these; otherwise it is truncated.
SUBMISSION_ENDS = (
    b"</SEC-DOCUMENT>",
    b"</IMS-DOCUMENT>",
    b"-----END PRIVACY-ENHANCED MESSAGE-----",
)
_TAIL_BYTES = 1_000
# A file that is truncated this often is accepted as it is; the load then refuses it by name.
_TRIES_FOR_END = 3
_CONTENT_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+)")


class _TooLarge(Exception):
    pass


async def download(
    edgar: Edgar,
    path: str,
    target: Path,
    ends: tuple[bytes, ...] | None = SUBMISSION_ENDS,
    owner: Owner | None = None,
    report: Callable[[int, int | None], None] | None = None,
) -> Download | None:
    """Fetch a file from EDGAR to `target`; return None if EDGAR does not have it (yet).

    A complete file ends with one of `ends`; if these are None, it has the size that EDGAR states. A
    file fetched before, complete by its record, is not fetched again; `owner` becomes its owner.
    `report` is called with the number of bytes received, and with the size if it is known. Raises
    EdgarUnavailable, DownloadInProgress if another running load has the file, and EdgarSearchError
    if the disk is full.
    """
    with report_write_errors(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        with PartFile(target) as part:
            if (record := await asyncio.to_thread(read_record, target)) is not None:
                part.remove()
                return _take_over(record, target, owner)
            return await _Attempts(edgar, path, target, part, ends, owner, report).run()


def _take_over(known: Download, target: Path, owner: Owner | None) -> Download:
    if owner is None or known.owner == owner.name:
        return known
    if known.owner is not None and owner.running(known.owner) == "yes":
        raise DownloadInProgress
    taken = msgspec.structs.replace(known, owner=owner.name)
    write_record(target, taken)
    return taken


class _Attempts:
    """Attempts at one file, each continuing where the last one stopped."""

    def __init__(
        self,
        edgar: Edgar,
        path: str,
        target: Path,
        part: PartFile,
        ends: tuple[bytes, ...] | None,
        owner: Owner | None,
        report: Callable[[int, int | None], None] | None,
    ) -> None:
        self._report = report
        self._ends = ends
        self._owner = None if owner is None else owner.name
        self._edgar = edgar
        self._path = path
        self._url = edgar.url + path
        self._target = target
        self._part = part
        self._endless = 0
        self._furthest = part.size

    async def run(self) -> Download | None:
        try:
            exists = await self._edgar.repeat(self._path, self._attempt)
        except _TooLarge:
            self._part.remove()
            raise EdgarUnavailable(
                f"{self._path} has more than {self._edgar.submission_bytes} bytes"
            ) from None
        if not exists:
            self._part.remove()
            return None
        return await asyncio.to_thread(self._part.finish, self._target, self._url, self._owner)

    async def _attempt(self) -> bool:
        try:
            return await self._request()
        except FetchFailed as error:
            if not self._has_come_further():
                raise
            raise TemporaryFailure(Verdict("broken", str(error)), progress=True) from None

    def _has_come_further(self) -> bool:
        """Return True if more bytes came than ever before, so that attempts end eventually."""
        further = self._part.size > self._furthest
        self._furthest = max(self._furthest, self._part.size)
        return further

    async def _request(self) -> bool:
        async with self._edgar.http.stream(self._url, self._part.headers(self._url)) as answer:
            # The rest of a file may begin with anything; its beginning was checked before.
            first = b"" if answer.status == 206 else await _read_head(answer.pieces)
            if not self._edgar.accept(answer.status, answer.headers, first[:HEAD_BYTES]):
                return False
            self._begin(answer.status, answer.headers)
            self._part.write(first)
            async for piece in answer.pieces:
                self._part.write(piece)
                if self._report is not None:
                    self._report(self._part.size, self._part.total)
                if self._part.size > self._edgar.submission_bytes:
                    raise _TooLarge
        self._require_whole()
        return True

    def _begin(self, status: int, headers: Mapping[str, str]) -> None:
        if status == 200:
            self._part.begin(self._url, headers)
            return
        match = _CONTENT_RANGE.fullmatch(headers.get("Content-Range", ""))
        if status == 206 and match and int(match[1]) == self._part.size:
            self._part.total = int(match[2])
            return
        self._part.clear()
        raise TemporaryFailure(Verdict("broken", f"status {status} for the rest of a file"))

    def _require_whole(self) -> None:
        size, total = self._part.size, self._part.total
        if total is not None and size < total:
            verdict = Verdict("broken", f"{size} of {total} bytes came")
            raise TemporaryFailure(verdict, self._has_come_further())
        if self._ends is None and size == total:
            return
        if self._ends is not None and (total is None or size == total):
            tail = self._part.tail(_TAIL_BYTES)
            if any(end in tail for end in self._ends):
                return
        self._endless += 1
        if self._endless < _TRIES_FOR_END:
            self._part.clear()
            raise TemporaryFailure(Verdict("broken", "a submission without its end"))


async def _read_head(pieces: AsyncIterator[bytes]) -> bytes:
    """Read enough to tell a page from a file; the rest can be read afterwards."""
    first = b""
    async for piece in pieces:
        first += piece
        if len(first) >= HEAD_BYTES:
            break
    return first
