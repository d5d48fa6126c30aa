"""Spans of requests: what they say, what they never say, and where they go."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from aiohttp import web
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.support.spans import KeptSpans, trouble
from tests.web.canned import KEY
from tests.web.conftest import serving
from tests.web.process import request, running_service
from tests.web.stub import Reply, StubEngine

pytestmark = pytest.mark.anyio
AUTH = {"X-API-Key": KEY}
SEARCH = "/v1/search?query=hush&account=bystander"
TRACE, PARENT = "4bf92f3577b34da6a3ce929d0e0e4736", "00f067aa0ba902b7"


@pytest.fixture
def kept(monkeypatch: pytest.MonkeyPatch) -> KeptSpans:
    return KeptSpans(monkeypatch)


async def test_request_has_a_span_with_those_of_its_requests_to_elasticsearch_below(
    kept: KeptSpans, client: httpx.AsyncClient
) -> None:
    headers = {**AUTH, "X-Request-Id": "mine"}
    assert (await client.get("/v1/search?query=hush", headers=headers)).status_code == 200
    (made,) = kept.named("GET /v1/search")
    assert dict(made.attributes or {}) == {
        "http.request.method": "GET",
        "http.route": "/v1/search",
        "http.response.status_code": 200,
        "edgar_search.request_id": "mine",
    }
    assert {"_search documents", "_search passages"} <= {*kept.below(made)}
    (search,) = kept.named("_search documents")
    assert dict(search.attributes or {}) == {
        "db.system.name": "elasticsearch",
        "db.operation.name": "_search",
        "db.collection.name": "documents",
    }
    assert (trouble(made), trouble(search)) == (None, None)


async def test_spans_name_no_query_key_or_account(kept: KeptSpans, stub: StubEngine) -> None:
    stub.faults["passages/_search"] = Reply(500, b'{"error":{"type":"hush","reason":"hush"}}')
    async with serving(stub.url) as client:
        for path in ("/v1/search?query=hush", "/v1/search?query=hush(", f"/hush/{KEY}"):
            await client.get(path, headers=AUTH)
    assert len(kept.named("GET other")) == 1
    said = "".join(each.to_json() for each in kept.all)
    assert not [word for word in ("hush", KEY, "account-of") if word in said]


@pytest.mark.parametrize(
    ("path", "fault", "named"),
    [
        ("/v1/search", None, None),  # 400: the client's own
        ("/v1/search?query=hush", Reply(503, b"{}"), "503"),
    ],
)
async def test_only_what_the_client_has_not_caused_is_an_error(
    kept: KeptSpans, stub: StubEngine, path: str, fault: Reply | None, named: str | None
) -> None:
    if fault is not None:
        stub.faults["documents/_search"] = fault
    async with serving(stub.url) as client:
        await client.get(path, headers=AUTH)
    (made,) = kept.named("GET /v1/search")
    assert trouble(made) == named
    asked = [trouble(each) for each in kept.named("_search documents")]
    assert asked == ([] if fault is None else ["EngineUnavailable"])


async def test_span_is_below_that_of_whoever_asks(
    kept: KeptSpans, client: httpx.AsyncClient
) -> None:
    await client.get("/health/live", headers={"traceparent": f"00-{TRACE}-{PARENT}-01"})
    await client.get("/health/live", headers={"traceparent": "nonsense"})
    first, second = kept.named("GET /health/live")
    assert first.parent is not None and second.parent is None
    assert f"{first.parent.trace_id:032x}/{first.parent.span_id:016x}" == f"{TRACE}/{PARENT}"


@asynccontextmanager
async def collector(got: list[str]) -> AsyncIterator[str]:
    """Yield a server that takes spans by OTLP; its address."""

    async def take(asked: web.Request) -> web.Response:
        told = ExportTraceServiceRequest.FromString(await asked.read())
        for resource in told.resource_spans:
            names = {attribute.value.string_value for attribute in resource.resource.attributes}
            assert "searching" in names
            got.extend(span.name for scope in resource.scope_spans for span in scope.spans)
        return web.Response(content_type="application/x-protobuf")

    app = web.Application()
    app.router.add_post("/v1/traces", take)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def test_workers_send_their_spans_where_the_environment_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    got: list[str] = []
    async with collector(got) as address:
        monkeypatch.setenv("OTEL_TRACES_EXPORTER", "otlp")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", address)
        monkeypatch.setenv("OTEL_SERVICE_NAME", "searching")
        asked = request(b"/v1/search?query=hush", b"X-API-Key: " + KEY.encode())
        async with running_service(tmp_path, 2) as process:
            replies = await asyncio.gather(*(process.ask(asked) for _ in range(2)))
            assert [reply.status for reply in replies] == [200, 200]
    assert got.count("GET /v1/search") == 2
