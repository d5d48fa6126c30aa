"""A request's id and its log line, and what never gets into a log."""

import logging
import re

import httpx
import pytest

from tests.web.canned import KEY, REVOKED_KEY, UNKNOWN_KEY
from tests.web.conftest import serving
from tests.web.stub import Reply, StubEngine

pytestmark = pytest.mark.anyio
AUTH = {"X-API-Key": KEY}
LINE = r"GET /v1/search 200 [0-9]+\.[0-9] ms ([0-9a-f]{32})"


@pytest.fixture(autouse=True)
def everything_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    """As `edgar_search.web.server` has it, and more."""
    caplog.set_level(logging.WARNING, "elastic_transport")
    caplog.set_level(logging.DEBUG)


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.getMessage() for r in caplog.records if r.name == "edgar_search.requests"]


@pytest.mark.parametrize("given", ["mine", "a" * 128, "A-1_b.2", "0"])
async def test_id_of_the_caller_is_kept(client: httpx.AsyncClient, given: str) -> None:
    reply = await client.get("/health/live", headers={"X-Request-Id": given})
    assert reply.headers.get_list("x-request-id") == [given]


@pytest.mark.parametrize("given", ["", "a" * 129, "a b", "a/b", "a\tb", "é", "a;b", '"a"'])
async def test_id_that_could_not_be_logged_is_replaced(
    client: httpx.AsyncClient, given: str
) -> None:
    headers = {b"X-Request-Id": given.encode("latin-1")}
    reply = await client.get("/health/live", headers=headers)
    [made] = reply.headers.get_list("x-request-id")
    assert re.fullmatch("[0-9a-f]{32}", made)


async def test_ids_that_are_made_differ(client: httpx.AsyncClient) -> None:
    replies = [await client.get("/health/live") for _ in range(3)]
    assert len({reply.headers["x-request-id"] for reply in replies}) == 3


async def test_request_has_one_line_with_its_id(
    client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    reply = await client.get("/v1/search?query=hush", headers=AUTH)
    [line] = lines(caplog)
    match = re.fullmatch(LINE, line)
    assert match is not None
    assert match[1] == reply.headers["x-request-id"]


@pytest.mark.parametrize(
    ("target", "logged"),
    [
        ("/nowhere", "GET /nowhere 404 "),
        ("/a%0Ab%1B[0m", "GET /a%0Ab%1B%5B0m 404 "),
        ("/%C3%A9", "GET /%C3%A9 404 "),
        ("/%FF", "GET /%EF%BF%BD 404 "),
        (f"/v1/search%3Fapi_key={KEY}", "GET /v1/search%3Fapi_key=sk_live_... 404 "),
        ("/" + "x" * 300, "GET /" + "x" * 199 + " 404 "),
        ("/" + "x" * 180 + KEY, "GET /" + "x" * 180 + "sk_live_... 404 "),
    ],
)
async def test_path_is_logged_on_one_line_and_without_a_key(
    client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture, target: str, logged: str
) -> None:
    await client.get(target)
    [line] = lines(caplog)
    assert line.startswith(logged)


async def test_refusals_have_a_line_too(
    client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    await client.get("/v1/search?query=a")
    await client.post("/v1/search")
    await client.get("/v1/search?query=" + "x" * 40_000)
    assert [line.split()[2] for line in lines(caplog)] == ["401", "405", "414"]


async def test_unexpected_fault_has_a_line_too(
    stub: StubEngine, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edgar_search.api.search.search_reply", None)
    async with serving(stub.url) as client:
        await client.get("/v1/search?query=a", headers=AUTH)
    [line] = lines(caplog)
    assert line.startswith("GET /v1/search 500 ")


async def test_traceback_of_an_unexpected_fault_has_the_id(
    stub: StubEngine, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edgar_search.api.search.search_reply", None)
    async with serving(stub.url) as client:
        reply = await client.get("/v1/search?query=a", headers={**AUTH, "X-Request-Id": "mine"})
    assert reply.headers["x-request-id"] == "mine"
    [record] = [record for record in caplog.records if record.exc_info]
    assert record.getMessage() == "a request failed: mine"


async def test_traceback_of_a_known_fault_has_the_id(
    stub: StubEngine, caplog: pytest.LogCaptureFixture
) -> None:
    stub.faults["documents/_search"] = Reply(400, b'{"error":{"type":"parsing_exception"}}')
    async with serving(stub.url) as client:
        await client.get("/v1/search?query=a", headers={**AUTH, "X-Request-Id": "mine"})
    [record] = [record for record in caplog.records if record.exc_info]
    assert record.getMessage() == "a request failed: mine"


@pytest.mark.parametrize(
    ("target", "headers"),
    [
        (f"/v1/search?query=hush&api_key={KEY}", {}),
        ("/v1/search?query=hush", AUTH),
        (f"/v1/search?query=hush&api_key={REVOKED_KEY}", {}),
        (f"/v1/search?query=hush&api_key={UNKNOWN_KEY}", {}),
        (f"/v1/search?query=hush&api_key={KEY}&api_key={UNKNOWN_KEY}", {}),
        (f"/v1/search?query=hush&api%5Fkey={KEY}", {}),
        (f"/v1/search?query=hush&apikey={KEY}", AUTH),
        (f"/v1/search?query=hush&{KEY}=1", AUTH),
        (f"/v1/search?query=hush&cik={KEY}", AUTH),
        (f"/v1/search?query=hush&sic={KEY}", AUTH),
        (f"/{KEY}?query=hush", {}),
        ("/v1/search?query=hush", {"Authorization": f"Bearer {KEY}"}),
        (f"/v1/search?query=hush&api_key={KEY}&limit=x", {}),
        (f"/v1/lookup?ticker=hush&api_key={KEY}", {}),
    ],
)
@pytest.mark.parametrize("fault", [None, Reply(400), Reply(429), Reply(200, b"{}"), Reply(502)])
async def test_keys_and_queries_never_reach_a_log_nor_an_error_text(
    client: httpx.AsyncClient,
    stub: StubEngine,
    caplog: pytest.LogCaptureFixture,
    target: str,
    headers: dict[str, str],
    fault: Reply | None,
) -> None:
    if fault is not None:
        stub.faults["documents/_search"] = stub.faults["filings/_search"] = fault
    reply = await client.get(target, headers=headers)
    secrets = [KEY[8:], REVOKED_KEY[8:], UNKNOWN_KEY[8:]]
    assert [secret for secret in [*secrets, "hush"] if secret in caplog.text] == []
    assert [secret for secret in secrets if secret in reply.text] == []
    assert len(lines(caplog)) == 1
