"""Answers to callers if Elasticsearch is away, overloaded, broken, or not set up."""

import logging
import socket
from typing import Any

import httpx
import msgspec
import pytest

from tests.web import canned
from tests.web.canned import KEY
from tests.web.conftest import serving
from tests.web.stub import Reply, StubEngine

pytestmark = pytest.mark.anyio
AUTH = {"X-API-Key": KEY}
SEARCH, LOOKUP, READY = "/v1/search?query=hush", "/v1/lookup?ticker=AAPL", "/health/ready"

AWAY = "the search engine is not reachable"
LATE = "the search engine did not answer within 0.2 s"
BUSY = "the search engine is overloaded or not ready; try again later"
NO_REPLY = "the answer is not the search engine's, or was cut off"
NOT_SET_UP = "the indices do not exist yet; run `edgar-ingest templates put`"
TOO_SLOW = "the search took too long; narrow it or try again later"
NO_CREDENTIALS = "the search engine refuses the service's credentials"
INTERNAL = "internal error"

# In every reply of the engine; nothing that a caller or a log sees may have it.
SECRET = "text-of-elasticsearch"


def error(status: int, kind: str) -> Reply:
    """Return an error as Elasticsearch puts it, with the caller's query in its reason."""
    cause = {"type": kind, "reason": f"{SECRET} [hush]"}
    body = {"error": {**cause, "root_cause": [cause]}, "status": status}
    return Reply(status, msgspec.json.encode(body))


def partial(kind: str, **changes: Any) -> Reply:
    """Return a search reply with hits that is not whole."""
    return Reply(200, msgspec.json.encode({**canned.SEARCHES[kind], **changes}))


FAILED_SHARD = {
    "total": 2,
    "successful": 1,
    "skipped": 0,
    "failed": 1,
    "failures": [{"reason": {"type": "x", "reason": SECRET}}],
}
MISSING_INDEX = error(404, "index_not_found_exception")
HTML = f"<html>{SECRET}</html>".encode()
NO_UTF_8 = msgspec.json.encode(canned.SEARCHES["documents"]).replace(b"a10k", b"\xff")
ITEM_ERROR = {"type": "index_not_found_exception", "reason": SECRET}
NO_SHARD = {"type": "no_shard_available_action_exception", "reason": SECRET}


def multi_get(cause: dict[str, str]) -> Reply:
    """Return the reply to a multi-get, of which Elasticsearch could read nothing: a 200."""
    documents = [{"_id": name, "error": cause} for name in ("company_tickers", "ticker")]
    return Reply(200, msgspec.json.encode({"docs": documents}))


