"""The client that reads an export, and how fast.

Only the time counts in which the client was waited for: what its connection takes at once, and what
Elasticsearch takes for the next page, is no time of the client's.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.types import Send

from edgar_search.metrics.meters import EXPORTS_UNREAD

# By so many seconds a client may be behind the rate before its export ends.
BEHIND_SECONDS = 30.0
# So long it has then to take what leads to a place from which it can go on.
END_SECONDS = 60.0
# A client that has taken nothing for so long is counted as one that does not read.
_UNREAD_SECONDS = 1.0


class Reader:
    """A client that should read `rate` bytes a second."""

    def __init__(self, send: Send, rate: int) -> None:
        self._send = send
        self._rate = rate
        # By how many seconds it is behind the rate; what it has read before gives no credit.
        self._behind = 0.0

    @property
    def too_slow(self) -> bool:
        """Say whether it is behind by more than it may be."""
        return self._behind > BEHIND_SECONDS

    async def take(self, data: bytes, *, more: bool = True) -> None:
        """Return once the connection has room for more; TimeoutError for a client that stands."""
        loop = asyncio.get_running_loop()
        due, began = len(data) / self._rate, loop.time()
        left = BEHIND_SECONDS + END_SECONDS + due - self._behind
        async with asyncio.timeout(left):
            with _counted_while_unread(loop):
                await self._send({"type": "http.response.body", "body": data, "more_body": more})
        self._behind = max(0.0, self._behind + loop.time() - began - due)


@contextmanager
def _counted_while_unread(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Count a client among those that take nothing, from when it has taken nothing for a while."""
    counted = False

    def count() -> None:
        nonlocal counted
        counted = True
        EXPORTS_UNREAD.inc()

    timer = loop.call_later(_UNREAD_SECONDS, count)
    try:
        yield
    finally:
        timer.cancel()
        if counted:
            EXPORTS_UNREAD.dec()
