"""One worker process as the loader sees it: what it is asked, and how it answers or ends."""

import os
import signal
import subprocess
import sys
import time
from contextlib import nullcontext, suppress
from multiprocessing import connection
from threading import Lock
from typing import Any

from edgar_search.errors import EdgarSearchError
from ingest.reading.memory_budget import BudgetClosed, MemoryBudget
from ingest.reading.prepare import Outcome, Task
from ingest.reading.workers.worker_process import (
    DocumentsEnd,
    DocumentStart,
    MemoryRelease,
    MemoryRequest,
    OutOfMemory,
    SubmissionStart,
)

_PROGRAM = (
    sys.executable,
    "-P",
    "-c",
    "from ingest.reading.workers.worker_process import main; main()",
)
_JOIN_SECONDS = 5.0
# A submission may take its seconds for each so many bytes that it has. Four of 2 GB at once took
# 50 s on two busy cores, which is 40 MB/s for each; the default of 120 s asks for 4.
BYTES_A_TURN = 500_000_000
# A document has its own for each of so many: half a second for a megabyte of the worst, on two busy
# cores, leaves room for a machine that is a third as fast.
DOCUMENT_BYTES_A_TURN = 20_000_000


class ReadingTimeout(Exception):
    """What is read has used up its time, `seconds`."""

    def __init__(self, seconds: float) -> None:
        super().__init__(seconds)
        self.seconds = seconds


class SubmissionTimeout(ReadingTimeout):
    """A submission has."""


class DocumentTimeout(ReadingTimeout):
    """The document has that the worker is at."""


class WorkerExit(Exception):
    """A worker ended; the text says how."""


class WorkerState:
    """How far a worker came: what the submission is, and the document that it is at.

    `spent` are the seconds that each document took, without waiting.
    """

    def __init__(self) -> None:
        self.begun: SubmissionStart | None = None
        self.document: DocumentStart | None = None
        self.spent: dict[str, float] = {}

    def spend(self, seconds: float) -> None:
        """The document that the worker is at took so many."""
        if self.document is not None:
            document_id = self.document.document_id
            self.spent[document_id] = self.spent.get(document_id, 0.0) + seconds


class Worker:
    """One process and this end of its pipe; `usable` says whether it may be asked again."""

    def __init__(
        self, memory: int, seconds: float, document_seconds: float, budget: MemoryBudget
    ) -> None:
        self._seconds = seconds
        self._document_seconds = document_seconds
        self._budget = budget
        self._pipe, theirs = connection.Pipe()
        loader, ours = os.pipe()
        self._loader = os.fdopen(ours, "wb", buffering=0)
        # A program of its own: `multiprocessing` would import the loader's main module in it.
        given = (theirs.fileno(), loader)
        self._process = subprocess.Popen(
            [*_PROGRAM, str(given[0]), str(memory), str(given[1])],
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            pass_fds=given,
        )
        theirs.close()
        os.close(loader)
        self._ending = Lock()
        self.usable = True

    @property
    def alive(self) -> bool:
        """Whether the process still runs."""
        return self._process.poll() is None

    def ask(self, task: Task, state: WorkerState) -> Outcome:
        """The outcome of a task, and in `state` what is known of it, whatever becomes of it.

        Raises ReadingTimeout, MemoryError and WorkerExit, after which the worker is not usable.
        """
        usable, self.usable = self.usable, False
        assert usable
        try:
            self._pipe.send(task)
            said = self._last_said(task, state)
        except (EOFError, OSError):
            raise WorkerExit(self._how_it_ended()) from None
        except BudgetClosed:
            raise WorkerExit("the load ends") from None
        if isinstance(said, OutOfMemory):
            raise MemoryError
        self.usable = True
        if isinstance(said, EdgarSearchError):
            raise said
        outcome: Outcome = said
        return outcome

    def end(self) -> None:
        """Kill the process, whatever it is doing; a second time does nothing."""
        # The loader's end and the thread that waits for its answer may both come to it at once, and
        # a handle that is closed twice may by then be another's.
        with self._ending:
            self._process.kill()
            self._wait()
            self._pipe.close()
            self._loader.close()

    def _last_said(self, task: Task, state: WorkerState) -> Any:
        clock = Clock(self._seconds, _file_size(task.source.path))
        document_clock: Clock | None = None
        taken = 0
        try:
            while True:
                said = self._next(clock, document_clock, state)
                if isinstance(said, SubmissionStart):
                    state.begun = said
                    clock.has(said.size)
                elif isinstance(said, DocumentStart):
                    state.document = said
                    document_clock = self._clock_of(said)
                elif isinstance(said, DocumentsEnd):
                    state.document = document_clock = None
                elif isinstance(said, MemoryRequest):
                    self._budget.reserve(said.size)  # Who waits uses up no time.
                    taken = said.size
                    self._pipe.send(None)
                elif isinstance(said, MemoryRelease):
                    self._budget.release(taken)
                    taken = 0
                else:
                    return said
        finally:
            self._budget.release(taken)

    def _clock_of(self, document: DocumentStart) -> "Clock":
        return Clock(self._document_seconds, document.size, DOCUMENT_BYTES_A_TURN)

    def _next(self, clock: "Clock", document_clock: "Clock | None", state: WorkerState) -> Any:
        """What the worker says next; raises ReadingTimeout."""
        began = time.monotonic()
        with clock, document_clock or nullcontext():
            left = min(clock.left, document_clock.left if document_clock else clock.left)
            said = connection.wait([self._pipe], max(0.0, left))
        state.spend(time.monotonic() - began)
        if not said and document_clock and document_clock.left < clock.left:
            raise DocumentTimeout(document_clock.seconds)
        if not said:
            raise SubmissionTimeout(clock.seconds)
        return self._pipe.recv()

    def _wait(self) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_JOIN_SECONDS)
        return self._process.returncode

    def _how_it_ended(self) -> str:
        code = self._wait()
        if code is not None and code < 0:
            return f"signal {signal.Signals(-code).name}"
        return f"exit status {code}"


class Clock:
    """The time that is left of `seconds` for each turn of bytes; it runs only while entered."""

    def __init__(self, seconds: float, size: int, turn: int = BYTES_A_TURN) -> None:
        self._for_each = seconds
        self._turn = turn
        self.seconds = self.left = 0.0
        self.has(size)

    def has(self, size: int) -> None:
        """Allow what `size` bytes may take."""
        seconds = self._for_each * (1 + size // self._turn)
        if seconds > self.seconds:
            self.left += seconds - self.seconds
            self.seconds = seconds

    def __enter__(self) -> None:
        self._since = time.monotonic()

    def __exit__(self, *_: object) -> None:
        self.left -= time.monotonic() - self._since


def _file_size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0  # The worker finds the same and says so.
