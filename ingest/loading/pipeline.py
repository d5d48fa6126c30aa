"""The load from files to a summary: the one place that shows the loop."""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Iterator
from typing import Self

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.loading.ledger import Ledger
from ingest.loading.ledger_entries import known_hashes
from ingest.loading.loader import Loader, Result
from ingest.loading.owner import Owner
from ingest.loading.progress import Progress
from ingest.loading.summary import Summary
from ingest.reading.large_documents import document_bytes
from ingest.reading.prepare import Filtered, Known, Outcome, Prepared, Refused, Task
from ingest.reading.workers.workers import Workers
from ingest.sources.filing_filter import EVERYTHING, Wanted
from ingest.sources.paths import accession_in_name
from ingest.sources.source import Source, SourceList, release

# A batch is written when it holds this much, so that small submissions share their requests.
BATCH_BYTES = 12_000_000
BATCH_SUBMISSIONS = 200
# Batches that are written at once: while one waits for the ledger, Elasticsearch indexes another.
BATCHES = 2
# Files whose ledger entries are asked for at once.
WINDOW = 200
# Copies of archive members that may lie on disk for it.
WINDOW_BYTES = 100_000_000
# Prepared submissions that may wait for the loader, for each worker: bounds memory.
AHEAD = 3
# In a long load, what is written is made visible to searches this often.
SEARCHABLE_SECONDS = 30.0


async def load(
    engine: Engine,
    settings: Settings,
    sources: SourceList,
    workers: int,
    wanted: Wanted = EVERYTHING,
    *,
    undelete: bool = False,
    alerts: bool = True,
) -> Summary:
    """Load every source that is wanted; what the summary has is written, visible, in the ledger.

    Outcomes are taken in source order, so that of two versions the later one stands. `undelete`
    loads what was deleted, too; without `alerts` no user is told of what is loaded.
    """
    summary = Summary()
    with Owner(settings.absolute_home) as owner:
        loader = Loader(engine, settings, owner, undelete, alerts)
        await loader.set_up()
        run = _Run(loader, summary, Progress(len(sources), summary))
        with run.progress, _workers(workers, settings) as pool:
            tasks = _tasks(loader.ledger, settings, iter(sources), wanted)
            async with run:
                async for outcome in _outcomes(pool, tasks, workers * AHEAD):
                    await run.take(outcome)
                await run.finish()
        await loader.make_searchable()
    return summary


class _Batch:
    """Submissions that are written together, no accession number twice."""

    def __init__(self) -> None:
        self.prepared: list[Prepared] = []
        self.numbers: set[str] = set()
        self._bytes = 0

    def add(self, prepared: Prepared) -> None:
        """Take one more."""
        self.prepared.append(prepared)
        self.numbers.add(prepared.accession_number)
        self._bytes += prepared.bytes

    @property
    def full(self) -> bool:
        """Whether it is large enough to be written."""
        return self._bytes >= BATCH_BYTES or len(self.prepared) >= BATCH_SUBMISSIONS


class _Run:
    """One load under way: the batch that is filling, and those that are being written.

    As a context it ends no sooner than all writing, which it cancels where the load is given up.
    """

    def __init__(self, loader: Loader, summary: Summary, progress: Progress) -> None:
        self._loader = loader
        self._summary = summary
        self.progress = progress
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
        """Deal with one file: count it, record it, or put it into the batch."""
        if isinstance(outcome, Known):
            self._summary.unchanged += 1
        elif isinstance(outcome, Filtered):
            self._summary.filtered += 1
        elif isinstance(outcome, Refused):
            await self.finish()  # The refusal may concern a submission that is being written.
            await self._loader.refuse(outcome)
            self._summary.refuse(outcome.source, outcome.reason)
        else:
            await self._add(outcome)
        self.progress.update()

    async def finish(self) -> None:
        """Write what is left and wait for it."""
        await self._flush()
        while self._writing:
            await self._written()

    async def _add(self, prepared: Prepared) -> None:
        batches = [self._filling, *(batch for batch, _ in self._writing)]
        # The ledger decides between versions of one submission, so the first must be in it.
        if any(prepared.accession_number in batch.numbers for batch in batches):
            await self.finish()
        self._filling.add(prepared)
        if self._filling.full:
            await self._flush()

    async def _flush(self) -> None:
        """Start writing the batch as soon as there is room for it beside those before it."""
        while len(self._writing) >= BATCHES:
            await self._written()
        if self._filling.prepared:
            task = asyncio.create_task(self._loader.load(self._filling.prepared))
            self._writing.append((self._filling, task))
            self._filling = _Batch()

    async def _written(self) -> None:
        """Wait for the first of the batches that are being written."""
        for result in await self._writing[0][1]:
            self._summary.add(result)
            result.prepared.discard()
        self._writing.popleft()
        self.progress.update()
        if time.monotonic() - self._shown > SEARCHABLE_SECONDS:
            await self._loader.make_searchable()
            self._shown = time.monotonic()


def _workers(count: int, settings: Settings) -> Workers:
    return Workers(count, settings)


async def _tasks(
    ledger: Ledger, settings: Settings, sources: Iterator[Source], wanted: Wanted
) -> AsyncIterator[Task]:
    """A task for each source, with the hashes that the ledger has for the number in its name."""
    archive = settings.archive_place if settings.archive else None
    # Archives are unpacked meanwhile, which the event loop must not wait for.
    while window := await asyncio.to_thread(_window, sources):
        guesses = [(source, accession_in_name(source.name)) for source in window]
        keys = sorted({key for _, key in guesses if key})
        entries = {entry.id: entry.source for entry in await ledger.read(keys)}
        for source, guess in guesses:
            yield Task(
                source=source,
                known=known_hashes(entries.get(guess or "")),
                prefix=settings.prefix,
                partition=settings.partition,
                max_text_chars=settings.max_text_chars,
                archive=archive,
                wanted=wanted,
                spool=str(ledger.owner.spool),
                submission_bytes=settings.submission_bytes,
                document_bytes=document_bytes(settings.submission_memory),
            )


def _window(sources: Iterator[Source]) -> list[Source]:
    """The next sources, bounded by their number and by the copies that were made for them."""
    window: list[Source] = []
    copied = 0
    while len(window) < WINDOW and copied < WINDOW_BYTES:
        source = next(sources, None)
        if source is None:
            break
        window.append(source)
        copied += source.size
    return window


async def _outcomes(
    workers: Workers, tasks: AsyncIterator[Task], ahead: int
) -> AsyncIterator[Outcome]:
    """Outcomes in the order of tasks, at most `ahead` of them under way."""
    under_way: deque[tuple[Source, asyncio.Task[Outcome]]] = deque()
    try:
        async for task in tasks:
            under_way.append((task.source, asyncio.create_task(workers.prepare(task))))
            if len(under_way) >= ahead:
                yield await _next(under_way)
        while under_way:
            yield await _next(under_way)
    finally:
        for _, waiting in under_way:
            if not waiting.cancel():
                waiting.exception()  # Else asyncio would complain that nobody asked.


async def _next(under_way: deque[tuple[Source, asyncio.Task[Outcome]]]) -> Outcome:
    """The outcome of the first; a copy made for it is of no use any more."""
    source, future = under_way.popleft()
    outcome = await future
    release(source)
    return outcome
