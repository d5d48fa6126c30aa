"""A filing whose header has a date in the future: loaded, in its order, and reported everywhere."""

import json
import logging
from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from edgar_search.edgar.calendar import last_filing_date
from edgar_search.engine.engine import Engine
from edgar_search.search.coverage import count_corpus
from edgar_search.settings import Settings
from ingest.commands.check import check, index_entries
from ingest.indices.indices import Indices
from ingest.sources.paths import FilingFilter
from tests.support.asking import Client
from tests.support.loading import Loads
from tests.support.submissions import MadeUp, MadeUpDocument, MadeUpEntity, txt

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
ENTITY = MadeUpEntity("0009990199", "FAR AHEAD CORP")
AHEAD = date(2199, 1, 3)
WANTED = FilingFilter(None, None, date(2021, 1, 1), date(2021, 1, 31))


@pytest.fixture
async def engine(engine: Engine, settings: Settings) -> Engine:
    """The engine with all indices."""
    await Indices(engine, settings).set_up()
    return engine


async def test_date_in_the_future_is_told_of_and_orders_the_filing(
    engine: Engine,
    settings: Settings,
    client: Client,
    loads: Loads,
    new_number: Callable[[], str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    last = last_filing_date(datetime.now(UTC))
    days = {new_number(): day for day in (date(2021, 1, 5), AHEAD, last)}
    text = (MadeUpDocument("Obsidian.\n"),)
    made = [MadeUp(number, (ENTITY,), text, filing_date=day) for number, day in days.items()]
    _, ahead, _ = days
    with caplog.at_level(logging.WARNING):
        summary = await loads({f"{each.accession_number}.txt": txt(each) for each in made})
    said = f"{ahead}: its filing date, 2199-01-03, is in the future"
    assert summary.as_dict(0)["future_dates"] == [ahead]
    assert [line for line in caplog.messages if "future" in line] == [f"{said}; it is loaded"]

    caplog.clear()
    index = tmp_path / "master.idx"
    index.write_text("CIK|Company Name|Form Type|Date Filed|Filename\n" + "-" * 80 + "\n")
    with caplog.at_level(logging.WARNING):
        assert await check(engine, settings, index_entries([index], WANTED), deep=False) == 0
    assert json.loads(capsys.readouterr().out)["future_dates"] == [ahead]
    assert caplog.messages == [said]

    coverage = await client.http.get("/v1/coverage?from_date=2021-01-01&to_date=2021-01-31")
    sentence = f"filing_date: 1 filing here is dated after {last}, such as {ahead} of 2199-01-03"
    assert coverage.json()["warnings"] == [sentence]

    found = await client.search("obsidian", sort="newest")
    assert [item["filing_date"] for item in found["items"]] == [
        "2199-01-03",
        str(last),
        "2021-01-05",
    ]
    assert (await count_corpus(engine)).last_day == last
