"""A month of EDGAR's archives and a day of its feed, in two hours, while clients ask."""

from pathlib import Path

import pytest

from bench.day import Plan, month_and_day
from bench.made.__main__ import make
from bench.made.growth import cut
from edgar_search.settings import Settings
from ingest.sources.paths import Sources

pytestmark = [pytest.mark.anyio, pytest.mark.any_engine]
# EDGAR takes about 3,500 submissions on a day; what is left of ten copies is the month.
DAY, COPIES, SPEED = 3_500, 10, 9.0
MOST_BEHIND = 60.0


@pytest.mark.long
async def test_filings_of_a_day_are_searchable_within_a_minute(
    settings: Settings, corpus: Path, tmp_path: Path
) -> None:
    made = tmp_path / "made"
    make(made, corpus / "filings", COPIES)
    sources = list(Sources([made]))
    plan = Plan(month=len(sources) - DAY, speed=SPEED)
    month, day = await month_and_day(settings, sources, plan)
    print(month, day, sep="\n")
    assert month is not None and month.loaded == plan.month
    assert day.missing == [] and len(day.lags) == DAY
    assert cut(day.lags, 0.99) <= MOST_BEHIND
