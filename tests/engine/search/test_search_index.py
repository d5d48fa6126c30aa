"""EDGAR's full-text search on this installation: its parameters, its answers, its errors."""

import asyncio
from datetime import date
from typing import Any, Literal

import httpx
import pytest
from msgspec import structs

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from edgar_search.web.edgar.search_index import BLANK
from tests.support.asking import Client
from tests.support.loading import load_now
from tests.support.serving import serving
from tests.support.submissions import Address, MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.one_client]
PATH = "/LATEST/search-index"
KILN = MadeUpEntity(
    "0009991401",
    "KILN & CLAY CORP",
    sic="3250",
    state="DE",
    address=Address("1 ROAD", "BURLINGTON", "VT"),
)
GLAZE = MadeUpEntity("0009991402", "GLAZE FUNDING LLC")
REPORT = MadeUpDocument("Terracotta and porcelain.\n", "10-K", "report.htm", "ANNUAL REPORT")
EXHIBIT = MadeUpDocument("Terracotta tiles only.\n", "EX-99.1", "tiles.htm")
UNNAMED = MadeUpDocument("Terracotta of the nineties.\n", "10-K/A")
FILINGS = {
    "annual": MadeUp("", (KILN,), (REPORT, EXHIBIT), "10-K", date(2021, 3, 1), date(2020, 12, 31)),
    "amended": MadeUp("", (KILN, GLAZE), (UNNAMED,), "10-K/A", date(1996, 4, 1)),
    "current": MadeUp(
        "",
        (GLAZE,),
        (MadeUpDocument("Terracotta news.\n", "8-K", "news.htm"),),
        "8-K",
        date(2021, 5, 3),
        date(2021, 5, 2),
        "20210503171500",
        ("Departure of Directors or Certain Officers", "Financial Statements and Exhibits"),
    ),
}
NUMBERS = {name: f"0009991400-21-{place:06d}" for place, name in enumerate(FILINGS)}
ANNUAL, TILES = f"{NUMBERS['annual']}:report.htm", f"{NUMBERS['annual']}:tiles.htm"
AMENDED = f"{NUMBERS['amended']}:{NUMBERS['amended']}.txt#1"
CURRENT = f"{NUMBERS['current']}:news.htm"
ALL = {ANNUAL, TILES, AMENDED, CURRENT}


