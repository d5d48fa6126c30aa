"""Fetches submissions that EDGAR lists, loading each batch while the next one is fetched."""

import asyncio
import logging
import time
from collections import Counter
from collections.abc import AsyncIterable, AsyncIterator, Callable, Mapping
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Protocol, Self

from edgar_search.errors import EdgarUnavailable
from edgar_search.stored.installation import EdgarFile
from ingest.fetching.client import Edgar, archive_path
from ingest.fetching.download import Download, DownloadInProgress, discard, download
from ingest.loading.ledger_entries import ListedFiling
from ingest.loading.session import LoadSession
from ingest.loading.summary import ProgressLine, Summary, format_pace, format_size
from ingest.sources.source import Source, SourceList


class FetchProgress:
    """A single progress line for the whole fetch, as a context.

    `begin` sets how many submissions each day lacks; a day is done when none is left.
    """

    def __init__(self) -> None:
        self._line = ProgressLine()
        self._left: Counter[date] = Counter()
        self._days = self._all = self._done = self._bytes = 0
        self._download = ""
        self._began = time.monotonic()

    def __enter__(self) -> Self:
        self._line.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self._line.__exit__()

    def begin(self, lacking: Mapping[date, int]) -> None:
        """Set the number of submissions to fetch for each day."""
        self._left = Counter(lacking)
        self._days, self._all = len(lacking), sum(lacking.values())
        self._began = time.monotonic()

    def received(self, count: int) -> None:
        """Add received bytes."""
        self._bytes += count
        self._show()

    def downloading(self, name: str, count: int, of: int | None) -> None:
        """Show the received bytes of a day's archive."""
        self._download = f"; {name}: {format_size(count)}{f' of {format_size(of)}' if of else ''}"
        self._show()

    def downloaded(self, count: int) -> None:
        """Stop showing an archive, and count its bytes."""
        self._download = ""
        self.received(count)

    def done(self, day: date, number: int = 1) -> None:
        """Count finished submissions of a day."""
        counted = min(number, self._left[day])
        self._left[day] -= counted
        self._done += counted
        self._show()

    def of_day(self, day: date) -> Callable[[SourceList, Summary], "QuietProgress"]:
        """Return a display that adds the load of a day's archive to this line."""
        return partial(QuietProgress, report=partial(self.done, day))

    def _show(self) -> None:
        if not self._line.due:
            return
        days = sum(number <= 0 for number in self._left.values())
        pace = format_pace(self._done, self._all, time.monotonic() - self._began, "submissions")
        self._line.show(
            f"{days} of {self._days} days, {self._done} of {self._all} submissions,"
            f" {format_size(self._bytes)}; {pace}{self._download}"
        )


class QuietProgress:
    """Progress of a load without its own line; `report` is called with newly loaded submissions."""

    def __init__(
        self, _: SourceList, summary: Summary, report: Callable[[int], None] | None = None
    ) -> None:
        self._summary = summary
        self._report = report
        self._counted = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def update(self) -> None:
        """Report how many more are loaded since the last call."""
        if self._report is not None:
            self._report(self._summary.loaded - self._counted)
            self._counted = self._summary.loaded


class FetchSummary:
    """Counts of one run; `listed` is the sum of known, fetched, pending and failed.

    `pending` are the accession numbers that EDGAR lists but does not return yet, `failed` the ones
    that it did not return completely; a later run retries them. `elsewhere` counts the pending ones
    that another process with this home is fetching or loading. `slowest` is the longest time in
    seconds from fetched to searchable.
    """

    def __init__(self) -> None:
        self.load = Summary()
        self.listed = self.known = self.fetched = self.bytes = self.elsewhere = 0
        self.slowest = 0.0
        self.pending: list[str] = []
        self.failed: list[dict[str, str]] = []

    @property
    def complete(self) -> bool:
        """True if everything listed is loaded."""
        return self.load.complete and not (self.pending or self.failed)

    def searchable(self, got: Download) -> None:
        """Record that a submission is now searchable."""
        seconds = (datetime.now(UTC) - got.fetched_at).total_seconds()
        self.slowest = max(self.slowest, seconds)

    def join(self, other: "FetchSummary") -> None:
        """Add another run, except for pending and failed, which only the caller knows."""
        self.load.join(other.load)
        self.listed += other.listed
        self.known += other.known
        self.fetched += other.fetched
        self.bytes += other.bytes
        self.slowest = max(self.slowest, other.slowest)

    def as_dict(self) -> dict[str, Any]:
        """Return the summary, which includes the summary of the load."""
        return {
            "listed": self.listed,
            "known": self.known,
            "fetched": self.fetched,
            "pending": self.pending,
            "failed": self.failed,
            "bytes": self.bytes,
            "slowest": round(self.slowest, 2),
            **self.load.as_dict(0),
        }

    def line(self) -> str:
        """Describe the progress of the run."""
        return (
            f"{self.listed} listed: {self.known} known, {self.fetched} fetched,"
            f" {self.load.loaded} loaded, {len(self.pending)} pending,"
            f" {len(self.failed)} failed, {len(self.load.refusals)} refused"
        )


