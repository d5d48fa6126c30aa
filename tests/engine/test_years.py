"""Years of filing in indices of their own: what is asked, and that nothing is missing."""

import itertools
from collections.abc import Callable
from datetime import date

import msgspec
import pytest

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.loading import Loads
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.usefixtures("made_settings")]
ENTITY = MadeUpEntity("0009990142", "DUNLIN")
DAYS = ("2019-12-31", "2020-01-01", "2020-06-30", "2021-01-01", "2021-01-02", "2021-01-03")


@pytest.fixture(scope="module")
def settings(settings: Settings) -> Settings:
    """Each year has indices of its own, of which one has two shards."""
    return msgspec.structs.replace(settings, partition="year", shards="documents.2021=2")


async def shards_asked(engine: Engine, **days: str) -> int:
    query = {"bool": {"filter": [{"range": {"filing_date": days}}]}}
    reply = await engine.search("documents", {"query": query, "size": 0}, msgspec.Raw)
    return reply.shards.total


async def test_search_with_dates_asks_the_years_that_can_match_and_misses_nothing(
    client: Client, engine: Engine, loads: Loads, new_number: Callable[[], str]
) -> None:
    filings = [
        MadeUp(
            new_number(),
            (ENTITY,),
            (MadeUpDocument("Dunlins feed.\n"),),
            filing_date=date.fromisoformat(day),
        )
        for day in DAYS
    ]
    await loads({f"{each.accession_number}.txt": txt(each) for each in filings})
    bounds = [*DAYS, "1990-01-01", "2020-07-01", "2100-01-01"]
    for first, last in itertools.product(bounds, bounds):
        if first > last:
            continue
        expected = sum(first <= day <= last for day in DAYS)
        found = await client.search("dunlins", from_date=first, to_date=last)
        assert (found["total_count"], len(found["items"])) == (expected, expected), (first, last)
        days = {"from_date": first, "to_date": last}
        assert (await client.facets(query="dunlins", **days))["total_count"] == expected
        assert (await client.check("dunlins", **days))["total_count"] == expected
        grouped = await client.search("dunlins", **days, group_by="filing")
        assert grouped["total_count"] == expected
        walked = await client.search(
            "dunlins", from_date=first, to_date=last, cursor="*", snapshot="true"
        )
        assert walked["items"] == found["items"], (first, last)
    assert (await client.search("dunlins"))["total_count"] == len(DAYS)
    assert await shards_asked(engine, gte="2019-01-01", lte="2019-12-31") == 1
    assert await shards_asked(engine, gte="2020-01-01", lte="2021-12-31") == 3
    # The year of today has an index too, which every load makes.
    assert await shards_asked(engine, gte="2021-01-01") == 3
    assert await shards_asked(engine, gte="1990-01-01") == 5
    # Where no year can match all are asked: none at all would not be answered as a search is.
    assert await shards_asked(engine, lte="1990-01-01") == 5
