"""Totals, order, ties and pages, on one shard and over the years of a partitioned index."""

from datetime import date, timedelta

import msgspec
import pytest

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from tests.support.asking import Client
from tests.support.loading import load_now
from tests.support.serving import serving
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.one_client]
ENTITY = MadeUpEntity("0009990090", "MARBLE")
ALIKE = 40
# Some in 2020, some in 2021; two documents a filing, so that ties on the date go to the id too.
DAYS = [date(2020, 12, 25) + timedelta(days=place // 2) for place in range(ALIKE)]
TWINS = (MadeUpDocument("Plain granite.\n"), MadeUpDocument("Plain granite.\n"))
BETTER = ["basalt " * times + "slate " * (10 - times) for times in range(1, 10)]


@pytest.fixture(scope="module", params=["none", "year"])
def settings(request: pytest.FixtureRequest, settings: Settings) -> Settings:
    """The module's settings, once with all filings in one index, once with an index a year."""
    prefix = f"{settings.prefix}{request.param}-"
    return msgspec.structs.replace(settings, prefix=prefix, partition=request.param)


@pytest.fixture(scope="module", autouse=True)
def filings(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Filings that score alike, and some that do not."""
    alike = [
        MadeUp(number(place), (ENTITY,), TWINS, filing_date=day) for place, day in enumerate(DAYS)
    ]
    better = [
        MadeUp(number(100 + place), (ENTITY,), (MadeUpDocument(text),), filing_date=DAYS[-place])
        for place, text in enumerate(BETTER)
    ]
    files = {f"{filing.accession_number}.txt": txt(filing) for filing in alike + better}
    load_now(settings, tmp_path_factory.mktemp("files"), files)


def number(place: int) -> str:
    return f"0009990090-21-{place:06d}"


def newest_first() -> list[str]:
    places = sorted(range(ALIKE), key=lambda place: (-DAYS[place].toordinal(), place))
    return [f"{number(place)}-{sequence}" for place in places for sequence in (1, 2)]


async def test_of_equal_score_the_newest_come_first_then_the_lowest_id(client: Client) -> None:
    assert await client.found("granite") == newest_first()


async def test_equal_texts_score_alike_in_all_indices(client: Client) -> None:
    items = (await client.search("granite", limit=100))["items"]
    assert len({item["score"] for item in items}) == 1


async def test_more_of_a_word_scores_higher(client: Client) -> None:
    items = (await client.search("basalt"))["items"]
    assert [item["accnum"] for item in items] == [number(100 + n) for n in reversed(range(9))]
    scores = [item["score"] for item in items]
    assert scores == sorted(scores, reverse=True)
    assert 0 < scores[-1] < scores[0] < 1


@pytest.mark.parametrize("limit", [1, 7, 80, 100])
async def test_pages_neither_overlap_nor_miss(client: Client, limit: int) -> None:
    found: list[str] = []
    while len(found) < 2 * ALIKE:
        reply = await client.search("plain", limit=limit, offset=len(found))
        assert reply["total_count"] == 2 * ALIKE
        assert len(reply["items"]) == min(limit, 2 * ALIKE - len(found))
        found += [item["document_id"] for item in reply["items"]]
    assert found == newest_first()


async def test_total_counts_all_and_a_page_has_twenty_by_default(client: Client) -> None:
    reply = await client.search("granite OR basalt")
    assert (reply["total_count"], len(reply["items"])) == (2 * ALIKE + len(BETTER), 20)


@pytest.mark.parametrize("offset", [80, 5_000, 99_980])
async def test_offset_past_the_total_is_a_page_without_items(client: Client, offset: int) -> None:
    reply = await client.search("granite", offset=offset)
    assert reply == {"total_count": 2 * ALIKE, "items": []}


async def test_page_beyond_the_window_is_refused(client: Client) -> None:
    parameters = {"query": "granite", "offset": "99981"}
    response = await client.http.get("/v1/search", params=parameters)
    assert response.status_code == 400
    assert "100000" in response.json()["error"]


@pytest.mark.parametrize("account", ["_odd", "_shards:0", "a,b|c & d\u00e9"])
async def test_any_account_name_can_search(
    engine: Engine, settings: Settings, account: str
) -> None:
    async with serving(engine, settings, account) as client:
        assert await client.found("granite") == newest_first()