_log = logging.getLogger(__name__)

# Concurrent downloads; the rate of requests is limited elsewhere, and large files take long.
AT_ONCE = 8
# Entries whose ledger entries are read at once.
_WINDOW = 200
# The most fetched submissions that wait to be loaded.
_WAITING = 400
# If this many files in a row fail, EDGAR is down, not the files.
_MAX_FAILURES = 5
LINE_INTERVAL = 5.0
# Seconds that the first of a batch waits for others, so that small submissions share requests.
LINGER = 10.0
# The same if filings should be searchable soon.
FOLLOW_LINGER = 0.3


# The statuses of submissions that are not fetched again: loaded, or deleted by an operator.
DONE = ("loaded", "deleted")


class Entry(Protocol):
    """An entry of an index or of the feed: a submission to fetch."""

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
        """The submission as a source of a load; its name is its address."""
        return Source(str(self.path), self.download.url, size=self.download.size)


class Fetcher:
    """Fetches missing submissions to `<home>/fetched`, loads them, and deletes the files.

    A batch is loaded `linger` seconds after its first file, once the batch before it is done. Files
    left by a killed run are loaded, not fetched again, by the next one.
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
        """Create missing indices."""
        await self._session.set_up()

    async def run(self, entries: AsyncIterable[Entry], *, anew: bool = False) -> FetchSummary:
        """Fetch and load entries; the ones counted as loaded are searchable and in the ledger.

        With `anew` loaded submissions are fetched too. A run waits for the one before it. Raises
        EdgarUnavailable and EngineUnavailable if one of them stays away.
        """
        async with self._turn:
            await self.set_up()
            summary = FetchSummary()
            ready: asyncio.Queue[FetchedSubmission | None] = asyncio.Queue(_WAITING)
            try:
                async with asyncio.TaskGroup() as group:
                    group.create_task(self._fetch(entries, anew, ready, summary))
                    group.create_task(self._load(ready, summary))
            except ExceptionGroup as errors:
                raise first_error(errors) from None
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
                for entry in await self._choose(window, anew, summary):
                    await slots.acquire()
                    task = group.create_task(self._fetch_one(entry, ready, summary))
                    task.add_done_callback(lambda _: slots.release())
        await ready.put(None)

    async def _choose(self, window: list[Entry], anew: bool, summary: FetchSummary) -> list[Entry]:
        """Choose the entries to fetch, and record all as listed in the ledger.

        Entries that are fetched again are already loaded, and were not listed just now.
        """
        if not anew:
            await self.ledger.mark_listed(
                ListedFiling(
                    entry.accession_number,
                    entry.form_type,
                    entry.filing_date,
                    self._edgar.address(entry.file_name),
                    entry.accepted_at,
                )
                for entry in window
            )
        entries = await self.ledger.read(entry.accession_number for entry in window)
        statuses = ("deleted",) if anew else DONE
        finished = {
            entry.id for entry in entries if entry.source and entry.source.status in statuses
        }
        summary.known += len(finished)
        return [entry for entry in window if entry.accession_number not in finished]

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
            batch, ended = await self._take_batch(ready)
            if not batch:
                continue
            for fetched in batch:
                got = fetched.download
                file = EdgarFile(got.sha256, got.etag, got.last_modified)
                await self.ledger.mark_fetched(fetched.accession_number, got.url, file)
            sources = [fetched.source for fetched in batch]
            # Each batch is a small load, which would otherwise show its own line.
            summary.load.join(await self._session.load(sources, shown=QuietProgress))
            for fetched in batch:
                summary.searchable(fetched.download)
                discard(fetched.path)
                if self._progress is not None:
                    self._progress.done(fetched.filing_date)
            self._show(summary)

    async def _take_batch(
        self, ready: asyncio.Queue[FetchedSubmission | None]
    ) -> tuple[list[FetchedSubmission], bool]:
        """Take the entries within `linger` seconds after the first; True if no more will come."""
        batch: list[FetchedSubmission] = []
        until = float("inf")
        while len(batch) < _WAITING:
            seconds_left = max(0.0, until - time.monotonic()) if batch else None
            try:
                fetched = await asyncio.wait_for(ready.get(), seconds_left)
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


def first_error(errors: ExceptionGroup[Exception]) -> Exception:
    """Return the first error of nested groups, which caused the others."""
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
