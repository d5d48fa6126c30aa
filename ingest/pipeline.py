"""The load from files to a summary: the one place that shows the loop."""

import asyncio
import multiprocessing
import os
import threading
from collections import deque
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from itertools import islice
from multiprocessing.process import BaseProcess
from pathlib import Path

from edgar_search.engine import Engine
from edgar_search.errors import EdgarSearchError
from edgar_search.settings import Settings
from ingest.indices import Indices
from ingest.ledger import known_hashes, read_entries
from ingest.load import Loader, Result
from ingest.prepare import Known, Outcome, Prepared, Refused, Task, prepare
from ingest.progress import Progress
from ingest.sources import Sources, accession_in_name
from ingest.summary import Summary

# A batch is written when it holds this much, so that small submissions share their requests.
BATCH_BYTES = 12_000_000
BATCH_SUBMISSIONS = 200
# Files whose ledger entries are asked for at once.
WINDOW = 200
# Prepared submissions that may wait for the loader, for each worker: bounds memory.
AHEAD = 3


async def load(engine: Engine, settings: Settings, sources: Sources, workers: int) -> Summary:
    """Load every source; what is in the summary is written, visible and in the ledger.

    Outcomes are taken in source order, so that of two versions the later one stands.
    """
    summary = Summary()
    indices = Indices(engine, settings)
    await indices.set_up()
    run = _Run(Loader(engine, settings, indices), summary, Progress(len(sources), summary))
    with run.progress, _pool(workers) as pool:
        tasks = _tasks(engine, settings, iter(sources))
        async for outcome in _outcomes(pool, tasks, workers * AHEAD):
            await run.take(outcome)
        await run.finish()
    for kind in ("passages", "sections", "documents", "filings"):
        await engine.refresh(kind)
    return summary


class _Run:
    """One load under way: the batch that is filling, and the one that is being written."""

    def __init__(self, loader: Loader, summary: Summary, progress: Progress) -> None:
        self._loader = loader
        self._summary = summary
        self.progress = progress
        self._batch: list[Prepared] = []
        self._bytes = 0
        self._writing: asyncio.Task[list[Result]] | None = None

    async def take(self, outcome: Outcome) -> None:
        """Deal with one file: count it, record it, or put it into the batch."""
        if isinstance(outcome, Known):
            self._summary.unchanged += 1
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
        await self._written()

    async def _add(self, prepared: Prepared) -> None:
        # The ledger decides between versions of one submission, so the first must be in it.
        if any(p.accession_number == prepared.accession_number for p in self._batch):
            await self.finish()
        self._batch.append(prepared)
        self._bytes += prepared.bytes
        if self._bytes >= BATCH_BYTES or len(self._batch) >= BATCH_SUBMISSIONS:
            await self._flush()

    async def _flush(self) -> None:
        """Start writing the batch as soon as the one before it has been written."""
        await self._written()
        if self._batch:
            self._writing = asyncio.create_task(self._loader.load(self._batch))
            self._batch, self._bytes = [], 0

    async def _written(self) -> None:
        if self._writing is not None:
            writing, self._writing = self._writing, None
            for result in await writing:
                self._summary.add(result)
            self.progress.update()


def _pool(workers: int) -> ProcessPoolExecutor:
    # Spawned, not forked: a fork of a process with threads and an event loop may hang.
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(workers, mp_context=context, initializer=_end_with_parent)


def _end_with_parent() -> None:
    """Let this worker end when the load is killed; it would wait for its next file for ever."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_end_after, args=(parent,), daemon=True).start()


def _end_after(parent: BaseProcess) -> None:
    parent.join()
    os._exit(1)


async def _tasks(
    engine: Engine, settings: Settings, sources: Iterator[Path]
) -> AsyncIterator[Task]:
    """A task for each source, with the hashes that the ledger has for the number in its name."""
    home = str(settings.absolute_home) if settings.archive else None
    while window := list(islice(sources, WINDOW)):
        guesses = [(path, accession_in_name(path.name)) for path in window]
        keys = sorted({key for _, key in guesses if key})
        entries = await read_entries(engine, keys)
        for path, guess in guesses:
            yield Task(
                path=str(path),
                known=known_hashes(entries.get(guess or "")),
                prefix=settings.prefix,
                partition=settings.partition,
                max_text_chars=settings.max_text_chars,
                archive_home=home,
            )


async def _outcomes(
    pool: ProcessPoolExecutor, tasks: AsyncIterator[Task], ahead: int
) -> AsyncIterator[Outcome]:
    """Outcomes in the order of tasks, at most `ahead` of them under way."""
    loop = asyncio.get_running_loop()
    under_way: deque[asyncio.Future[Outcome]] = deque()
    try:
        async for task in tasks:
            under_way.append(loop.run_in_executor(pool, prepare, task))
            if len(under_way) >= ahead:
                yield await under_way.popleft()
        while under_way:
            yield await under_way.popleft()
    except BrokenProcessPool:
        raise EdgarSearchError(
            "a worker process was ended from outside, perhaps for want of memory;"
            " start the load again with fewer --workers"
        ) from None
    finally:
        for future in under_way:
            future.cancel()
