"""The order of documents: words close together, wildcards, and operands that may be absent."""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from datetime import date
from typing import Any

import msgspec
import pytest

from edgar_search.engine.engine import Engine
from edgar_search.search.language import parse
from edgar_search.search.query.body import HIT_FIELDS
from edgar_search.search.query.proximity import proximity_clause
from edgar_search.search.results import DocumentHit, relevance
from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.loading import load_now
from tests.support.serving import serving
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.one_client]
ENTITY = MadeUpEntity("0009990120", "MARBLE")


def apart(count: int) -> str:
    return " ".join(["gravel"] * count)


# Words with their gap: all match `basalt slate`, the nearer the better except for those beyond 50.
GAPS = (0, 5, 49, 50, 51, 200)
PAIRS = {f"gap{gap}": f"basalt {apart(gap)} slate {apart(300 - gap)}" for gap in GAPS}
# More than are few here.
MANY = {f"many{n}": f"{'schist ' * (n + 1)} {apart(60)} gneiss {apart(40)}" for n in range(30)}
MANY |= {f"close{n}": f"schist gneiss {apart(100 + n)}" for n in range(3)}
WILD = {
    "about": "resigning: he resigned, his resignation is final",
    "mention": f"resigned {apart(200)}",
    "wide": " ".join(f"zircon{n:04d}" for n in range(2_100)),
    "wider": "zirconia jasper",
}
MARKS = {
    "hyphen": f"our 10-K plan {apart(80)}",
    "hyphenapart": f"our 10-K {apart(80)} plan",
    "plan": f"a 401(k) trust {apart(80)}",
    "planapart": f"a 401(k) {apart(80)} trust",
    "dots": f"the U.S. market {apart(80)}",
    "dotsapart": f"the U.S. {apart(80)} market",
    "quote": f"an o'clock \u2018shop\u2019 {apart(80)}",
    "quoteapart": f"an o'clock {apart(80)} \u2018shop\u2019",
    "phrase": f"credit default or swap {apart(80)}",
    "phrasemoved": f"default of credit or swap {apart(80)}",
}
MOST = {
    "whole1": "agate beryl citrine",
    "whole2": f"agate {apart(90)} beryl {apart(90)} citrine",
    **{f"ab{n}": f"agate beryl {apart(n)}" for n in range(12)},
    "bc": "beryl citrine",
    "ac": "agate citrine diamond",
    "a": "agate agate agate",
}
TEXTS: Mapping[str, str] = {**PAIRS, **MANY, **WILD, **MARKS, **MOST}
FEW = 12


@pytest.fixture(scope="module", params=["none", "year"])
def settings(request: pytest.FixtureRequest, settings: Settings) -> Settings:
    """The module's settings, once with all filings in one index, once with an index a year."""
    prefix = f"{settings.prefix}{request.param}-"
    return msgspec.structs.replace(
        settings, prefix=prefix, partition=request.param, close_matches=FEW
    )


