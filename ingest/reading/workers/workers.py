"""Worker processes that prepare submissions, each of which can be ended without the others.

A worker has a pipe of its own and shares no lock, so that it may be killed at any moment. What a
submission may cost is bounded: a worker that is too slow is killed, one that wants too much memory
gets none (RLIMIT_DATA), and the submission is refused. A worker that ends by itself or is ended
from outside, as by a system without memory, is replaced and its submission tried once more. Where
it was at a large document, the submission is prepared again with that listed and not searched.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Self

import msgspec

from edgar_search.settings import Settings
from ingest.reading.memory_budget import BYTES_PER_WORKER, MemoryBudget
from ingest.reading.prepare import Outcome, RefusedFile, Task, unread
from ingest.reading.workers.worker import SubmissionTimeout, Worker, WorkerExit, WorkerState
from ingest.sources.paths import accession_in_name

_TRIES = 2
# Documents of one submission that may be left out for want of memory, each at the cost of a worker.
_MOST_TOO_LARGE = 10


class Workers:
    """At most `count` worker processes, started when they are needed."""

    def __init__(self, count: int, settings: Settings) -> None:
        self._seconds = settings.submission_seconds
        self._memory = settings.submission_memory
        self._budget = MemoryBudget(count * BYTES_PER_WORKER)
        self._idle: SimpleQueue[Worker | None] = SimpleQueue()
        self._alive: set[Worker] = set()
        self._closing = False
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="worker")
        for _ in range(count):
            self._idle.put(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End all processes; what they are at is refused."""
        self._closing = True
        self._budget.close()
        for worker in list(self._alive):
            worker.end()
        self._threads.shutdown(cancel_futures=True)
        for worker in list(self._alive):
            worker.end()

    async def prepare(self, task: Task) -> Outcome:
        """The outcome of one task; raises EdgarSearchError where the archive cannot be written."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._run, task)

    def _run(self, task: Task) -> Outcome:
        while True:
            state = WorkerState()
            try:
                return self._tried(task, state)
            except _PreparationFailure as given_up:
                reason = str(given_up)
            document = state.document_id
            if document is None or self._closing or len(task.too_large) >= _MOST_TOO_LARGE:
                return _refused(task, state, reason)
            # Everything but the document that was too much for a worker can be loaded.
            task = msgspec.structs.replace(task, too_large=(*task.too_large, document))

    def _tried(self, task: Task, state: WorkerState) -> Outcome:
        """Raises _GivenUp where it takes too much memory, at once or by ending workers."""
        how = ""
        for _ in range(_TRIES):
            state.document_id = None
            worker = self._usable(self._idle.get()) or self._started()
            try:
                return worker.ask(task, state)
            except SubmissionTimeout as slow:
                seconds = f"{slow.seconds:g} s (EDGAR_SEARCH_SUBMISSION_SECONDS)"
                return _refused(task, state, f"too slow: not read after {seconds}")
            except MemoryError:
                size = f"{self._memory} bytes (EDGAR_SEARCH_SUBMISSION_MEMORY)"
                raise _PreparationFailure(f"too much memory: more than {size} to read it") from None
            except WorkerExit as ended:
                how = str(ended)
            finally:
                self._idle.put(self._kept(worker))
            if self._closing:
                break
        raise _PreparationFailure(f"it ended its worker process {_TRIES} times: {how}")

    def _started(self) -> Worker:
        worker = Worker(self._memory, self._seconds, self._budget)
        self._alive.add(worker)
        return worker

    def _usable(self, idle: Worker | None) -> Worker | None:
        """A worker that waited; None where it ended meanwhile, for which no task is to blame."""
        if idle is None or idle.alive:
            return idle
        self._end(idle)
        return None

    def _kept(self, worker: Worker) -> Worker | None:
        """The worker if it can go on; else it is ended and its place is free."""
        if worker.usable and not self._closing:
            return worker
        self._end(worker)
        return None

    def _end(self, worker: Worker) -> None:
        worker.end()
        self._alive.discard(worker)


class _PreparationFailure(Exception):
    """A submission cannot be prepared as it is; the text is the reason of a refusal."""


def _refused(task: Task, state: WorkerState, reason: str) -> RefusedFile:
    if state.begun:
        begun = state.begun
        return RefusedFile(task.source.name, begun.sha256, begun.accession_number, reason)
    return unread(task, reason, accession_in_name(task.source.name))
