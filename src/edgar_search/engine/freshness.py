"""Values kept in memory, and read again before they are too old to use."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from cachetools import LRUCache

from edgar_search.errors import Unavailable

# A client that asks in a loop must not keep Elasticsearch busy.
INTERVAL = 1.0


class SharedWork:
    """Work that is done at most once a second; callers that wait share its next run."""

    def __init__(self, work: Callable[[], Awaitable[None]]) -> None:
        self._work = work
        self._tried_at = float("-inf")
        self._done_since = float("-inf")
        self._running: asyncio.Task[None] | None = None

    async def done_since(self, moment: float) -> None:
        """Return as soon as a run is done that began at `moment` (`time.monotonic`) or later.

        Raises the errors of the work.
        """
        while self._done_since < moment:
            if self._running is None or self._running.done():
                self._running = asyncio.create_task(self._run())
                # If all callers have gone, nobody will read the exception.
                self._running.add_done_callback(lambda task: task.cancelled() or task.exception())
            await asyncio.shield(self._running)

    async def _run(self) -> None:
        await asyncio.sleep(self._tried_at + INTERVAL - time.monotonic())
        began = self._tried_at = time.monotonic()
        await self._work()
        self._done_since = began


T = TypeVar("T")

# An answer may rest on a value this many seconds old. Reading begins earlier, beside an answer, so
# that requests hardly ever wait.
MAX_AGE = 5.0
REFRESH_AGE = 2.0


class Fresh(Generic[T]):
    """A value that is never returned more than `max_age` seconds after it was read.

    It lasts that long even if its source hangs. After `refresh_age` it is read again.
    """

    def __init__(
        self,
        read: Callable[[], Awaitable[T]],
        *,
        refresh_age: float | None = None,
        max_age: float | None = None,
    ) -> None:
        self._read = read
        self._refresh_age = REFRESH_AGE if refresh_age is None else refresh_age
        self._max_age = MAX_AGE if max_age is None else max_age
        self._value: T
        self._read_at = float("-inf")
        self._reading: asyncio.Task[None] | None = None

    async def value(self) -> T:
        """Return the value.

        If it is too old, raises the error of `read`, or Unavailable if reading takes too long.
        """
        age = time.monotonic() - self._read_at
        if age > self._refresh_age and (self._reading is None or self._reading.done()):
            self._reading = asyncio.create_task(self._refresh())
            # If reading fails while nobody waits, the next request starts another.
            self._reading.add_done_callback(lambda task: task.cancelled() or task.exception())
        if age > self._max_age and self._reading is not None:
            await asyncio.shield(self._reading)
        return self._value

    async def _refresh(self) -> None:
        began = time.monotonic()
        try:
            # A value that takes longer to arrive would be too old.
            async with asyncio.timeout(self._max_age):
                self._value = await self._read()
        except TimeoutError:
            raise Unavailable(
                "a value that the answer needs could not be read in time; try again later"
            ) from None
        self._read_at = began


class FreshValues(Generic[T]):
    """Fresh values by key; keeps the `most` values that were used last."""

    def __init__(
        self,
        read: Callable[[str], Awaitable[T]],
        most: int,
        *,
        refresh_age: float | None = None,
        max_age: float | None = None,
    ) -> None:
        self._read = read
        self._ages = {"refresh_age": refresh_age, "max_age": max_age}
        self._remembered: LRUCache[str, Fresh[T]] = LRUCache(most)

    def __contains__(self, key: str) -> bool:
        return key in self._remembered

    async def value(self, key: str) -> T:
        """Return the value of a key; raises as `Fresh.value`."""
        remembered = self._remembered.get(key)
        if remembered is None:
            remembered = self._remembered[key] = Fresh(lambda: self._read(key), **self._ages)
        return await remembered.value()

    def forget(self, key: str) -> None:
        """Forget a value that was changed here; the next caller reads it again."""
        self._remembered.pop(key, None)
