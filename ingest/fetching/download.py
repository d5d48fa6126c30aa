"""A submission from EDGAR to a file: resumed where it broke off, whole or not at all."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping
from pathlib import Path

import msgspec

from edgar_search.errors import EdgarUnavailable, FetchFailed
from ingest.fetching.answers import HEAD_BYTES, Verdict
from ingest.fetching.client import Edgar, TemporaryFailure
from ingest.fetching.part_file import (
    Download,
    DownloadInProgress,
    PartFile,
    read_record,
    write_record,
)
from ingest.loading.owner import Owner
from ingest.sources.disk import writing

# Every submission of EDGAR's archive ends with one of these; without it, it was cut off.
SUBMISSION_ENDS = (
    b"</SEC-DOCUMENT>",
    b"</IMS-DOCUMENT>",
    b"-----END PRIVACY-ENHANCED MESSAGE-----",
)
_TAIL_BYTES = 1_000
# What comes without its end so often is believed to be so; the load refuses it by name.
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
    told: Callable[[int, int | None], None] | None = None,
) -> Download | None:
    """Fetch a file of EDGAR's to `target`; None where EDGAR does not have it (yet).

    A whole one ends with one of `ends`, or is as long as EDGAR says where these are None.
    A file that is there already, whole by its record, is not fetched again; it is `owner`'s from
    now on. `told` is given how many bytes have come, and of how many where that is known. Raises
    EdgarUnavailable, DownloadInProgress where another load that runs is at the file,
    and EdgarSearchError where the disk takes no more.
    """
    with writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        with PartFile(target) as part:
            if (known := await asyncio.to_thread(read_record, target)) is not None:
                part.remove()
                return _taken(known, target, owner)
            return await _Attempts(edgar, path, target, part, ends, owner, told).run()


def _taken(known: Download, target: Path, owner: Owner | None) -> Download:
    if owner is None or known.owner == owner.name:
        return known
    if known.owner is not None and owner.running(known.owner) == "yes":
        raise DownloadInProgress
    taken = msgspec.structs.replace(known, owner=owner.name)
    write_record(target, taken)
    return taken


class _Attempts:
    """The attempts at one file, of which each goes on where the last one broke off."""

    def __init__(
        self,
        edgar: Edgar,
        path: str,
        target: Path,
        part: PartFile,
        ends: tuple[bytes, ...] | None,
        owner: Owner | None,
        told: Callable[[int, int | None], None] | None,
    ) -> None:
        self._told = told
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
            found = await self._edgar.tried(self._path, self._attempt)
        except _TooLarge:
            self._part.remove()
            raise EdgarUnavailable(
                f"{self._path} has more than {self._edgar.submission_bytes} bytes"
                " (EDGAR_SEARCH_SUBMISSION_BYTES)"
            ) from None
        if not found:
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
        """Whether there is more than ever before: a file that always breaks off has an end."""
        further = self._part.size > self._furthest
        self._furthest = max(self._furthest, self._part.size)
        return further

    async def _request(self) -> bool:
        async with self._edgar.http.stream(self._url, self._part.headers(self._url)) as answer:
            # A continued file may go on with anything; its own beginning was looked at.
            first = b"" if answer.status == 206 else await _beginning(answer.pieces)
            if not self._edgar.judged(answer.status, answer.headers, first[:HEAD_BYTES]):
                return False
            self._begin(answer.status, answer.headers)
            self._part.write(first)
            async for piece in answer.pieces:
                self._part.write(piece)
                if self._told is not None:
                    self._told(self._part.size, self._part.total)
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


async def _beginning(pieces: AsyncIterator[bytes]) -> bytes:
    """Enough to tell a page from a file; the rest can be read on."""
    first = b""
    async for piece in pieces:
        first += piece
        if len(first) >= HEAD_BYTES:
            break
    return first
