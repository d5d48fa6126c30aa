"""Worker processes that prepare submissions, each of which can be ended without the others.

A worker has a pipe of its own and shares no lock, so that it may be killed at any moment. What a
submission may cost is bounded: a worker that is too slow is killed, one that wants too much memory
gets none (RLIMIT_DATA). A worker that ends by itself or is ended from outside, as by a system
without memory, is replaced and its submission tried once more. Where one document is to blame, the
submission is prepared again with that listed and not searched; else it is refused.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue
from typing import Self

import msgspec

from edgar_search.settings import Settings
from ingest.reading.memory_budget import BYTES_PER_WORKER, LARGE_BYTES, MemoryBudget
from ingest.reading.prepare import Outcome, RefusedFile, Task, unread
from ingest.reading.workers.worker import (
    DocumentTimeout,
    ReadingTimeout,
    SubmissionTimeout,
    Worker,
    WorkerExit,
    WorkerState,
)
from ingest.sources.paths import accession_in_name

_TRIES = 2
# Documents of one submission that may be left out, each at the cost of a worker.
_MOST_LEFT_OUT = 10


class Workers:
    """At most `count` worker processes, started when they are needed."""

    def __init__(self, count: int, settings: Settings) -> None:
        self._seconds = settings.submission_seconds
        self._document_seconds = settings.document_seconds
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
            except _PreparationFailure as failure:
                left_out = len(task.too_large) + len(task.unread)
                if failure.document_id is None or self._closing or left_out >= _MOST_LEFT_OUT:
                    return _refused(task, state, str(failure))
                # Everything but the document that was too much for a worker can be loaded.
                task = failure.left_out_of(task, failure.document_id)

    def _tried(self, task: Task, state: WorkerState) -> Outcome:
        """Raises _PreparationFailure where it takes too much, at once or by ending workers."""
        how = ""
        for _ in range(_TRIES):
            state.document = None
            worker = self._usable(self._idle.get()) or self._started()
            try:
                return worker.ask(task, state)
            except DocumentTimeout as slow:
                raise _PreparationFailure(_too_slow(slow, "DOCUMENT"), _current(state)) from None
            except SubmissionTimeout as slow:
                raise _PreparationFailure(
                    _too_slow(slow, "SUBMISSION"), _slowest(state, slow.seconds)
                ) from None
            except MemoryError:
                size = f"{self._memory} bytes (EDGAR_SEARCH_SUBMISSION_MEMORY)"
                raise _PreparationFailure(
                    f"too much memory: more than {size} to read it", _current(state), too_large=True
                ) from None
            except WorkerExit as ended:
                how = str(ended)
            finally:
                self._idle.put(self._kept(worker))
            if self._closing:
                break
        large = state.document is not None and state.document.size > LARGE_BYTES
        reason = f"it ended its worker process {_TRIES} times: {how}"
        raise _PreparationFailure(reason, _current(state), too_large=large)

    def _started(self) -> Worker:
        worker = Worker(self._memory, self._seconds, self._document_seconds, self._budget)
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
    """A submission cannot be prepared as it is; the text says why.

    `document_id` is the one document that is to blame, `too_large` that it is for its size.
    """

    def __init__(self, reason: str, document_id: str | None, *, too_large: bool = False) -> None:
        super().__init__(reason)
        self.document_id = document_id
        self._too_large = too_large

    def left_out_of(self, task: Task, document_id: str) -> Task:
        """The task without this document."""
        if self._too_large:
            return msgspec.structs.replace(task, too_large=(*task.too_large, document_id))
        return msgspec.structs.replace(task, unread=task.unread | {document_id: str(self)})


def _current(state: WorkerState) -> str | None:
    return state.document.document_id if state.document else None


def _slowest(state: WorkerState, seconds: float) -> str | None:
    """The document that took most of a submission's `seconds`, None where none took its share."""
    slowest = max(state.spent, key=lambda each: state.spent[each], default=None)
    if slowest is None or state.spent[slowest] * _MOST_LEFT_OUT < seconds:
        return None
    return slowest


def _too_slow(slow: ReadingTimeout, setting: str) -> str:
    return f"too slow: not read after {slow.seconds:g} s (EDGAR_SEARCH_{setting}_SECONDS)"


def _refused(task: Task, state: WorkerState, reason: str) -> RefusedFile:
    if state.begun:
        begun = state.begun
        return RefusedFile(task.source.name, begun.sha256, begun.accession_number, reason)
    return unread(task, reason, accession_in_name(task.source.name))
