"""Filing, company, coverage, reference and status."""

from copy import deepcopy
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from edgar_search.access.api_keys import new_key
from edgar_search.web.pages.docs import fields, operations
from edgar_search.web.pages.routes import PAGES
from tests.unit.pages.stored import ENTITY
from tests.web import canned
from tests.web.pages.conftest import HELD
from tests.web.pages.test_search import SCRIPT, Tags, links
from tests.web.stub import StubEngine

pytestmark = pytest.mark.anyio
KEY = new_key()
NUMBER = "0000320193-24-000001"

MISSING: dict[str, Any] = {
    "_id": "0000320193-24-000777",
    "_source": {
        "status": "refused",
        "source": "a.txt",
        "seen_at": "2024-02-01T00:00:00Z",
        "reason": "no header",
        "form_type": "10-K",
        "filing_date": "2024-01-31",
    },
}


@pytest.fixture
def stub(stub: StubEngine) -> StubEngine:
    stub.searches["entities"] = canned.search_reply([{"_source": ENTITY}], 1)
    bucket: dict[str, Any] = {
        "key": {"day": "2024-01-31", "form": "10-K"},
        "doc_count": 4,
        **{name: {"doc_count": count} for name, count in (("listed", 4), ("searchable", 3))},
        **{name: {"doc_count": 0} for name in ("refused", "deleted", "withdrawn")},
        "accepted_lag": {"values": {"50.0": 90.0, "90.0": 90.0, "99.0": 90.0}},
        "listed_lag": {"values": {"50.0": None, "90.0": None, "99.0": None}},
    }
    stub.searches["ledger"] = {
        **canned.search_reply([MISSING], 1),
        "aggregations": {"pairs": {"buckets": [bucket]}},
    }
    return stub


async def test_filing_shows_its_documents(browser: httpx.AsyncClient) -> None:
    reply = await browser.get(f"/filing/{NUMBER}")
    place = "https://www.sec.gov/Archives/edgar/data/320193/000032019324000001/a10k.htm"
    assert reply.status_code == 200
    assert place in links(reply.text)
    assert "/company/0000320193" in links(reply.text)
    assert "filed January 31, 2024" in reply.text


async def test_filing_without_dashes_is_the_same(browser: httpx.AsyncClient) -> None:
    whole, plain = [
        (await browser.get(f"/filing/{n}")).text for n in (NUMBER, NUMBER.replace("-", ""))
    ]
    assert links(plain) == links(whole)


@pytest.mark.parametrize(
    ("address", "status", "said"),
    [
        ("/filing/nope", 404, "nope is not an accession number"),
        (f"/filing/{SCRIPT}", 404, "no such"),
        ("/company/12345678901", 404, "a CIK has 1 to 10 digits"),
        (
            "/company/1?nope=1",
            400,
            "nope is not a parameter; known are form_type, item, from_date, to_date, offset",
        ),
        ("/company/1?offset=-1", 400, "offset must be from 0 to 9950, not -1"),
        (
            "/coverage?from_date=2020-01-01&to_date=2024-01-01",
            400,
            "may be at most 366 days, not 1462",
        ),
        ("/document/nope/table?start=1", 404, "nope is not a document id"),
        (f"/document/{NUMBER}-1/table", 400, "start is missing"),
        (f"/document/{NUMBER}-1/table?start=-1", 400, "start must be"),
        (f"/document/{NUMBER}-1/table?start=0&format=pdf", 400, "format must be one of"),
        ("/compare", 400, "to is missing"),
        ("/compare?to=nope", 400, "to must be"),
        (f"/compare?to={NUMBER}-1&view=x", 400, "view must be one of"),
        (f"/compare?to={NUMBER}-9", 404, "no document"),
        ("/docs/nope", 404, "there is no such operation"),
        ("/status", 403, "for the operator"),
    ],
)
async def test_what_cannot_be_shown_is_said(
    browser: httpx.AsyncClient, address: str, status: int, said: str
) -> None:
    reply = await browser.get(address)
    assert (reply.status_code, said in reply.text) == (status, True)
    assert "<script>alert" not in reply.text


async def test_filing_that_is_not_here_is_said(
    browser: httpx.AsyncClient, stub: StubEngine
) -> None:
    stub.searches["filings"] = canned.search_reply([], 0)
    reply = await browser.get(f"/filing/{NUMBER}")
    assert (reply.status_code, f"there is no filing {NUMBER}" in reply.text) == (404, True)


async def test_script_in_a_filing_is_text(browser: httpx.AsyncClient, stub: StubEngine) -> None:
    hit = deepcopy(canned.FILING_HIT)
    hit["_source"]["entities"][0]["name"] = SCRIPT
    hit["_source"]["entity_name"] = SCRIPT
    hit["_source"]["documents"][0] |= {"description": SCRIPT, "file_name": f'"{SCRIPT}.htm'}
    stub.searches["filings"] = {**canned.search_reply([hit], 1), "aggregations": HELD}
    stub.searches["entities"] = canned.search_reply([{"_source": {**ENTITY, "name": SCRIPT}}], 1)
    for address in (f"/filing/{NUMBER}", "/company/320193"):
        reply = await browser.get(address)
        assert reply.status_code == 200
        assert "<script>alert" not in reply.text


