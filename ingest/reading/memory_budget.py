"""Memory for documents that are large: which wait for it, and which are not read at all.

What is made of a document is several times its body, so workers may not be at many large ones at
once. Whoever prepares submissions without other workers waits for nobody.
"""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

# Bodies up to this wait for nobody: nearly all of EDGAR's.
LARGE_BYTES = 4_000_000
# Bodies of large documents that may be worked on at once, for each worker. What is made of one is
# five to ten times as much.
BYTES_PER_WORKER = 12_000_000


def document_bytes(memory: int) -> int:
    """The most bytes of a body that is read with `memory` bytes.

    It is there as bytes, as characters of one byte or two, and as what is made of these.
    """
    return memory // 4


class BudgetClosed(Exception):
    """The load ends; nobody gets memory any more."""


class MemoryBudget:
    """So many bytes, shared by the workers of a load.

    They are given in the order in which they were asked for; more than all of them goes alone.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._reserved = 0
        self._waiting: deque[object] = deque()
        self._changed = threading.Condition()
        self._closed = False

    def reserve(self, size: int) -> None:
        """Wait until so many bytes are free, and take them; raises BudgetClosed."""
        mine = object()
        with self._changed:
            self._waiting.append(mine)
            self._changed.wait_for(lambda: self._closed or self._is_turn(mine, size))
            self._waiting.remove(mine)
            self._changed.notify_all()
            if self._closed:
                raise BudgetClosed
            self._reserved += size

    def release(self, size: int) -> None:
        """Let others have what was reserved."""
        with self._changed:
            self._reserved -= size
            self._changed.notify_all()

    def close(self) -> None:
        """Send away whoever waits or comes."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _is_turn(self, mine: object, size: int) -> bool:
        fits = not self._reserved or self._reserved + size <= self._size
        return self._waiting[0] is mine and fits


class Supervisor(Protocol):
    """Whoever is told how the work on a submission goes, and lets large documents wait."""

    def begun(self, sha256: str, accession_number: str | None, size: int) -> None:
        """The submission of `size` bytes is read; this is what it is, whatever becomes of it."""
        ...

    def at(self, document_id: str | None, size: int = 0) -> None:
        """Work on a document with a body of `size` bytes begins; None: it has ended."""
        ...

    def reserve(self, document_id: str, size: int) -> AbstractContextManager[None]:
        """Wait until a body of `size` bytes may be worked on; it is, until this is left."""
        ...


class NoSupervisor:
    """A Supervisor where a process works alone."""

    def begun(self, sha256: str, accession_number: str | None, size: int) -> None:
        """Nobody is told."""

    def at(self, document_id: str | None, size: int = 0) -> None:
        """Nobody is told."""

    @contextmanager
    def reserve(self, document_id: str, size: int) -> Iterator[None]:
        """Nothing is waited for."""
        yield
