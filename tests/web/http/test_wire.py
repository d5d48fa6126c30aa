"""Bytes that no HTTP library sends: the service as a process, over a raw socket."""

import re
from pathlib import Path

import pytest

from tests.support.refusals import (
    BODY_TOO_LONG,
    HEADERS_TOO_LONG,
    INVALID_KEY,
    NO_HTTP,
    NO_UTF_8,
    URI_TOO_LONG,
)
from tests.web import canned
from tests.web.canned import KEY
from tests.web.process import Process, parsed, request, running_service

pytestmark = pytest.mark.anyio
AUTH = b"X-API-Key: " + KEY.encode()


REFUSALS = [
    (request(b"/v1/search?query=" + b"x" * 40_000), 414, URI_TOO_LONG),
    (request(b"/v1/search?query=" + b"x" * 200_000), 414, URI_TOO_LONG),
    (request(b"/" + b"x" * 200_000), 414, URI_TOO_LONG),
    (request(b"/v1/search", b"X-Other: " + b"x" * 20_000), 431, HEADERS_TOO_LONG),
    (request(b"/v1/search", b"X-Other: " + b"x" * 200_000), 431, HEADERS_TOO_LONG),
    (request(b"/v1/search", *[b"X-%d: 1" % n for n in range(9_000)]), 431, HEADERS_TOO_LONG),
    (request(b"/v1/search", b"Content-Length: 1048577"), 413, BODY_TOO_LONG),
    (request(b"/v1/search", b"Content-Length: 99999999999999999999"), 400, NO_HTTP),
    (request(b"/v1/search", b"Content-Length: -1"), 400, NO_HTTP),
    (b"garbage\r\n\r\n", 400, NO_HTTP),
    (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", 400, NO_HTTP),
    (b"GET /\x00 HTTP/1.1\r\n\r\n", 400, NO_HTTP),
    (b"GET / HTTP/9.9\r\n\r\n", 400, NO_HTTP),
    (request(b"/v1/search", method=b"BREW"), 400, NO_HTTP),
    (request(b"/v1/search", b"no header"), 400, NO_HTTP),
    (request(b"/caf\xc3\xa9"), 400, NO_HTTP),
    (request(b"/v1/search?query=caf\xe9", AUTH), 400, NO_HTTP),
    (request(b"/v1/search?query=caf\xc3\xa9", AUTH), 400, NO_HTTP),
    (request(b"/v1/search?query=caf%E9", AUTH), 400, NO_UTF_8),
    (request(b"/v1/search?query=a", b"X-API-Key: caf\xe9"), 401, INVALID_KEY),
    (b"GET /v1/search HTTP/1.1\r\nHost: [\r\nConnection: close\r\n\r\n", 401, INVALID_KEY),
    (b"GET /v1/search HTTP/1.1\r\nHost: a/b?c\r\nConnection: close\r\n\r\n", 401, INVALID_KEY),
    (b"GET /v1/search HTTP/1.0\r\n\r\n", 401, INVALID_KEY),
]


@pytest.mark.parametrize(("data", "status", "body"), REFUSALS, ids=lambda value: repr(value)[:40])
async def test_refusal_over_the_wire_is_json_with_an_id(
    service: Process, data: bytes, status: int, body: dict[str, object]
) -> None:
    reply = await service.ask(data)
    assert (reply.status, reply.json()) == (status, body)
    assert reply.headers["content-type"] == "application/json"
    assert re.fullmatch("[0-9a-f]{32}", reply.headers["x-request-id"])


async def test_search_over_the_wire(service: Process) -> None:
    reply = await service.ask(request(b"/v1/search?query=sales", AUTH))
    assert (reply.status, reply.json()) == (200, canned.SEARCH_BODY)


async def test_body_of_a_get_is_ignored(service: Process) -> None:
    data = request(b"/v1/search?query=a", AUTH, b"Content-Length: 2") + b"{}"
    assert (await service.ask(data)).status == 200


async def test_pipelined_head_has_headers_only(service: Process) -> None:
    head = request(b"/v1/search?query=sales", AUTH, method=b"HEAD", close=False)
    get = request(b"/v1/search?query=sales", AUTH)
    first, _, second = (await service.send(head + get)).partition(b"\r\n\r\n")
    assert first.startswith(b"HTTP/1.1 200 OK\r\n")
    whole = parsed(second)
    assert b"content-length: %d" % len(whole.body) in first
    assert (whole.status, whole.json()) == (200, canned.SEARCH_BODY)


async def test_head_of_a_refusal_has_headers_only(service: Process) -> None:
    answer = await service.send(request(b"/v1/search?query=a", method=b"HEAD"))
    assert answer.startswith(b"HTTP/1.1 401 Unauthorized\r\n")
    assert answer.endswith(b"\r\n\r\n")


async def test_service_does_not_say_what_serves_it(service: Process) -> None:
    assert "server" not in (await service.ask(request(b"/health/live"))).headers


async def test_asking_for_a_websocket_is_an_ordinary_request(service: Process) -> None:
    upgrade = (b"Upgrade: websocket", b"Connection: Upgrade, close", b"Sec-WebSocket-Version: 13")
    data = request(b"/v1/search?query=a", *upgrade, b"Sec-WebSocket-Key: eA==", close=False)
    reply = await service.ask(data)
    assert (reply.status, reply.json()) == (401, INVALID_KEY)


async def test_log_has_a_line_for_a_request_and_no_key_and_no_query(service: Process) -> None:
    before = len(service.log.read_text())
    await service.ask(request(b"/v1/search?query=hush&api_key=" + KEY.encode()))
    await service.ask(request(b"/v1/lookup?sic=1", AUTH))
    lines = [line.split(" ", 2)[2] for line in service.log.read_text()[before:].strip().split("\n")]
    pattern = r"edgar_search\.requests GET /v1/(search|lookup) 200 [0-9.]+ ms [0-9a-f]{32}"
    assert [re.sub(pattern, r"\1", line) for line in lines] == ["search", "lookup"]
    assert "hush" not in service.log.read_text()
    assert KEY[8:] not in service.log.read_text()


async def test_every_worker_logs_its_requests(tmp_path: Path) -> None:
    async with running_service(tmp_path, workers=2) as service:
        reply = await service.ask(request(b"/v1/search?query=hush", AUTH))
        assert (reply.status, reply.json()) == (200, canned.SEARCH_BODY)
        log = service.log.read_text()
    assert " edgar_search.requests GET /v1/search 200 " in log
    assert "hush" not in log
