"""Filters by what a document and its filing are, orders, and fields that are requested."""

from collections.abc import Mapping
from datetime import date
from typing import Any

import pytest

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from edgar_search.stored.entities import StoredEntity
from tests.support.asking import Client
from tests.support.loading import load_now
from tests.support.submissions import Address, MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine, pytest.mark.one_client]
VERMONT, TEXAS = Address("1 QUARRY ROAD", "STONEFIELD", "VT"), Address("2 ROAD", "SANDY", "tx")
MARBLE = MadeUpEntity(
    "0009990301",
    "MARBLE & MOSS CORP",
    state="DE",
    address=VERMONT,
    former_names=(("OLD STONE WORKS", date(2001, 2, 3)), ("GRANITE FARMS", date(2005, 2, 3))),
)
SAND = MadeUpEntity("0009990302", "Sandstone Holdings Inc", state="NV", address=TEXAS)
FUND = MadeUpEntity("0009990303", "ARMADILLO STONEWORKS FUND")
REPORT = MadeUpDocument("Granite stones.\n", "10-K", "report.txt", "A REPORT")
EXHIBIT = MadeUpDocument("Granite in an exhibit.\n", "ex-99.1", "a b.htm")
FILINGS = {
    "annual": MadeUp(
        "", (MARBLE,), (REPORT, EXHIBIT), "10-K", date(2021, 1, 3), date(2020, 12, 31)
    ),
    "amended": MadeUp("", (SAND,), (REPORT,), "10-K/A", date(2021, 1, 4)),
    "current": MadeUp(
        "",
        (SAND, MARBLE),
        (MadeUpDocument("Granite news.\n", "8-K"),),
        "8-K",
        date(2021, 1, 5),
        None,
        "20210104171500",
        ("Departure of Directors or Certain Officers", "Financial Statements and Exhibits"),
    ),
    "fund": MadeUp("", (FUND,), (REPORT,), "SC 13D", date(2021, 1, 2)),
}
NUMBERS = {name: f"0009990300-21-{place:06d}" for place, name in enumerate(FILINGS)}
ALL = {"annual-1", "annual-2", "amended-1", "current-1", "fund-1"}
CASES: list[tuple[Mapping[str, Any], set[str]]] = [
    ({"form_family": "10-K"}, {"annual-1", "annual-2", "amended-1"}),
    ({"form_family": "10-k/a"}, {"annual-1", "annual-2", "amended-1"}),
    ({"form_family": "10-K", "form_type": "10-K/A"}, {"amended-1"}),
    ({"form_family": "10"}, set()),
    ({"document_type": "EX-99.1"}, {"annual-2"}),
    ({"document_types": "ex-99.1,8-K"}, {"annual-2", "current-1"}),
    ({"document_type": "EX-99"}, set()),
    ({"primary": "true"}, ALL - {"annual-2"}),
    ({"primary": "false"}, ALL),
    ({"original": "true"}, ALL - {"amended-1"}),
    ({"original": "false"}, ALL),
    ({"item": "5.02"}, {"current-1"}),
    ({"items": "1.01,9.01"}, {"current-1"}),
    ({"item": "1.01"}, set()),
    # A filing without a period has none of any days.
    ({"period_from": "2020-12-31"}, {"annual-1", "annual-2"}),
    ({"period_from": "2021-01-01"}, set()),
    ({"period_from": "2020-01-01", "period_to": "2020-12-31"}, {"annual-1", "annual-2"}),
    ({"period_to": "2020-12-30"}, set()),
    ({"fiscal_year": "2020"}, {"annual-1", "annual-2"}),
    ({"fiscal_years": "2018,2019"}, set()),
    ({"fiscal_years": "2019,2020", "primary": "true"}, {"annual-1"}),
    ({"state": "vt"}, {"annual-1", "annual-2", "current-1"}),
    ({"states": "TX,NY"}, {"amended-1", "current-1"}),
    ({"state": "NY"}, set()),
    ({"incorporation_state": "de"}, {"annual-1", "annual-2", "current-1"}),
    ({"incorporation_states": "TX,NV", "form_type": "10-K/A"}, {"amended-1"}),
    # Whole words, in any order and case, of the name that is and of those that were.
    ({"company": "moss marble"}, {"annual-1", "annual-2", "current-1"}),
    ({"company": "Farms, Granite!"}, {"annual-1", "annual-2", "current-1"}),
    # A whole name, whatever its legal form and however its words are joined.
    ({"company": "Marble and Moss Incorporated"}, {"annual-1", "annual-2", "current-1"}),
    ({"company": "sand stone"}, {"amended-1", "current-1"}),
    ({"company": "Granitefarms Ltd."}, {"annual-1", "annual-2", "current-1"}),
    # All words in one name.
    ({"company": "granite works"}, set()),
    # A whole word that one has keeps out the beginnings that others have.
    ({"company": "stone"}, {"annual-1", "annual-2", "current-1"}),
    ({"company": "stonew arma"}, {"fund-1"}),
    ({"company": "hold sand"}, {"amended-1", "current-1"}),
    # Parts only where no word begins so.
    ({"company": "works"}, {"annual-1", "annual-2", "current-1"}),
    ({"company": "dillo"}, {"fund-1"}),
    ({"company": "nowhere"}, set()),
    ({"company": "moss", "cik": "9990302"}, {"current-1"}),
]


