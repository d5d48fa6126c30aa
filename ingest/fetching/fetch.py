"""Submissions from EDGAR: fetched by a list, and loaded while the next ones are on their way."""

import asyncio
import logging
import time
from collections.abc import AsyncIterable, AsyncIterator
from datetime import date, datetime
from pathlib import Path
from typing import NamedTuple, Protocol

from edgar_search.errors import EdgarUnavailable
from edgar_search.stored.ledger import EdgarFile
from ingest.fetching.client import Edgar, archive_path
from ingest.fetching.download import download
from ingest.fetching.fetch_progress import FetchProgress, LoadShown
from ingest.fetching.fetch_summary import FetchSummary
from ingest.fetching.part_file import Download, DownloadInProgress, discard
from ingest.loading.ledger_entries import ListedFiling
from ingest.loading.session import LoadSession
from ingest.sources.source import Source

_log = logging.getLogger(__name__)

# Downloads under way; the rate of requests is bounded elsewhere, large files take their time.
AT_ONCE = 8
# Entries whose ledger entries are asked for at once.
_WINDOW = 200
# Fetched submissions that wait to be loaded.
_WAITING = 400
# So many files in a row that EDGAR does not give: it is EDGAR, not the files.
_MAX_FAILURES = 5
LINE_INTERVAL = 5.0
# How long the first of a batch waits for others, so that small submissions share their requests.
LINGER = 10.0
# The same where it counts how soon a filing can be found.
FOLLOW_LINGER = 0.3


# What is not to be fetched again: it is there, or somebody wanted it away.
DONE = ("loaded", "deleted")


class Entry(Protocol):
    """An entry of an index or of the feed: what is to be fetched."""

    @property
    def accession_number(self) -> str: ...

    @property
    def form_type(self) -> str: ...

    @property
    def filing_date(self) -> date: ...

    @property
    def file_name(self) -> str: ...

    @property
    def accepted_at(self) -> datetime | None: ...


class FetchedSubmission(NamedTuple):
    """A submission in a file, ready to be loaded."""

    accession_number: str
    filing_date: date
    path: Path
    download: Download

    @property
    def source(self) -> Source:
        """The submission as a load takes it; its name is its address."""
        return Source(str(self.path), self.download.url, size=self.download.size)


