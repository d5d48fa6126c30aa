"""Business days of which what was read lists nothing."""

import json
from datetime import UTC, date, datetime, timedelta

import pytest

from edgar_search.edgar.calendar import business_days
from ingest.fetching.index_files import Quarter
from ingest.fetching.listing import ListedDays, Listing
from ingest.sources.paths import FilingFilter

QUARTER = Quarter(2024, 1)
MONDAY, TUESDAY, WEDNESDAY = (date(2024, 3, day) for day in (4, 5, 6))


def test_day_without_an_index_is_missing_and_a_weekend_is_not() -> None:
    days = ListedDays()
    days.add_day(MONDAY)
    days.add_day(WEDNESDAY)
    assert days.missing(date(2024, 3, 2), WEDNESDAY) == [TUESDAY]


def test_quarter_covers_its_days_as_far_as_it_goes() -> None:
    days = ListedDays()
    days.add_quarter(QUARTER, {MONDAY}, TUESDAY)
    assert days.missing(MONDAY, WEDNESDAY) == [WEDNESDAY]


def test_day_that_a_whole_quarter_lacks_is_missing() -> None:
    days = ListedDays()
    all_days = set(business_days(QUARTER.first_day, QUARTER.last_day))
    days.add_quarter(QUARTER, all_days - {TUESDAY}, QUARTER.last_day)
    assert days.missing(QUARTER.first_day, QUARTER.last_day) == [TUESDAY]


def test_excerpt_of_a_quarter_says_nothing_of_other_days() -> None:
    days = ListedDays()
    days.add_quarter(QUARTER, {MONDAY, TUESDAY}, QUARTER.last_day)
    assert days.missing(QUARTER.first_day, QUARTER.last_day) == []


def test_nothing_is_missing_before_edgar_s_first_index() -> None:
    assert ListedDays().missing(date(1992, 11, 1), date(1993, 1, 4)) == [date(1993, 1, 4)]


@pytest.mark.anyio
async def test_listing_names_the_days_of_its_range_that_are_over() -> None:
    folder = "daily-index/2024/QTR1"

    def index(day: date, *numbers: int) -> bytes:
        rows = [f"1|A|D|{day:%Y%m%d}|edgar/data/1/0000000001-24-{n:06d}.txt" for n in numbers]
        return "\n".join([f"Last Data Received: {day:%B %d, %Y}", "-" * 80, *rows]).encode()

    names = [f"master.{day:%Y%m%d}.idx" for day in (MONDAY, TUESDAY)]
    files = {
        f"{folder}/index.json": json.dumps(
            {"directory": {"item": [{"name": name} for name in names]}}
        ).encode(),
        # Another form than what is wanted is filed on Monday, and Tuesday's index is empty.
        f"{folder}/{names[0]}": index(MONDAY, 1),
        f"{folder}/{names[1]}": index(TUESDAY),
    }

    async def read(path: str) -> bytes | None:
        return files.get(path)

    wanted = FilingFilter(frozenset({"8-K"}), None, MONDAY, WEDNESDAY)
    listing = Listing(read, wanted, WEDNESDAY)
    assert [entry async for entry in listing] == []
    noon = datetime(2024, 3, 6, 17, tzinfo=UTC)
    assert listing.missing_days(noon) == [TUESDAY]
    assert listing.missing_days(noon + timedelta(days=1)) == [TUESDAY, WEDNESDAY]