@pytest.fixture(scope="module", autouse=True)
def loaded(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The filings that the tests search."""
    files = {
        f"{name}.txt": txt(
            MadeUp(
                NUMBERS[name],
                each.entities,
                each.documents,
                each.form_type,
                each.filing_date,
                each.period,
                each.accepted,
                each.items,
            )
        )
        for name, each in FILINGS.items()
    }
    load_now(settings, tmp_path_factory.mktemp("files"), files)


def named(document_id: str) -> str:
    names = {number: name for name, number in NUMBERS.items()}
    return f"{names[document_id[:20]]}{document_id[20:]}"


@pytest.mark.parametrize(("parameters", "expected"), CASES, ids=str)
async def test_filters(client: Client, parameters: Mapping[str, Any], expected: set[str]) -> None:
    assert {named(each) for each in await client.found("granite", **parameters)} == expected


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({"form_family": "10-K"}, ["amended", "annual"]),
        ({"company": "marble"}, ["current", "annual"]),
        ({"state": "TX"}, ["current", "amended"]),
        ({"item": "9.01"}, ["current"]),
    ],
)
async def test_filters_of_lookups(
    client: Client, parameters: Mapping[str, Any], expected: list[str]
) -> None:
    assert await client.looked_up(**parameters) == [NUMBERS[name] for name in expected]


async def test_company_without_filings_stands_in_nobodys_way(
    client: Client, engine: Engine
) -> None:
    # As a ticker file has thousands of them: their whole words keep out no others.
    await engine.put("entities", "0009990309", StoredEntity("0009990309", name="MARB ILLO INC"))
    annual = {"annual-1", "annual-2", "current-1"}
    assert {named(each) for each in await client.found("granite", company="marb")} == annual
    assert {named(each) for each in await client.found("granite", company="illo")} == {"fund-1"}
    assert await client.found("granite", company="marb illo") == []
    assert await client.looked_up(company="illo") == [NUMBERS["fund"]]


async def test_orders(client: Client) -> None:
    newest = [named(each) for each in await client.found("granite", sort="newest")]
    assert newest == ["current-1", "amended-1", "annual-1", "annual-2", "fund-1"]
    oldest = [named(each) for each in await client.found("granite", sort="oldest")]
    assert oldest == ["fund-1", "annual-1", "annual-2", "amended-1", "current-1"]


async def test_score_is_the_same_in_every_order(client: Client) -> None:
    scores = [
        {
            item["document_id"]: item["score"]
            for item in (await client.search("granite", **s))["items"]
        }
        for s in ({}, {"sort": "newest"}, {"sort": "oldest"})
    ]
    assert scores[0] == scores[1] == scores[2]


async def test_fields_that_were_asked_for(client: Client) -> None:
    include = "document_type,description,period,accepted_at,eight_k_items,primary,url,edgar_url"
    plain = (await client.search("granite", limit=100))["items"]
    full = (await client.search("granite", limit=100, include=include))["items"]
    added = {
        named(one["document_id"]): {k: v for k, v in two.items() if k not in one}
        for one, two in zip(plain, full, strict=True)
    }
    assert [{k: v for k, v in two.items() if k in plain[0]} for two in full] == plain
    number = NUMBERS["annual"]
    folder = f"https://www.sec.gov/Archives/edgar/data/9990301/{number.replace('-', '')}"
    assert added["annual-2"] == {
        "document_type": "ex-99.1",
        "description": "",
        "period": "2020-12-31",
        "accepted_at": None,
        "eight_k_items": [],
        "primary": False,
        "url": f"/v2/document?document_id={number}-2",
        "edgar_url": f"{folder}/a%20b.htm",
    }
    number = NUMBERS["current"]
    assert added["current-1"] == {
        "document_type": "8-K",
        "description": "",
        "period": None,
        "accepted_at": "2021-01-04T22:15:00Z",
        "eight_k_items": ["5.02", "9.01"],
        "primary": True,
        "url": f"/v2/document?document_id={number}-1",
        "edgar_url": f"https://www.sec.gov/Archives/edgar/data/9990302/{number}.txt",
    }


async def test_size_is_that_of_a_lookup(client: Client) -> None:
    (item,) = (await client.search("news", include="size"))["items"]
    filings = (await client.get("/v1/lookup", form_type="8-K"))["filings"]
    (document,) = [each for filing in filings for each in filing["documents"]]
    assert (item["document_id"], item["size"]) == (document["document_id"], document["size"])


async def test_url_leads_to_the_document(client: Client) -> None:
    (item,) = (await client.search("news", include="url"))["items"]
    reply = await client.http.get(item["url"])
    assert (reply.status_code, reply.text) == (200, "Granite news.\n")


async def test_names_are_sorted_without_regard_to_case(client: Client) -> None:
    reply = await client.http.get(
        "/v2/filing_lookup", params={"form_types": "10-K,10-K/A,SC 13D", "sort_by": "entity_name"}
    )
    assert [each["entityName"] for each in reply.json()["filings"]] == [
        "Sandstone Holdings Inc",
        "MARBLE & MOSS CORP",
        "ARMADILLO STONEWORKS FUND",
    ]