async def test_company_shows_names_and_filings(browser: httpx.AsyncClient) -> None:
    reply = await browser.get("/company/320193?form_type=10-k")
    assert "Apple Inc." in reply.text
    assert "APPLE COMPUTER INC" in reply.text
    assert f"/filing/{NUMBER}" in links(reply.text)
    call = "/v1/lookup?cik=0000320193&amp;form_type=10-K&amp;limit=50"
    assert call in reply.text


async def test_companies_by_the_beginning_of_a_name(browser: httpx.AsyncClient) -> None:
    reply = await browser.get("/companies?name=apple+comp")
    former = {"tickers": ["AAPL"], "former": "APPLE COMPUTER INC"}
    assert reply.json() == {"companies": [{"cik": "0000320193", "name": "Apple Inc.", **former}]}


@pytest.mark.parametrize("name", ["", "***", " ".join("abcdefghi"), "a" * 101])
async def test_what_is_no_beginning_of_a_name_asks_nothing(
    browser: httpx.AsyncClient, stub: StubEngine, name: str
) -> None:
    reply = await browser.get("/companies", params={"name": name})
    assert reply.json() == {"companies": []}
    assert "entities/_search" not in stub.operations()


async def test_coverage_has_the_numbers_of_each_day(browser: httpx.AsyncClient) -> None:
    reply = await browser.get("/coverage")
    assert "<title>January 31, 2024: 3 of 4 searchable</title>" in reply.text
    assert '<b class="bad">1</b>' in reply.text
    assert "from_date=2023-11-02&amp;to_date=2024-01-31" in reply.text


async def test_reference_lists_every_operation(browser: httpx.AsyncClient) -> None:
    reply = await browser.get("/docs")
    wanted = {f"/docs/{operation.name}" for operation in operations()}
    assert wanted <= set(links(reply.text))


@pytest.mark.parametrize("name", [operation.name for operation in operations()])
async def test_reference_of_an_operation_has_every_parameter(
    browser: httpx.AsyncClient, name: str
) -> None:
    reply = await browser.get(f"/docs/{name}")
    found = next(each for each in operations() if each.name == name)
    assert reply.status_code == 200
    missing = [f.name for f in fields(found) if f"<code>{f.name}</code>" not in reply.text]
    assert missing == []
    assert Tags(reply.text).inline == []


@pytest.mark.parametrize("route", PAGES, ids=lambda route: route.path)
async def test_every_page_has_its_headers(browser: httpx.AsyncClient, route: Any) -> None:
    path = route.path.format(
        document_id="nope",
        accession_number=NUMBER,
        cik="320193",
        operation="get_v1_search",
        part="insiders",
        format="csv",
    )
    reply = await browser.get(path)
    assert reply.headers["cache-control"] == "private, no-store"
    assert reply.headers["x-content-type-options"] == "nosniff"


async def test_coverage_names_what_is_missing(browser: httpx.AsyncClient) -> None:
    reply = await browser.get("/coverage?from_date=2024-01-01&to_date=2024-01-31")
    assert "1 filing of these days is known and cannot be searched" in reply.text
    assert "0000320193-24-000777" in reply.text
    assert "/coverage?from_date=2024-01-31&to_date=2024-01-31&form_type=10-K" in links(reply.text)
    assert "3 of 4</a>" in reply.text


@pytest.mark.parametrize(("days", "said"), [(3, False), (4, False), (5, True)])
async def test_newest_filing_of_days_ago_is_said_to_be_the_last(
    browser: httpx.AsyncClient, stub: StubEngine, days: int, said: bool
) -> None:
    last = (datetime.now(UTC).date() - timedelta(days)).isoformat()
    held = {**HELD, "last": {"value": 2.0, "value_as_string": last}}
    stub.searches["filings"] = {**canned.SEARCHES["filings"], "aggregations": held}
    reply = await browser.get("/search?query=sales")
    assert ("no later filings are loaded" in reply.text) is said


@pytest.mark.parametrize(
    "place",
    [
        *("/cite?citation=", "/companies?name=", "/found?query=", "/search?query=", "/search?"),
        *("/coverage?form_type=", "/compare?from="),
        *(f"/filing/{NUMBER}?scale=", "/company/0000320193?form_type="),
    ],
)
async def test_key_typed_by_mistake_is_not_shown_again(
    browser: httpx.AsyncClient, place: str
) -> None:
    reply = await browser.get(f"{place}{KEY}", headers={"Accept": "text/html"})
    assert reply.status_code < 500 and "<html" in reply.text or place.startswith("/found")
    assert KEY not in reply.text
