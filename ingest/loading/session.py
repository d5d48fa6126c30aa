"""A load session: set up once, for any number of loads."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterator
from contextlib import aclosing
from datetime import UTC, date, datetime
from typing import Self

from edgar_search.engine.engine import Engine
from edgar_search.metrics.meters import SUBMISSIONS
from edgar_search.metrics.spans import span
from edgar_search.settings import Settings
from ingest.loading.ledger import Ledger, Reload, known_hashes
from ingest.loading.owner import Owner
from ingest.loading.submission_writer import Result, SubmissionWriter
from ingest.loading.summary import Progress, ProgressDisplay, Summary
from ingest.reading.memory_budget import document_bytes
from ingest.reading.tasks import (
    FilteredFile,
    KnownFile,
    Outcome,
    PreparedSubmission,
    RefusedFile,
    Task,
)
from ingest.reading.workers.pool import Workers
from ingest.sources.paths import EVERYTHING, FilingFilter, accession_in_name
from ingest.sources.source import Source, SourceList, release

# A document with more text is listed and not searched: none that people wrote is as long.
MAX_TEXT_CHARS = 20_000_000
# Files whose ledger entries are read at once.
WINDOW = 200
# Bytes of container members that may be copied to disk for one window.
WINDOW_BYTES = 100_000_000


async def make_tasks(
    ledger: Ledger, settings: Settings, sources: Iterator[Source], wanted: FilingFilter
) -> AsyncIterator[Task]:
    """Yield a task for each source, with the ledger's hashes of the number in its name."""
    archive = settings.archive_place if settings.archive else None
    # Reading the next sources unpacks containers, which must not block the event loop.
    while window := await asyncio.to_thread(_take_window, sources):
        guesses = [(source, accession_in_name(source.name)) for source in window]
        keys = sorted({key for _, key in guesses if key})
        entries = {entry.id: entry.source for entry in await ledger.read(keys)}
        for source, guess in guesses:
            yield Task(
                source=source,
                known=known_hashes(entries.get(guess or ""), ledger.reload),
                # In a reload, a submission that is not due needs no reading.
                done=ledger.reload is not None
                and guess is not None
                and not ledger.reload.is_due(entries.get(guess)),
                prefix=settings.prefix,
                partition=settings.partition,
                partition_from=settings.partition_from,
                max_text_chars=MAX_TEXT_CHARS,
                archive=archive,
                wanted=wanted,
                spool=str(ledger.owner.spool),
                document_bytes=document_bytes(settings.submission_memory),
            )


def _take_window(sources: Iterator[Source]) -> list[Source]:
    """Take the next sources, limited by their number and by the bytes copied for them."""
    window: list[Source] = []
    copied = 0
    while len(window) < WINDOW and copied < WINDOW_BYTES:
        source = next(sources, None)
        if source is None:
            break
        window.append(source)
        copied += source.size
    return window


async def prepare_all(
    workers: Workers, tasks: AsyncIterator[Task], ahead: int
) -> AsyncGenerator[Outcome, None]:
    """Yield the outcomes in the order of tasks, preparing at most `ahead` of them at once."""

    async def prepare(task: Task) -> Outcome:
        with span("load.prepare", {"edgar_search.bytes": task.source.size}):
            return await workers.prepare(task)

    under_way: deque[tuple[Source, asyncio.Task[Outcome]]] = deque()
    try:
        async for task in tasks:
            under_way.append((task.source, asyncio.create_task(prepare(task))))
            if len(under_way) >= ahead:
                yield await _first_outcome(under_way)
        while under_way:
            yield await _first_outcome(under_way)
    finally:
        for _, waiting in under_way:
            if not waiting.cancel():
                # Otherwise asyncio would complain that the result was never retrieved.
                waiting.exception()


async def _first_outcome(under_way: deque[tuple[Source, asyncio.Task[Outcome]]]) -> Outcome:
    """Wait for the first outcome, and delete the copy that was made for it."""
    source, future = under_way.popleft()
    outcome = await future
    release(source)
    return outcome


# A batch is written once it reaches this size: small submissions share requests.
BATCH_BYTES = 12_000_000
BATCH_SUBMISSIONS = 200
# Batches written at once: while one waits for the ledger, Elasticsearch indexes another.
BATCHES = 2
# How often a long load makes its writes visible to searches.
SEARCHABLE_SECONDS = 30.0


class _Batch:
    """Submissions that are written together, at most one per accession number."""

    def __init__(self) -> None:
        self.prepared: list[PreparedSubmission] = []
        self.numbers: set[str] = set()
        self._bytes = 0

    def add(self, prepared: PreparedSubmission) -> None:
        """Add a submission."""
        self.prepared.append(prepared)
        self.numbers.add(prepared.accession_number)
        self._bytes += prepared.bytes

    @property
    def full(self) -> bool:
        """True if the batch is large enough to write."""
        return self._bytes >= BATCH_BYTES or len(self.prepared) >= BATCH_SUBMISSIONS


