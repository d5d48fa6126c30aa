"""Worker processes that prepare submissions; each can be ended without the others.

A worker has its own pipe and shares no lock, so it can be killed at any moment. The cost of a
submission is bounded: a worker that takes too many seconds of a processor, or does nothing for as
long, is killed, and one that needs too much memory gets none (RLIMIT_DATA). A worker that ends, by
itself or killed by a system without memory, is replaced, and its submission is tried once more. If
one document is the cause, the submission is prepared again with that document listed and not
searched, otherwise it is refused.
"""

import asyncio
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import connection
from queue import SimpleQueue
from threading import Lock
from typing import Any, Self

import msgspec

from edgar_search.errors import EdgarSearchError
from edgar_search.settings import Settings
from ingest.reading.memory_budget import BYTES_PER_WORKER, LARGE_BYTES, BudgetClosed, MemoryBudget
from ingest.reading.tasks import (
    DocumentsEnd,
    DocumentStart,
    MemoryRelease,
    MemoryRequest,
    Outcome,
    OutOfMemory,
    RefusedFile,
    SubmissionStart,
    Task,
    refuse_unread,
)
from ingest.sources.paths import accession_in_name

_PROGRAM = (
    sys.executable,
    "-P",
    "-c",
    "from ingest.reading.workers.process import main; main()",
)
_JOIN_SECONDS = 5.0
# A worker that took less than this share of a processor during the wait does nothing: it waits for
# a disk that is gone, or forever. Even on the busiest machine a working one gets more.
_IDLE_SHARE, _SHORTEST_WAIT = 0.02, 0.05
# A submission may take its seconds once for each piece of this many bytes. Four of 2 GB at once
# took 50 s on two busy cores, which is 40 MB/s for each; this asks for 4.
SUBMISSION_SECONDS, BYTES_A_TURN = 120.0, 500_000_000
# A document may take its seconds once for each piece of this many bytes: half a second for a
# megabyte of the worst, on two busy cores, leaves room for a machine that is a third as fast.
DOCUMENT_SECONDS, DOCUMENT_BYTES_A_TURN = 30.0, 20_000_000


