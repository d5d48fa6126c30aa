"""A proxy between a load and Elasticsearch, which counts requests and breaks one of them."""

import asyncio
import os
import signal
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from random import Random
from typing import Any, Literal, NamedTuple, TypeVar, get_args

import aiohttp
import msgspec
import psutil
from aiohttp import web

AWAY_SECONDS = 3.0
Kind = Literal[
    "kill load before",
    "kill load after",
    "kill worker",
    "cut request",
    "cut reply",
    "cut reply in the middle",
    "reject",
    "away",
    "disk full",
    "kill engine",
]
# An engine that others use is not killed.
KINDS: tuple[Kind, ...] = tuple(kind for kind in get_args(Kind) if kind != "kill engine")
_REJECTED = {"type": "es_rejected_execution_exception", "reason": "queue is full"}


P = TypeVar("P", bound="Proxy")


class Point(NamedTuple):
    """A fault, and the request (from 1) that it strikes at."""

    kind: Kind
    request: int


class Proxy:
    """One run's faults; `load` is the process id of the load, once it runs."""

    def __init__(self, engine: str, prefix: str, point: Point | None, random: Random) -> None:
        self.url = ""
        self.load = 0
        self.log: list[str] = []
        self.struck = False
        self._engine = engine
        self._prefix = prefix
        self._point = point
        self._random = random
        self._away_until = 0.0
        self.kill_engine: Callable[[], None] | None = None
        self._session: aiohttp.ClientSession

    async def start(self) -> None:
        """Open the connections to Elasticsearch."""
        self._session = aiohttp.ClientSession(skip_auto_headers=["Accept-Encoding"])

    async def close(self) -> None:
        """Close them."""
        await self._session.close()

    async def block(self, blocked: bool) -> None:
        """Do to the installation's indices what a full disk does, or undo it."""
        body = {"index.blocks.read_only_allow_delete": True if blocked else None}
        url = f"{self._engine}/{self._prefix}*/_settings"
        async with self._session.put(url, json=body) as reply:
            await reply.read()

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Return the one handler."""
        body = await request.read()
        self.log.append(f"{request.method} {request.path}")
        if time.monotonic() < self._away_until:
            return _cut(request)
        if self._point is not None and len(self.log) == self._point.request:
            self.struck = True
            return await self._strike(self._point.kind, request, body)
        return await self._forward(request, body)

    async def _strike(self, kind: Kind, request: web.Request, body: bytes) -> web.StreamResponse:
        match kind:
            case "kill load before":
                os.kill(self.load, signal.SIGKILL)
                return _cut(request)
            case "cut request":
                return _cut(request)
            case "away":
                self._away_until = time.monotonic() + AWAY_SECONDS
                return _cut(request)
            case "reject":
                return await self._reject(request, body)
            case "kill worker":
                self._kill_worker()
            case "disk full":
                await self.block(True)
            case "kill engine":
                assert self.kill_engine is not None
                self.kill_engine()
        reply = await self._forward(request, body)
        if kind == "kill load after":
            os.kill(self.load, signal.SIGKILL)
            return _cut(request)
        if kind == "cut reply":
            return _cut(request)
        if kind == "cut reply in the middle":
            return await _half(request, reply)
        return reply

    async def _forward(self, request: web.Request, body: bytes) -> web.Response:
        url = f"{self._engine}{request.path_qs}"
        headers = {
            name: request.headers[name]
            for name in ("Accept", "Content-Type")
            if name in request.headers
        }
        try:
            async with self._session.request(
                request.method, url, data=body or None, headers=headers
            ) as reply:
                kept = {"X-Elastic-Product": "Elasticsearch", "Content-Type": "application/json"}
                return web.Response(status=reply.status, body=await reply.read(), headers=kept)
        except aiohttp.ClientError:
            return _cut(request)

    async def _reject(self, request: web.Request, body: bytes) -> web.StreamResponse:
        """A full queue: the whole request, or the second half of a bulk request's operations."""
        headers = {"X-Elastic-Product": "Elasticsearch"}
        if not request.path.endswith("/_bulk"):
            error = {"error": _REJECTED, "status": 429}
            return web.json_response(error, status=429, headers=headers)
        operations = _operations(body)
        taken = operations[: len(operations) // 2]
        items: list[Any] = []
        if taken:
            reply = await self._forward(request, b"".join(taken))
            assert isinstance(reply.body, bytes)
            items = msgspec.json.decode(reply.body)["items"]
        for operation in operations[len(taken) :]:
            ((action, target),) = msgspec.json.decode(operation.partition(b"\n")[0]).items()
            item = {"_index": target["_index"], "_id": target["_id"], "status": 429}
            items.append({action: {**item, "error": _REJECTED}})
        return web.json_response({"errors": True, "took": 1, "items": items}, headers=headers)

    def _kill_worker(self) -> None:
        try:
            family = psutil.Process(self.load).children(recursive=True)
            workers = [each for each in family if "workers.process" in " ".join(each.cmdline())]
            if workers:
                self._random.choice(workers).kill()
        except psutil.Error:
            pass  # The load has just ended, or the worker has.


@asynccontextmanager
async def listening(proxy: P) -> AsyncIterator[P]:
    """Yield the proxy on a free port of the loopback interface."""
    app = web.Application(client_max_size=200_000_000)
    app.router.add_route("*", "/{path:.*}", proxy.answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    await proxy.start()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        proxy.url = "http://{}:{}".format(*runner.addresses[0][:2])
        yield proxy
    finally:
        await proxy.close()
        await runner.cleanup()


def _cut(request: web.Request) -> web.Response:
    """End the connection; what is returned reaches nobody."""
    if request.transport is not None:
        request.transport.abort()
    return web.Response(status=500)


async def _half(request: web.Request, reply: web.Response) -> web.StreamResponse:
    assert isinstance(reply.body, bytes)
    half = web.StreamResponse(status=reply.status, headers=reply.headers)
    half.content_length = len(reply.body)
    await half.prepare(request)
    await half.write(reply.body[: len(reply.body) // 2])
    await asyncio.sleep(0.05)
    if request.transport is not None:
        request.transport.abort()
    return half


def _operations(body: bytes) -> list[bytes]:
    lines = body.splitlines(keepends=True)
    operations = []
    while lines:
        length = 1 if lines[0].startswith(b'{"delete"') else 2
        operations.append(b"".join(lines[:length]))
        del lines[:length]
    return operations
