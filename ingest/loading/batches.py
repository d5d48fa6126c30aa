"""Prepared submissions gathered to batches, which are written while the next one fills."""

import asyncio
import time
from collections import deque
from typing import Self

from edgar_search.metrics.meters import SUBMISSIONS
from ingest.loading.progress import Shown
from ingest.loading.submission_writer import Result, SubmissionWriter
from ingest.loading.summary import Summary
from ingest.reading.prepare import FilteredFile, KnownFile, Outcome, PreparedSubmission, RefusedFile

# A batch is written when it holds this much, so that small submissions share their requests.
BATCH_BYTES = 12_000_000
BATCH_SUBMISSIONS = 200
# Batches that are written at once: while one waits for the ledger, Elasticsearch indexes another.
BATCHES = 2
# In a long load, what is written is made visible to searches this often.
SEARCHABLE_SECONDS = 30.0


class _Batch:
    """Submissions that are written together, no accession number twice."""

    def __init__(self) -> None:
        self.prepared: list[PreparedSubmission] = []
        self.numbers: set[str] = set()
        self._bytes = 0

    def add(self, prepared: PreparedSubmission) -> None:
        """Take one more."""
        self.prepared.append(prepared)
        self.numbers.add(prepared.accession_number)
        self._bytes += prepared.bytes

    @property
    def full(self) -> bool:
        """Whether it is large enough to be written."""
        return self._bytes >= BATCH_BYTES or len(self.prepared) >= BATCH_SUBMISSIONS


class BatchQueue:
    """The batches of one load: the one that is filling, and those that are being written.

    As a context it ends no sooner than all writing, which it cancels where the load is given up.
    """

    def __init__(self, writer: SubmissionWriter, summary: Summary, progress: Shown) -> None:
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
        """Deal with one file: count it, record it, or put it into the batch."""
        if isinstance(outcome, KnownFile):
            self._summary.unchanged += 1
            SUBMISSIONS.labels("unchanged").inc()
        elif isinstance(outcome, FilteredFile):
            self._summary.filtered += 1
            SUBMISSIONS.labels("filtered").inc()
        elif isinstance(outcome, RefusedFile):
            await self.finish()  # The refusal may concern a submission that is being written.
            await self._writer.refuse(outcome)
            self._summary.refuse(outcome.source, outcome.reason)
        else:
            await self._add(outcome)
        self._progress.update()

    async def finish(self) -> None:
        """Write what is left and wait for it."""
        await self._flush()
        while self._writing:
            await self._written()

    async def _add(self, prepared: PreparedSubmission) -> None:
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
            task = asyncio.create_task(self._writer.write(self._filling.prepared))
            self._writing.append((self._filling, task))
            self._filling = _Batch()

    async def _written(self) -> None:
        """Wait for the first of the batches that are being written."""
        for result in await self._writing[0][1]:
            self._summary.add(result)
            result.prepared.discard()
        self._writing.popleft()
        self._progress.update()
        if time.monotonic() - self._shown > SEARCHABLE_SECONDS:
            await self._writer.make_searchable()
            self._shown = time.monotonic()
