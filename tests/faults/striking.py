"""A proxy before Elasticsearch that stays for many runs, and is armed for one strike at a time."""

import os
import signal
from random import Random
from typing import Literal

from aiohttp import web

from tests.faults.proxy import Kind, Proxy

Strike = Literal[
    "kill before",
    "kill after",
    "stop before",
    "stop after",
    "cut request",
    "cut reply",
    "reject",
    "away",
    "kill engine",
]


class Striking(Proxy):
    """Strikes once at a request of the process `load`, counted from one whose path ends so."""

    def __init__(self, engine: str, prefix: str, random: Random) -> None:
        super().__init__(engine, prefix, None, random)
        self._strike_kind: Strike | None = None
        self._begin = ""
        self._left = 0
        self.stopped = False

    def arm(self, kind: Strike, begin: str, count: int) -> None:
        """Strike at the `count`-th request from the next one whose path ends with `begin`."""
        self._strike_kind, self._begin, self._left = kind, begin, count
        self.struck = self.stopped = False

    def disarm(self) -> None:
        """Let everything pass."""
        self._strike_kind = None

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Return the one handler."""
        if self._strike_kind is None or not self._is_due(request.path):
            return await super().answer(request)
        kind, self._strike_kind, self.struck = self._strike_kind, None, True
        body = await request.read()
        if kind == "stop before" or kind == "stop after":
            if kind == "stop before":
                self._stop()
            reply = await self._forward(request, body)
            self._stop()
            return reply
        if kind == "kill before":
            return await self._strike("kill load before", request, body)
        if kind == "kill after":
            return await self._strike("kill load after", request, body)
        other: Kind = kind
        return await self._strike(other, request, body)

    def _is_due(self, path: str) -> bool:
        if self._begin and not path.endswith(self._begin):
            return False
        self._begin = ""
        self._left -= 1
        return self._left < 0

    def _stop(self) -> None:
        self.stopped = True
        os.kill(self.load, signal.SIGSTOP)
