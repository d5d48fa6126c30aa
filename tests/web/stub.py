"""A stand-in for Elasticsearch on a loopback port: canned replies, and faults where requested."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple
from urllib.parse import unquote

import msgspec
from aiohttp import web

from tests.web import canned

PREFIX = "stub-"
# Their bodies are lines of JSON.
_LINES = ("_bulk", "_msearch")


class Reply(NamedTuple):
    """One reply; `product` says that it has the header by which Elasticsearch is known."""

    status: int = 200
    body: bytes = b""
    content_type: str | None = "application/json"
    product: bool = True
    delay: float = 0.0


class Asked(NamedTuple):
    """One request that the service made; `operation` is as in `documents/_search`.

    The body of several searches or writes is a list of its lines.
    """

    method: str
    operation: str
    params: dict[str, str]
    body: Any


class StubEngine:
    """Keys by their hash, ticker rows and search replies can be changed at any time.

    A fault is a reply that an operation has instead of its own; `*` stands for all operations.
    `asked_search` is set once documents are searched, `left_alone` once a request was broken off.
    """

    def __init__(self) -> None:
        self.url = ""
        self.asked_search = asyncio.Event()
        self.left_alone = asyncio.Event()
        self.shards = 1
        self.replicas = 0
        self.asked: list[Asked] = []
        # Who asked, by each request's own word.
        self.askers: set[str] = set()
        self.faults: dict[str, Reply] = {}
        self.keys = dict(canned.KEYS)
        self.tickers = dict(canned.TICKERS)
        self.searches = dict(canned.SEARCHES)
        # By kind and id: what is stored, and its revision.
        self.stored: dict[tuple[str, str], tuple[Any, int]] = {}
        self.calls: list[Any] = []
        # The data nodes, by id, and that of them which hangs.
        self.data_nodes: list[str] = []
        self.hanging: str | None = None

    def operations(self) -> list[str]:
        """Return the requests, in order."""
        return [asked.operation for asked in self.asked]

    def bodies(self, operation: str) -> list[Any]:
        """Return the body of each request of this operation."""
        return [asked.body for asked in self.asked if asked.operation == operation]

    async def answer(self, request: web.Request) -> web.Response:
        """Return the one handler."""
        path = request.path.removeprefix("/").removeprefix(PREFIX)
        alias, name, *rest = [*path.split("/"), ""]
        operation = f"{alias}/{name}"
        data = await request.read()
        self.askers.add(request.headers["X-Opaque-Id"])
        body: Any = None
        if data:
            lined = alias in _LINES
            body = msgspec.json.Decoder().decode_lines(data) if lined else msgspec.json.decode(data)
        self.asked.append(Asked(request.method, operation, dict(request.query), body))
        reply = self.faults.get("*") or self.faults.get(operation)
        if reply is None and request.method == "POST" and name in ("_doc", "_create"):
            reply = self._store(alias, unquote(rest[0]), body, dict(request.query))
        elif reply is None and request.method == "PUT" and name == "_doc":
            reply = self._write(alias, unquote(rest[0]), body)
        elif reply is None and alias == "_bulk":
            reply = self._bulk(data)
        elif reply is None and alias == "_msearch":
            reply = self._many(data)
        reply = reply or self._reply(operation, rest, dict(request.query))
        if operation == "documents/_search":
            self.asked_search.set()
        reads = name in ("_search", "_mget") or (request.method, name) == ("GET", "_doc")
        if self.hanging is not None and reads:
            preference = request.query.get("preference", self.hanging)
            if self.hanging in preference or "_nodes:" not in preference:
                reply = reply._replace(delay=60.0)
        try:
            await asyncio.sleep(reply.delay)
        except asyncio.CancelledError:
            self.left_alone.set()
            raise
        headers = {"X-Elastic-Product": "Elasticsearch"} if reply.product else {}
        if reply.content_type is not None:
            headers["Content-Type"] = reply.content_type
        return web.Response(status=reply.status, body=reply.body, headers=headers)

    def _reply(self, operation: str, rest: list[str], params: dict[str, str]) -> Reply:
        kind, _, name = operation.partition("/")
        content: Any
        if name == "_settings":
            index = {"number_of_shards": str(self.shards), "max_result_window": "100000"}
            index |= {"number_of_replicas": str(self.replicas), "uuid": "made-up"}
            content = {f"{PREFIX}{kind}.all.v1": {"settings": {"index": index}}}
        elif name == "_mapping":
            # As of indices that the newest templates made.
            content = {f"{PREFIX}{kind}.all.v1": {"mappings": {"_meta": {"version": 1_000}}}}
        elif name == "_stats":
            # Without a primary, so that a stream begins nowhere and ends at once.
            content = {"indices": {}}
        elif name == "_search_shards":
            copies = [
                {"index": f"{PREFIX}documents.all.v1", "shard": 0, "node": node, "state": "STARTED"}
                for node in self.data_nodes
            ]
            content = {"shards": [copies]}
        elif operation == "ledger/_search" and kind not in self.searches:
            # Only `/metrics` asks for it, and says no more then than that something is missing.
            return Reply(404, b'{"error":{"type":"index_not_found_exception"}}')
        elif operation == "_nodes/stats":
            # It needs a privilege that the user of a service does without.
            return Reply(403, b'{"error":{"type":"security_exception"}}')
        elif params.get("preference", "").startswith("_shards:"):
            content = {}
        elif "_search" in (kind, name):
            body = self.asked[-1].body
            # At a point in time there is no index in the path, but the point has its name.
            kind = kind if name else body["pit"]["id"]
            content = canned.only_asked(self.searches[kind], body)
        elif name == "_validate":
            content = {"explanations": [{"explanation": "text:word"}]}
        elif operation == "api_keys/_doc":
            content = canned.found(rest[0], self.keys.get(rest[0]))
        elif name == "_doc":
            content = self._read(kind, unquote(rest[0]))
        elif operation == "user_items/_mget":
            content = {"docs": [self._read(kind, key) for key in self.asked[-1].body["ids"]]}
        elif "_alias" in (kind, name):
            content = {}
        elif operation == "tickers/_mget":
            content = canned.ticker_files(self.tickers, params.get("_source") != "false")
        elif name == "_pit":
            content = {"id": kind}
        elif kind == "_pit":
            content = {"succeeded": True, "num_freed": 1}
        elif name == "_refresh":
            content = {"_shards": {"total": 1, "successful": 1, "failed": 0}}
        else:
            raise AssertionError(f"the service asked something new: {operation}")
        status = 404 if isinstance(content, dict) and content.get("found") is False else 200
        return Reply(status, msgspec.json.encode(content))

    def _read(self, kind: str, key: str) -> Any:
        source, revision = self.stored.get((kind, key), (None, 0))
        return {**canned.found(key, source), "_seq_no": revision}

    def _store(self, kind: str, key: str, source: Any, params: dict[str, str]) -> Reply:
        """Return a write as Elasticsearch does it: refused where the document is another by now."""
        _, revision = self.stored.get((kind, key), (None, -1))
        if int(params.get("if_seq_no", -1)) != revision:
            return Reply(409, b'{"error":{"type":"version_conflict_engine_exception"}}')
        return self._write(kind, key, source)

    def _write(self, kind: str, key: str, source: Any) -> Reply:
        _, revision = self.stored.get((kind, key), (None, -1))
        self.stored[kind, key] = source, revision + 1
        return Reply(200, msgspec.json.encode({"_id": key, "_seq_no": revision + 1}))

    def _many(self, data: bytes) -> Reply:
        """Several searches: a line of each for its index, and one for its body.

        What there is, is found by the first of them.
        """
        lines = [msgspec.json.decode(line) for line in data.splitlines()]
        asked = zip(lines[::2], lines[1::2], strict=True)
        replies = [
            canned.only_asked(self.searches[head["index"].removeprefix(PREFIX)], body)
            if number == 0
            else canned.search_reply([], 0)
            for number, (head, body) in enumerate(asked)
        ]
        return Reply(200, msgspec.json.encode({"responses": replies}))

    def _bulk(self, data: bytes) -> Reply:
        lines = [msgspec.json.decode(line) for line in data.splitlines()]
        self.calls += lines[1::2]
        return Reply(200, b'{"errors":false,"items":[]}')


@asynccontextmanager
async def running_stub() -> AsyncIterator[StubEngine]:
    """Yield a stub that listens on a free port."""
    stub = StubEngine()
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", stub.answer)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1, handler_cancellation=True)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        stub.url = "http://{}:{}".format(*runner.addresses[0][:2])
        yield stub
    finally:
        await runner.cleanup()
