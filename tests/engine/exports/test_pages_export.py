"""Exports from a search page, and the pages in the history of who reads them."""

import asyncio
import csv
import html
import io
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from openpyxl import load_workbook

from edgar_search.access.accounts import Plan
from edgar_search.access.admission import Caller
from edgar_search.api.scopes import PAGE_CALLS
from edgar_search.engine.engine import Engine
from edgar_search.search import snapshots
from edgar_search.search.criteria import FilingCriteria
from edgar_search.search.pagination import Pagination
from edgar_search.settings import Settings
from edgar_search.web import exports
from edgar_search.web.callers import OPEN_ACCOUNT
from tests.support.asking import Client
from tests.support.loading import load_now
from tests.support.pages import BASE, OWN, Browser, open_pages
from tests.support.samples import load_samples
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt
from tests.support.users import Users

pytestmark = [pytest.mark.anyio, pytest.mark.shared_installation, pytest.mark.any_engine]
QUERY = "goodwill impairment"
ASKED = {"query": QUERY, "word_forms": "all", "operands": "most"}
REPORT = "0009990101-25-000004-1"


@pytest.fixture
async def app(engine: Engine, made_settings: Settings) -> AsyncIterator[Any]:
    await load_samples(engine, made_settings)
    async with open_pages(made_settings) as app:
        yield app


@pytest.fixture
async def browser(app: Any) -> AsyncIterator[Browser]:
    browser = Browser(app)
    yield browser
    await browser.http.aclose()


@pytest.fixture
def name(new_number: Any) -> str:
    return f"exporter {new_number()}"


def form_of(page: str) -> dict[str, str]:
    """Return the hidden fields of the form for an export."""
    (form,) = re.findall(r'<form class="export".*?</form>', page, re.DOTALL)
    fields = re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', form)
    return {name: html.unescape(value) for name, value in fields}


MORE = {
    "snippet": "true",
    "include": "document_type,description,period,eight_k_items,section,edgar_url",
}


async def test_page_exports_what_the_api_does(browser: Browser, client: Client) -> None:
    page = await browser.get(f"/search?query={QUERY}&form_type=10-K&offset=5&sort=newest")
    fields = form_of(page.text)
    assert fields == {"query": QUERY, "form_type": "10-K", "sort": "newest", **MORE}
    sent = await browser.post("/search/export", format="jsonl", **fields)
    # By date a page asks for all words.
    wanted = {**ASKED, **MORE, "form_type": "10-K", "sort": "newest", "operands": "all"}
    wanted |= {"format": "jsonl", "reading": "person"}
    reply = await client.http.get("/v1/export", params=wanted)
    assert (sent.status_code, sent.text) == (200, reply.text)
    named = 'attachment; filename="edgar-search-documents.jsonl"'
    assert sent.headers["content-disposition"] == named
    assert sent.headers["cache-control"] == "private, no-store"


async def test_list_without_words_is_exported_from_the_items_own_text(browser: Browser) -> None:
    page = await browser.get("/search?form_type=8-K&item=5.02")
    numbers = re.findall(r'href="/filing/([^"]+)">filing', page.text)
    assert numbers
    sent = await browser.post("/search/export", format="csv", **form_of(page.text))
    rows = list(csv.DictReader(io.StringIO(sent.text, newline="")))
    assert [row["accnum"] for row in rows] == numbers
    assert all("5.02" in row["eight_k_items"].split("; ") for row in rows)
    assert [row["snippet"] for row in rows if "SECURITIES AND EXCHANGE" in row["snippet"]] == []


async def test_tables_for_people_have_no_marks_and_no_control_records(browser: Browser) -> None:
    fields = form_of((await browser.get(f"/search?query={QUERY}")).text)
    sent = await browser.post("/search/export", format="csv", **fields)
    assert (sent.status_code, "<mark>" in sent.text, "&amp;" in sent.text) == (200, False, False)
    lines = sent.text.splitlines()
    assert [line for line in lines if line.startswith("#")] == []
    sheet = await browser.post("/search/export", format="xlsx", **fields)
    rows = list(load_workbook(io.BytesIO(sheet.content)).active.values)
    assert [list(rows[0]), len(rows)] == [next(csv.reader(lines)), len(lines)]


async def test_screen_exports_its_rows(browser: Browser, client: Client) -> None:
    columns = "accnum,revenue,net_income"
    page = await browser.get(
        f"/screen?figures=revenue>0&columns={columns}&sort=revenue&scale=units&limit=1&offset=1"
    )
    fields = form_of(page.text)
    asked = {"figures": "revenue>0", "columns": columns, "sort": "revenue", "what": "screen"}
    assert fields == asked
    sent = await browser.post("/search/export", format="csv", **fields)
    reply = await client.http.get("/v1/export", params={**asked, "format": "csv"})
    assert sent.text.splitlines() == reply.text.splitlines()[:-1]
    assert len(sent.text.splitlines()) > 2


async def test_rows_of_forms_have_flat_columns_in_a_table(browser: Browser) -> None:
    sent = await browser.post("/search/export", what="insider_trades", format="csv")
    (head, *rows) = csv.reader(io.StringIO(sent.text, newline=""))
    assert {"issuer_cik", "issuer_name", "owners_name", "owners_roles"} <= set(head)
    assert rows
    assert [cell for row in rows for cell in row if cell.startswith(("{", "["))] == []


async def test_match_table_exports_its_rows_of_documents_that_lack_a_word_too(
    browser: Browser,
) -> None:
    page = await browser.get("/search/matches?query=goodwill+cafeteria+impairment")
    linked = re.findall(r'href="/document/([^?]+)\?[^"]*at=(\d+)#at"><mark>', page.text)
    assert linked
    sent = await browser.post("/search/export", format="jsonl", **form_of(page.text))
    assert sent.status_code == 200
    rows = [json.loads(line) for line in sent.text.splitlines()][:-1]
    assert [(row["document_id"], str(row["start"])) for row in rows][: len(linked)] == linked


