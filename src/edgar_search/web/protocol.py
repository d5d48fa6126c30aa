"""HTTP as it arrives: uvicorn's protocol, with bounds on what a request costs before it is one.

The parser keeps a header until it ends, so bytes are counted as they come, and not by header.
"""

import logging
import math
import uuid
from asyncio import AbstractEventLoop, Transport
from typing import Any

import httptools
from uvicorn import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from edgar_search.web.connections import Bounds, Connections
from edgar_search.web.draining import Draining
from edgar_search.web.early_refusals import (
    BODY_OF_UPGRADE,
    HEADERS_TOO_LONG,
    NO_HTTP,
    NO_ROOM,
    RETRY_SECONDS,
    TOO_SLOW,
    URI_TOO_LONG,
    Refusal,
    answer,
)
from edgar_search.web.middleware import (
    MAX_BODY_BYTES,
    MAX_HEADER_BYTES,
    MAX_URI_BYTES,
)

_log = logging.getLogger(__name__)

# What is parsed at once. Of what ends a part of a request in the middle of it, the rest is not
# counted, so that bounds are this much higher at worst.
_PIECE = 16_384
# Method, URI and headers with all that stands between them.
MAX_HEAD_BYTES = MAX_URI_BYTES + 2 * MAX_HEADER_BYTES
# Requests that wait for the answers to those before them on the same connection.
MAX_WAITING = 32
# A client that was refused is listened to for so many seconds and bytes, or it may not see why:
# what arrives at a closed socket makes the answer void.
_LINGER_SECONDS = 2.0
_LINGER_BYTES = 1_048_576
# A client must have read something of its answer in this many seconds.
_READ_SECONDS = 30.0


class TooManyWaiting(Exception):
    """Ends the parsing of a connection on which too many requests wait."""


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's protocol with bounds; its refusals are JSON with an id, as all others are.

    `deadline` is the time of the event loop at which the client is not waited for any more.
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
        self._body_bytes = 0
        self._body_began: float | None = None
        # Nothing is parsed any more; what is still to be said, once all before it is answered.
        self._ended = False
        self._last_words: bytes | None = None
        self._lingering = False
        self._ignored = 0
        self._unread = math.inf

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
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

    def data_received(self, data: bytes) -> None:
        if self._ended:
            self._ignore(data)
        elif len(data) <= _PIECE:
            self._parse(data)
        else:
            pieces = memoryview(data)
            for start in range(0, len(data), _PIECE):
                self._parse(pieces[start : start + _PIECE])
                if self._ended:
                    return

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._in_head = True
        if not self._is_answering():
            self.deadline = self.loop.time() + self._bounds.header_timeout

    def on_headers_complete(self) -> None:
        if len(self.pipeline) >= MAX_WAITING:
            raise TooManyWaiting
        super().on_headers_complete()
        if self._draining.begun:
            # A connection that is idle when the socket closes could just get its next request.
            self.cycle.keep_alive = False
        self._in_head, self._in_body = False, True
        self._progress = True
        self._body_bytes, self._body_began = 0, None
        self.deadline = math.inf
        # Trailers go where nobody reads them: they are no headers.
        self.headers = []

    def on_body(self, body: bytes) -> None:
        self._progress = True
        self._body_bytes += len(body)
        super().on_body(body)
        if self._body_bytes > MAX_BODY_BYTES and self.cycle.response_complete and not self._ended:
            # The answer did not wait for the body, and nobody waits for so much of it.
            self._ended = True
            self._linger(self.loop.time())

    def on_message_complete(self) -> None:
        self._progress = True
        self._in_body = False
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """As uvicorn's, but for the time-out, which needs no timer of its own here."""
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
        """The deadline is over."""
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
            if isinstance(error.__context__, TooManyWaiting):
                self._answer_and_close()
            elif not self._ended:
                self._refuse(self._excess() or NO_HTTP, of_last=self._in_body)
        else:
            self._count(len(data))

    def _count(self, size: int) -> None:
        self._unfinished = 0 if self._progress else self._unfinished + size
        most = MAX_HEADER_BYTES if self._in_body else MAX_HEAD_BYTES
        if self._unfinished > most:
            self._refuse(self._excess() or HEADERS_TOO_LONG, of_last=self._in_body)
        elif self._in_body and not self._ended:
            if self._body_began is None:
                self._body_began = self.loop.time()
            allowed = self._bounds.body_timeout + self._body_bytes / self._bounds.body_rate
            self.deadline = self._body_began + allowed

    def _excess(self) -> Refusal | None:
        return URI_TOO_LONG if self._in_head and len(self.url) > MAX_URI_BYTES else None

    def _decline_upgrade(self) -> None:
        """Answer as if no other protocol had been asked for; what follows may be of that one."""
        names = {name for name, _ in self.cycle.scope["headers"]}
        if names & {b"content-length", b"transfer-encoding"}:
            self._refuse(BODY_OF_UPGRADE, of_last=True)
        else:
            self._answer_and_close()

    def _answer_and_close(self) -> None:
        """Answer what has come until now, and nothing else on this connection."""
        self._ended = True
        self.cycle.keep_alive = False

    def _refuse(self, refusal: Refusal, *, of_last: bool) -> None:
        """Answer with a refusal after all that came before it, and close the connection.

        `of_last`: it is the answer to the last request of which the head came whole.
        """
        self._ended = True
        request_id = uuid.uuid4().hex
        self._last_words = answer(refusal, request_id)
        _log.info("refused before it was read: %s %s", refusal[0], request_id)
        if of_last and self.pipeline:
            self.pipeline.popleft()  # It has not begun, and those before it are answered first.
            return
        if of_last and self.cycle.response_complete:
            self._last_words = None
        elif of_last and self.cycle.response_started:
            self.cycle.keep_alive = False
            return
        elif of_last:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        elif self._is_answering():
            return
        self._say_last_words(self.loop.time())

    def _is_answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _patience(self) -> float:
        """How many seconds what comes next may take, now that all is answered."""
        if self._in_head:
            return self._bounds.header_timeout
        return self._bounds.body_timeout if self._in_body else self._bounds.keep_alive

    def _say_last_words(self, now: float) -> None:
        if self._last_words is not None:
            self.transport.write(self._last_words)
        self._linger(now)

    def _linger(self, now: float) -> None:
        """Close the connection for writing, and wait until the client has read all."""
        self._lingering = True
        self.deadline = now + _LINGER_SECONDS
        self.transport.write_eof()
        self.flow.resume_reading()

    def _ignore(self, data: bytes) -> None:
        self._ignored += len(data)
        if self._ignored <= _LINGER_BYTES:
            return
        if self._lingering:
            self.transport.abort()
        else:
            self.flow.pause_reading()

    def _expect_reader(self, now: float) -> None:
        """End the connection where nothing of the answer was read since the last look."""
        unread = self.transport.get_write_buffer_size()
        if unread >= self._unread:
            self.transport.abort()
        self._unread = unread
        self.deadline = now + _READ_SECONDS
