"""Years of filing in indices of their own: what is asked, and that nothing is missing."""

import itertools
import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest

from edgar_search.engine.engine import Engine
from edgar_search.engine.requests import Requests
from edgar_search.settings import Settings
from ingest.indices.differences import Difference, diff_live
from ingest.loading.ledger import Reload
from ingest.loading.session import load
from tests.support.asking import Client
from tests.support.loading import Loads, stored, write_sources
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.own_installation,
    pytest.mark.usefixtures("made_settings"),
]
ENTITY = MadeUpEntity("0009990142", "DUNLIN")
DAYS = ("2019-12-31", "2020-01-01", "2020-06-30", "2021-01-01", "2021-01-02", "2021-01-03")


@pytest.fixture(scope="module")
def settings(settings: Settings) -> Settings:
    """Each year has indices of its own, one with two shards, those before 2020 compressed more."""
    return msgspec.structs.replace(
        settings, partition="year", shards="documents.2021=2", compress_before=2020
    )


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bool]]:
    """The searches from now on, each with True if shards are first asked for their words."""
    rows: list[tuple[str, bool]] = []
    send = Requests.send

    async def noted(self: Requests, method: str, path: str, **more: Any) -> bytes:
        if path.endswith("/_search"):
            names = path.removeprefix("/").removesuffix("/_search")
            rows.append((kinds_of(names), "search_type" in (more.get("params") or {})))
        if path == "/_msearch":
            heads = [json.loads(line) for line in more["body"].splitlines()[::2]]
            rows.extend((kinds_of(head["index"]), "search_type" in head) for head in heads)
        return await send(self, method, path, **more)

    monkeypatch.setattr(Requests, "send", noted)
    return rows


def kinds_of(names: str) -> str:
    return ",".join(name.rpartition("-")[2] for name in names.split(","))


def filed(day: str, number: str, text: str) -> MadeUp:
    document = (MadeUpDocument(text),)
    return MadeUp(number, (ENTITY,), document, filing_date=date.fromisoformat(day))


async def shards_asked(engine: Engine, **days: str) -> int:
    query = {"bool": {"filter": [{"range": {"filing_date": days}}]}}
    reply = await engine.search("documents", {"query": query, "size": 0}, msgspec.Raw)
    return reply.shards.total


async def test_search_with_dates_asks_the_years_that_can_match_and_misses_nothing(
    client: Client, engine: Engine, loads: Loads, new_number: Callable[[], str]
) -> None:
    filings = [filed(day, new_number(), "Dunlins feed.\n") for day in DAYS]
    await loads({f"{filing.accession_number}.txt": txt(filing) for filing in filings})
    bounds = sorted([*DAYS, "1990-01-01", "2020-07-01", "2100-01-01"])
    # Each pair of days is searched, and asked in one other way as well, which come in turn.
    ways = itertools.cycle(("facets", "check", "groups", "walk"))
    for first, last in itertools.combinations_with_replacement(bounds, 2):
        expected = sum(first <= day <= last for day in DAYS)
        found = await client.search("dunlins", from_date=first, to_date=last)
        assert (found["total_count"], len(found["items"])) == (expected, expected), (first, last)
        days = {"from_date": first, "to_date": last}
        match next(ways):
            case "facets":
                asked = await client.facets(query="dunlins", **days)
            case "check":
                asked = await client.check("dunlins", **days)
            case "groups":
                asked = await client.search("dunlins", **days, group_by="filing")
            case _:
                asked = await client.search("dunlins", **days, cursor="*", snapshot="true")
                assert asked["items"] == found["items"], (first, last)
        assert asked["total_count"] == expected, (first, last)
    assert (await client.search("dunlins"))["total_count"] == len(DAYS)
    assert await shards_asked(engine, gte="2019-01-01", lte="2019-12-31") == 1
    assert await shards_asked(engine, gte="2020-01-01", lte="2021-12-31") == 3
    # The year of today has an index too, which every load makes.
    assert await shards_asked(engine, gte="2021-01-01") == 3
    assert await shards_asked(engine, gte="1990-01-01") == 5
    # Where no year can match all are asked: none at all would not be answered as a search is.
    assert await shards_asked(engine, lte="1990-01-01") == 5