async def test_csv_of_a_page_has_no_formula_and_that_of_the_api_has_names_as_filed_if_asked(
    browser: Browser, client: Client, made_settings: Settings, tmp_path: Path
) -> None:
    company, number = "=1+2 PERIDOT CORP", "0009990192-21-000001"
    text = MadeUpDocument("=2+3 peridot exported.\n")
    filing = txt(MadeUp(number, (MadeUpEntity("0009990192", company),), (text,)))
    await asyncio.to_thread(load_now, made_settings, tmp_path, {f"{number}.txt": filing})
    asked = {"query": "peridot", "snippet": "true", "format": "csv"}
    sent = await browser.post("/search/export", **asked)
    reply = await client.http.get("/v1/export", params={**asked, "raw": "true"})
    assert f'"\'{company}"' in sent.text
    assert f'"{company}"' in reply.text


async def test_exports_are_sent_to_pages_of_the_service_only(browser: Browser) -> None:
    for headers in ({"Sec-Fetch-Site": "cross-site"}, {"Origin": "http://other.example"}, {}):
        other = await browser.post("/search/export", headers, query=QUERY)
        assert other.status_code == 403


@pytest.mark.parametrize(
    "fields", [{"query": ""}, {"query": "a", "from_date": "x"}, {"query": "a", "no": "1"}]
)
async def test_export_of_what_cannot_be_asked_is_a_page(
    browser: Browser, name: str, fields: dict[str, str]
) -> None:
    await browser.sign_in(name)
    sent = await browser.post("/search/export", **fields)
    assert (sent.status_code, "The request is not valid" in sent.text) == (400, True)


async def test_export_that_is_refused_costs_no_call(
    engine: Engine, made_settings: Settings, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exports, "RECORDS_OF_A_CALL", 1)
    await load_samples(engine, made_settings)
    settings = msgspec.structs.replace(
        made_settings, plans="five=5/-", default_plan="five", pages_plan="five"
    )
    async with open_pages(settings) as app:
        browser = Browser(app)
        await browser.sign_in(name)
        sent = await browser.post("/search/export", query="the")
        pages = [await browser.get("/filing/0009990101-25-000004") for _ in range(6)]
        await browser.http.aclose()
    assert (sent.status_code, "this request needs " in sent.text) == (429, True)
    assert [page.status_code for page in pages] == [200] * 5 + [429]


async def test_pages_are_calls_in_the_history_of_their_reader(
    browser: Browser, users: Users, name: str
) -> None:
    await browser.sign_in(name)
    read = {
        f"/search?query={QUERY}&api_key=sk_live_0123456789ABCDEFGHIJKLMG92o0": "page/search",
        f"/document/{REPORT}?query=impairment": "page/document",
        f"/document/{REPORT}/as-filed": "page/as-filed",
        f"/document/{REPORT}/table?start=1145": "page/table",
        f"/compare?to={REPORT}": "page/compare",
        "/filing/0009990101-25-000004": "page/filing",
        "/company/9990101": "page/company",
        "/coverage": "page/coverage",
    }
    for path in [*read, "/docs", "/account"]:
        await browser.get(path)
    await browser.post("/search/export", query=QUERY)
    kept = await users.named(name).get("history/get")
    while kept["total_count"] < len(read) + 1:  # Another worker's are there within 2 seconds.
        await asyncio.sleep(0.1)
        kept = await users.named(name).get("history/get")
    calls = kept["history"][::-1]
    assert [call["endpoint"] for call in calls] == [*read.values(), "page/export"]
    assert set(PAGE_CALLS) >= {call["endpoint"] for call in calls}
    assert [call["status"] for call in calls] == [400, *[200] * (len(calls) - 1)]
    assert calls[0]["parameters"] == {"query": [QUERY]}
    assert calls[1]["parameters"] == {"document_id": [REPORT], "query": ["impairment"]}
    assert calls[1]["result_count"] > 0
    assert {call["key_prefix"] for call in calls} == {""}
    only = await users.named(name).get("history/get", endpoint="page/filing")
    assert only["total_count"] == 1
    page = await browser.get("/account/history")
    assert "page/search" in page.text


async def test_pages_of_nobody_are_in_no_history(browser: Browser, engine: Engine) -> None:
    await browser.get("/filing/0009990101-25-000004")
    body = {"query": {"term": {"account": "pages"}}, "track_total_hits": True}
    await engine.refresh("history")
    assert (await engine.search("history", body, msgspec.Struct)).total == 0


async def test_exports_of_one_visitor_do_not_block_another(
    app: Any, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "MAX_OF_ACCOUNT", 1)
    plan = Plan("unlimited", None, None, None)
    first = Caller(OPEN_ACCOUNT, plan, visitor="203.0.113.1")
    kept = Pagination.of(engine).snapshots.for_account(first.owner)
    opened = await kept.open(["documents"], (), FilingCriteria())
    try:
        statuses = []
        for address in ("203.0.113.1", "203.0.113.2"):
            async with httpx.AsyncClient(
                transport=httpx.ASGITransport(app, client=(address, 1)), base_url=BASE
            ) as http:
                form = {"query": QUERY, "format": "csv"}
                reply = await http.post("/search/export", data=form, headers=OWN)
                statuses.append(reply.status_code)
        assert statuses == [503, 200]
        assert "203.0.113" not in first.owner
    finally:
        await kept.close(opened)