@pytest.fixture(scope="module", autouse=True)
def texts(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    """One filing for each text, in turn of one year and of the next."""
    files = {
        f"{name}.txt": txt(
            MadeUp(
                number(name),
                (ENTITY,),
                (MadeUpDocument(f"{text}\n"),),
                filing_date=date(2020 + place % 2, 3, 1),
            )
        )
        for place, (name, text) in enumerate(TEXTS.items())
    }
    load_now(settings, tmp_path_factory.mktemp("files"), files)


def number(name: str) -> str:
    return f"0009990120-21-{list(TEXTS).index(name):06d}"


def named(item: Mapping[str, Any]) -> str:
    return list(TEXTS)[int(item["accnum"][-6:])]


@asynccontextmanager
async def ranking(engine: Engine, settings: Settings, few: int) -> AsyncIterator[Client]:
    """Yield the service that looks for closeness among this many matches."""
    own = msgspec.structs.replace(settings, close_matches=few, default_plan="unlimited")
    async with serving(engine, own, f"few {few}") as client:
        yield client


async def all_pages(client: Client, query: str, limit: int, **asked: Any) -> list[Any]:
    """Return all items, by pages of this size; each page says the same total and warnings."""
    first = await client.search(query, limit=limit, **asked)
    items = first["items"]
    while len(items) < first["total_count"]:
        page = await client.search(query, limit=limit, offset=len(items), **asked)
        assert (page["total_count"], page.get("warnings")) == (
            first["total_count"],
            first.get("warnings"),
        )
        assert len(page["items"]) == min(limit, first["total_count"] - len(items))
        items += page["items"]
    return list(items)


def scores(items: list[Any]) -> dict[str, float]:
    return {named(item): item["score"] for item in items}


async def test_words_that_stand_closer_come_first(client: Client) -> None:
    found = scores((await client.search("basalt slate"))["items"])
    assert found["gap0"] > found["gap5"] > found["gap49"] == found["gap50"]
    assert found["gap50"] > found["gap51"] == found["gap200"]


async def test_order_of_words_matters_only_for_neighbours(client: Client) -> None:
    forth, back = [
        scores((await client.search(query))["items"]) for query in ("basalt slate", "slate basalt")
    ]
    assert forth.pop("gap0") > back.pop("gap0")
    assert forth == pytest.approx(back)


@pytest.mark.parametrize(
    "query",
    ["basalt slate", "schist gneiss", "resign* he", "zircon* jasper", "10-K plan", "agate beryl"],
)
async def test_what_matches_is_the_same_without_closeness(
    engine: Engine, settings: Settings, client: Client, query: str
) -> None:
    async with ranking(engine, settings, 0) as plain:
        without = await all_pages(plain, query, 100)
    assert set(scores(await all_pages(client, query, 100))) == set(scores(without)) != set()


@pytest.mark.parametrize("limit", [1, 5, 12, 100])
async def test_where_many_match_all_pages_are_alike_without_closeness(
    engine: Engine, settings: Settings, client: Client, limit: int
) -> None:
    async with ranking(engine, settings, 0) as plain:
        without = await all_pages(plain, "schist gneiss", 100)
    assert len(without) > 2 * FEW
    assert await all_pages(client, "schist gneiss", limit) == without


@pytest.mark.parametrize("limit", [1, 5, 100])
@pytest.mark.parametrize("few", [33, 1_000])
async def test_where_few_match_all_pages_are_alike_with_it(
    engine: Engine, settings: Settings, few: int, limit: int
) -> None:
    async with ranking(engine, settings, few) as close:
        items = await all_pages(close, "schist gneiss", limit)
    found = [item["score"] for item in items]
    assert found == sorted(found, reverse=True)
    assert {named(item) for item in items} == set(MANY)
    assert {named(item) for item in items[:3]} == {"close0", "close1", "close2"}


async def test_one_match_too_many_is_many(engine: Engine, settings: Settings) -> None:
    async with ranking(engine, settings, 32) as client:
        items = (await client.search("schist gneiss"))["items"]
    assert named(items[0]).startswith("many")


async def test_version_2_by_date_has_the_scores_of_version_1(client: Client) -> None:
    by_score = scores(await all_pages(client, "basalt slate", 100))
    reply = await client.http.get("/v2/fulltext_search", params={"query": "basalt slate"})
    assert reply.status_code == 200, reply.text
    hits = reply.json()["hits"]
    names = [list(TEXTS)[int(hit["accession_number"][-6:])] for hit in hits]
    found = dict(zip(names, [hit["score"] for hit in hits], strict=True))
    assert found == pytest.approx(by_score)


async def test_requests_of_a_search(own_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    search = Engine.search

    async def counted(self: Engine, kind: Any, *args: Any, **named: Any) -> Any:
        asked.append(kind)
        return await search(self, kind, *args, **named)

    monkeypatch.setattr(Engine, "search", counted)
    for query, expected in (
        ("basalt", 1),
        ("basalt slate", 1),
        ("schist gneiss", 2),
        # That many match is remembered.
        ("schist gneiss", 1),
    ):
        asked.clear()
        await own_client.search(query)
        assert asked == ["documents"] * expected + ["passages"]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("10-K plan", {"hyphen"}),
        ("10\u2011K PLAN", {"hyphen"}),
        ("401(k) trust", {"plan"}),
        ("U.S. market", {"dots"}),
        ("U.S market", {"dots"}),
        ("o'clock shop", {"quote"}),
        ("o\u2019clock 'shop'", {"quote"}),
        ('swap "credit default"', {"phrase"}),
        ('swap "default credit"', set()),
        ('swap "default credit"~1', {"phrasemoved"}),
        ('swap "default credit"~2', {"phrase", "phrasemoved"}),
        ("resign* final", {"about"}),
        ("resig?ed final", {"about"}),
        ("final (resigns OR resigned)", {"about"}),
    ],
)
async def test_what_stands_close_is_found_by_the_words_of_the_index(
    engine: Engine, query: str, expected: set[str]
) -> None:
    clause = proximity_clause(parse(query))
    assert clause is not None
    body = {"query": clause, "size": 100, "docvalue_fields": HIT_FIELDS}
    reply = await engine.search("documents", body, DocumentHit)
    keys = [hit.document_id for hit in reply.hits.hits]
    assert {list(TEXTS)[int(key.split("-")[2])] for key in keys} == expected