async def test_passages_are_looked_for_where_the_hits_are(
    client: Client,
    loads: Loads,
    new_number: Callable[[], str],
    asked: list[tuple[str, bool]],
) -> None:
    days = ("2019-06-30", "2020-06-30", "2021-06-30")
    filings = [filed(day, new_number(), f"Godwits rest {day[:4]}.\n") for day in days]
    await loads({f"{filing.accession_number}.txt": txt(filing) for filing in filings})
    await client.search("godwits")
    asked.clear()
    found = await client.search("godwits", sort="newest", limit=2)
    assert [item["snippet"] for item in found["items"]] == [
        f"<mark>Godwits</mark> rest {year}." for year in (2021, 2020)
    ]
    # One of the two years has one shard of passages, as the other: nothing is compared over them.
    assert asked == [("documents", True), ("passages.all,passages.2020,passages.2021", False)]
    asked.clear()
    await client.facets(query="godwits")
    assert {twice for _, twice in asked} == {False}


async def test_text_and_matches_of_a_document_are_read_in_its_year(
    client: Client,
    loads: Loads,
    new_number: Callable[[], str],
    asked: list[tuple[str, bool]],
) -> None:
    whimbrel = filed("2020-02-29", new_number(), "Whimbrels whistle.\n")
    other = filed("2019-02-28", new_number(), "Whimbrels sleep.\n")
    await loads({f"{each.accession_number}.txt": txt(each) for each in (whimbrel, other)})
    key = f"{whimbrel.accession_number}-1"
    await client.search("whimbrels")
    asked.clear()
    text = await client.get("/v1/text", document_id=key)
    assert "Whimbrels whistle." in text["text"]
    matches = await client.get("/v1/matches", document_id=key, query="whimbrels")
    assert matches["total_count"] == 1
    assert {kinds for kinds, _ in asked} == {
        "documents",
        "passages.all,passages.2020",
        "sections.all,sections.2020",
    }
    assert {twice for _, twice in asked} == {False}
    # It has moved to another year, and is found there.
    moved = filed("2019-03-01", whimbrel.accession_number, "Whimbrels whistle again.\n")
    await loads({"moved.txt": txt(moved)})
    text = await client.get("/v1/text", document_id=key)
    assert "whistle again" in text["text"]


@pytest.mark.any_engine
async def test_years_before_the_first_one_are_together_and_misses_nothing(
    client: Client,
    engine: Engine,
    settings: Settings,
    tmp_path: Path,
    new_number: Callable[[], str],
) -> None:
    together = msgspec.structs.replace(settings, partition_from=2021)
    filings = [filed(day, new_number(), "Turnstones turn.\n") for day in DAYS]
    loads = Loads(engine, together, tmp_path)
    await loads({f"{filing.accession_number}.txt": txt(filing) for filing in filings})
    places: dict[str, set[str]] = {}
    for filing in filings:
        (hit,) = await stored(engine, "filings", filing.accession_number)
        places.setdefault(hit.index.split(".")[1], set()).add(str(filing.filing_date))
    assert places == {"all": set(DAYS[:3]), "2021": set(DAYS[3:])}
    for first, last in itertools.combinations(DAYS, 2):
        expected = sum(first <= day <= last for day in DAYS)
        found = await client.search("turnstones", from_date=first, to_date=last)
        assert (found["total_count"], len(found["items"])) == (expected, expected), (first, last)
    assert (await client.search("turnstones"))["total_count"] == len(DAYS)
    # Set later, years that had an index of their own are emptied by loading again.
    numbers = [new_number() for _ in DAYS]
    apart = [filed(day, number, "Knots.\n") for day, number in zip(DAYS, numbers, strict=True)]
    files = {f"{each.accession_number}.txt": txt(each) for each in apart}
    await Loads(engine, settings, tmp_path)(files)
    again = await load(
        engine,
        together,
        write_sources(tmp_path, files),
        1,
        reload=Reload(datetime.now(UTC)),
        alerts=False,
    )
    assert again.loaded == len(DAYS)
    assert (await client.search("knots"))["total_count"] == len(DAYS)
    (hit,) = await stored(engine, "filings", numbers[0])
    assert hit.index.split(".")[1] == "all"


async def test_years_that_are_over_are_compressed_or_named_for_a_rebuild(
    engine: Engine, settings: Settings, loads: Loads, new_number: Callable[[], str]
) -> None:
    filings = [filed(day, new_number(), "Dunlins feed.\n") for day in DAYS]
    await loads({f"{filing.accession_number}.txt": txt(filing) for filing in filings})
    named = f"{settings.prefix}passages.{{}}.v1"
    path = f"/{settings.prefix}passages.*/_settings/index.codec"
    found = await engine.administer("GET", path)
    codecs = {name: each["settings"]["index"]["codec"] for name, each in found.items()}
    assert codecs == {named.format(2019): "best_compression"}
    assert await diff_live(engine, settings) == {}
    later = msgspec.structs.replace(settings, compress_before=2021)
    rebuilt = Difference("settings.codec", None, "best_compression", "needs a rebuild")
    assert (await diff_live(engine, later))[named.format(2020)] == [rebuilt]
