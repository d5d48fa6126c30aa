"""Room for large documents, shared by the workers of one load."""

import threading
from collections import deque

# Bodies of large documents that may be worked on at once, for each worker. What is made of one is
# five to ten times as much.
BYTES_PER_WORKER = 12_000_000


class Closed(Exception):
    """The load ends; nobody gets room any more."""


class Room:
    """So many bytes, given in the order in which they were asked for; more than all goes alone."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._taken = 0
        self._waiting: deque[object] = deque()
        self._changed = threading.Condition()
        self._closed = False

    def take(self, size: int) -> None:
        """Wait for room; raises Closed."""
        mine = object()
        with self._changed:
            self._waiting.append(mine)
            self._changed.wait_for(lambda: self._closed or self._is_turn(mine, size))
            self._waiting.remove(mine)
            self._changed.notify_all()
            if self._closed:
                raise Closed
            self._taken += size

    def give_back(self, size: int) -> None:
        """Let others have what was taken."""
        with self._changed:
            self._taken -= size
            self._changed.notify_all()

    def close(self) -> None:
        """Send away whoever waits or comes."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _is_turn(self, mine: object, size: int) -> bool:
        return self._waiting[0] is mine and (not self._taken or self._taken + size <= self._size)
