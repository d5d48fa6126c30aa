"""MCP as an agent uses it: the SDK's own client, older protocols, keys, plans, quotes."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import httpx2
import msgspec
import pytest
from asgi_lifespan import LifespanManager
from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent

from edgar_search.access.api_keys import ApiKeys
from edgar_search.app import create_app
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from edgar_search.web.mcp.answers import NOTICE
from tests.support.alerting import filing
from tests.support.loading import Loads

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
NewNumber = Callable[[], str]
URL = "http://edgar.example/mcp"
# A token of English has some four characters.
MOST_CHARS = 12_000


def text_of(result: CallToolResult) -> str:
    """The one text of a tool's answer."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


class Agent:
    """A client of the tools with a key."""

    def __init__(self, client: Client, http: httpx2.AsyncClient) -> None:
        self.client = client
        self.http = http

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The structured answer of a tool, which is to succeed, as its text says it too."""
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        text = text_of(result)
        assert json.loads(text) == result.structured_content
        assert len(text) < MOST_CHARS
        return dict(result.structured_content or {})

    async def refused(self, tool: str, **arguments: Any) -> str:
        """The text of an error of a tool."""
        result = await self.client.call_tool(tool, arguments)
        assert result.is_error
        return text_of(result)


@asynccontextmanager
async def agent(engine: Engine, settings: Settings, **plan: str) -> AsyncIterator[Agent]:
    own = msgspec.structs.replace(settings, **{"default_plan": "unlimited", **plan})
    key, _ = await ApiKeys(engine).create("test", "agent" + plan.get("default_plan", ""))
    async with LifespanManager(create_app(own)) as manager:
        transport = httpx2.ASGITransport(manager.app)
        headers = {"Authorization": f"Bearer {key}"}
        async with (
            httpx2.AsyncClient(transport=transport, headers=headers) as http,
            Client(streamable_http_client(URL, http_client=http)) as client,
        ):
            yield Agent(client, http)


async def test_agent_finds_quotes_and_checks_the_auditor_of_three_companies(
    engine: Engine, made_settings: Settings, loads: Loads, new_number: NewNumber
) -> None:
    auditors = {
        "0009990621": "Grant Amber LLP",
        "0009990622": "Opal & Co",
        "0009990623": "Beryl PC",
    }
    numbers = {}
    for cik, auditor in auditors.items():
        numbers[cik] = new_number()
        text = f"Item 14. The consolidated statements were audited by {auditor} of Oslo. " * 3
        await loads(filing(numbers[cik], text + "Zircon. " * 900, cik=cik, form_type="10-K"))
    async with agent(engine, made_settings) as one:
        for cik, auditor in auditors.items():
            found = await one.call(
                "search_filings", query='"were audited by"', companies=[cik], forms=["10-K"]
            )
            assert (found["total"], found["notice"], found["next_cursor"]) == (1, NOTICE, None)
            (hit,) = found["documents"]
            assert hit["accession_number"] == numbers[cik] and "<" not in hit["snippet"]
            document_id = hit["document_id"]
            read = await one.call(
                "read_document", document_id=document_id, start=hit["start"], length=300
            )
            assert auditor in read["text"] and read["next_start"] == hit["start"] + 300
            places = await one.call(
                "find_in_document", document_id=document_id, query=f'"{auditor}"', limit=2
            )
            assert (places["total"], places["next_offset"]) == (3, 2)
            sentence = f"The consolidated statements were audited by {auditor} of Oslo."
            checked = await one.call("check_quote", quote=sentence, document_id=document_id)
            assert checked["verdict"] == "exact"
            assert checked["text_sha256"] == read["text_sha256"]
        false = await one.call(
            "check_quote",
            quote="The consolidated statements were audited by Jade LLP of Oslo.",
            companies=["0009990621"],
        )
        assert false["verdict"] == "nearest" and "Grant Amber LLP" in false["text"]
        listed = await one.call("list_filings", companies=["9990622"])
        (only,) = listed["filings"]
        assert (only["accession_number"], only["document_count"]) == (numbers["0009990622"], 1)
        whole = await one.call("get_filing", accession_number=numbers["0009990622"])
        assert (whole["accession_number"], whole["next_document"]) == (numbers["0009990622"], None)
        assert [each["document_id"] for each in whole["documents"]] == [
            only["documents"][0]["document_id"]
        ]
        company = await one.call("find_company", name_or_ticker="alert corp")
        assert {each["cik"] for each in company["companies"]} >= {*auditors}
        resource = await one.client.read_resource(f"edgar-search://document/{document_id}")
        (content,) = resource.contents
        assert "Item 14." in content.model_dump()["text"]


async def test_answers_are_walked_and_errors_say_what_to_do_next(
    engine: Engine, made_settings: Settings, loads: Loads, new_number: NewNumber
) -> None:
    for _ in range(3):
        await loads(filing(new_number(), "malachite"))
    async with agent(engine, made_settings) as one:
        seen = []
        page = await one.call("search_filings", query="malachite", limit=1)
        while True:
            seen += [each["document_id"] for each in page["documents"]]
            if page["next_cursor"] is None:
                break
            page = await one.call("search_filings", cursor=page["next_cursor"])
        assert len(seen) == len({*seen}) == page["total"] == 3
        unknown = await one.refused("read_document", document_id="0009990699-26-000001-1")
        assert "search_filings" in unknown
        assert "`query`" in await one.refused("search_filings")
        assert "12 to 2,000 characters" in await one.refused("check_quote", quote="short")
        assert "tickers and CIKs" in await one.refused("list_filings", companies=["AB", "12"])
        tools = (await one.client.list_tools()).tools
        assert all(each.annotations and each.annotations.read_only_hint for each in tools)
        assert all(each.output_schema for each in tools) and len(tools) == 7


async def test_documents_of_a_filing_are_walked_in_answers_of_bounded_length(
    engine: Engine, made_settings: Settings, loads: Loads, new_number: NewNumber
) -> None:
    number = new_number()
    await loads(filing(number, *["gneiss"] * 120))
    async with agent(engine, made_settings) as one:
        seen: list[str] = []
        first: int | None = 0
        while first is not None:
            page = await one.call("get_filing", accession_number=number, first_document=first)
            seen += [each["document_id"] for each in page["documents"]]
            first = page["next_document"]
        assert seen == [f"{number}-{place}" for place in range(1, 121)]
        assert page["document_count"] == 120


async def test_tool_is_a_call_of_its_endpoint(engine: Engine, made_settings: Settings) -> None:
    async with agent(engine, made_settings, plans="two=2/-", default_plan="two") as one:
        for _ in range(2):
            await one.call("search_filings", query="anything")
        refused = await one.refused("search_filings", query="anything")
        assert "month" in refused and "Wait" in refused


@pytest.mark.parametrize("method", ["tools/list", "initialize"])
async def test_older_clients_are_answered_and_none_without_a_key(
    engine: Engine, made_settings: Settings, method: str
) -> None:
    parameters: dict[str, Any] = {}
    if method == "initialize":
        parameters = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "old", "version": "1"},
        }
    sent = {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}
    accept = {"Accept": "application/json, text/event-stream"}
    async with agent(engine, made_settings) as one:
        reply = await one.http.post(URL, json=sent, headers=accept)
        assert reply.status_code == 200 and "result" in reply.json()
        for value in ("", "Bearer sk_live_wrong", "Basic x"):
            refused = await one.http.post(URL, json=sent, headers=accept | {"Authorization": value})
            assert (refused.status_code, refused.headers["www-authenticate"]) == (401, "Bearer")
            assert "API key" in refused.json()["error"]
