"""The door of `/mcp`: keys, rates, shares, and what it does not take."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest

from edgar_search.access.accounts import Plan
from edgar_search.access.api_keys import new_key
from edgar_search.access.shares import Share, Shares
from edgar_search.web.mcp.endpoint import MAX_MESSAGE_BYTES
from tests.web.canned import KEY
from tests.web.conftest import serving
from tests.web.stub import StubEngine

pytestmark = pytest.mark.anyio
HEADERS = {
    "Authorization": f"Bearer {KEY}",
    "Accept": "application/json, text/event-stream",
    "MCP-Protocol-Version": "2025-06-18",
}


async def ask(client: httpx.AsyncClient, method: str, **params: Any) -> httpx.Response:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    return await client.post("/mcp", json=message, headers=HEADERS)


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The accounts that were given a share, in order."""
    given: list[str] = []
    share = Shares.share

    @asynccontextmanager
    async def noted(
        self: Shares, account: str, plan: Plan, **options: bool
    ) -> AsyncIterator[Share]:
        given.append(account)
        async with share(self, account, plan, **options) as held:
            yield held

    monkeypatch.setattr(Shares, "share", noted)
    return given


@pytest.mark.parametrize("method", ["tools/list", "resources/templates/list", "nonsense"])
async def test_message_that_is_no_call_takes_a_share_and_costs_nothing(
    stub: StubEngine, shared: list[str], method: str
) -> None:
    async with serving(stub.url, plans="one=1/-", default_plan="one") as client:
        replies = [await ask(client, method) for _ in range(3)]
        assert {reply.status_code for reply in replies} <= {200, 404}
        assert len(shared) == 3
        assert (await client.get("/v1/lookup?sic=1", headers={"X-API-Key": KEY})).status_code == 200


async def test_call_of_a_tool_takes_the_share_of_its_data_call_alone(
    stub: StubEngine, shared: list[str]
) -> None:
    async with serving(stub.url, plans="one=9/-/1", default_plan="one") as client:
        # A share around it would leave none for what it calls.
        reply = await ask(
            client, "tools/call", name="list_filings", arguments={"companies": ["320193"]}
        )
    assert reply.status_code == 200 and not reply.json()["result"]["isError"]
    assert len(shared) == 1


@pytest.mark.usefixtures("rate_clock")
async def test_lists_are_within_the_rate_of_the_plan(stub: StubEngine) -> None:
    async with serving(stub.url, plans="two=-/2", default_plan="two") as client:
        statuses = [(await ask(client, "tools/list")).status_code for _ in range(3)]
    assert statuses == [200, 200, 429]


@pytest.mark.parametrize("headers", [{}, {"Last-Event-ID": "1"}])
@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
async def test_no_stream_is_opened(
    client: httpx.AsyncClient, method: str, headers: dict[str, str]
) -> None:
    async with asyncio.timeout(5):
        reply = await client.request(method, "/mcp", headers=HEADERS | headers)
    assert (reply.status_code, reply.headers["allow"]) == (405, "POST")


async def test_message_that_is_too_long_is_not_read(client: httpx.AsyncClient) -> None:
    body = b"[" * (MAX_MESSAGE_BYTES + 1)
    reply = await client.post("/mcp", content=body, headers=HEADERS)
    assert reply.status_code == 413


async def test_suspended_account_is_refused(client: httpx.AsyncClient, stub: StubEngine) -> None:
    suspended = {
        **{"id": "account-of-0123", "plan": "free", "created_at": "2024-01-01T00:00:00Z"},
        **{"plan_since": "2024-01-01T00:00:00Z", "suspended_at": "2024-01-02T00:00:00Z"},
    }
    stub.stored["accounts", "account-of-0123"] = (suspended, 1)
    reply = await ask(client, "tools/list")
    assert reply.status_code == 403 and "suspended" in reply.text


async def test_refused_resource_is_no_fault(
    client: httpx.AsyncClient, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    uri = f"edgar-search://document/{new_key()}"
    reply = await ask(client, "resources/read", uri=uri)
    assert "error" in reply.json()
    assert not [record for record in caplog.records if record.levelno >= logging.ERROR]
