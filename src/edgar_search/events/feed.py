"""The feed of one worker: it follows the end of the log for all of the worker's streams.

The latest events are in memory, for streams near the end. A stream further behind reads the log
itself. The feed reads the log only while a client follows it.
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
# Events kept in memory, each about a kilobyte.
_RECENT = 2_000
# The feed stops following the log this many seconds after a client last read it.
_FOLLOWED_SECONDS = 60.0
# Seconds between two reads of the log, and after a failed one.
INTERVAL, _AFTER_FAILURE = 0.5, 2.0
PAGE = 500


class Feed:
    """The end of the log, with the latest events in memory."""

    def __init__(self, engine: Engine, interval: float = INTERVAL) -> None:
        self.log = EventLog(engine)
        self._interval = interval
        self._recent: deque[Event] = deque()
        # Events after `_begin`, up to `_end`, are in memory; None while the log is not followed.
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
        """Return up to `size` events after a position; wait up to `wait` seconds for the first.

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
        events: list[Event] = []
        for index in range(first, len(self._recent)):
            event = self._recent[index]
            content = event.content
            if content.kind in kinds and account in (None, content.account):
                events.append(event)
                if len(events) == size:
                    return LogPage(events, event.position, True)
        return LogPage(events, max(after, end), False)