@pytest.fixture(scope="module", autouse=True)
def loaded(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The filings that the tests search."""
    files = {
        f"{name}.txt": txt(structs.replace(each, accession_number=NUMBERS[name]))
        for name, each in FILINGS.items()
    }
    load_now(settings, tmp_path_factory.mktemp("files"), files)


def ids(reply: dict[str, Any]) -> set[str]:
    """Return the ids of all hits, which are all that match."""
    hits = reply["hits"]["hits"]
    assert reply["hits"]["total"] == {"value": len(hits), "relation": "eq"}
    return {hit["_id"] for hit in hits}


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"q": "terracotta"}, ALL),
        ({"q": "terracotta -porcelain"}, ALL - {ANNUAL}),
        ({"q": "porcelain OR tiles"}, {ANNUAL, TILES}),
        ({"q": "terracot*", "forms": "10-K"}, {ANNUAL, TILES, AMENDED}),
        ({"q": "terracotta", "forms": "10-k/a"}, {AMENDED}),
        ({"q": "terracotta", "forms": "10-K,-10-K/A"}, {ANNUAL, TILES}),
        ({"q": "terracotta", "forms": "-10-K"}, {CURRENT}),
        ({"q": "terracotta", "category": "form-cat1"}, ALL),
        ({"q": "terracotta", "category": "form-cat5"}, set()),
        ({"q": "terracotta", "forms": "10-K", "filter_forms": "8-K"}, set()),
        ({"q": "terracotta", "startdt": "2021-01-01"}, ALL - {AMENDED}),
        ({"q": "terracotta", "enddt": "1996-04-01", "dateRange": "custom"}, {AMENDED}),
        ({"q": "terracotta", "ciks": "9991402"}, {AMENDED, CURRENT}),
        ({"q": "terracotta", "ciks": "9991402", "entityName": "kiln"}, {AMENDED, CURRENT}),
        ({"q": "terracotta", "entityName": "Kiln and Clay"}, {ANNUAL, TILES, AMENDED}),
        ({"q": "terracotta", "entityName": "KILN (CIK 0009991401)"}, {ANNUAL, TILES, AMENDED}),
        ({"q": "terracotta", "filter_ciks": "9991401", "ciks": "9991402"}, set()),
        ({"q": "terracotta", "locationCodes": "vt"}, {ANNUAL, TILES, AMENDED}),
        (
            {"q": "terracotta", "locationCodes": "DE", "locationType": "incorporated"},
            {ANNUAL, TILES, AMENDED},
        ),
        ({"q": "terracotta", "sics": "3250"}, {ANNUAL, TILES, AMENDED}),
        ({"q": "terracotta", "items": "5.02"}, {CURRENT}),
        ({"q": "terracotta", "fileType": "EX-99.1"}, {TILES}),
        # Without words the first document of each filing.
        ({"forms": "10-K"}, {ANNUAL, AMENDED}),
        ({"forms": "-0"}, {ANNUAL, AMENDED, CURRENT}),
        ({"q": f'"{NUMBERS["annual"]}"'}, {ANNUAL, TILES}),
    ],
)
async def test_parameters(client: Client, asked: dict[str, str], expected: set[str]) -> None:
    assert ids(await client.get(PATH, **asked)) == expected


async def test_hit_has_every_field(client: Client) -> None:
    reply = await client.get(PATH, q="porcelain")
    (hit,) = reply["hits"]["hits"]
    assert hit["_source"] == {
        "ciks": ["0009991401"],
        "period_ending": "2020-12-31",
        "file_num": hit["_source"]["file_num"],
        "display_names": ["KILN & CLAY CORP  (CIK 0009991401)"],
        "xsl": None,
        "sequence": 1,
        "root_forms": ["10-K"],
        "root_form": "10-K",
        "file_date": "2021-03-01",
        "biz_states": ["VT"],
        "sics": ["3250"],
        "form": "10-K",
        "adsh": NUMBERS["annual"],
        "film_num": hit["_source"]["film_num"],
        "biz_locations": ["Burlington, VT"],
        "file_type": "10-K",
        "file_description": "ANNUAL REPORT",
        "inc_states": ["DE"],
        "items": [],
        "schema_version": None,
    }
    assert len(hit["_source"]["file_num"]) == len(hit["_source"]["film_num"]) == 1
    assert hit["highlight"] == {"doc_text": ["Terracotta and <mark>porcelain</mark>."]}
    assert hit["_score"] == reply["hits"]["max_score"] > 0
    assert reply["query"]["size"] == 100


# The members and types of recorded answers of EDGAR, of the years 2021 to 2025. A tuple has types
# that both occur; members that only some of the hits have are marked.
_LIST = [str]
_SOURCE = {
    "ciks": _LIST,
    "period_ending": (str, None),
    "file_num": _LIST,
    "display_names": _LIST,
    "xsl": (str, None),
    "sequence": (int, str),
    "root_forms": _LIST,
    "root_form": str,
    "file_date": str,
    "biz_states": _LIST,
    "sics": _LIST,
    "form": str,
    "adsh": str,
    "film_num": _LIST,
    "biz_locations": _LIST,
    "file_type": str,
    "file_description": (str, None),
    "inc_states": _LIST,
    "items": _LIST,
    "schema_version": (str, None),
}
_HEAD = {
    "took": int,
    "timed_out": bool,
    "_shards": {"total": int, "successful": int, "skipped": int, "failed": int},
}
_COUNTED = {
    "doc_count_error_upper_bound": int,
    "sum_other_doc_count": int,
    "buckets": [{"key": str, "doc_count": int}],
}
_FILTERS = ("entity_filter", "sic_filter", "biz_states_filter", "form_filter")
_HIT = {"_index": str, "_type": str, "_id": str}
_TOTAL = {"value": int, "relation": str}
RECORDED: dict[str, Any] = {
    **_HEAD,
    "hits": {
        "total": _TOTAL,
        "max_score": float,
        "hits": [{**_HIT, "_score": float, "_source": _SOURCE}],
    },
    "aggregations": dict.fromkeys(_FILTERS, _COUNTED),
    "query": {
        "_source": {"exclude": _LIST},
        "query": {
            "bool": {
                "must": [dict],
                "must_not": [],
                "should": [],
                "filter": [{"range": {"file_date": {"gte": str, "lte": str}}}],
            }
        },
        "from": int,
        "size": int,
        "aggregations": dict.fromkeys(_FILTERS, {"terms": {"field": str, "size": int}}),
    },
}
RECORDED_NAMES: dict[str, Any] = {
    **_HEAD,
    "hits": {
        "total": _TOTAL,
        "max_score": float,
        "hits": [
            {**_HIT, "_score": float, "_source": {"entity": str, "entity_words": str, "rank": int}}
        ],
    },
}


def differences(recorded: Any, ours: Any, at: str = "") -> list[str]:
    """Return the members of a recorded answer that ours lacks or has as another type."""
    if isinstance(recorded, dict):
        if not isinstance(ours, dict):
            return [f"{at} is no object"]
        missing = [f"{at}.{name} is missing" for name in recorded if name not in ours]
        both = (name for name in recorded if name in ours)
        return missing + [
            difference
            for name in both
            for difference in differences(recorded[name], ours[name], f"{at}.{name}")
        ]
    if isinstance(recorded, list):
        if not isinstance(ours, list):
            return [f"{at} is no list"]
        items = ours if recorded else []
        return [
            difference for item in items for difference in differences(recorded[0], item, f"{at}[]")
        ]
    types = recorded if isinstance(recorded, tuple) else (recorded,)
    if ours is None:
        return [] if None in types else [f"{at} is null"]
    return [] if type(ours) in types else [f"{at} is {type(ours).__name__}"]


async def test_answers_have_the_members_and_types_of_recorded_ones(client: Client) -> None:
    found = await client.get(
        PATH, q="terracotta", dateRange="custom", startdt="1993-01-01", enddt="2026-12-31"
    )
    assert len(found["hits"]["hits"]) == len(ALL)
    assert all(found["aggregations"][name]["buckets"] for name in _FILTERS)
    assert differences(RECORDED, found) == []
    named = await client.get(PATH, keysTyped="kiln")
    assert len(named["hits"]["hits"]) == 1
    assert differences(RECORDED_NAMES, named) == []


async def test_the_search_that_was_run_is_told_in_edgars_fields(client: Client) -> None:
    reply = await client.get(
        PATH,
        q="terracotta -tiles",
        forms="10-K,-10-K/A",
        ciks="9991401",
        startdt="2021-01-01",
        **{"from": 1},
    )
    assert reply["query"]["from"] == 1
    assert reply["query"]["query"]["bool"] == {
        "must": [{"query_string": {"query": "terracotta NOT tiles"}}],
        "must_not": [{"terms": {"form": ["10-K/A"]}}],
        "should": [],
        "filter": [
            {"terms": {"ciks": ["0009991401"]}},
            {"terms": {"form": ["10-K", "10-K/A"]}},
            {"range": {"file_date": {"gte": "2021-01-01"}}},
        ],
    }


async def test_filing_of_two_entities_and_its_items(client: Client) -> None:
    hits = (await client.get(PATH, q="terracotta", sort="asc"))["hits"]["hits"]
    found = {hit["_id"]: hit["_source"] for hit in hits}
    amended, current = found[AMENDED], found[CURRENT]
    assert (amended["form"], amended["root_forms"]) == ("10-K/A", ["10-K"])
    assert amended["ciks"] == ["0009991401", "0009991402"]
    assert amended["display_names"][1] == "GLAZE FUNDING LLC  (CIK 0009991402)"
    assert current["items"] == ["5.02", "9.01"]
    assert [hit["_source"]["file_date"] for hit in hits] == sorted(
        hit["_source"]["file_date"] for hit in hits
    )


async def test_aggregations_are_those_of_counted_pages(client: Client) -> None:
    reply = await client.get(PATH, q="terracotta")
    sources = [hit["_source"] for hit in reply["hits"]["hits"]]
    for name, field in (
        ("form_filter", "root_forms"),
        ("entity_filter", "display_names"),
        ("sic_filter", "sics"),
        ("biz_states_filter", "biz_states"),
    ):
        counted: dict[str, int] = {}
        for source in sources:
            for value in set(source[field]):
                counted[value] = counted.get(value, 0) + 1
        buckets = reply["aggregations"][name]
        assert {bucket["key"]: bucket["doc_count"] for bucket in buckets["buckets"]} == counted
        assert buckets["sum_other_doc_count"] == 0
    assert "aggregations" not in await client.get(PATH, q="terracotta", **{"from": 1})


async def test_without_words_newest_first_and_without_scores(client: Client) -> None:
    reply = await client.get(PATH, forms="-0")
    assert [hit["_id"] for hit in reply["hits"]["hits"]] == [CURRENT, ANNUAL, AMENDED]
    assert reply["hits"]["max_score"] is None
    assert {hit["_score"] for hit in reply["hits"]["hits"]} == {None}


async def test_post_and_key_in_the_path(client: Client) -> None:
    http, asked = client.http, dict[str, Any](q="terracotta", forms=["10-K"])
    key = http.headers["x-api-key"]
    reply = (await http.post(PATH, json=asked)).json()
    assert ids(reply) == {ANNUAL, TILES, AMENDED}
    async with httpx.AsyncClient(transport=http._transport, base_url=http.base_url) as bare:
        with_key = await bare.post(f"/efts/{key}{PATH}", json=asked)
        assert ids(with_key.json()) == {ANNUAL, TILES, AMENDED}
        refused = await bare.get(PATH, params=asked)
    assert refused.status_code == 401
    assert refused.json()["hits"] == {"total": {"value": 0, "relation": "eq"}, "hits": []}


@pytest.mark.parametrize(
    "asked",
    [{}, {"q": ""}, {"q": "*"}, {"startdt": "2021-01-01", "enddt": "2021-12-31"}],
    ids=str,
)
async def test_blank_search(client: Client, asked: dict[str, str]) -> None:
    assert await client.get(PATH, **asked) == {"error": BLANK, "hits": {"hits": []}}


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"q": "-a"}, "nothing is wanted"),
        ({"q": "a", "startdt": "2021-13-01"}, "`startdt` must be a date"),
        ({"q": "a", "from": "-1"}, "`from` must be a whole number"),
        ({"q": "a", "sort": "newest"}, "`sort` must be asc or desc"),
        ({"q": "a", "ciks": "apple"}, "`ciks` must be numbers"),
    ],
)
async def test_errors_are_400(client: Client, asked: dict[str, str], said: str) -> None:
    reply = await client.http.get(PATH, params=asked)
    assert reply.status_code == 400
    assert said in reply.json()["error"]
    assert reply.json()["hits"]["hits"] == []


async def test_page_beyond_the_window_is_elasticsearchs_error(client: Client) -> None:
    reply = await client.http.get(PATH, params={"q": "terracotta", "from": 99_901})
    assert reply.status_code == 400
    reason = reply.json()["error"]["root_cause"][0]["reason"]
    assert reason.startswith("Result window is too large, from + size must be less than or equal")


async def test_entities_by_the_beginning_of_a_name_and_by_number(client: Client) -> None:
    for typed in ("kiln", "kiln cl", "9991401"):
        hits = (await client.get(PATH, keysTyped=typed))["hits"]
        assert hits["total"] == {"value": 1, "relation": "eq"}
        assert [hit["_id"] for hit in hits["hits"]] == ["9991401"]
        assert hits["hits"][0]["_source"]["entity"] == "KILN & CLAY CORP"
    assert (await client.get(PATH, keysTyped="zzzz"))["hits"]["hits"] == []


@pytest.mark.parametrize(("mirror", "status"), [("open", 200), ("keys", 401), ("off", 404)])
async def test_without_a_key_only_where_it_is_open(
    engine: Engine, settings: Settings, mirror: Literal["open", "keys", "off"], status: int
) -> None:
    async with serving(engine, structs.replace(settings, mirror=mirror)) as client:
        del client.http.headers["x-api-key"]
        assert (await client.http.get(PATH, params={"q": "terracotta"})).status_code == status


async def test_an_address_without_a_key_has_a_rate(engine: Engine, settings: Settings) -> None:
    slow = structs.replace(settings, mirror="open", address_rate=1)
    async with serving(engine, slow) as client:
        del client.http.headers["x-api-key"]
        asked = [client.http.get(PATH, params={"q": "tiles"}) for _ in range(6)]
        replies = await asyncio.gather(*asked)
    refused = [reply.json() for reply in replies if reply.status_code == 429]
    assert 0 < len(refused) < len(replies)
    assert all(reply["hits"]["hits"] == [] for reply in refused)
