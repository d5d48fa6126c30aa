"""Questions as people type them: what comes first, the reading in answers, and pages of them."""

import json
from datetime import date
from typing import Any

import pytest

from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.loading import load_now
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt
from tests.support.walking import by_cursor, by_offset

pytestmark = [pytest.mark.anyio, pytest.mark.one_client]
QUARRY = MadeUpEntity("0009990401", "GRANOX & MARBLITE CO /DE/")
SAND = MadeUpEntity("0009990402", "SANDVEIL INC")
# Words of English: a company with a fiscal year, and another filer.
HARVEST = MadeUpEntity("0009990403", "HARVEST INC", fiscal_year_end="1231")
MEADOW = MadeUpEntity("0009990404", "MEADOW INC")
NOTICE = (MadeUpDocument("Barley is late.\n"),)
REPORT = (MadeUpDocument("Dividend policy of the year: a sum of 1,200 million.\n", "10-K"),)
LETTER = (MadeUpDocument("Dividend policy, by Timothy D. Cobble. Dividend policy.\n"),)
NUMBER = "0009990400-21-00000"
FILINGS = [
    MadeUp(f"{NUMBER}0", (QUARRY,), REPORT, "10-K", date(2018, 2, 1), date(2017, 12, 31)),
    MadeUp(f"{NUMBER}1", (QUARRY,), REPORT, "10-K", date(2019, 2, 1), date(2018, 12, 31)),
    MadeUp(f"{NUMBER}2", (SAND,), REPORT, "10-K", date(2019, 2, 1), date(2018, 12, 31)),
    MadeUp(f"{NUMBER}3", (SAND,), LETTER, "8-K", date(2019, 3, 1)),
    MadeUp(f"{NUMBER}4", (HARVEST,), NOTICE, "8-K", date(2019, 4, 1)),
    MadeUp(f"{NUMBER}5", (MEADOW,), NOTICE, "8-K", date(2019, 4, 1)),
]


@pytest.fixture(scope="module", autouse=True)
def filings(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    files = {f"{each.accession_number}.txt": txt(each) for each in FILINGS}
    load_now(settings, tmp_path_factory.mktemp("files"), files)


async def places(client: Client, query: str, **parameters: Any) -> list[int]:
    """Return the places of the filings that a question finds, in order."""
    reply = await client.search(query, reading="person", **parameters)
    assert reply["total_count"] == len(reply["items"])
    return [int(item["accnum"][-1]) for item in reply["items"]]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("What is the dividend policy of Granox & Marblite in FY2018?", [1, 0, 3, 2]),
        ("dividend policy FY2017 Granox Marblite", [0, 1, 3, 2]),
        ("dividend policy by Tim Cobble", [3, 1, 2, 0]),
        ("dividend policy 8-K", [3, 1, 2, 0]),
        ("Tim Cobble", [3]),
        ("$1.2 billion dividend", [1, 2, 0]),
        ("dividend * (policy", [3, 1, 2, 0]),
        ("Granox" + "\u58f2" * 200, []),
    ],
)
async def test_question_finds(client: Client, query: str, expected: list[int]) -> None:
    assert await places(client, query) == expected


async def test_exact_reading_is_the_default(client: Client) -> None:
    reply = await client.search("What is the dividend policy")
    assert (reply["total_count"], "reading" in reply) == (0, False)


async def test_answers_say_what_is_recognised(client: Client) -> None:
    query = "the dividend policy of Granox & Marblite"
    reading = [
        {
            "kind": "company",
            "text": "Granox & Marblite",
            "meaning": "documents of CIK 0009990401 score higher",
            "start": 23,
            "end": 40,
        },
        {
            "kind": "left_out",
            "text": "the of",
            "meaning": "does not count",
            "start": 0,
            "end": 40,
        },
    ]
    assert (await client.search(query, reading="person"))["reading"] == reading
    checked = await client.check(query, reading="person")
    assert (checked["query"], checked["total_count"]) == ("dividend AND policy", 4)
    assert checked["reading"] == reading


@pytest.mark.parametrize(("query", "companies"), [("Harvest barley", 1), ("Meadow barley", 0)])
async def test_without_tickers_a_word_of_english_is_a_company_with_a_fiscal_year(
    client: Client, query: str, companies: int
) -> None:
    reading = (await client.search(query, reading="person")).get("reading", [])
    assert len([each for each in reading if each["kind"] == "company"]) == companies


