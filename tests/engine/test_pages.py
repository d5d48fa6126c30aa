"""The pages over the samples: what they show is what the API answers."""

import asyncio
import html
import re
from collections.abc import AsyncIterator, Iterator

import httpx
import msgspec
import pytest
from asgi_lifespan import LifespanManager

from edgar_search.app import create_app
from edgar_search.engine.engine import Engine
from edgar_search.search.holdings import Holdings, holdings
from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.samples import load_samples

pytestmark = pytest.mark.anyio
QUERIES = ["goodwill impairment", '"material weakness" NOT restatement', "paper*"]


@pytest.fixture(scope="module", autouse=True)
def samples(made_settings: Settings) -> Iterator[None]:
    """The samples, loaded once for all tests here."""

    async def run() -> None:
        engine = Engine.from_settings(made_settings)
        try:
            await load_samples(engine, made_settings)
        finally:
            await engine.close()

    asyncio.run(run())
    yield


@pytest.fixture
async def browser(settings: Settings) -> AsyncIterator[httpx.AsyncClient]:
    opened = msgspec.structs.replace(settings, pages="open", pages_rate=1_000)
    async with LifespanManager(create_app(opened)) as manager:
        transport = httpx.ASGITransport(manager.app)
        base = "http://127.0.0.1:8000"
        async with httpx.AsyncClient(transport=transport, base_url=base) as http:
            yield http


def accession_numbers(text: str) -> list[str]:
    """The filing that each hit's heading leads to, in order."""
    return re.findall(r'<h2><a href="/filing/([^"]+)"', text)


@pytest.mark.parametrize("query", QUERIES)
async def test_search_page_has_the_hits_of_the_api(
    browser: httpx.AsyncClient, client: Client, query: str
) -> None:
    page = await browser.get("/search", params={"query": query})
    reply = await client.search(query)
    assert page.status_code == 200
    assert accession_numbers(page.text) == [item["accnum"] for item in reply["items"]]
    assert f'<strong class="num">{reply["total_count"]} document' in page.text
    shown = [item["snippet"].removeprefix("...").removesuffix("...") for item in reply["items"]]
    assert [snippet for snippet in shown if snippet not in page.text] == []


async def test_what_is_loaded_is_counted(engine: Engine, client: Client) -> None:
    held = await holdings(engine)
    companies = ",".join(f"{9990101 + number:010d}" for number in range(200))
    found = await client.lookup(cik=companies)
    assert held.filings == found["response_details"]["filings_found"] == 25
    assert held.last_day is not None
    assert held.last_day.isoformat() == found["filings"][0]["filing_date"]
    assert isinstance(held, Holdings)


async def test_company_page_has_the_filings_of_the_api(
    browser: httpx.AsyncClient, client: Client
) -> None:
    page = await browser.get("/company/9990101")
    wanted = await client.looked_up(cik="0009990101")
    assert re.findall(r'href="/filing/([^"]+)"', page.text) == wanted


async def test_filing_page_has_documents_and_sections(browser: httpx.AsyncClient) -> None:
    page = await browser.get("/filing/0009990101-25-000004")
    assert "qlfp-20241231.htm" in page.text
    assert "Item 1A" in page.text
    assert "QUILLFEATHER PAPER MILLS CORP" in page.text


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("quill", "QUILLFEATHER PAPER MILLS CORP"),
        ("paper mi", "QUILLFEATHER PAPER MILLS CORP"),
        ("mrzp", "MARZIPAN THERAPEUTICS, INC."),
        ("SLTB", "SALTMARSH SAVINGS BANCORP INC /NC/"),
    ],
)
async def test_company_is_offered_while_its_name_is_typed(
    browser: httpx.AsyncClient, typed: str, first: str
) -> None:
    reply = await browser.get("/companies", params={"name": typed})
    assert reply.json()["companies"][0]["name"] == first


async def test_company_is_offered_under_a_former_name(browser: httpx.AsyncClient) -> None:
    page = html.unescape((await browser.get("/company/9990106")).text)
    former = re.findall(r"<dt>Former names</dt>\s*<dd>([^<]+?) *<", page)[0]
    reply = await browser.get("/companies", params={"name": former})
    assert reply.json()["companies"][0]["former"] == former


async def test_status_says_that_elasticsearch_answers(browser: httpx.AsyncClient) -> None:
    page = await browser.get("/status")
    assert (page.status_code, "Elasticsearch answers." in page.text) == (200, True)


async def test_coverage_page_has_the_days_of_the_newest_filings(
    browser: httpx.AsyncClient,
) -> None:
    page = await browser.get("/coverage?from_date=2025-03-01&to_date=2025-03-10")
    assert "<title>2025-03-06: 1 of 1 searchable</title>" in page.text
