"""uvicorn's protocol, with bounds on the cost of unfinished requests.

It is the one module that overrides and calls private parts of uvicorn, which has no public
interface for this: `tests/web/http/test_uvicorn.py` names each, and what breaks if it changes.

The parser keeps a header until it ends, so bytes are counted as they arrive, not by header. It
calls back for every chunk of a body, so chunks are counted too.
"""

import logging
import math
import socket
import uuid
from asyncio import AbstractEventLoop, Transport
from typing import Any

import httptools
from starlette.types import Message, Receive, Scope, Send
from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from edgar_search.errors import BodyTooLarge
from edgar_search.web.connections import Bounds, Connections, Draining
from edgar_search.web.middleware import (
    MAX_HEADER_BYTES,
    MAX_URI_BYTES,
    NO_SNIFFING,
    REQUEST_ID,
    most_body_bytes,
)

RETRY_SECONDS = 5
# Each header costs time in every lookup. Browsers send about 20, proxies add a few.
MAX_HEADERS = 100
# Chunks of a body, or packets in which it arrives. The parser calls back for each of them, which
# takes as long for one byte as for thousands.
MAX_BODY_PIECES = 4_096
# Bytes between the chunks of a body, and after them.
MAX_FRAMING_BYTES = 65_536

NO_HTTP = "400 Bad Request", "the request is not valid HTTP; a URI is percent-encoded"
BODY_OF_UPGRADE = "400 Bad Request", "a request with a body cannot ask for another protocol"
TOO_SLOW = "408 Request Timeout", "the request did not arrive in time"
URI_TOO_LONG = "414 URI Too Long", f"the URI has more than {MAX_URI_BYTES} bytes"
HEADERS_TOO_LONG = (
    "431 Request Header Fields Too Large",
    f"the headers have more than {MAX_HEADER_BYTES} bytes",
)
TOO_MANY_HEADERS = (
    "431 Request Header Fields Too Large",
    f"there are more than {MAX_HEADERS} headers",
)
FRAMING_TOO_LONG = (
    "431 Request Header Fields Too Large",
    f"the sizes and extensions of chunks and the trailers have more than {MAX_FRAMING_BYTES} bytes",
)
BODY_TOO_LARGE = "413 Content Too Large"
TOO_MANY_PIECES = (
    "413 Content Too Large",
    f"the body comes in more than {MAX_BODY_PIECES} pieces; send larger ones",
)
NO_ROOM = "503 Service Unavailable", "there are too many connections; try again later"

Refusal = tuple[str, str]


def answer(refusal: Refusal, request_id: str, *headers: str) -> bytes:
    """Return a whole response that ends the connection."""
    status, text = refusal
    body = f'{{"error":"{text}"}}'
    head = (
        f"HTTP/1.1 {status}",
        "content-type: application/json",
        f"content-length: {len(body)}",
        f"{REQUEST_ID}: {request_id}",
        f"{NO_SNIFFING[0].decode()}: {NO_SNIFFING[1].decode()}",
        *headers,
        "connection: close",
    )
    return "\r\n".join([*head, "", body]).encode()


_log = logging.getLogger(__name__)

# Method, URI and headers, with the separators between them.
MAX_HEAD_BYTES = MAX_URI_BYTES + 2 * MAX_HEADER_BYTES
# Requests that wait for answers to earlier ones on the same connection.
MAX_WAITING = 32
# A refused client is read from for this many seconds and bytes: bytes that arrive at a closed
# socket would destroy the answer before the client reads it.
_LINGER_SECONDS = 2.0
_LINGER_BYTES = 1_048_576
# A client must read some of its answer in this many seconds; the system disconnects one that has
# not even received it, for example because its network is gone.
_READ_SECONDS = 30.0
# Bytes of an answer that the system keeps beyond the ones in transit. By default it takes some
# megabytes: a slow client would reach the end of its export when it is long over.
_UNSENT_BYTES = 131_072


