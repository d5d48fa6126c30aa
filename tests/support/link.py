"""A TCP link to a server on loopback that can be cut, or delay most of what passes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from random import Random

_PIECE = 65_536
# While a link delays, this part of the pieces waits for so many seconds.
DELAYED = 0.9
DELAY_SECONDS = (2.0, 4.0)


class Link:
    """A link from a port of its own to the server's.

    `watched` are bytes that tell the requests that count from others; `seen` says at what times of
    the loop they passed.
    """

    def __init__(self, port: int, watched: bytes, random: Random) -> None:
        self.port = 0
        self.delaying = False
        self.seen: list[float] = []
        self._to = port
        self._watched = watched
        self._random = random
        self._server: asyncio.Server | None = None
        self._passing: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """The address of this end."""
        return f"http://127.0.0.1:{self.port}"

    async def open(self) -> None:
        """Take connections, on the same port as before."""
        self._server = await asyncio.start_server(self._connect, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        """Refuse connections, and break those there are."""
        assert self._server is not None
        self._server.close()
        for task in list(self._passing):
            task.cancel()
        await asyncio.gather(*self._passing, return_exceptions=True)

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        passing = asyncio.current_task()
        assert passing is not None
        self._passing.add(passing)
        try:
            there, back = await asyncio.open_connection("127.0.0.1", self._to)
            try:
                await asyncio.gather(self._pass(reader, back, True), self._pass(there, writer))
            finally:
                back.transport.abort()
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            writer.transport.abort()
            self._passing.discard(passing)

    async def _pass(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, requests: bool = False
    ) -> None:
        while piece := await reader.read(_PIECE):
            if requests and self._watched in piece:
                self.seen.append(asyncio.get_running_loop().time())
            if self.delaying and self._random.random() < DELAYED:
                await asyncio.sleep(self._random.uniform(*DELAY_SECONDS))
            writer.write(piece)
            await writer.drain()
        raise ConnectionResetError("the other end is closed")


@asynccontextmanager
async def linked(port: int, watched: bytes, random: Random) -> AsyncIterator[Link]:
    """Yield a link that is open, and is cut at the end."""
    link = Link(port, watched, random)
    await link.open()
    try:
        yield link
    finally:
        with suppress(Exception):
            await link.cut()
