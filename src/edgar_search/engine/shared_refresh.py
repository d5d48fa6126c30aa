"""Refreshes that many readers share: each makes Elasticsearch write what it has in memory."""

import asyncio
import time
from collections.abc import Awaitable, Callable

# One reader in a loop must not make Elasticsearch write small segments all the time.
INTERVAL = 1.0


class SharedRefresh:
    """At most one refresh a second, whoever asks; all who wait share the next one."""

    def __init__(self, refresh: Callable[[], Awaitable[None]]) -> None:
        self._refresh = refresh
        self._tried_at = float("-inf")
        self._seen_until = float("-inf")
        self._running: asyncio.Task[None] | None = None

    async def see(self, moment: float) -> None:
        """Return once what was written until `moment` (`time.monotonic`) can be found.

        Raises what the refresh raises.
        """
        while self._seen_until < moment:
            if self._running is None or self._running.done():
                self._running = asyncio.create_task(self._run())
                # Where all who waited for it have gone, nobody else asks how it ended.
                self._running.add_done_callback(lambda task: task.cancelled() or task.exception())
            await asyncio.shield(self._running)

    async def _run(self) -> None:
        await asyncio.sleep(self._tried_at + INTERVAL - time.monotonic())
        began = self._tried_at = time.monotonic()
        await self._refresh()
        self._seen_until = began
