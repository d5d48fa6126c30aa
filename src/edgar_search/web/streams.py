"""Server-sent events: one open answer, whose client always knows where to continue.

An event's id is its position in the log. A ping is a comment, and an id without an event, so that a
client with few events keeps a position that is still in the log. A stream ends with the event `end`
and its reason: the client continues after the last id that it has seen. A stream whose client does
not read is closed.

`sse-starlette` is not used: importing it changes uvicorn's handling of signals, which here drains
connections first, and each of its streams needs four tasks.
"""

import asyncio
import logging
import re
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from edgar_search.access.admission import Call
from edgar_search.api.parameters.declaration import Parameter
from edgar_search.api.parameters.reader import Parameters
from edgar_search.errors import (
    BadRequest,
    ClientGone,
    EdgarSearchError,
    Unavailable,
)
from edgar_search.events.feed import PAGE, Feed
from edgar_search.events.log import LogPage
from edgar_search.metrics.meters import STREAMS_CUT
from edgar_search.web.calls import while_connected
from edgar_search.web.connections import Draining
from edgar_search.web.service import Service, service

EVENT_STREAM = "text/event-stream"
POSITION = "[0-9]{1,16}"
AFTER = Parameter(
    "after",
    "text",
    "the position after which to begin, as the `id` of an event has it; the header"
    " `Last-Event-ID` takes precedence. Without either, events begin now",
    of="position of an event",
    pattern=POSITION,
)
RULES = (
    "The answer is `text/event-stream`: the `id` of an event is its position. If there is no event,"
    " a comment comes every 15 seconds.",
    "A position whose later events were deleted is a 410; one that the log has not reached is a"
    " 400.",
    "The stream ends by an event `end` if the service stops, the month's calls are used up, the"
    " key or the token is not valid any more, the account is suspended, or the position is gone; it"
    " is cut if the client reads nothing for 30 seconds. Go on with the last `id`.",
    "Events before those that come now are found in turns with the account's searches.",
)
LAST_ID = "last-event-id"
# Milliseconds after which a browser reconnects.
RETRY = b"retry: 3000\n\n"
PING_SECONDS = 15.0
# A client that reads nothing for this long is disconnected; it continues after the last id it has
# read.
STALLED_SECONDS = 30.0
# A stream is a call, and another one for each this many events.
EVENTS_OF_A_CALL = 1_000
# Past events that are found in one turn, before live ones.
_REPLAYED = 100
# How often a stream checks whether the worker was told to stop.
_LOOK_SECONDS = 1.0
STOPPING = "the service is stopping; go on after the last id"

_log = logging.getLogger(__name__)

Frames = AsyncGenerator[bytes, None]


class End(Struct):
    """The content of the event `end`: the reason, and the position after which to continue."""

    reason: str
    position: int


class Rendered(NamedTuple):
    """An event as a stream sends it: its position, its name, and its content."""

    position: int
    name: str
    content: Any


# The second argument is true for live events, for which many streams wait at once.
Render = Callable[[LogPage, bool], Awaitable[Sequence[Rendered]]]


def frame(name: str, position: int, content: Any) -> bytes:
    """Format an event; JSON contains no line breaks of its own."""
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (
        position,
        name.encode(),
        msgspec.json.encode(content),
    )


def ping(position: int) -> bytes:
    """Format a comment, and a position without an event."""
    return b": ping\nid: %d\n\n" % position


class Beginning(NamedTuple):
    """The position after which a stream begins; `behind` if events may have followed it."""

    position: int
    behind: bool


async def begin(request: Request, parameters: Parameters, feed: Feed) -> Beginning:
    """Return the beginning of a stream.

    Raises PositionGone, and BadRequest for an invalid position.
    """
    header = request.headers.get(LAST_ID, "").strip()
    after = position_in(header, "Last-Event-ID") if header else begins_after(parameters)
    if after is None:
        return Beginning(await feed.log.end(), False)
    await feed.log.require(after)
    return Beginning(after, True)


def begins_after(parameters: Parameters) -> int | None:
    """Return the position in the parameter `after`, or None; BadRequest names it."""
    text = parameters.text("after")
    return None if text is None else position_in(text.strip(), "after")


def position_in(text: str, name: str) -> int:
    """Parse a position; the message of BadRequest names its source."""
    if not re.fullmatch(POSITION, text, re.ASCII):
        raise BadRequest(f"`{name}` must be the id of an event, not `{text[:40]}`")
    return int(text)