class ReadingTimeout(Exception):
    """Reading has used up its time, which was `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class SubmissionTimeout(ReadingTimeout):
    """A submission has used up its time."""


class DocumentTimeout(ReadingTimeout):
    """The document that the worker reads has used up its time."""


class WorkerExit(Exception):
    """A worker ended; the text says how."""


class WorkerState:
    """The progress of a worker: its submission, and the document that it reads.

    `spent` holds the seconds that each document took.
    """

    def __init__(self) -> None:
        self.begun: SubmissionStart | None = None
        self.document: DocumentStart | None = None
        self.spent: dict[str, float] = {}

    def spend(self, seconds: float) -> None:
        """Add seconds to the document that the worker reads."""
        if self.document is not None:
            document_id = self.document.document_id
            self.spent[document_id] = self.spent.get(document_id, 0.0) + seconds


class Worker:
    """One process and this end of its pipe; `usable` if it can take another task."""

    def __init__(self, memory: int, budget: MemoryBudget) -> None:
        self._budget = budget
        self._pipe, theirs = connection.Pipe()
        loader, ours = os.pipe()
        self._loader = os.fdopen(ours, "wb", buffering=0)
        # Not by `multiprocessing`, which would import the loader's main module in the process.
        arguments = (theirs.fileno(), loader)
        self._process = subprocess.Popen(
            [*_PROGRAM, str(arguments[0]), str(memory), str(arguments[1])],
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            pass_fds=arguments,
        )
        theirs.close()
        os.close(loader)
        self._ending = Lock()
        self.usable = True

    @property
    def alive(self) -> bool:
        """True if the process still runs."""
        return self._process.poll() is None

    def ask(self, task: Task, state: WorkerState) -> Outcome:
        """Return the outcome of a task, and record the progress in `state`.

        Raises ReadingTimeout, MemoryError and WorkerExit; then the worker is not usable any more.
        """
        usable, self.usable = self.usable, False
        assert usable
        try:
            self._pipe.send(task)
            result = self._await_outcome(task, state)
        except (EOFError, OSError):
            raise WorkerExit(self._describe_end()) from None
        except BudgetClosed:
            raise WorkerExit("the load ends") from None
        if isinstance(result, OutOfMemory):
            raise MemoryError
        self.usable = True
        if isinstance(result, EdgarSearchError):
            raise result
        outcome: Outcome = result
        return outcome

    def end(self) -> None:
        """Kill the process; a second call does nothing."""
        # The end of the load and the thread that waits for an answer may both call this. A handle
        # closed twice may belong to another file by then.
        with self._ending:
            self._process.kill()
            self._wait()
            self._pipe.close()
            self._loader.close()

    def _await_outcome(self, task: Task, state: WorkerState) -> Any:
        clock = Clock(SUBMISSION_SECONDS, _file_size(task.source.path))
        document_clock: Clock | None = None
        taken = 0
        try:
            while True:
                message = self._receive(clock, document_clock, state)
                if isinstance(message, SubmissionStart):
                    state.begun = message
                    clock.has(message.size)
                elif isinstance(message, DocumentStart):
                    state.document = message
                    document_clock = Clock(DOCUMENT_SECONDS, message.size, DOCUMENT_BYTES_A_TURN)
                elif isinstance(message, DocumentsEnd):
                    state.document = document_clock = None
                elif isinstance(message, MemoryRequest):
                    self._budget.reserve(message.size)  # Waiting for memory does not count as time.
                    taken = message.size
                    self._pipe.send(None)
                elif isinstance(message, MemoryRelease):
                    self._budget.release(taken)
                    taken = 0
                else:
                    return message
        finally:
            self._budget.release(taken)

    def _receive(self, clock: "Clock", document_clock: "Clock | None", state: WorkerState) -> Any:
        """Receive the next message of the worker; raises ReadingTimeout."""
        clocks = [clock, *([document_clock] if document_clock else [])]
        while True:
            began, before = time.monotonic(), self._processor_seconds()
            least = min(clocks, key=lambda one_clock: one_clock.left)
            ready = connection.wait([self._pipe], max(_SHORTEST_WAIT, least.left))
            waited, after = time.monotonic() - began, self._processor_seconds()
            used = waited if before is None or after is None else after - before
            if not ready and used < _IDLE_SHARE * waited:
                used = waited
            for one_clock in clocks:
                one_clock.left -= used
            state.spend(used)
            if ready:
                return self._pipe.recv()
            if least.left <= 0:
                timeout = SubmissionTimeout if least is clock else DocumentTimeout
                raise timeout(least.seconds)

    def _processor_seconds(self) -> float | None:
        """Return the processor time of the process; None where the system does not report it."""
        try:
            # The clock of another process, as Linux's clock_getcpuclockid(3) computes it.
            return time.clock_gettime((~self._process.pid << 3) | 2)
        except OSError:
            return None

    def _wait(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_JOIN_SECONDS)
        return self._process.returncode

    def _describe_end(self) -> str:
        code = self._wait()
        if code is not None and code < 0:
            return f"signal {signal.Signals(-code).name}"
        return f"exit status {code}"


class Clock:
    """The seconds left to read `size` bytes, at `seconds` per turn of bytes."""

    def __init__(self, seconds: float, size: int, turn: int = BYTES_A_TURN) -> None:
        self._for_each = seconds
        self._turn = turn
        self.seconds = self.left = 0.0
        self.has(size)

    def has(self, size: int) -> None:
        """Allow the seconds for `size` bytes."""
        seconds = self._for_each * (1 + size // self._turn)
        if seconds > self.seconds:
            self.left += seconds - self.seconds
            self.seconds = seconds


def _file_size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0  # The worker meets the same error and reports it.


_TRIES = 2
# How many documents of a submission may be left out, each at the cost of a worker.
_MOST_LEFT_OUT = 10


class Workers:
    """At most `count` worker processes, started when they are needed."""

    def __init__(self, count: int, settings: Settings) -> None:
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
        """End all processes; the submissions that they read are refused."""
        self._closing = True
        self._budget.close()
        for worker in list(self._alive):
            worker.end()
        self._threads.shutdown(cancel_futures=True)
        for worker in list(self._alive):
            worker.end()

    async def prepare(self, task: Task) -> Outcome:
        """Prepare a task; raises EdgarSearchError if the archive cannot be written."""
        return await asyncio.get_running_loop().run_in_executor(
            self._threads, self._prepare_or_refuse, task
        )

    def _prepare_or_refuse(self, task: Task) -> Outcome:
        while True:
            state = WorkerState()
            try:
                return self._try(task, state)
            except _PreparationFailure as failure:
                left_out = len(task.too_large) + len(task.unread)
                if failure.document_id is None or self._closing or left_out >= _MOST_LEFT_OUT:
                    return _refuse(task, state, str(failure))
                # The rest can be loaded without the document that was too much for a worker.
                task = failure.without(task, failure.document_id)

    def _try(self, task: Task, state: WorkerState) -> Outcome:
        """Try a task; raises _PreparationFailure if it takes too much or ends its workers."""
        how = ""
        for _ in range(_TRIES):
            state.document = None
            worker = self._usable(self._idle.get()) or self._start()
            try:
                return worker.ask(task, state)
            except DocumentTimeout as slow:
                raise _PreparationFailure(
                    f"too slow: not read after {slow.seconds:g} s", _current(state)
                ) from None
            except SubmissionTimeout as slow:
                raise _PreparationFailure(
                    f"too slow: its submission was not read after {slow.seconds:g} s",
                    _slowest(state, slow.seconds),
                ) from None
            except MemoryError:
                size = f"{self._memory} bytes (EDGAR_SEARCH_SUBMISSION_MEMORY)"
                raise _PreparationFailure(
                    f"too much memory: more than {size} to read it", _current(state), too_large=True
                ) from None
            except WorkerExit as ended:
                how = str(ended)
            finally:
                self._idle.put(self._keep_or_end(worker))
            if self._closing:
                break
        large = state.document is not None and state.document.size > LARGE_BYTES
        reason = f"it ended its worker process {_TRIES} times: {how}"
        raise _PreparationFailure(reason, _current(state), too_large=large)

    def _start(self) -> Worker:
        worker = Worker(self._memory, self._budget)
        self._alive.add(worker)
        return worker

    def _usable(self, idle: Worker | None) -> Worker | None:
        """Return an idle worker; None if it has ended meanwhile, which no task caused."""
        if idle is None or idle.alive:
            return idle
        self._end(idle)
        return None

    def _keep_or_end(self, worker: Worker) -> Worker | None:
        """Return the worker if it can continue; otherwise end it and free its slot."""
        if worker.usable and not self._closing:
            return worker
        self._end(worker)
        return None

    def _end(self, worker: Worker) -> None:
        worker.end()
        self._alive.discard(worker)


class _PreparationFailure(Exception):
    """A submission cannot be prepared as it is; the text says why.

    `document_id` is the document that caused it, `too_large` is true if its size did.
    """

    def __init__(self, reason: str, document_id: str | None, *, too_large: bool = False) -> None:
        super().__init__(reason)
        self.document_id = document_id
        self._too_large = too_large

    def without(self, task: Task, document_id: str) -> Task:
        """Return the task without this document."""
        if self._too_large:
            return msgspec.structs.replace(task, too_large=(*task.too_large, document_id))
        return msgspec.structs.replace(task, unread=task.unread | {document_id: str(self)})


def _current(state: WorkerState) -> str | None:
    return state.document.document_id if state.document else None


def _slowest(state: WorkerState, seconds: float) -> str | None:
    """Return the document that took most of a submission's `seconds`; None if none took much."""
    slowest = max(state.spent, key=lambda each: state.spent[each], default=None)
    if slowest is None or state.spent[slowest] * _MOST_LEFT_OUT < seconds:
        return None
    return slowest


def _refuse(task: Task, state: WorkerState, reason: str) -> RefusedFile:
    if state.begun:
        begun = state.begun
        return RefusedFile(task.source.name, begun.sha256, begun.accession_number, reason)
    return refuse_unread(task, reason, accession_in_name(task.source.name))
