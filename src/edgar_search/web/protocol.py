"""Connections that take turns: a piece of each one's bytes is parsed, then the next one's."""

import asyncio
from collections import deque
from collections.abc import Callable
from typing import Any

from uvicorn import Config
from uvicorn.server import ServerState

from edgar_search.web.uvicorn_protocol import BoundedProtocol

# Bytes of a connection that are parsed at once. One-byte chunks, the most expensive input, take a
# third of a millisecond; nearly all requests fit in completely.
PIECE = 2_048
# Ignored bytes are not parsed: all connections read them into this buffer.
_THROWN_AWAY = memoryview(bytearray(65_536))


class Turns:
    """Connections with more bytes to parse: each iteration of the event loop serves one of them."""

    def __init__(self) -> None:
        self._waiting: deque[Callable[[], None]] = deque()

    def wait(self, go_on: Callable[[], None]) -> None:
        """Call `go_on` when it is this connection's turn."""
        self._waiting.append(go_on)
        if len(self._waiting) == 1:
            asyncio.get_running_loop().call_soon(self._next)

    def _next(self) -> None:
        go_on = self._waiting.popleft()
        if self._waiting:
            asyncio.get_running_loop().call_soon(self._next)
        go_on()


class PacedProtocol(asyncio.BufferedProtocol):
    """The protocol of a connection, whose bytes reach `BoundedProtocol` piece by piece.

    Unread bytes stay with the operating system, which makes the client wait.
    """

    def __init__(
        self,
        config: Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        self._inner = BoundedProtocol(config, server_state, app_state, _loop)
        self._turns: Turns = app_state["turns"]
        self._buffer = self._read_into = memoryview(bytearray(PIECE))

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._transport = transport
        self._inner.connection_made(transport)

    def get_buffer(self, sizehint: int) -> memoryview:
        self._read_into = _THROWN_AWAY if self._inner.ended else self._buffer
        return self._read_into

    def buffer_updated(self, nbytes: int) -> None:
        read_into = self._read_into
        self._inner.data_received(read_into[:nbytes])
        if nbytes == len(read_into) and not self._transport.is_closing():
            self._transport.pause_reading()
            self._turns.wait(self._go_on)

    def _go_on(self) -> None:
        if not (self._transport.is_closing() or self._inner.flow.read_paused):
            self._transport.resume_reading()

    def eof_received(self) -> None:
        self._inner.eof_received()

    def pause_writing(self) -> None:
        self._inner.pause_writing()

    def resume_writing(self) -> None:
        self._inner.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._inner.connection_lost(exc)