async def open_stream(
    request: Request,
    call: Call[Any],
    beginning: Beginning,
    render: Render,
    kinds: Sequence[str],
    account: str | None = None,
    slots: int = 1,
) -> Response:
    """Open the stream of what `render` makes of events of these kinds, of an account or of all.

    `slots` is the number of search slots needed to find some of them. Raises StreamsAtOnce.
    """
    state = service(request)
    state.streams.enter(call.account, call.plan)
    stream = Stream(state, call, request.state.draining, beginning, render, kinds, account, slots)
    return StreamResponse(stream, lambda: state.streams.leave(call.account))


class Stream:
    """A stream under way: pages of the log, sent as events, pings and an end."""

    def __init__(
        self,
        state: Service,
        call: Call[Any],
        draining: Draining,
        beginning: Beginning,
        render: Render,
        kinds: Sequence[str],
        account: str | None,
        slots: int,
    ) -> None:
        self._state = state
        self._call = call
        self._draining = draining
        self._position, self._behind = beginning
        self._render = render
        self._kinds = kinds
        self._account = account
        self._slots = slots
        self._sent = 0

    async def frames(self) -> Frames:
        """Yield what is sent, until the stream ends."""
        yield RETRY + ping(self._position)
        try:
            async with aclosing(self._follow()) as followed:
                async for data in followed:
                    yield data
        except EdgarSearchError as error:
            message = str(error) if error.status != 500 else "internal error"
            yield frame("end", self._position, End(message, self._position))

    async def _follow(self) -> Frames:
        loop = asyncio.get_running_loop()
        pinged = loop.time()
        while not self._draining.begun:
            try:
                page, rendered = await (self._replayed() if self._behind else self._arriving())
                self._behind = page.more
            except Unavailable:
                # Nothing is lost: the same page is read again.
                page, rendered = LogPage([], self._position, False), ()
                await asyncio.sleep(_LOOK_SECONDS)
            for event in rendered:
                await self._call.check_again()
                await self._count()
                self._position = event.position
                yield frame(event.name, event.position, event.content)
            await self._call.check_again()
            self._position = page.position
            if rendered:
                pinged = loop.time()
            elif loop.time() - pinged >= PING_SECONDS:
                yield ping(self._position)
                pinged = loop.time()
        yield frame("end", self._position, End(STOPPING, self._position))

    async def _arriving(self) -> tuple[LogPage, Sequence[Rendered]]:
        """Return live events, if any arrive within a second."""
        page = await self._page(_LOOK_SECONDS, PAGE)
        return page, await self._render(page, True) if page.events else ()

    async def _replayed(self) -> tuple[LogPage, Sequence[Rendered]]:
        """Return past events, at the cost of a search.

        Raises SearchesAtOnce as a search does.
        """
        shares, call = self._state.admission.shares, self._call
        async with shares.share(call.caller.line, call.plan) as share:
            await share.weigh(self._slots)
            page = await self._page(0.0, _REPLAYED)
            return page, await self._render(page, False) if page.events else ()

    async def _page(self, wait: float, size: int) -> LogPage:
        return await self._state.feed.page(
            self._position, wait, kinds=self._kinds, account=self._account, size=size
        )

    async def _count(self) -> None:
        """Count an event, and a call for each thousand; raises as `Admission.reserve`."""
        if self._sent and self._sent % EVENTS_OF_A_CALL == 0 and self._call.limits.counts:
            await self._state.admission.reserve(self._call, 1)
        self._sent += 1


class StreamResponse(Response):
    """An answer that continues until its end, or until its client is gone or stops reading."""

    def __init__(self, stream: Stream, leave: Callable[[], None]) -> None:
        self._stream = stream
        self._leave = leave
        self.status_code = 200
        self.background = None
        # nginx would hold events back until its buffer is full.
        headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
        self.init_headers({"Content-Type": EVENT_STREAM, **headers})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            if scope["method"] == "HEAD":
                await send({"type": "http.response.body", "body": b""})
            else:
                await while_connected(Request(scope, receive), self._send(send))
        except ClientGone:
            pass
        except TimeoutError:
            STREAMS_CUT.inc()
            _log.warning("a stream was cut: its client reads nothing")
        finally:
            self._leave()

    async def _send(self, send: Send) -> None:
        async with aclosing(self._stream.frames()) as frames:
            async for data in frames:
                async with asyncio.timeout(STALLED_SECONDS):
                    await send({"type": "http.response.body", "body": data, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
