"""Worker processes that prepare submissions, each of which can be ended without the others.

A worker has a pipe of its own and shares no lock, so that it may be killed at any moment. What a
submission may cost is bounded: a worker that is too slow is killed, one that wants too much memory
gets none (RLIMIT_DATA), and the submission is refused. A worker that ends by itself or is ended
from outside, as by a system without memory, is replaced and its submission tried once more.
"""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from multiprocessing import connection
from queue import SimpleQueue
from types import TracebackType
from typing import Any, Self

from edgar_search.errors import EdgarSearchError
from edgar_search.settings import Settings
from ingest.prepare import Outcome, Refused, Task, unread
from ingest.sources import accession_in_name
from ingest.worker_process import Begun, OutOfMemory

_PROGRAM = (sys.executable, "-P", "-c", "from ingest.worker_process import main; main()")
_TRIES = 2
_JOIN_SECONDS = 5.0


class _TooSlow(Exception):
    """A submission has used up its time."""


class _Ended(Exception):
    """A worker ended; the text says how."""


class Workers:
    """At most `count` worker processes, started when they are needed."""

    def __init__(self, count: int, settings: Settings) -> None:
        self._seconds = settings.submission_seconds
        self._memory = settings.submission_memory
        self._idle: SimpleQueue[_Worker | None] = SimpleQueue()
        self._alive: set[_Worker] = set()
        self._closing = False
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="worker")
        for _ in range(count):
            self._idle.put(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing = True
        for worker in list(self._alive):
            worker.end()
        self._threads.shutdown(cancel_futures=True)
        for worker in list(self._alive):
            worker.end()

    async def prepare(self, task: Task) -> Outcome:
        """The outcome of one task; raises EdgarSearchError where the archive cannot be written."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, self._run, task)

    def _run(self, task: Task) -> Outcome:
        how = ""
        begun: list[Begun] = []
        for _ in range(_TRIES):
            worker = self._idle.get() or self._started()
            try:
                return worker.ask(task, self._seconds, begun.append)
            except _TooSlow:
                seconds = f"{self._seconds:g} s (EDGAR_SEARCH_SUBMISSION_SECONDS)"
                return _refused(task, begun, f"too slow: not read after {seconds}")
            except MemoryError:
                size = f"{self._memory} bytes (EDGAR_SEARCH_SUBMISSION_MEMORY)"
                return _refused(task, begun, f"too much memory: more than {size} to read it")
            except _Ended as ended:
                how = str(ended)
            finally:
                self._idle.put(self._kept(worker))
            if self._closing:
                break
        return _refused(task, begun, f"it ended its worker process {_TRIES} times: {how}")

    def _started(self) -> "_Worker":
        worker = _Worker(self._memory)
        self._alive.add(worker)
        return worker

    def _kept(self, worker: "_Worker") -> "_Worker | None":
        """The worker if it can go on; else it is ended and its place is free."""
        if worker.usable and not self._closing:
            return worker
        worker.end()
        self._alive.discard(worker)
        return None


class _Worker:
    """One process and this end of its pipe."""

    def __init__(self, memory: int) -> None:
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
        self.usable = True

    def ask(self, task: Task, seconds: float, begun: Callable[[Begun], None]) -> Outcome:
        """The outcome of a task; `begun` is told what it is as soon as the worker knows.

        Raises _TooSlow, MemoryError and _Ended, after which the worker is not usable.
        """
        usable, self.usable = self.usable, False
        assert usable
        try:
            self._pipe.send(task)
            deadline = time.monotonic() + seconds
            while isinstance(said := self._next(deadline), Begun):
                begun(said)
        except (EOFError, OSError):
            raise _Ended(self._how_it_ended()) from None
        if isinstance(said, OutOfMemory):
            raise MemoryError
        self.usable = True
        if isinstance(said, EdgarSearchError):
            raise said
        outcome: Outcome = said
        return outcome

    def end(self) -> None:
        """Kill the process, whatever it is doing."""
        self._process.kill()
        self._wait()
        self._pipe.close()
        self._loader.close()

    def _next(self, deadline: float) -> Any:
        if not connection.wait([self._pipe], max(0.0, deadline - time.monotonic())):
            raise _TooSlow
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


def _refused(task: Task, begun: list[Begun], reason: str) -> Refused:
    if begun:
        return Refused(task.source.name, begun[-1].sha256, begun[-1].accession_number, reason)
    return unread(task, reason, accession_in_name(task.source.name))