async def test_wildcard_prefers_what_is_about_it(client: Client) -> None:
    items = (await client.search("resign*"))["items"]
    assert [named(item) for item in items] == ["about", "mention"]
    assert items[0]["score"] > items[1]["score"]


async def test_wildcard_scores_more_than_that_it_matches(client: Client) -> None:
    assert (await client.search("resign*"))["items"][1]["score"] > relevance(1.0)


@pytest.mark.parametrize("pattern", ["zir*", "zircon*", "zir*0?", "zirc?n*"])
async def test_wildcard_with_thousands_of_words_matches_and_scores_one(
    client: Client, pattern: str
) -> None:
    items = (await client.search(pattern))["items"]
    expected = [relevance(1.0)] * (1 if "0" in pattern else 2)
    assert [item["score"] for item in items] == pytest.approx(expected)


@pytest.mark.parametrize("query", ["zircon* jasper", "zir* zirc* zirco* zircon* jasper resign*"])
async def test_wide_wildcard_beside_others_is_no_error(client: Client, query: str) -> None:
    assert [named(item) for item in (await client.search(query))["items"]] == (
        ["wider"] if query.startswith("zircon") else []
    )


async def test_five_wildcards_at_the_bound_are_no_error(client: Client) -> None:
    # Each stands for a hundred words.
    query = " ".join(f"zircon{n:02d}*" for n in range(5))
    assert [named(item) for item in (await client.search(query))["items"]] == ["wide"]


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 100])
async def test_with_most_those_with_any_are_found_best_first(client: Client, limit: int) -> None:
    items = await all_pages(client, "agate beryl citrine", limit, operands="most")
    names = [named(item) for item in items]
    assert "whole1" in names[:2]
    some = {name for name, text in TEXTS.items() if re.search("agate|beryl|citrine", text)}
    assert set(names) == some
    assert len(names) == len(some)
    found = [item["score"] for item in items]
    assert found == sorted(found, reverse=True)


async def test_with_most_the_answer_counts_those_with_all(client: Client) -> None:
    every = await client.search("agate beryl citrine", limit=1)
    for more in ({}, {"cursor": "*"}, {"group_by": "filing"}):
        reply = await client.search("agate beryl citrine", operands="most", limit=1, **more)
        assert reply["total_with_all"] == every["total_count"] == 2
        assert "warnings" not in reply


@pytest.mark.parametrize(
    ("query", "operands", "excluded"),
    [
        ("agate beryl citrine NOT diamond", ("agate", "beryl", "citrine"), "diamond"),
        ("agate diamond (citrine OR emerald)", ("agate", "diamond", "citrine|emerald"), "0"),
        ("agate beryl diamond", ("agate", "beryl", "diamond"), "0"),
        ('agate "beryl citrine" gravel', ("agate", "beryl citrine", "gravel"), "0"),
        ("aga* beryl diam*", ("aga", "beryl", "diam"), "0"),
        ("agate diamond", ("agate", "diamond"), "0"),
        ("emerald topaz zirconia", ("emerald", "topaz", "zirconia"), "0"),
    ],
)
async def test_with_most_a_document_needs_any_operand(
    client: Client, query: str, operands: tuple[str, ...], excluded: str
) -> None:
    def has(text: str) -> list[bool]:
        return [re.search(operand, text) is not None for operand in operands]

    some = {n for n, t in TEXTS.items() if any(has(t)) and not re.search(f" {excluded}", t)}
    items = await all_pages(client, query, 100, operands="most", include="lacks")
    assert {named(item) for item in items} == some
    for item in items:
        assert len(item["lacks"]) == has(TEXTS[named(item)]).count(False)


async def test_hit_names_what_it_lacks_as_it_is_written(client: Client) -> None:
    asked = {"operands": "most", "include": "lacks", "group_by": "filing"}
    for more in ({}, {"group_by": ""}, {"cursor": "*", "group_by": ""}):
        wanted = {name: value for name, value in {**asked, **more}.items() if value}
        items = (await client.search('agate (citrine OR topaz) "agate agate"', **wanted))["items"]
        lacking = {named(item): item["lacks"] for item in items}
        assert lacking["ab0"] == ["(citrine OR topaz)", '"agate agate"']
        assert lacking["a"] == ["(citrine OR topaz)"]


@pytest.mark.parametrize(
    "query",
    [
        "agate",
        "agate AGATE",
        "agate OR beryl OR emerald",
        '"agate beryl citrine"',
    ],
)
async def test_with_most_one_operand_stays(client: Client, query: str) -> None:
    every = await client.search(query)
    most = await client.search(query, operands="most")
    assert most == every | {"total_with_all": every["total_count"]}
