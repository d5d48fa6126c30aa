"""The loop of a worker process: one submission after the other, until its pipe is closed.

It imports no more than that takes: the loader's own libraries cost half a second of CPU and 50 MB.
"""

import ctypes
import os
import resource
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection

from edgar_search.errors import EdgarSearchError
from ingest.reading.memory_budget import LARGE_BYTES
from ingest.reading.prepare import prepare
from ingest.reading.tasks import (
    DocumentsEnd,
    DocumentStart,
    MemoryRelease,
    MemoryRequest,
    Outcome,
    OutOfMemory,
    SubmissionStart,
    Task,
)


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
        supervisor = _Loader(pipe)
        try:
            pipe.send(_outcome(task, supervisor))
        except MemoryError:
            # Who knows what else found no memory; the parent starts another process.
            pipe.send(OutOfMemory())
            return
        if supervisor.size > LARGE_BYTES:
            _give_memory_back()


def _outcome(task: Task, supervisor: "_Loader") -> Outcome | EdgarSearchError:
    try:
        return prepare(task, supervisor)
    except EdgarSearchError as error:
        return error


class _Loader:
    """The Supervisor at the other end of the pipe; `size` is that of the submission."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self.size = 0

    def begun(self, sha256: str, accession_number: str | None, size: int) -> None:
        """Tell what it is."""
        self.size = size
        self._pipe.send(SubmissionStart(sha256, accession_number, size))

    def at(self, document_id: str | None, size: int = 0) -> None:
        """Tell where the work is."""
        self._pipe.send(DocumentsEnd() if document_id is None else DocumentStart(document_id, size))

    @contextmanager
    def reserve(self, document_id: str, size: int) -> Iterator[None]:
        """Wait for the answer, and tell when it is free again; after an error nobody asks."""
        _give_memory_back()  # Others work while this one waits.
        self._pipe.send(MemoryRequest(document_id, size))
        self._pipe.recv()
        yield
        _give_memory_back()
        self._pipe.send(MemoryRelease())


def _give_memory_back() -> None:
    """Let the system have what was freed; the C library keeps it, and others may need it."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:  # Only glibc has it.
        trim(0)


def _end_after(loader: int) -> None:
    """End when the loader is killed, also in the middle of a submission."""
    os.read(loader, 1)
    os._exit(1)
