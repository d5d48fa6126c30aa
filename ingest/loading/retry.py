"""Retries while Elasticsearch is away or overloaded, with growing waits up to a limit."""

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Iterator
from itertools import chain, repeat
from typing import ParamSpec, TypeVar

from edgar_search.errors import EngineRefuses, EngineUnavailable, IndexSwitching

_log = logging.getLogger(__name__)

T = TypeVar("T")
P = ParamSpec("P")

# Seconds before each repetition; the last wait repeats.
WAITS = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
# Seconds between two log lines about the same wait.
NOTICE_INTERVAL = 5.0


class Retry:
    """Retries a request while Elasticsearch is away: for up to `seconds`, after each of `waits`.

    Before each wait `look` raises errors that waiting cannot fix, such as a full disk.
    `describe_blocks` names the processes that block indices for writes.
    """

    def __init__(
        self,
        seconds: float,
        waits: tuple[float, ...] = WAITS,
        look: Callable[[], Awaitable[None]] | None = None,
        describe_blocks: Callable[[], Awaitable[str]] | None = None,
    ) -> None:
        self._describe_blocks = describe_blocks
        self._seconds = seconds
        self._look = look
        self._waits = waits
        self._noticed = float("-inf")

    async def __call__(
        self, ask: Callable[P, Awaitable[T]], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Return the result of `ask` for these arguments, once Elasticsearch answers.

        Raises EngineRefuses at once, and EngineUnavailable after the last wait.
        """
        wait = self.begin()
        while True:
            try:
                return await ask(*args, **kwargs)
            except EngineRefuses:
                raise
            except EngineUnavailable as error:
                await wait(error)

    def begin(self) -> "Wait":
        """Begin the waits of one request and its retries."""
        return Wait(self, self._steps())

    async def look(self) -> None:
        """Raise an error that waiting cannot fix, such as a full disk."""
        if self._look is not None:
            await self._look()

    async def explain(self, error: EngineUnavailable) -> str:
        """Describe the reason to wait; for an index that is being switched, also its holder."""
        if not isinstance(error, IndexSwitching) or self._describe_blocks is None:
            return str(error)
        try:
            return f"{error}: {await self._describe_blocks()}"
        except EngineUnavailable:
            return str(error)

    async def notice(self, error: EngineUnavailable, waited: float) -> None:
        """Log that the load waits, at most once every `NOTICE_INTERVAL` seconds."""
        if time.monotonic() - self._noticed >= NOTICE_INTERVAL:
            self._noticed = time.monotonic()
            times = f"waiting, {waited:.0f} s of at most {self._seconds:.0f}"
            _log.warning("%s; %s", await self.explain(error), times)

    def _steps(self) -> Iterator[float]:
        """Yield the waits until the time is up; the time of the requests counts too."""
        began = time.monotonic()
        for step in chain(self._waits, repeat(self._waits[-1])):
            seconds_left = began + self._seconds - time.monotonic()
            if seconds_left <= 0:
                return
            yield min(step, seconds_left)


class Wait:
    """Waits before the retries of one request."""

    def __init__(self, retry: Retry, steps: Iterator[float]) -> None:
        self._retry = retry
        self._steps = steps
        self._began = time.monotonic()

    async def __call__(self, error: EngineUnavailable) -> None:
        """Wait before the request is retried; raises EngineUnavailable if the time is up."""
        await self._retry.look()
        step = next(self._steps, None)
        waited = time.monotonic() - self._began
        if step is None:
            text = await self._retry.explain(error)
            raise EngineUnavailable(
                f"{text} (waited {waited:.0f} s, EDGAR_SEARCH_LOAD_PATIENCE);"
                " start the load again later; it continues where it stopped",
                error.detail,
            ) from error
        await self._retry.notice(error, waited)
        await asyncio.sleep(step)
