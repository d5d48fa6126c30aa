"""Clients of streams of events: what they were told, and where they continue."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, NamedTuple

from starlette.types import ASGIApp, Message, Scope

from tests.support.waiting import until


async def _until(condition: Callable[[], bool]) -> None:
    async def holds() -> bool:
        return condition()

    await until(holds, 30)


class Told(NamedTuple):
    """An event as a client has it."""

    id: int
    name: str
    data: Any


class Listener:
    """One stream, read until it is closed."""

    def __init__(self, app: ASGIApp, path: str, query: str, headers: dict[str, str]) -> None:
        self._app = app
        self._scope: Scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": "GET",
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "headers": [
                (b"host", b"test"),
                *((name.lower().encode(), value.encode()) for name, value in headers.items()),
            ],
            "client": ("127.0.0.1", 1),
            "server": ("test", 80),
        }
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""
        self.ended = False
        self._gone = asyncio.Event()
        self._asked = False
        self._running: asyncio.Task[None] | None = None

    async def open(self) -> "Listener":
        """Begin to read; return once the answer has begun."""
        self._running = asyncio.create_task(self._run())
        await _until(lambda: bool(self.body) or self.ended)
        return self

    async def close(self) -> None:
        """Go away."""
        self._gone.set()
        assert self._running is not None
        await self._running

    @property
    def told(self) -> list[Told]:
        """The whole events until now."""
        found = []
        for block in self.body.decode().split("\n\n")[:-1]:
            fields = dict(line.split(": ", 1) for line in block.split("\n") if ": " in line[1:])
            if "data" in fields:
                data = json.loads(fields["data"])
                found.append(Told(int(fields["id"]), fields["event"], data))
        return found

    @property
    def last_id(self) -> int:
        """The position after which a browser would continue."""
        ids = [line[4:] for line in self.body.decode().split("\n") if line.startswith("id: ")]
        return int(ids[-1])

    async def until_ended(self) -> None:
        """Return once the answer has ended."""
        await _until(lambda: self.ended)

    async def heard(self, number: int) -> list[Told]:
        """Return what was told, once that is this many events."""
        await _until(lambda: len(self.told) >= number or self.ended)
        return self.told

    async def reached(self, position: int) -> None:
        """Wait until a browser would continue after a position."""
        await _until(lambda: self.last_id >= position)

    async def _run(self) -> None:
        await self._app(self._scope, self._receive, self._send)
        self.ended = True

    async def _receive(self) -> Message:
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            self.headers = {name.decode(): value.decode() for name, value in message["headers"]}
        else:
            self.body += message["body"]
