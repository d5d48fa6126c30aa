"""Streamed answers, with clients that go away or stop reading in the middle of one."""

import asyncio
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from starlette.types import ASGIApp, Message, Scope


class Streamed:
    """One answer of an application: what was sent of it, and whether it was ended.

    `begun` is set once something has come. `reading` is cleared by a client that does not read,
    `gone` set by one that goes away.
    """

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""
        self.whole = False
        self.reading = asyncio.Event()
        self.reading.set()
        # How long the client takes for each part, in seconds.
        self.pause = 0.0
        self.gone = asyncio.Event()
        self.begun = asyncio.Event()

    async def ask(
        self,
        app: ASGIApp,
        path: str,
        key: str,
        parameters: dict[str, Any],
        watch: Callable[["Streamed"], None] = lambda streamed: None,
    ) -> "Streamed":
        """Ask, and call `watch` after each part of the answer."""

        async def receive() -> Message:
            if not asked:
                asked.append(True)
                return {"type": "http.request", "body": b"", "more_body": False}
            await self.gone.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.status = message["status"]
                self.headers = {n.decode(): v.decode() for n, v in message["headers"]}
                return
            self.body += message["body"]
            if self.body:
                self.begun.set()
            self.whole = not message.get("more_body", False)
            watch(self)
            await self.reading.wait()
            await asyncio.sleep(self.pause)

        asked: list[bool] = []
        await app(_scope(path, key, parameters), receive, send)
        return self


def _scope(path: str, key: str, parameters: dict[str, Any]) -> Scope:
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": "GET",
        "path": path,
        "raw_path": path.encode(),
        "query_string": urlencode(parameters).encode(),
        "headers": [(b"host", b"test"), (b"x-api-key", key.encode())],
        "client": ("127.0.0.1", 1),
        "server": ("test", 80),
        "scheme": "http",
        "root_path": "",
    }