async def test_facets_and_matches_read_the_same(client: Client) -> None:
    query = "the dividend policy of Granox & Marblite"
    counted = await client.facets(query=query, reading="person", by="form_type")
    assert counted["total_count"] == 4
    document = f"{NUMBER}2-1"
    found = await client.get("/v1/matches", document_id=document, query=query, reading="person")
    assert [item["text"] for item in found["items"]] == ["Dividend", "policy"]


async def test_walk_has_the_order_of_pages(client: Client) -> None:
    asked = {"reading": "person", "limit": 1}
    query = "dividend policy of Granox & Marblite FY2018"
    walked = await by_cursor(client, "/v1/search", query=query, **asked)
    assert walked == await by_offset(client, query, **asked)
    assert len(walked) == 4


INSTEAD = "query: no document has `dividnd`; the hits are those with `dividend` instead"
NEAREST = "query: no document has `dividnd`; the nearest word is `dividend`"


@pytest.mark.parametrize(
    ("query", "meant", "warnings"),
    [
        ("Dividnd policy?", "Dividend policy?", [INSTEAD]),
        ('the "dividnd policy"', 'the "dividend policy"', [INSTEAD]),
        ("dividnd NOT cobble", "dividend NOT cobble", [INSTEAD]),
        (
            "dividnd polcy",
            "dividend policy",
            [
                "query: no document has `dividnd` and `polcy`; the hits are those with `dividend`"
                " and `policy` instead"
            ],
        ),
    ],
)
async def test_question_that_finds_nothing_is_searched_in_the_nearest_spelling(
    client: Client, query: str, meant: str, warnings: list[str]
) -> None:
    reply = await client.search(query, reading="person")
    assert reply.pop("warnings") == warnings
    assert reply == await client.search(meant, reading="person")
    assert reply["total_count"] > 0


@pytest.mark.parametrize(
    ("asked", "total", "warnings"),
    [
        ({}, 0, [NEAREST]),
        (
            {"reading": "person", "form_type": "10-K", "cik": "9990402", "to_date": "2018-01-01"},
            0,
            [NEAREST],
        ),
        ({"reading": "person", "operands": "most"}, 4, [NEAREST]),
        ({"reading": "person", "operands": "most", "group_by": "filing"}, 4, [NEAREST]),
        ({"reading": "person", "operands": "most", "cursor": "*"}, 4, [NEAREST]),
    ],
)
async def test_nearest_word_is_only_named(
    client: Client, asked: dict[str, str], total: int, warnings: list[str]
) -> None:
    reply = await client.search("dividnd policy", **asked)
    assert (reply["total_count"], reply["warnings"][:1]) == (total, warnings)


@pytest.mark.parametrize("snapshot", ["true", "false"])
async def test_walk_keeps_to_the_nearest_spelling(client: Client, snapshot: str) -> None:
    asked = {"query": "dividnd policy of Granox & Marblite", "reading": "person", "limit": 1}
    walked, cursor = [], {**asked, "cursor": "*", "snapshot": snapshot}
    while cursor:
        page = await client.get("/v1/search", **cursor)
        assert (page["total_count"], page["warnings"]) == (4, [INSTEAD])
        assert "<mark>" in page["items"][0]["snippet"]
        walked += page["items"]
        following = page["next_cursor"]
        cursor = {"cursor": following, "limit": 1} if following else {}
    meant = {**asked, "query": "dividend policy of Granox & Marblite", "limit": 10}
    assert walked == (await client.get("/v1/search", **meant))["items"]


@pytest.mark.parametrize("what", ["documents", "matches"])
async def test_export_and_facets_have_the_nearest_spelling(client: Client, what: str) -> None:
    async def records(query: str) -> list[dict[str, Any]]:
        asked = {"query": query, "reading": "person", "what": what}
        reply = await client.http.get("/v1/export", params=asked)
        lines = [json.loads(line) for line in reply.text.splitlines()]
        return [each for each in lines if "document_id" in each]

    assert await records("dividnd policy") == await records("dividend policy") != []
    counted = await client.facets(query="dividnd policy", reading="person", by="form_type")
    assert counted.pop("warnings") == [INSTEAD]
    assert counted == await client.facets(query="dividend policy", reading="person", by="form_type")
