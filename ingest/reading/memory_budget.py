"""The memory for large documents, which workers share.

A document takes several times the memory of its body, so only a few large ones may be processed at
once. A process that prepares submissions without other workers need not wait.
"""

import threading
from collections import deque
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

# Bodies up to this size need not wait: nearly all of EDGAR's.
LARGE_BYTES = 4_000_000
# Bytes of large bodies that may be processed at once, per worker. A document takes five to ten
# times the memory of its body.
BYTES_PER_WORKER = 12_000_000


def document_bytes(memory: int) -> int:
    """Return the largest body that can be read with `memory` bytes.

    A body is in memory as bytes, as characters of one or two bytes, and as what is made from them.
    """
    return memory // 4


class BudgetClosed(Exception):
    """The load ends, and grants no more memory."""


class MemoryBudget:
    """A number of bytes, shared by the workers of a load.

    Requests are served in order; a request for more than the total waits for all of it.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._reserved = 0
        self._waiting: deque[object] = deque()
        self._changed = threading.Condition()
        self._closed = False

    def reserve(self, size: int) -> None:
        """Wait until `size` bytes are free, and take them; raises BudgetClosed."""
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
        """Give reserved bytes back."""
        with self._changed:
            self._reserved -= size
            self._changed.notify_all()

    def close(self) -> None:
        """Make all waiting and later requests raise BudgetClosed."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _is_turn(self, mine: object, size: int) -> bool:
        fits = not self._reserved or self._reserved + size <= self._size
        return self._waiting[0] is mine and fits


class Supervisor(Protocol):
    """Receives progress reports on a submission, and makes large documents wait."""

    def begun(self, sha256: str, accession_number: str | None, size: int) -> None:
        """Report that a submission of `size` bytes has been read."""
        ...

    def at(self, document_id: str | None, size: int = 0) -> None:
        """Report that a body of `size` bytes is being processed; None if that has ended."""
        ...

    def reserve(self, document_id: str, size: int) -> AbstractContextManager[None]:
        """Wait until a body of `size` bytes may be processed, in this context."""
        ...


class NoSupervisor:
    """A Supervisor of a process that works alone."""

    def begun(self, sha256: str, accession_number: str | None, size: int) -> None:
        """Report to nobody."""

    def at(self, document_id: str | None, size: int = 0) -> None:
        """Report to nobody."""

    @contextmanager
    def reserve(self, document_id: str, size: int) -> Iterator[None]:
        """Begin at once."""
        yield
