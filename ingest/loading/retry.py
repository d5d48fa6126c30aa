"""Retries while Elasticsearch is away or overloaded: growing waits, up to a bound."""

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

# Seconds before something is asked again, the last one over and over.
WAITS = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
# Lines that say that a load waits come this many seconds apart.
NOTICE_INTERVAL = 5.0


class Retry:
    """How long a load waits: `seconds` in all for one request, in steps of `waits`.

    Before each wait `look` raises what makes it useless. `holders` says who keeps indices from
    writes.
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
        """What `ask` returns for these arguments, once Elasticsearch answers.

        Raises EngineRefuses at once, and EngineUnavailable when all waits are over.
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
        """A new row of waits, for one request and its repetitions."""
        return Wait(self, self._steps())

    async def look(self) -> None:
        """Raise what no wait mends, such as a full disk."""
        if self._look is not None:
            await self._look()

    async def explain(self, error: EngineUnavailable) -> str:
        """What is waited for; of an index that is switched, also who holds it."""
        if not isinstance(error, IndexSwitching) or self._describe_blocks is None:
            return str(error)
        try:
            return f"{error}: {await self._describe_blocks()}"
        except EngineUnavailable:
            return str(error)

    async def notice(self, error: EngineUnavailable, waited: float) -> None:
        """Say in the log that the load waits, now and then."""
        if time.monotonic() - self._noticed >= NOTICE_INTERVAL:
            self._noticed = time.monotonic()
            times = f"waiting, {waited:.0f} s of at most {self._seconds:.0f}"
            _log.warning("%s; %s", await self.explain(error), times)

    def _steps(self) -> Iterator[float]:
        """Waits until their time is up; what the requests themselves take counts too."""
        began = time.monotonic()
        for step in chain(self._waits, repeat(self._waits[-1])):
            left = began + self._seconds - time.monotonic()
            if left <= 0:
                return
            yield min(step, left)


class Wait:
    """The waits of one request."""

    def __init__(self, retry: Retry, steps: Iterator[float]) -> None:
        self._retry = retry
        self._steps = steps
        self._began = time.monotonic()

    async def __call__(self, error: EngineUnavailable) -> None:
        """Wait before the request is sent again; raises EngineUnavailable when time is up."""
        await self._retry.look()
        step = next(self._steps, None)
        waited = time.monotonic() - self._began
        if step is None:
            text = await self._retry.explain(error)
            raise EngineUnavailable(
                f"{text} (waited {waited:.0f} s, EDGAR_SEARCH_LOAD_PATIENCE);"
                " start the load again later, it goes on where it stopped",
                error.detail,
            ) from error
        await self._retry.notice(error, waited)
        await asyncio.sleep(step)
