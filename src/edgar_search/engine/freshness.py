"""Values in memory that are read again before they are too old for an answer."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from cachetools import LRUCache

from edgar_search.errors import Unavailable

# A client that asks in a loop must not make Elasticsearch work all the time.
INTERVAL = 1.0


class SharedWork:
    """Work that is done at most once a second; all callers that wait share the next time."""

    def __init__(self, work: Callable[[], Awaitable[None]]) -> None:
        self._work = work
        self._tried_at = float("-inf")
        self._done_since = float("-inf")
        self._running: asyncio.Task[None] | None = None

    async def done_since(self, moment: float) -> None:
        """Return as soon as work is done that began at `moment` (`time.monotonic`) or later.

        Raises the errors of the work.
        """
        while self._done_since < moment:
            if self._running is None or self._running.done():
                self._running = asyncio.create_task(self._run())
                # If all callers have gone, nobody else asks how the work ended.
                self._running.add_done_callback(lambda task: task.cancelled() or task.exception())
            await asyncio.shield(self._running)

    async def _run(self) -> None:
        await asyncio.sleep(self._tried_at + INTERVAL - time.monotonic())
        began = self._tried_at = time.monotonic()
        await self._work()
        self._done_since = began


T = TypeVar("T")

# An answer may rest on a value of this age in seconds. It is read again earlier, beside the answer,
# so that a request hardly ever waits.
MAX_AGE = 5.0
REFRESH_AGE = 2.0


class Fresh(Generic[T]):
    """A value that is never returned later than `max_age` seconds after it was read.

    So it lasts that long while its source hangs. From `refresh_age` on it is read again.
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

        If it is not fresh enough, raises the error of `read`, or Unavailable if that took too long.
        """
        age = time.monotonic() - self._read_at
        if age > self._refresh_age and (self._reading is None or self._reading.done()):
            self._reading = asyncio.create_task(self._refresh())
            # If reading fails and nobody waits for it, the next request begins another.
            self._reading.add_done_callback(lambda task: task.cancelled() or task.exception())
        if age > self._max_age and self._reading is not None:
            await asyncio.shield(self._reading)
        return self._value

    async def _refresh(self) -> None:
        began = time.monotonic()
        try:
            # A value that takes longer to arrive is too old when it does.
            async with asyncio.timeout(self._max_age):
                self._value = await self._read()
        except TimeoutError:
            raise Unavailable(
                "a value that the answer needs could not be read in time; try again later"
            ) from None
        self._read_at = began


class FreshValues(Generic[T]):
    """Fresh values by key; the `most` values that were used last are remembered."""

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
        """Return the value of a key, as `Fresh.value`."""
        remembered = self._remembered.get(key)
        if remembered is None:
            remembered = self._remembered[key] = Fresh(lambda: self._read(key), **self._ages)
        return await remembered.value()

    def forget(self, key: str) -> None:
        """Forget the key's value, since it was changed here; the next caller reads it again."""
        self._remembered.pop(key, None)
