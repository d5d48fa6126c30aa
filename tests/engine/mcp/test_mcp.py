"""MCP as an agent uses it: the SDK's own client, older protocols, keys, plans, quotes."""

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import date
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
from tests.engine.lookups.test_holdings import HERON, MOSS, OTHER, REPORTS
from tests.support.alerting import filing
from tests.support.loading import Loads
from tests.support.made_up_xbrl import (
    ABOUT,
    BALANCE_SHEET,
    MadeUpFact,
    MadeUpLine,
    MadeUpRole,
    documents,
    instance,
    report,
    report_facts,
)
from tests.support.ownership_forms import FORM_4, FORMS
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
NewNumber = Callable[[], str]
URL = "http://edgar.example/mcp"
# A token of English has some four characters.
MOST_CHARS = 12_000


def text_of(result: CallToolResult) -> str:
    """Return the one text of a tool's answer."""
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


class Agent:
    """A client of the tools with a key."""

    def __init__(self, client: Client, http: httpx2.AsyncClient) -> None:
        self.client = client
        self.http = http

    async def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Return the structured answer of a tool, which is to succeed, as its text says it too."""
        result = await self.client.call_tool(tool, arguments)
        assert not result.is_error, result.content
        text = text_of(result)
        assert json.loads(text) == result.structured_content
        assert len(text) < MOST_CHARS
        return dict(result.structured_content or {})

    async def refused(self, tool: str, **arguments: Any) -> str:
        """Return the text of an error of a tool."""
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
        number = new_number()
        facts = report_facts(2023)
        await loads(report(number, "0009990687", facts, date(2024, 2, 1)))
        asked = {"figures": ["revenue>=50m", "net_income>0"], "companies": ["0009990687"]}
        (hit,) = (await one.call("search_filings", **asked))["documents"]
        assert hit["accession_number"] == number
        unknown = await one.refused("read_document", document_id="0009990699-26-000001-1")
        assert "search_filings" in unknown
        assert "`query`" in await one.refused("search_filings")
        assert "12 to 2,000 characters" in await one.refused("check_quote", quote="short")
        assert "tickers and CIKs" in await one.refused("list_filings", companies=["AB", "12"])
        tools = (await one.client.list_tools()).tools
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)
        assert all(tool.output_schema for tool in tools) and len(tools) == 20


async def test_a_whole_answer_is_checked(
    engine: Engine, made_settings: Settings, loads: Loads, new_number: NewNumber
) -> None:
    number = new_number()
    await loads(filing(number, "The serpentine quarry at Belvidere closed in 1993."))
    good = f'"The serpentine quarry at Belvidere closed" ({number})'
    wrong = f'"The serpentine quarry at Belvidere opened in 1993" ({number})'
    async with agent(engine, made_settings) as one:
        checked = await one.call("check_draft", text=f"{good}\n\n{wrong}")
        assert checked["counts"] == {"exact": 1, "altered": 1, "same": 2}
        (claim,) = checked["claims"]
        assert (claim["verdict"], claim["differences"]) == ("altered", ["opened -> closed"])
        whole = await one.call("check_draft", text=good, all_claims=True)
        assert [each["verdict"] for each in whole["claims"]] == ["exact", "same"]
        assert "another draft" in await one.refused("check_draft", text=good, cursor="1-a")


async def test_a_number_is_checked(
    engine: Engine, made_settings: Settings, loads: Loads, new_number: NewNumber
) -> None:
    number = new_number()
    cik = f"00088{number[-5:]}"
    await loads(report(number, cik, report_facts(2023), date(2024, 2, 1)))
    asked = {"company": cik, "item": "net sales", "period": "2023"}
    async with agent(engine, made_settings) as one:
        checked = await one.call("check_number", **asked, value="$50 million")
        assert checked["verdict"] == "supported"
        assert checked["filed"]["value"] == "50000000"
        assert checked["filed"]["accession_number"] == number
        wrong = await one.call("check_number", **asked, value="$51 million")
        assert wrong["verdict"] == "contradicted"
        assert "must have its unit" in await one.refused("check_number", **asked, value="51")


async def test_a_question_is_answered_if_it_is_certain(
    engine: Engine, made_settings: Settings, loads: Loads, new_number: NewNumber
) -> None:
    number = new_number()
    cik, day = f"00077{number[-5:]}", date(2024, 2, 1)
    about = {**ABOUT, "AuditorName": "Fen LLP", "AuditorFirmId": "9"}
    name = "ZINNIA QUARRIES CORP"
    await loads(report(number, cik, report_facts(2023), day, about=about, name=name))
    async with agent(engine, made_settings) as one:
        audits = (await one.call("answer_question", question="who audits Zinnia Quarries"))[
            "auditor"
        ]
        assert (audits["name"], audits["location"], audits["firm_id"]) == ("Fen LLP", None, "9")
        assert (audits["accession_number"], audits["text_start"]) == (number, None)
        answered = await one.call("answer_question", question="zinnia quarries revenue 2023")
        assert (answered["found"], answered["number"]["value"]) == (True, "50000000")
        growth = await one.call("answer_question", question="zinnia quarries revenue growth")
        assert (growth["found"], growth["number"], growth["trades"]) == (False, None, [])
        assert "`question`" in await one.refused("answer_question", question="zinnia " * 50)


async def test_changes_between_two_documents_are_walked(
    engine: Engine, made_settings: Settings, loads: Loads, new_number: NewNumber
) -> None:
    number = new_number()
    before = "\n\n".join(f"Risk {place} is about opals and rain." for place in range(9))
    await loads(filing(number, before, before.replace("opals", "beryls")))
    async with agent(engine, made_settings) as one:
        ids = {"from_document": f"{number}-1", "to_document": f"{number}-2"}
        page = await one.call("compare_filings", **ids, limit=4)
        assert (page["equal"], page["total"], page["next_offset"]) == (False, 9, 4)
        assert page["changes"][0]["from"]["text"] == "opals"
        after = page["changes"][0]["to"]
        assert (after["text"], after["before"], after["after"][:10]) == (
            "beryls",
            "Risk 0 is about ",
            " and rain.",
        )
        last = await one.call("compare_filings", **ids, limit=4, offset=8)
        assert (len(last["changes"]), last["next_offset"]) == (1, None)


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


async def test_trades_are_found_in_answers_of_bounded_length(
    engine: Engine, made_settings: Settings, loads: Loads, new_number: NewNumber
) -> None:
    number = new_number()
    start, end = FORM_4.index("<reportingOwner>"), FORM_4.index("<nonDerivativeTable>")
    row = FORM_4.index("<nonDerivativeTransaction>"), FORM_4.index("  </nonDerivativeTable>")
    owners = FORM_4[start:end].replace("Fern Ada", "Fern " + "a" * 200) * 20
    body = FORM_4[end : row[0]] + FORM_4[slice(*row)] * 12 + FORM_4[row[1] :]
    xml = (FORM_4[:start] + owners + body).replace("Sold in", "Sold in " + "lots " * 180)
    form = MadeUpDocument(f"<XML>\n{xml}</XML>\n", "4", "form4.xml")
    issuer = MadeUpEntity("0009990631", "MOSS & SONS", role="ISSUER")
    await loads({"form.txt": txt(MadeUp(number, (issuer,), (form,), "4"))})
    asked = {"companies": ["MOSS"], "owner": "fern", "roles": ["director"], "min_value": 400_000}
    async with agent(engine, made_settings) as one:
        found = await one.call("get_insider_trades", **asked)
        assert (found["total"], len(found["trades"]), found["notice"]) == (12, 10, NOTICE)
        trade = found["trades"][0]
        assert (trade["code_text"], trade["shares"], trade["price"], trade["value"]) == (
            "open market or private sale",
            "2590",
            "182.00",
            "471380.00",
        )
        assert (len(trade["owners"]), trade["other_owners"]) == (2, 18)
        first, second = trade["footnotes"]
        assert first == "code: By plan."
        # Nothing is cut without a sign.
        assert (len(second), second[-1], trade["other_footnotes"]) == (64, "…", 0)
        assert trade["owners"][0]["name"].endswith("…")
        rest = await one.call("get_insider_trades", cursor=found["next_cursor"])
        assert (len(rest["trades"]), rest["next_cursor"]) == (2, None)
        none = await one.call("get_insider_trades", owner="9990699")
        assert (none["trades"], none["warnings"]) == ([], ["unknown owner: 0009990699"])
        assert "`codes` may have" in await one.refused("get_insider_trades", codes=["Q"])
        assert "`traded_from`" in await one.refused(
            "get_insider_trades", traded_from="2025-02-02", traded_to="2025-02-01"
        )
        near = await one.call("get_insider_trades", owner="fren")
        (said,) = near["warnings"]
        assert said.startswith("unknown owner: fren; the nearest is Fern a")


async def test_holdings_are_a_portfolio_its_changes_or_holders(
    engine: Engine, made_settings: Settings, loads: Loads
) -> None:
    await loads({f"{each.accession_number}.txt": txt(each) for each in REPORTS})
    async with agent(engine, made_settings) as one:
        portfolio = await one.call("get_holdings", manager=HERON, quarter="2024Q4", limit=1)
        (moss,) = portfolio["positions"]
        assert (moss["value"], moss["shares"], moss["rows"]) == ("6000", "60", 2)
        rest = await one.call("get_holdings", manager=HERON, cursor=portfolio["next_cursor"])
        assert [each["issuer"] for each in rest["positions"]] == ["FERN"]
        question = {"manager": "heron", "quarter": "2024Q3"}
        by_words = await one.call("get_holdings", **question, limit=1)
        assert [each["manager_cik"] for each in by_words["positions"]] == [f"000{HERON}"]
        second = await one.call("get_holdings", **question, cursor=by_words["next_cursor"])
        assert [each["issuer"] for each in second["positions"]] == ["REED"]
        debt = (await one.call("get_holdings", manager=OTHER, quarter="2024Q4"))["positions"][0]
        assert (debt["shares"], debt["principal"]) == (None, "500000")
        compared = {"manager": HERON, "quarter": "2024Q4", "compare_to": "2024Q3"}
        changes = await one.call("get_holdings", **compared)
        assert [
            (change["cusip"], change["change"], change["shares_before"])
            for change in changes["positions"]
        ] == [(MOSS, "more", "40"), ("999000303", "gone", "9"), ("999000202", "new", "0")]
        holders = await one.call("get_holdings", cusip=MOSS, quarter="2024Q4")
        assert [holder["shares"] for holder in holders["positions"]] == ["90", "60", "80"]
        assert all(holder["sources"] for holder in holders["positions"])
        named = await one.call("get_holdings", manager="heron", issuer="fern")
        assert [each["cusip"] for each in named["positions"]] == ["999000202"]
        none = await one.call("get_holdings", manager="herno")
        assert none["warnings"] == ["unknown manager: herno; the nearest is Heron Capital LLC"]
        assert "2025Q2" in await one.refused("get_holdings", manager=HERON)
        by_name = {"manager": "heron", "compare_to": "2024Q3"}
        assert "find_company" in await one.refused("get_holdings", **by_name)
        both = {"manager": "heron", "company": "9990001"}
        assert "`issuer`" in await one.refused("get_holdings", **both)


async def test_stakes_and_planned_sales_are_found(
    engine: Engine, made_settings: Settings, loads: Loads, new_number: NewNumber
) -> None:
    for document in FORMS[1:3]:
        number = new_number()
        made = MadeUp(
            number, (MadeUpEntity("0009990001", "MOSS & SONS"),), (document,), document.form_type
        )
        await loads({"form.txt": txt(made)})
    async with agent(engine, made_settings) as one:
        (stake,) = (await one.call("get_stakes", company="9990001"))["stakes"]
        assert [each["percent"] for each in stake["persons"]] == ["8.5", "9.9"]
        (again,) = (await one.call("get_stakes", person="lichen"))["stakes"]
        assert again == stake
        sales = (await one.call("get_planned_sales"))["planned_sales"]
        assert (number, "144") in [(sale["accession_number"], sale["form_type"]) for sale in sales]
        assert "find_company" in await one.refused("get_stakes", company="NOSUCH")


async def test_plain_texts_have_no_entities_and_tables_are_walked(
    engine: Engine, made_settings: Settings, loads: Loads, new_number: NewNumber
) -> None:
    number = new_number()
    rows = "".join(f"<tr><td>Tin &amp; zinc {n}</td><td>{n},000</td></tr>" for n in range(600))
    page = f"<html><p>Feldspar &amp; mica</p><table>{rows}</table></html>"
    await loads(filing(number, page))
    async with agent(engine, made_settings) as one:
        (hit,) = (await one.call("search_filings", query="feldspar"))["documents"]
        assert "Feldspar & mica" in hit["snippet"]
        listed = await one.call("get_tables", document_id=f"{number}-1")
        assert [(each["number"], each["rows"]) for each in listed["tables"]] == [(1, 600)]
        seen: list[list[str]] = []
        first: int | None = 0
        while first is not None:
            part = await one.call("get_tables", document_id=f"{number}-1", table=1, first_row=first)
            seen += part["rows"]
            first = part["next_row"]
        assert seen == [[f"Tin & zinc {n}", f"{n},000"] for n in range(600)]
        missing = await one.refused("get_tables", document_id=f"{number}-1", table=2)
        assert "there is no 2" in missing


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": "http://edgar.example"}, 200),
        ({"Origin": "https://listed.example"}, 200),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Host": "other.example"}, 403),
    ],
)
async def test_other_sites_and_hosts_are_refused(
    engine: Engine, made_settings: Settings, headers: dict[str, str], status: int
) -> None:
    lists = {"mcp_hosts": "edgar.example", "mcp_origins": "https://listed.example"}
    sent = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    accept = {"Accept": "application/json, text/event-stream"}
    async with agent(engine, made_settings, **lists) as one:
        reply = await one.http.post(URL, json=sent, headers=accept | headers)
        assert reply.status_code == status


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


async def test_reports_are_screened_by_figures_with_columns_and_places(
    engine: Engine, made_settings: Settings, loads: Loads, new_number: NewNumber
) -> None:
    low, high, cik = new_number(), new_number(), "0009990082"
    text = "Going concern.<table><tr><td>Leases</td><td>12</td></tr><tr><td>a</td><td>b</td></tr>"
    for number, scale in ((low, 1), (high, 2)):
        await loads(report(number, cik, report_facts(2023, scale), date(2024, 2, 1), text=text))
    asked = {"figures": ["net_income>0"], "companies": [cik], "sort": "revenue"}
    columns = ["revenue", "goodwill", "match:going concern", "table:leases"]
    async with agent(engine, made_settings) as one:
        first = await one.call("screen_reports", columns=columns, limit=1, places=True, **asked)
        (report_high,) = first["reports"]
        assert (first["total"], report_high["accession_number"]) == (2, high)
        assert report_high["values"] == {
            "revenue": "100000000",
            'match:"going concern"': "1",
            'table:"leases"': "12",
        }
        assert report_high["absent"] == {"goodwill": "the filing does not decide goodwill"}
        assert report_high["places"]['match:"going concern"']["start"] == 0
        following = await one.call("screen_reports", cursor=first["next_cursor"])
        assert [each["accession_number"] for each in following["reports"]] == [low]
        newest = await one.call("screen_reports", newest=True, **asked)
        assert newest["total"] == 1
        near = await one.call("screen_reports", events="8-K:4.01,9d", **asked)
        assert near["total"] == 0
        assert "`events`" in await one.refused("screen_reports", events="8-K", **asked)
        assert "no column is" in await one.refused("screen_reports", columns=["x y"], **asked)


async def test_statements_and_facts_are_as_filed(
    engine: Engine, settings: Settings, loads: Loads, new_number: NewNumber
) -> None:
    number, cik = new_number(), "0009990081"
    facts = [fact._replace(id=f"f-{at}") for at, fact in enumerate(report_facts(2023))]
    facts[1] = facts[1]._replace(value="1234567890123456789.10")  # Assets of 2023.
    facts.append(MadeUpFact("us-gaap:Revenues", "38000000", date(2023, 9, 30), date(2023, 1, 1)))
    shown = (
        f'<p><ix:nonFraction id="{facts[1].id}" scale="0">1234567890123456789.10</ix:nonFraction>'
    )
    await loads(report(number, cik, facts, date(2024, 2, 1), text=shown))
    async with agent(engine, settings) as client:
        balance = await client.call("get_statements", statement="balance_sheet", company=cik)
        first = await client.call(
            "get_statements", statement="cash_flow", accession_number=number, lines=2, places=True
        )
        found = await client.call(
            "get_facts", company=cik, concepts=["Assets"], limit=1, places=True
        )
        following = await client.call("get_facts", cursor=found["next_cursor"])
        items = await client.call("get_facts", items=["revenue"], company=cik, fiscal_year=2023)
        derived = await client.call(
            "get_facts", concepts=["Revenues"], company=cik, derived=["q4", "ttm"]
        )
        unknown = await client.refused("get_statements", statement="cash_flow", company="7")
        nothing = await client.refused("get_facts")

    assert (balance["accession_number"], balance["notice"]) == (number, NOTICE)
    assert balance["periods"] == ["2023-12-31", "2022-12-31"]
    line = next(each for each in balance["lines"] if each["concept"] == "us-gaap:Assets")
    assert line["values"] == {"2023-12-31": "1234567890123456789.10", "2022-12-31": "100000000"}
    assert line["places"] == {}
    assert (len(first["lines"]), first["next_start"]) == (2, 2)
    assert [fact["value"] for fact in found["facts"]] == ["1234567890123456789.10"]
    assert found["facts"][0]["place"]["document_id"] == f"{number}-1"
    assert following["facts"][0]["value"] == "100000000"
    assert following["facts"][0]["place"] is None
    assert items["derived"] == []
    (quarter,) = derived["derived"]
    assert [quarter[name] for name in ("derived", "value", "period")] == [
        "q4",
        "12000000",
        "2023-10-01/2023-12-31",
    ]
    assert [(part["sign"], part["value"]) for part in quarter["parts"]] == [
        (1, "50000000"),
        (-1, "38000000"),
    ]
    assert {fact["period"] for fact in items["facts"]} >= {"2023-01-01/2023-12-31"}
    assert "Find the right id" in unknown
    assert "one of `company`, `sic`, `accession_number`, `concepts`, `items` must" in nothing
    assert "Correct the argument and call again." in nothing


async def test_long_statements_come_in_parts_that_a_model_can_read(
    engine: Engine, settings: Settings, loads: Loads, new_number: NewNumber
) -> None:
    number, cik = new_number(), "0009990084"
    end = date(2023, 12, 31)
    names = [f"moss:QuarriesOfAVeryLongAndExactNameNumber{n}" for n in range(100)]
    years = [end.replace(year=2023 - back) for back in range(3)]
    lines = [MadeUpLine(name, f"Quarries of the number {name[-2:]}") for name in names]
    role = MadeUpRole(
        "0002 - Statement - BALANCE", "us-gaap:SheetAbstract", (*BALANCE_SHEET.lines, *lines)
    )
    facts = [
        *report_facts(2023),
        *(MadeUpFact(n, "123456789000", day) for n in names for day in years),
    ]
    entity = MadeUpEntity(cik, "MOSS QUARRIES CORP")
    made = MadeUp(
        number,
        (entity,),
        (MadeUpDocument("<html>", "10-K", "a.htm"), *documents(instance(facts, cik=cik), [role])),
        "10-K",
        date(2024, 2, 1),
    )
    await loads({"long.txt": txt(made)})
    start: int | None = 0
    read = []
    async with agent(engine, settings) as client:
        while start is not None:
            part = await client.call(
                "get_statements", statement="balance_sheet", company=cik, start=start
            )
            read += [each["concept"] for each in part["lines"]]
            start = part["next_start"]
        page = await client.call("get_facts", company=cik)
    assert len(read) == part["total_lines"] == len(set(read))
    assert set(names) <= set(read)
    assert len(page["facts"]) == 20