class BatchQueue:
    """The batches of a load: one that is filling, and the ones that are being written.

    The context ends after all writing has ended; it cancels the writing if the load is abandoned.
    """

    def __init__(
        self, writer: SubmissionWriter, summary: Summary, progress: ProgressDisplay
    ) -> None:
        self._writer = writer
        self._summary = summary
        self._progress = progress
        self._filling = _Batch()
        self._writing: deque[tuple[_Batch, asyncio.Task[list[Result]]]] = deque()
        self._shown = time.monotonic()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        tasks = [task for _, task in self._writing]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def take(self, outcome: Outcome) -> None:
        """Handle one outcome: count it, record it, or add it to the batch."""
        if isinstance(outcome, KnownFile):
            self._summary.unchanged += 1
            SUBMISSIONS.labels("unchanged").inc()
        elif isinstance(outcome, FilteredFile):
            self._summary.filtered += 1
            SUBMISSIONS.labels("filtered").inc()
        elif isinstance(outcome, RefusedFile):
            await self.finish()  # The refusal may be about a submission that is being written.
            await self._writer.refuse(outcome)
            self._summary.refuse(outcome.source, outcome.reason)
        else:
            batches = [self._filling, *(batch for batch, _ in self._writing)]
            # The ledger decides between versions of a submission, so the first must be recorded.
            if any(outcome.accession_number in batch.numbers for batch in batches):
                await self.finish()
            self._filling.add(outcome)
            if self._filling.full:
                await self._flush()
        self._progress.update()

    async def finish(self) -> None:
        """Write the rest, and wait until all is written."""
        await self._flush()
        while self._writing:
            await self._await_first()

    async def _flush(self) -> None:
        """Start to write the batch once fewer than `BATCHES` are being written."""
        while len(self._writing) >= BATCHES:
            await self._await_first()
        if self._filling.prepared:
            task = asyncio.create_task(self._writer.write(self._filling.prepared))
            self._writing.append((self._filling, task))
            self._filling = _Batch()

    async def _await_first(self) -> None:
        """Wait until the oldest batch is written, and count its results."""
        for result in await self._writing[0][1]:
            self._summary.add(result)
            result.prepared.discard()
        self._writing.popleft()
        self._progress.update()
        if time.monotonic() - self._shown > SEARCHABLE_SECONDS:
            await self._writer.make_searchable()
            self._shown = time.monotonic()


# Prepared submissions per worker that may wait to be written; this limits memory.
AHEAD = 3


class LoadSession:
    """Runs loads into one installation, one after the other.

    As a context it holds its owner's lock. Worker processes start when they are needed, and stay. A
    load that fails releases both, so that other loads can take over its claims; the next load
    begins with a new lock and new workers. `undelete` also loads deleted submissions. Without
    `alerts` users are not notified. With `reload` only due submissions are loaded again. Raises
    SettingsError if the home is not writable.
    """

    def __init__(
        self,
        engine: Engine,
        settings: Settings,
        workers: int,
        *,
        undelete: bool = False,
        alerts: bool = True,
        reload: Reload | None = None,
    ) -> None:
        self._settings = settings
        self._count = workers
        self._owner = Owner(settings.absolute_home)
        self._writer = SubmissionWriter(engine, settings, self._owner, undelete, alerts, reload)
        self._workers: Workers | None = None
        self._set_up_on: date | None = None

    def __enter__(self) -> Self:
        self._owner.hold()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._end_workers()
        self._owner.release(ended_well=kind is None)

    @property
    def ledger(self) -> Ledger:
        """The ledger, with the claims of the session's owner."""
        return self._writer.ledger

    async def set_up(self) -> None:
        """Put templates that differ and create missing indices, once a day.

        A new month needs its own indices, hence once a day.
        """
        today = datetime.now(UTC).date()
        if self._set_up_on != today:
            with span("load.set_up"):
                await self._writer.set_up()
            self._set_up_on = today

    async def load(
        self,
        sources: SourceList,
        wanted: FilingFilter = EVERYTHING,
        shown: Callable[[SourceList, Summary], ProgressDisplay] = Progress,
    ) -> Summary:
        """Load every source that passes the filter.

        Everything the summary counts as loaded is searchable and in the ledger. Outcomes are
        handled in the order of the sources, so that the later of two versions replaces the earlier
        one. `shown` makes the display of the load's progress.
        """
        await self.set_up()
        self._owner.hold()
        try:
            with span("load", {"edgar_search.files": len(sources)}) as load_span:
                summary = await self._load(sources, wanted, shown)
                load_span.note({"edgar_search.loaded": summary.loaded})
                return summary
        except BaseException:
            self._end_workers()
            self._owner.release(ended_well=False)
            self._set_up_on = None
            raise

    async def _load(
        self,
        sources: SourceList,
        wanted: FilingFilter,
        shown: Callable[[SourceList, Summary], ProgressDisplay],
    ) -> Summary:
        self._workers = self._workers or _start_workers(self._count, self._settings)
        summary = Summary()
        tasks = make_tasks(self.ledger, self._settings, iter(sources), wanted)
        progress = shown(sources, summary)
        with progress:
            async with (
                aclosing(prepare_all(self._workers, tasks, self._count * AHEAD)) as outcomes,
                BatchQueue(self._writer, summary, progress) as batches,
            ):
                async for outcome in outcomes:
                    await batches.take(outcome)
                await batches.finish()
        await self._writer.make_searchable()
        return summary

    def _end_workers(self) -> None:
        if self._workers is not None:
            self._workers.close()
            self._workers = None


async def load(
    engine: Engine,
    settings: Settings,
    sources: SourceList,
    workers: int,
    wanted: FilingFilter = EVERYTHING,
    *,
    undelete: bool = False,
    alerts: bool = True,
    reload: Reload | None = None,
) -> Summary:
    """Run one load in a session of its own."""
    with LoadSession(
        engine, settings, workers, undelete=undelete, alerts=alerts, reload=reload
    ) as session:
        return await session.load(sources, wanted)


def _start_workers(count: int, settings: Settings) -> Workers:
    return Workers(count, settings)
