"""What a worker process does: one submission after the other, until its pipe is closed.

It imports no more than that takes: the loader's own libraries cost half a second of CPU and 50 MB.
"""

import os
import resource
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial
from multiprocessing.connection import Connection
from typing import NamedTuple

from edgar_search.errors import EdgarSearchError
from ingest.prepare import Outcome, Task, prepare


class Begun(NamedTuple):
    """What a worker says once it has read a submission: what it is, whatever becomes of it."""

    sha256: str
    accession_number: str | None


class OutOfMemory(NamedTuple):
    """What a worker says last when it has no memory left for a submission."""


def main() -> None:
    """Serve on the pipe and with the bytes of memory that the command line has, as numbers.

    The third is the end of a pipe that is closed when the loader ends.
    """
    pipe, memory, loader = map(int, sys.argv[1:])
    threading.Thread(target=_end_after, args=(loader,), daemon=True).start()
    _serve(Connection(pipe), memory)


def _serve(pipe: Connection, memory: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to deal with.
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    while True:
        try:
            task = pipe.recv()
        except EOFError:
            return
        try:
            pipe.send(_outcome(task, partial(_tell, pipe)))
        except MemoryError:
            # Who knows what else found no memory; the parent starts another process.
            pipe.send(OutOfMemory())
            return


def _outcome(task: Task, begun: Callable[[str, str | None], None]) -> Outcome | EdgarSearchError:
    try:
        return prepare(task, begun)
    except EdgarSearchError as error:
        return error


def _tell(pipe: Connection, sha256: str, accession_number: str | None) -> None:
    pipe.send(Begun(sha256, accession_number))


def _end_after(loader: int) -> None:
    """End when the loader is killed, also in the middle of a submission."""
    os.read(loader, 1)
    os._exit(1)