UNAVAILABLE = [
    # (target, operation that fails, its reply, what the caller is told)
    (SEARCH, "documents/_search", error(429, "circuit_breaking_exception"), BUSY),
    (SEARCH, "documents/_search", error(429, "es_rejected_execution_exception"), BUSY),
    (SEARCH, "documents/_search", error(503, "search_phase_execution_exception"), BUSY),
    (SEARCH, "documents/_search", error(503, "no_shard_available_action_exception"), BUSY),
    (SEARCH, "documents/_search", error(504, "timeout_exception"), BUSY),
    (SEARCH, "documents/_search", error(408, "timeout_exception"), BUSY),
    (SEARCH, "documents/_search", MISSING_INDEX, NOT_SET_UP),
    (SEARCH, "documents/_settings", MISSING_INDEX, NOT_SET_UP),
    (SEARCH, "passages/_search", error(429, "circuit_breaking_exception"), BUSY),
    (SEARCH, "documents/_search", partial("documents", timed_out=True), TOO_SLOW),
    (SEARCH, "passages/_search", partial("passages", timed_out=True), TOO_SLOW),
    (SEARCH, "documents/_search", partial("documents", _shards=FAILED_SHARD), TOO_SLOW),
    (SEARCH, "documents/_search", error(401, "security_exception"), NO_CREDENTIALS),
    (SEARCH, "documents/_search", error(403, "security_exception"), NO_CREDENTIALS),
    (LOOKUP, "filings/_search", error(429, "circuit_breaking_exception"), BUSY),
    (LOOKUP, "filings/_search", partial("filings", timed_out=True), TOO_SLOW),
    (LOOKUP, "filings/_search", partial("filings", _shards=FAILED_SHARD), TOO_SLOW),
    (LOOKUP, "filings/_search", MISSING_INDEX, NOT_SET_UP),
    (LOOKUP, "api_keys/_doc", MISSING_INDEX, NOT_SET_UP),
    (LOOKUP, "api_keys/_doc", error(503, "no_shard_available_action_exception"), BUSY),
    (LOOKUP, "tickers/_mget", error(503, "cluster_block_exception"), BUSY),
    (LOOKUP, "tickers/_mget", multi_get(ITEM_ERROR), NOT_SET_UP),
    (LOOKUP, "tickers/_mget", multi_get(NO_SHARD), BUSY),
    (READY, "documents/_search", MISSING_INDEX, NOT_SET_UP),
    (READY, "documents/_search", error(503, "cluster_block_exception"), BUSY),
    # A proxy in between, or half a reply
    (SEARCH, "*", Reply(502, HTML, "text/html"), BUSY),
    (SEARCH, "*", Reply(502, SECRET.encode(), "text/plain"), BUSY),
    (SEARCH, "*", Reply(502, b"{}", "application/json", product=False), BUSY),
    (SEARCH, "*", Reply(200, b'{"ok":1}', product=False), NO_REPLY),
    (SEARCH, "*", Reply(200, HTML, "text/html", product=False), NO_REPLY),
    (SEARCH, "documents/_search", Reply(200, HTML, "text/html"), NO_REPLY),
    (SEARCH, "documents/_search", Reply(200, SECRET.encode(), "text/plain"), NO_REPLY),
    (SEARCH, "documents/_search", Reply(200, b""), NO_REPLY),
    (SEARCH, "documents/_search", Reply(200, b'{"timed_out": false, "_sha'), NO_REPLY),
    (SEARCH, "documents/_search", Reply(200, NO_UTF_8), NO_REPLY),
    (SEARCH, "documents/_search", Reply(200, b"{}", "image/png"), AWAY),
    (SEARCH, "documents/_search", Reply(200, b'{"x":' + b"[" * 100_000), NO_REPLY),
    (SEARCH, "documents/_settings", Reply(200, b"not JSON"), NO_REPLY),
    (LOOKUP, "api_keys/_doc", Reply(200, HTML), NO_REPLY),
    (LOOKUP, "tickers/_mget", Reply(200, HTML), NO_REPLY),
]


@pytest.mark.parametrize(("target", "operation", "fault", "message"), UNAVAILABLE)
async def test_engine_that_cannot_answer_is_a_503(
    client: httpx.AsyncClient,
    stub: StubEngine,
    target: str,
    operation: str,
    fault: Reply,
    message: str,
) -> None:
    stub.faults[operation] = fault
    reply = await client.get(target, headers=AUTH)
    assert (reply.status_code, reply.json()) == (503, {"error": message})
    assert reply.headers["retry-after"] == "5"
    assert reply.headers["content-type"] == "application/json"
    assert len(reply.headers["x-request-id"]) == 32


INTERNAL_FAULTS = [
    (SEARCH, "documents/_search", error(400, "search_phase_execution_exception")),
    (SEARCH, "documents/_search", error(500, "null_pointer_exception")),
    (SEARCH, "documents/_search", Reply(405, b'{"error":"text-of-elasticsearch","status":405}')),
    (SEARCH, "documents/_search", Reply(200, b'{"took":1}')),
    (SEARCH, "documents/_search", Reply(200, b"[]")),
    (LOOKUP, "filings/_search", error(400, "parsing_exception")),
    (LOOKUP, "filings/_search", partial("filings", hits={"hits": [{"_source": {}}]})),
    (SEARCH, "documents/_settings", Reply(200, b"[]")),
]


