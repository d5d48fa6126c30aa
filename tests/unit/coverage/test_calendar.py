"""EDGAR's business days."""

import json
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from edgar_search.edgar.calendar import (
    business_days,
    is_business_day,
    last_filing_date,
    last_published,
)


@pytest.mark.parametrize(
    "day",
    [
        "2024-03-02",  # a Saturday
        "2024-01-01",
        "2021-12-31",  # New Year's Day of 2022 is a Saturday
        "2023-01-02",  # New Year's Day is a Sunday
        "2024-01-15",
        "2024-02-19",
        "2024-05-27",
        "2021-06-18",  # the first Juneteenth is a Saturday
        "2024-06-19",
        "2020-07-03",
        "2024-09-02",
        "2024-10-14",
        "2024-11-11",
        "2024-11-28",
        "2011-12-26",
        "2004-06-11",
        "2018-12-24",
        "2025-01-09",
    ],
)
def test_edgar_is_closed(day: str) -> None:
    assert not is_business_day(date.fromisoformat(day))


@pytest.mark.parametrize(
    "day",
    [
        "2024-03-04",
        "2024-03-29",  # Good Friday
        "2020-06-19",  # Juneteenth was no holiday yet
        "2021-01-20",  # Inauguration Day
        "2012-10-29",  # the SEC was closed, EDGAR was not
        "2024-11-29",
        "2023-12-26",
        "2022-12-30",
    ],
)
def test_edgar_is_open(day: str) -> None:
    assert is_business_day(date.fromisoformat(day))


def test_days_of_a_range_in_order() -> None:
    found = list(business_days(date(2023, 12, 29), date(2024, 1, 3)))
    assert found == [date(2023, 12, 29), date(2024, 1, 2), date(2024, 1, 3)]
    assert list(business_days(date(2024, 1, 3), date(2024, 1, 2))) == []


@pytest.mark.parametrize("year", [1, 9999])
def test_first_and_last_year_have_business_days(year: int) -> None:
    assert len(list(business_days(date(year, 1, 1), date(year, 12, 31)))) > 240


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (datetime(2024, 3, 6, 3, tzinfo=UTC), date(2024, 3, 4)),  # 22:00 of the fifth there
        (datetime(2024, 3, 6, 6, tzinfo=UTC), date(2024, 3, 5)),
    ],
)
def test_index_of_a_day_is_published_when_it_is_over_in_washington(
    now: datetime, expected: date
) -> None:
    assert last_published(now) == expected


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (datetime(2026, 11, 23, 12, tzinfo=UTC), date(2026, 11, 24)),
        (datetime(2026, 11, 24, 4, 59, tzinfo=UTC), date(2026, 11, 24)),
        (datetime(2026, 11, 24, 5, 0, tzinfo=UTC), date(2026, 11, 25)),
        # Over Thanksgiving Day, over a weekend, over Christmas Day and a weekend.
        (datetime(2026, 11, 25, 12, tzinfo=UTC), date(2026, 11, 27)),
        (datetime(2026, 11, 27, 12, tzinfo=UTC), date(2026, 11, 30)),
        (datetime(2026, 12, 24, 12, tzinfo=UTC), date(2026, 12, 28)),
    ],
)
def test_filing_has_the_date_of_the_next_business_day_at_most(
    now: datetime, expected: date
) -> None:
    assert last_filing_date(now) == expected


def test_no_filing_of_the_corpus_has_the_date_of_a_closed_day(corpus: Path) -> None:
    rows = (corpus / "filings" / "manifest.jsonl").read_text().splitlines()
    days = {date.fromisoformat(json.loads(row)["filing_date"]) for row in rows}
    assert [day for day in days if not is_business_day(day)] == []