class _Stop(Exception):
    """Ends the parsing of a connection.

    Earlier requests are answered first, then the refusal is sent, if there is one.
    """

    def __init__(self, refusal: Refusal | None = None) -> None:
        super().__init__()
        self.refusal = refusal


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's protocol with bounds; its refusals are JSON with an id, like all others.

    `deadline` is the time of the event loop until which the client is waited for.
    """

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._connections: Connections = app_state["connections"]
        self._bounds: Bounds = self._connections.bounds
        self._draining: Draining = app_state["draining"]
        self.deadline = math.inf
        self._in_head = False
        self._in_body = False
        # Bytes since the last end of a head, part of a body, or end of a message.
        self._unfinished = 0
        self._progress = False
        # A body's bytes on the wire, the bytes of its content, and its pieces.
        self._wire_bytes = 0
        self._body_bytes = 0
        self._body_pieces = 0
        self._body_began: float | None = None
        # True if nothing is parsed any more; the refusal to send after earlier answers.
        self._ended = False
        self._last_words: bytes | None = None
        self._lingering = False
        self._ignored = 0
        self._unread = math.inf

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        bound = transport.get_extra_info("socket")
        if bound is not None and bound.family != socket.AF_UNIX:
            bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, _UNSENT_BYTES)
            if hasattr(socket, "TCP_USER_TIMEOUT"):  # Only Linux has it.
                milliseconds = int(_READ_SECONDS * 1000)
                bound.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, milliseconds)
        now = self.loop.time()
        if self._connections.admit(self, self.client[0] if self.client else None):
            self.deadline = now + self._bounds.header_timeout
            return
        self._ended = True
        transport.write(answer(NO_ROOM, uuid.uuid4().hex, f"retry-after: {RETRY_SECONDS}"))
        if self._connections.see_off(self):
            self._linger(now)
        else:
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        self._connections.leave(self)
        super().connection_lost(exc)

    def data_received(self, data: bytes | memoryview) -> None:
        if self._ended:
            self._ignore(len(data))
        else:
            self._parse(data)

    @property
    def ended(self) -> bool:
        """True if the rest of the request is discarded."""
        return self._ended

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head = True
        if not self._is_answering():
            self.deadline = self.loop.time() + self._bounds.header_timeout

    def on_headers_complete(self) -> None:
        if len(self.pipeline) >= MAX_WAITING:
            raise _Stop
        if len(self.headers) > MAX_HEADERS:
            raise _Stop(TOO_MANY_HEADERS)
        super().on_headers_complete()
        if self._draining.begun:
            # A connection that is idle when the socket closes may just get its next request.
            self.cycle.keep_alive = False
        self._in_head, self._in_body = False, True
        self._progress = True
        self._wire_bytes = self._body_bytes = self._body_pieces = 0
        self._body_began = None
        self.deadline = math.inf
        # Trailers are collected where nobody reads them: they are not headers.
        self.headers = []

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        super()._start_asgi_task(cycle, self._ending(cycle, app))

    def on_body(self, body: bytes) -> None:
        self._progress = True
        self._body_bytes += len(body)
        self._body_pieces += 1
        most = most_body_bytes(self.url.partition(b"?")[0].decode("latin-1"))
        if self._body_bytes > most:
            raise _Stop((BODY_TOO_LARGE, f"the body has more than {most} bytes"))
        if self._body_pieces > MAX_BODY_PIECES:
            raise _Stop(TOO_MANY_PIECES)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._progress = True
        self._in_body = False
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Do the same as uvicorn, except for the time-out, which needs no timer of its own here."""
        self.server_state.total_requests += 1
        now = self.loop.time()
        if self.transport.is_closing():
            self.deadline = now + _READ_SECONDS
            return
        self.flow.resume_reading()
        if self.pipeline:
            cycle, app = self.pipeline.pop()
            self._start_asgi_task(cycle, app)
        elif self._ended:
            self._say_last_words(now)
        else:
            self.deadline = now + self._patience()
            self._body_began = now

    def pause_writing(self) -> None:
        super().pause_writing()
        self.deadline = self.loop.time() + _READ_SECONDS

    def resume_writing(self) -> None:
        super().resume_writing()
        self._unread = math.inf
        self.deadline = (
            math.inf if self._is_answering() else self.loop.time() + self._bounds.keep_alive
        )

    def expire(self, now: float) -> None:
        """Act on the passed deadline."""
        if self._lingering:
            self.transport.abort()
        elif self.transport.is_closing() or self.flow.write_paused:
            self._expect_reader(now)
        elif self._in_body and self.flow.read_paused:
            # It is this side that does not read.
            self.deadline = now + self._bounds.body_timeout
        elif self._in_head or self._in_body:
            self._refuse(TOO_SLOW, of_last=self._in_body)
        else:
            self.transport.close()
            self.deadline = now + _READ_SECONDS

    def _parse(self, data: bytes | memoryview) -> None:
        self._progress = False
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            self._decline_upgrade()
        except httptools.HttpParserError as error:
            stop = error.__context__
            refusal = stop.refusal if isinstance(stop, _Stop) else self._excess() or NO_HTTP
            if refusal is None:
                self._ended = True
            else:
                self._refuse(refusal, of_last=self._in_body)
        else:
            self._count(len(data))

    def _count(self, size: int) -> None:
        self._unfinished = 0 if self._progress else self._unfinished + size
        self._wire_bytes += size
        most = MAX_HEADER_BYTES if self._in_body else MAX_HEAD_BYTES
        if self._unfinished > most:
            self._refuse(self._excess() or HEADERS_TOO_LONG, of_last=self._in_body)
        elif self._in_body and self._wire_bytes - self._body_bytes > MAX_FRAMING_BYTES:
            self._refuse(FRAMING_TOO_LONG, of_last=True)
        elif self._in_body:
            if self._body_began is None:
                self._body_began = self.loop.time()
            allowed = self._bounds.body_timeout + self._body_bytes / self._bounds.body_rate
            self.deadline = self._body_began + allowed

    def _excess(self) -> Refusal | None:
        return URI_TOO_LONG if self._in_head and len(self.url) > MAX_URI_BYTES else None

    def _decline_upgrade(self) -> None:
        """Answer as if no other protocol had been requested; the next bytes may be in that one."""
        names = {name for name, _ in self.cycle.scope["headers"]}
        if names & {b"content-length", b"transfer-encoding"}:
            self._refuse(BODY_OF_UPGRADE, of_last=True)
        else:
            self._ended = True

    def _refuse(self, refusal: Refusal, *, of_last: bool) -> None:
        """Answer with a refusal after all earlier answers, and close the connection.

        With `of_last`, it answers the last request with a complete head.
        """
        self._ended = True
        request_id = uuid.uuid4().hex
        self._last_words = answer(refusal, request_id)
        _log.info("refused before it was read: %s %s", refusal[0], request_id)
        if of_last and self.pipeline:
            self.pipeline.popleft()  # It has not begun, and earlier ones are answered first.
            return
        if of_last:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        elif self._is_answering():
            return
        self._say_last_words(self.loop.time())

    def _ending(self, cycle: RequestResponseCycle, app: Any) -> Any:
        """Wrap the application to end the connection if its answer does not wait for the body.

        Nothing is parsed after that, because nobody needs the rest of the body.
        """

        async def run(scope: Scope, receive: Receive, send: Send) -> None:
            async def send_and_end(message: Message) -> None:
                if message["type"] != "http.response.start" or not self._is_last(cycle, message):
                    await send(message)
                    return
                self._ended, self._in_body, self.deadline = True, False, math.inf
                # So the answer announces the close, but `_linger` does it.
                cycle.keep_alive = False
                await send(message)
                cycle.keep_alive = True

            await app(scope, receive, send_and_end)

        return run

    def _is_last(self, cycle: RequestResponseCycle, message: Message) -> bool:
        if cycle is not self.cycle or self._last_words is not None:
            return False
        return self._ended or cycle.more_body or message["status"] == BodyTooLarge.status

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _patience(self) -> float:
        """Return how many seconds the next step may take, now that everything is answered."""
        if self._in_head:
            return self._bounds.header_timeout
        return self._bounds.body_timeout if self._in_body else self._bounds.keep_alive

    def _say_last_words(self, now: float) -> None:
        if self._last_words is not None:
            self.transport.write(self._last_words)
        self._linger(now)

    def _linger(self, now: float) -> None:
        """Close the connection for writing, and wait until the client has read everything."""
        self._lingering = True
        self.deadline = now + _LINGER_SECONDS
        self.transport.write_eof()
        self.flow.resume_reading()

    def _ignore(self, size: int) -> None:
        self._ignored += size
        if self._ignored <= _LINGER_BYTES:
            return
        if self._lingering:
            self.transport.abort()
        else:
            self.flow.pause_reading()

    def _expect_reader(self, now: float) -> None:
        """End the connection if the client has read none of the answer since the last check."""
        unread = self.transport.get_write_buffer_size()
        if unread >= self._unread:
            self.transport.abort()
        self._unread = unread
        self.deadline = now + _READ_SECONDS
