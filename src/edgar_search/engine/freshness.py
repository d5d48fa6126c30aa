"""Values kept in memory and read again before they are too old to answer with."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from cachetools import LRUCache

from edgar_search.errors import Unavailable

# Whoever asks in a loop must not make Elasticsearch work all the time.
INTERVAL = 1.0


class SharedWork:
    """Work that is done once a second at most, whoever asks; all who wait share the next time."""

    def __init__(self, work: Callable[[], Awaitable[None]]) -> None:
        self._work = work
        self._tried_at = float("-inf")
        self._done_since = float("-inf")
        self._running: asyncio.Task[None] | None = None

    async def done_since(self, moment: float) -> None:
        """Return once the work was done that began at `moment` (`time.monotonic`) or later.

        Raises what the work raises.
        """
        while self._done_since < moment:
            if self._running is None or self._running.done():
                self._running = asyncio.create_task(self._run())
                # If all who waited for it have gone, nobody else asks how it ended.
                self._running.add_done_callback(lambda task: task.cancelled() or task.exception())
            await asyncio.shield(self._running)

    async def _run(self) -> None:
        await asyncio.sleep(self._tried_at + INTERVAL - time.monotonic())
        began = self._tried_at = time.monotonic()
        await self._work()
        self._done_since = began


T = TypeVar("T")

# An answer may rest on a value this many seconds old; reading it again is begun earlier, beside
# the answer, so that a request hardly ever waits.
MAX_AGE = 5.0
REFRESH_AGE = 2.0


class Fresh(Generic[T]):
    """A value that is at most `max_age` seconds behind its source whenever it is handed out.

    While its source hangs, it is good for that long; it is read again from `refresh_age` on.
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
        """The value.

        If there is none that is fresh enough, raises what `read` raised, or Unavailable if
        it took too long.
        """
        age = time.monotonic() - self._read_at
        if age > self._refresh_age and (self._reading is None or self._reading.done()):
            self._reading = asyncio.create_task(self._refresh())
            # If nobody waits for a reading that fails, the next request begins another.
            self._reading.add_done_callback(lambda task: task.cancelled() or task.exception())
        if age > self._max_age and self._reading is not None:
            await asyncio.shield(self._reading)
        return self._value

    async def _refresh(self) -> None:
        began = time.monotonic()
        try:
            # What takes longer to arrive is too old when it does.
            async with asyncio.timeout(self._max_age):
                self._value = await self._read()
        except TimeoutError:
            raise Unavailable("what the answer rests on could not be read in time") from None
        self._read_at = began


class FreshValues(Generic[T]):
    """Fresh values by their key: those used last are remembered, at most `most` of them."""

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
        """The value of a key, as `Fresh.value`."""
        remembered = self._remembered.get(key)
        if remembered is None:
            remembered = self._remembered[key] = Fresh(lambda: self._read(key), **self._ages)
        return await remembered.value()

    def forget(self, key: str) -> None:
        """Read the key's value again before it is handed out, since it was changed here."""
        self._remembered.pop(key, None)
