"""Answers generated while they are sent, at the pace of a client that must not be too slow.

Only the time that the service waits for the client counts: neither bytes that its connection
buffers nor the time that Elasticsearch takes. An answer that cannot be completed ends as a broken
connection.
"""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import aclosing, contextmanager
from typing import Any, Protocol, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from edgar_search.access.admission import Call
from edgar_search.errors import (
    ClientGone,
    EdgarSearchError,
    ReadTooSlowly,
    StoredByOlderVersion,
    TextChanging,
    Unavailable,
)
from edgar_search.metrics.meters import EXPORTS_TOO_SLOW, EXPORTS_UNREAD
from edgar_search.web.calls import while_connected
from edgar_search.web.service import Service

_log = logging.getLogger(__name__)
T = TypeVar("T")

# Seconds that a client may be behind the rate before its export ends.
BEHIND_SECONDS = 30.0
# Seconds it then has to read up to the next resumable position.
END_SECONDS = 60.0
# Bytes a second that a client must read: a slower one would hold a snapshot for days.
READ_RATE = 10_000
# A client that has taken nothing for this long is counted as one that does not read.
_UNREAD_SECONDS = 1.0


class Reader:
    """A client that must read `rate` bytes a second."""

    def __init__(self, send: Send, rate: int) -> None:
        self._send = send
        self._rate = rate
        # How many seconds it is behind the rate; reading faster earlier earns no credit.
        self._behind = 0.0

    @property
    def too_slow(self) -> bool:
        """True if it is further behind than allowed."""
        return self._behind > BEHIND_SECONDS

    async def take(self, data: bytes, *, more: bool = True) -> None:
        """Send data, then wait until there is room for more; raises TimeoutError if it stalls."""
        loop = asyncio.get_running_loop()
        due, began = len(data) / self._rate, loop.time()
        seconds_left = BEHIND_SECONDS + END_SECONDS + due - self._behind
        async with asyncio.timeout(seconds_left):
            with _counted_while_unread(loop):
                await self._send({"type": "http.response.body", "body": data, "more_body": more})
        self._behind = max(0.0, self._behind + loop.time() - began - due)


@contextmanager
def _counted_while_unread(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Count a client as not reading once it has read nothing for a while."""
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


# How many seconds to keep trying to get a page; a snapshot outlasts them.
PATIENCE = 60.0


async def retried(
    service: Service, call: Call[Any], work: Callable[[], Awaitable[T]], slots: int = 1
) -> T:
    """Return the result of `work` with its slots, retrying while Elasticsearch is busy or away."""
    admission, caller = service.admission, call.caller
    loop = asyncio.get_running_loop()
    until = loop.time() + PATIENCE
    while True:
        try:
            async with admission.shares.share(caller.line, caller.plan) as share:
                await share.weigh(slots)
                return await work()
        except (StoredByOlderVersion, TextChanging):
            raise  # A snapshot does not change, so retrying is useless.
        except Unavailable as error:
            if loop.time() > until:
                raise
            await asyncio.sleep(min(error.retry_after, 1.0))


class LongAnswer(Protocol):
    """The pieces of an answer, each requested once the previous one has been taken.

    `too_slow` becomes true if the client reads too slowly: then the pieces must end soon.
    """

    too_slow: bool

    def pieces(self) -> AsyncGenerator[bytes, None]:
        """Yield the whole answer in pieces; raises EdgarSearchError if it cannot be completed."""

    def failed(self, error: EdgarSearchError) -> bytes:
        """Return the last bytes of an incomplete answer."""

    async def end(self) -> None:
        """Release everything that is held for it, however it ended."""


class LongResponse(Response):
    """An answer of unknown length; an incomplete one ends as a broken connection."""

    def __init__(self, answer: LongAnswer, media_type: str, headers: dict[str, str]) -> None:
        self._answer = answer
        self.status_code = 200
        self.background = None
        # With its character set if it has one, because Starlette would add another.
        self.init_headers({"Content-Type": media_type, **headers})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        start = {"type": "http.response.start", "status": 200, "headers": self.raw_headers}
        try:
            await send(start)
            if scope["method"] == "HEAD":
                await send({"type": "http.response.body", "body": b""})
            else:
                await while_connected(Request(scope, receive), self._send(send))
        except ClientGone:
            _log.info("a client left before the end of a long answer")
        finally:
            await asyncio.shield(self._answer.end())

    async def _send(self, send: Send) -> None:
        reader = Reader(send, READ_RATE)
        try:
            await self._read_by(reader)
        except TimeoutError:
            EXPORTS_TOO_SLOW.inc()
            _log.warning("a long answer was cut off: its client reads next to nothing")

    async def _read_by(self, reader: Reader) -> None:
        try:
            async with aclosing(self._answer.pieces()) as pieces:
                async for piece in pieces:
                    if piece:  # A writer may hold back what it was given.
                        await reader.take(piece)
                        self._answer.too_slow = reader.too_slow
        except EdgarSearchError as error:
            _log.warning("a long answer was cut off: %s", error)
            if isinstance(error, ReadTooSlowly):
                EXPORTS_TOO_SLOW.inc()
            await reader.take(self._answer.failed(error))
            return  # Without an end, which shows the client that something is missing.
        await reader.take(b"", more=False)