@pytest.mark.parametrize(("target", "operation", "fault"), INTERNAL_FAULTS)
async def test_engine_that_does_not_understand_us_is_a_500_that_only_the_log_explains(
    client: httpx.AsyncClient,
    stub: StubEngine,
    caplog: pytest.LogCaptureFixture,
    target: str,
    operation: str,
    fault: Reply,
) -> None:
    caplog.set_level(logging.INFO)
    stub.faults[operation] = fault
    reply = await client.get(target, headers=AUTH)
    assert (reply.status_code, reply.json()) == (500, {"error": INTERNAL})
    assert "retry-after" not in reply.headers
    assert "EngineFault: the search engine" in caplog.text
    assert SECRET not in caplog.text
    assert "hush" not in caplog.text


async def test_type_of_the_engines_error_is_in_the_log(
    client: httpx.AsyncClient, stub: StubEngine, caplog: pytest.LogCaptureFixture
) -> None:
    stub.faults["documents/_search"] = error(400, "parsing_exception")
    await client.get(SEARCH, headers=AUTH)
    assert "the search engine refused a request (400 parsing_exception)" in caplog.text


@pytest.mark.parametrize("target", [SEARCH, LOOKUP, READY])
async def test_engine_that_refuses_connections_is_a_503(target: str) -> None:
    with socket.socket() as taken:  # bound, and not listening
        taken.bind(("127.0.0.1", 0))
        async with serving(f"http://127.0.0.1:{taken.getsockname()[1]}") as client:
            reply = await client.get(target, headers=AUTH)
    assert (reply.status_code, reply.json()) == (503, {"error": AWAY})
    assert reply.headers["retry-after"] == "5"


@pytest.mark.parametrize(
    ("target", "operation"),
    [
        (SEARCH, "documents/_search"),
        (SEARCH, "passages/_search"),
        (LOOKUP, "filings/_search"),
        (LOOKUP, "api_keys/_doc"),
        (LOOKUP, "tickers/_mget"),
    ],
)
async def test_engine_that_is_too_slow_is_a_503(
    stub: StubEngine, target: str, operation: str
) -> None:
    stub.faults[operation] = Reply(200, b"{}", delay=5.0)
    async with serving(stub.url, es_timeout=0.2) as client:
        reply = await client.get(target, headers=AUTH)
    assert (reply.status_code, reply.json()) == (503, {"error": LATE})
    assert reply.headers["retry-after"] == "5"


async def test_engine_that_is_back_is_used_at_once(
    client: httpx.AsyncClient, stub: StubEngine
) -> None:
    stub.faults["*"] = error(503, "cluster_block_exception")
    assert (await client.get(SEARCH, headers=AUTH)).status_code == 503
    del stub.faults["*"]
    reply = await client.get(SEARCH, headers=AUTH)
    assert (reply.status_code, reply.json()) == (200, canned.SEARCH_BODY)


async def test_service_lives_while_the_engine_is_away(
    client: httpx.AsyncClient, stub: StubEngine
) -> None:
    stub.faults["*"] = error(503, "cluster_block_exception")
    reply = await client.get("/health/live")
    assert (reply.status_code, reply.json()) == (200, {"status": "ok"})
    assert stub.operations() == []


async def test_service_is_ready_where_documents_can_be_searched(client: httpx.AsyncClient) -> None:
    reply = await client.get("/health/ready")
    assert (reply.status_code, reply.json()) == (200, {"status": "ok"})


async def test_wrong_key_needs_the_engine_to_be_known_as_wrong(
    client: httpx.AsyncClient, stub: StubEngine
) -> None:
    stub.faults["api_keys/_doc"] = error(503, "cluster_block_exception")
    reply = await client.get(SEARCH, headers={"X-API-Key": canned.UNKNOWN_KEY})
    assert (reply.status_code, reply.json()) == (503, {"error": BUSY})
