"""The feed of one worker: it follows the end of the log once for all streams of the worker.

The latest events stay in memory, for streams that are near the end. One that is further after reads
the log itself. The log is read only while a client follows it.
"""

import asyncio
import logging
import time
from bisect import bisect_right
from collections import deque
from collections.abc import Sequence

from edgar_search.engine.engine import Engine
from edgar_search.errors import EdgarSearchError
from edgar_search.events.log import Event, EventLog, LogPage

_log = logging.getLogger(__name__)
# Events in memory: about a kilobyte each.
_RECENT = 2_000
# The log is read for this many seconds after a client last asked.
_FOLLOWED_SECONDS = 60.0
# Seconds between two looks, and after a failure.
INTERVAL, _AFTER_FAILURE = 0.5, 2.0
PAGE = 500


class Feed:
    """The end of the log, and the latest events before it."""

    def __init__(self, engine: Engine, interval: float = INTERVAL) -> None:
        self.log = EventLog(engine)
        self._interval = interval
        self._recent: deque[Event] = deque()
        # Events after `_begin`, up to `_end`, are in memory. None if the log is not followed.
        self._begin = 0
        self._end: int | None = None
        self._changed = asyncio.Event()
        self._followed = asyncio.Event()
        self._asked = 0.0

    async def page(
        self,
        after: int,
        wait: float,
        *,
        kinds: Sequence[str],
        account: str | None = None,
        size: int = PAGE,
    ) -> LogPage:
        """Return up to `size` events after a position; wait that many seconds for the first.

        Raises PositionGone if events after the position were deleted.
        """
        self._asked = time.monotonic()
        self._followed.set()
        until = self._asked + wait
        while True:
            if self._end is not None and after >= self._begin:
                page = self._page_in_memory(after, self._end, kinds, account, size)
            else:
                page = await self.log.page(after, size, kinds=kinds, account=account)
            left = until - time.monotonic()
            if page.events or page.more or left <= 0:
                return page
            after = page.position
            changed = self._changed
            try:
                async with asyncio.timeout(left):
                    await changed.wait()
            except TimeoutError:
                continue

    async def run_forever(self) -> None:
        """Follow the end of the log while a stream is open."""
        while True:
            if time.monotonic() - self._asked > _FOLLOWED_SECONDS:
                self._end = None
                self._recent.clear()
                self._followed.clear()
                await self._followed.wait()
            try:
                await self._read_on()
                await asyncio.sleep(self._interval)
            except EdgarSearchError as error:
                _log.warning("streams are paused: %s", error)
                await asyncio.sleep(_AFTER_FAILURE)

    async def _read_on(self) -> None:
        if self._end is None:
            self._begin = self._end = await self.log.end()
            self._wake()
        more = True
        while more:
            page = await self.log.page(self._end, PAGE)
            more = page.more
            self._recent.extend(page.events)
            self._end = page.position
            while len(self._recent) > _RECENT:
                self._begin = self._recent.popleft().position
            if page.events:
                self._wake()

    def _wake(self) -> None:
        self._changed.set()
        self._changed = asyncio.Event()

    def _page_in_memory(
        self, after: int, end: int, kinds: Sequence[str], account: str | None, size: int
    ) -> LogPage:
        first = bisect_right(self._recent, after, key=lambda event: event.position)
        found: list[Event] = []
        for place in range(first, len(self._recent)):
            event = self._recent[place]
            content = event.content
            if content.kind in kinds and account in (None, content.account):
                found.append(event)
                if len(found) == size:
                    return LogPage(found, event.position, True)
        return LogPage(found, max(after, end), False)
