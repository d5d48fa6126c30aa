"""Fourth quarters and twelve trailing months, of filed amounts."""

from datetime import date, timedelta
from decimal import Decimal

import pytest
from msgspec import structs

from edgar_search.financials.derived import Derived, derive
from edgar_search.stored.financials import StoredFact
from tests.unit.financials.test_history import fact


def row(value: str, start: str, end: str, *, period: str = "Q3", unit: str = "USD") -> StoredFact:
    """An amount of the days from `start` to `end`, both counted."""
    days = (date.fromisoformat(end) - date.fromisoformat(start)).days
    return structs.replace(fact(f"{period}{end}", period, end, days), value=value, unit=unit)


YEAR = row("100", "2023-01-01", "2023-12-31", period="FY")
NINE = row("70", "2023-01-01", "2023-09-30")
HALF = row("45", "2023-01-01", "2023-06-30")
QUARTER = row("20", "2023-01-01", "2023-03-31")
NEXT = [row("27", "2024-01-01", "2024-03-31"), row("60", "2024-01-01", "2024-06-30")]


def shown(found: list[Derived]) -> list[tuple[str, str, str, Decimal]]:
    return [(each.kind, f"{each.start}", f"{each.end}", each.value) for each in found]


def test_fourth_quarter_is_the_year_without_nine_months() -> None:
    found = derive([YEAR, NINE, HALF, QUARTER], ["q4"])
    assert shown(found) == [("q4", "2023-10-01", "2023-12-31", Decimal(30))]
    assert [(sign, part.value) for sign, part in found[0].parts] == [(1, "100"), (-1, "70")]


def test_trailing_months_are_of_this_year_and_the_last() -> None:
    found = derive([YEAR, NINE, HALF, QUARTER, *NEXT], ["ttm"])
    assert shown(found) == [
        ("ttm", "2023-07-01", "2024-06-30", Decimal(115)),
        ("ttm", "2023-04-01", "2024-03-31", Decimal(107)),
    ]


def test_weeks_may_be_16_and_53() -> None:
    year = row("100", "2023-01-02", "2024-01-07", period="FY")
    weeks = year.end - timedelta(weeks=16)
    so_far = row("60", "2023-01-02", weeks.isoformat())
    next_year = row("28", "2024-01-08", "2024-04-28")
    same = row("25", "2023-01-02", "2023-04-23")
    assert shown(derive([year, so_far, same, next_year], ["q4", "ttm"])) == [
        ("ttm", "2023-04-24", "2024-04-28", Decimal(103)),
        ("q4", "2023-09-18", "2024-01-07", Decimal(40)),
    ]


@pytest.mark.parametrize(
    "rows",
    [
        # A fourth quarter that was filed, a half-year only, another unit, no year.
        [YEAR, NINE, row("31", "2023-10-01", "2023-12-31")],
        [YEAR, HALF],
        [YEAR, row("70", "2023-01-01", "2023-09-30", unit="EUR")],
        [row("1", "2023-01-01", "2023-12-31", period="FY", unit="USD/shares")],
        [NINE, HALF, QUARTER],
    ],
)
def test_nothing_is_derived_that_is_filed_or_not_sure(rows: list[StoredFact]) -> None:
    assert derive(rows, ["q4"]) == []
