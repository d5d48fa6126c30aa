"""The loop of a worker process, which prepares submissions until its pipe is closed.

It imports few modules: the loader's own libraries cost half a second of CPU and 50 MB.
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
)


def main() -> None:
    """Serve the numbers of the command line: a pipe, bytes of memory, and a second pipe.

    The second pipe is closed when the loader ends.
    """
    pipe, memory, loader = map(int, sys.argv[1:])
    threading.Thread(target=_end_after, args=(loader,), daemon=True).start()
    _serve(Connection(pipe), memory)


def _serve(pipe: Connection, memory: int) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # The parent handles Ctrl-C.
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    while True:
        try:
            task = pipe.recv()
        except EOFError:
            return
        supervisor = _Loader(pipe)
        try:
            try:
                outcome: Outcome | EdgarSearchError = prepare(task, supervisor)
            except EdgarSearchError as error:
                outcome = error
            pipe.send(outcome)
        except MemoryError:
            # Other parts may have run out of memory too, so the parent starts another process.
            pipe.send(OutOfMemory())
            return
        if supervisor.size > LARGE_BYTES:
            _release_memory()


class _Loader:
    """The Supervisor at the other end of the pipe; `size` is the submission's."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self.size = 0

    def begun(self, sha256: str, accession_number: str | None, size: int) -> None:
        """Report that the submission is read."""
        self.size = size
        self._pipe.send(SubmissionStart(sha256, accession_number, size))

    def at(self, document_id: str | None, size: int = 0) -> None:
        """Report the document that is being read."""
        self._pipe.send(DocumentsEnd() if document_id is None else DocumentStart(document_id, size))

    @contextmanager
    def reserve(self, document_id: str, size: int) -> Iterator[None]:
        """Wait for memory, and report its release; after an error the loader releases it itself."""
        _release_memory()  # Others work while this one waits.
        self._pipe.send(MemoryRequest(document_id, size))
        self._pipe.recv()
        yield
        _release_memory()
        self._pipe.send(MemoryRelease())


def _release_memory() -> None:
    """Return freed memory to the system: the C library keeps it, but other workers may need it."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:  # Only glibc has it.
        trim(0)


def _end_after(loader: int) -> None:
    """End the process if the loader is killed, even in the middle of a submission."""
    os.read(loader, 1)
    os._exit(1)