class Fetcher:
    """Fetches what is not loaded yet to `<home>/fetched`, loads it, and removes the files.

    A batch is loaded when `linger` seconds have passed since its first file came, and the batch
    before it is done. Files of a run that was killed are loaded, not fetched, by the next one.
    """

    def __init__(
        self,
        edgar: Edgar,
        session: LoadSession,
        home: Path,
        linger: float = LINGER,
        progress: FetchProgress | None = None,
    ) -> None:
        self._progress = progress
        self._edgar = edgar
        self._session = session
        self._linger = linger
        self.ledger = session.ledger
        self._folder = home / "fetched"
        self._failures = 0
        self._turn = asyncio.Lock()
        self._shown = time.monotonic()

    async def set_up(self) -> None:
        """Make the indices that are missing."""
        await self._session.set_up()

    async def run(self, entries: AsyncIterable[Entry], *, anew: bool = False) -> FetchSummary:
        """Fetch and load; what is counted as loaded is visible and in the ledger.

        With `anew` what is loaded is fetched too. One run waits for the one before. Raises
        EdgarUnavailable and EngineUnavailable where one of them stayed away.
        """
        async with self._turn:
            return await self._run(entries, anew)

    async def _run(self, entries: AsyncIterable[Entry], anew: bool) -> FetchSummary:
        await self.set_up()
        summary = FetchSummary()
        ready: asyncio.Queue[FetchedSubmission | None] = asyncio.Queue(_WAITING)
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._fetch(entries, anew, ready, summary))
                group.create_task(self._load(ready, summary))
        except ExceptionGroup as errors:
            raise first_of(errors) from None
        return summary

    async def _fetch(
        self,
        entries: AsyncIterable[Entry],
        anew: bool,
        ready: asyncio.Queue[FetchedSubmission | None],
        summary: FetchSummary,
    ) -> None:
        slots = asyncio.Semaphore(AT_ONCE)
        async with asyncio.TaskGroup() as group:
            async for window in _windows(entries):
                summary.listed += len(window)
                for entry in await self._wanted(window, anew, summary):
                    await slots.acquire()
                    task = group.create_task(self._fetch_one(entry, ready, summary))
                    task.add_done_callback(lambda _: slots.release())
        await ready.put(None)

    async def _wanted(self, window: list[Entry], anew: bool, summary: FetchSummary) -> list[Entry]:
        """Those that are to be fetched; the ledger has them all as listed from now on.

        What is fetched anew was not listed just now, but is loaded.
        """
        if not anew:
            await self.ledger.mark_listed(self._listed(entry) for entry in window)
        entries = await self.ledger.read(entry.accession_number for entry in window)
        statuses = ("deleted",) if anew else DONE
        done = {entry.id for entry in entries if entry.source and entry.source.status in statuses}
        summary.known += len(done)
        return [entry for entry in window if entry.accession_number not in done]

    def _listed(self, entry: Entry) -> ListedFiling:
        number, form, day = entry.accession_number, entry.form_type, entry.filing_date
        return ListedFiling(
            number, form, day, self._edgar.address(entry.file_name), entry.accepted_at
        )

    async def _fetch_one(
        self, entry: Entry, ready: asyncio.Queue[FetchedSubmission | None], summary: FetchSummary
    ) -> None:
        number = entry.accession_number
        path = self._folder / f"{number}.txt"
        try:
            address = archive_path(entry.file_name)
            got = await download(self._edgar, address, path, owner=self.ledger.owner)
        except DownloadInProgress:
            got = None
            summary.elsewhere += 1
        except EdgarUnavailable as error:
            self._failures += 1
            if self._failures >= _MAX_FAILURES:
                raise
            summary.failed.append({"accession_number": number, "reason": str(error)})
            return
        self._failures = 0
        if got is None:
            summary.pending.append(number)
            return
        summary.fetched += 1
        summary.bytes += got.size
        await ready.put(FetchedSubmission(number, entry.filing_date, path, got))
        if self._progress is not None:
            self._progress.received(got.size)
        self._show(summary)

    async def _load(
        self, ready: asyncio.Queue[FetchedSubmission | None], summary: FetchSummary
    ) -> None:
        ended = False
        while not ended:
            batch, ended = await self._batch(ready)
            if not batch:
                continue
            for each in batch:
                got = each.download
                file = EdgarFile(got.sha256, got.etag, got.last_modified)
                await self.ledger.mark_fetched(each.accession_number, got.url, file)
            sources = [each.source for each in batch]
            # Each batch is a small load, which would show a line of its own.
            summary.load.join(await self._session.load(sources, shown=LoadShown))
            for each in batch:
                summary.searchable(each.download)
                discard(each.path)
                if self._progress is not None:
                    self._progress.done(each.filing_date)
            self._show(summary)

    async def _batch(
        self, ready: asyncio.Queue[FetchedSubmission | None]
    ) -> tuple[list[FetchedSubmission], bool]:
        """What has come until `linger` seconds after the first, and whether that was all."""
        batch: list[FetchedSubmission] = []
        until = float("inf")
        while len(batch) < _WAITING:
            left = max(0.0, until - time.monotonic()) if batch else None
            try:
                fetched = await asyncio.wait_for(ready.get(), left)
            except TimeoutError:
                break
            if fetched is None:
                return batch, True
            if not batch:
                until = time.monotonic() + self._linger
            batch.append(fetched)
        return batch, False

    def _show(self, summary: FetchSummary) -> None:
        if self._progress is None and time.monotonic() - self._shown >= LINE_INTERVAL:
            self._shown = time.monotonic()
            _log.info("%s", summary.line())


def first_of(errors: ExceptionGroup[Exception]) -> Exception:
    """The first error of nested groups: one ends the run, the others follow from that."""
    error: Exception = errors
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error


async def _windows(entries: AsyncIterable[Entry]) -> AsyncIterator[list[Entry]]:
    window: list[Entry] = []
    async for entry in entries:
        window.append(entry)
        if len(window) >= _WINDOW:
            yield window
            window = []
    if window:
        yield window
