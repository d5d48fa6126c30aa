"""Exports from a search page, and the pages in the history of who reads them."""

import asyncio
import html
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from edgar_search.access.api_keys import PAGE_CALLS
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from edgar_search.web.v1 import export_delivery
from tests.support.asking import Client
from tests.support.loading import load_now
from tests.support.pages import Browser, open_pages
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
    """The hidden fields of the form for an export."""
    (form,) = re.findall(r'<form class="export".*?</form>', page, re.DOTALL)
    fields = re.findall(r'type="hidden" name="([^"]+)" value="([^"]*)"', form)
    return {name: html.unescape(value) for name, value in fields}


@pytest.mark.parametrize("form", ["jsonl", "csv"])
async def test_page_exports_what_the_api_does(
    browser: Browser, client: Client, name: str, form: str
) -> None:
    await browser.sign_in(name)
    page = await browser.get(f"/search?query={QUERY}&form_type=10-K&offset=5&sort=newest")
    fields = form_of(page.text)
    more = {"snippet": "true", "include": "period,edgar_url,section"}
    assert fields == {"query": QUERY, "form_type": "10-K", "sort": "newest", **more}
    sent = await browser.post("/search/export", format=form, **fields)
    wanted = {**ASKED, **more, "form_type": "10-K", "sort": "newest", "format": form}
    reply = await client.http.get("/v1/export", params=wanted)
    assert (sent.status_code, sent.text) == (200, reply.text)
    named = f'attachment; filename="edgar-search-documents.{form}"'
    assert sent.headers["content-disposition"] == named
    assert sent.headers["cache-control"] == "private, no-store"


async def test_match_table_exports_its_rows_of_documents_that_lack_a_word_too(
    browser: Browser, name: str
) -> None:
    await browser.sign_in(name)
    page = await browser.get("/search/matches?query=goodwill+cafeteria+impairment")
    linked = re.findall(r'href="/document/([^?]+)\?[^"]*at=(\d+)#at"><mark>', page.text)
    assert linked
    sent = await browser.post("/search/export", format="jsonl", **form_of(page.text))
    assert sent.status_code == 200
    rows = [json.loads(line) for line in sent.text.splitlines()][:-1]
    assert [(row["document_id"], str(row["start"])) for row in rows][: len(linked)] == linked


async def test_csv_of_a_page_has_no_formula_and_that_of_the_api_has_names_as_filed(
    browser: Browser, client: Client, made_settings: Settings, name: str, tmp_path: Path
) -> None:
    company, number = "=1+2 PERIDOT CORP", "0009990192-21-000001"
    text = MadeUpDocument("=2+3 peridot exported.\n")
    filing = txt(MadeUp(number, (MadeUpEntity("0009990192", company),), (text,)))
    await asyncio.to_thread(load_now, made_settings, tmp_path, {f"{number}.txt": filing})
    asked = {"query": "peridot", "snippet": "true", "format": "csv"}
    await browser.sign_in(name)
    sent = await browser.post("/search/export", **asked)
    reply = await client.http.get("/v1/export", params=asked)
    assert f'"\'{company}"' in sent.text
    assert f'"{company}"' in reply.text
    assert sent.text.replace("\"'=", '"=') == reply.text


async def test_only_users_export_and_only_from_pages_of_the_service(
    browser: Browser, name: str
) -> None:
    page = await browser.get(f"/search?query={QUERY}")
    assert "/search/export" not in page.text
    asked = await browser.post("/search/export", query=QUERY)
    assert (asked.status_code, asked.headers["location"]) == (303, "/sign-in")
    await browser.sign_in(name)
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
    monkeypatch.setattr(export_delivery, "RECORDS_OF_A_CALL", 1)
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
        f"/document/{REPORT}/table?start=1144": "page/table",
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
    assert set(PAGE_CALLS) == {call["endpoint"] for call in calls}
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
