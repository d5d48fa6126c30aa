"""Work for Elasticsearch that many who need it share, such as a refresh."""

import asyncio
import time
from collections.abc import Awaitable, Callable

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
                # Where all who waited for it have gone, nobody else asks how it ended.
                self._running.add_done_callback(lambda task: task.cancelled() or task.exception())
            await asyncio.shield(self._running)

    async def _run(self) -> None:
        await asyncio.sleep(self._tried_at + INTERVAL - time.monotonic())
        began = self._tried_at = time.monotonic()
        await self._work()
        self._done_since = began
