"""Fourth quarters and twelve trailing months, of filed amounts."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest
from msgspec import structs

from edgar_search.financials.derived import Derived, DerivedKind, derive
from edgar_search.stored.financials import StoredFact
from edgar_search.web.pages.series import concept_series, derived_kinds, item_series
from tests.unit.financials.test_history import fact


def row(value: str, start: str, end: str, *, period: str = "Q3", unit: str = "USD") -> StoredFact:
    """Return an amount of the days from `start` to `end`, both counted."""
    days = (date.fromisoformat(end) - date.fromisoformat(start)).days
    return structs.replace(fact(f"{period}{end}", period, end, days), value=value, unit=unit)


YEAR = row("100", "2023-01-01", "2023-12-31", period="FY")
NINE = row("70", "2023-01-01", "2023-09-30")
HALF = row("45", "2023-01-01", "2023-06-30")
QUARTER = row("20", "2023-01-01", "2023-03-31")
NEXT = [row("27", "2024-01-01", "2024-03-31"), row("60", "2024-01-01", "2024-06-30")]


def derived(rows: list[StoredFact], *kinds: DerivedKind) -> list[Derived]:
    """Return amounts derived of rows that nobody filed before."""
    return derive(rows, rows, kinds)


def shown(found: list[Derived]) -> list[tuple[str, str, str, Decimal]]:
    return [(each.kind, f"{each.start}", f"{each.end}", each.value) for each in found]


def test_fourth_quarter_is_the_year_without_nine_months() -> None:
    found = derived([YEAR, NINE, HALF, QUARTER], "q4")
    assert shown(found) == [("q4", "2023-10-01", "2023-12-31", Decimal(30))]
    assert [(sign, part.value) for sign, part in found[0].parts] == [(1, "100"), (-1, "70")]


def test_trailing_months_are_of_this_year_and_the_last() -> None:
    found = derived([YEAR, NINE, HALF, QUARTER, *NEXT], "ttm")
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
    assert shown(derived([year, so_far, same, next_year], "q4", "ttm")) == [
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
    assert derived(rows, "q4") == []


def filed(before: StoredFact, day: str, value: str = "", **changes: Any) -> StoredFact:
    """Return a fact as it was filed on a day, with another value or other fields."""
    return structs.replace(
        before, filing_date=date.fromisoformat(day), value=value or before.value, **changes
    )


FIRST = [filed(NINE, "2023-11-01"), filed(YEAR, "2024-02-01")]


@pytest.mark.parametrize(
    ("rows", "values"),
    [
        # Filed again without a change, restated together, as precise as a rounding.
        ([filed(NINE, "2024-11-01"), FIRST[1]], [30]),
        ([filed(NINE, "2024-11-01", "80"), filed(YEAR, "2025-02-01", "120")], [40]),
        ([filed(NINE, "2024-11-01", "70.4", decimals=0), FIRST[1]], [Decimal("29.6")]),
        # Restated alone: the nine months after the year, the year after the nine months.
        ([filed(NINE, "2024-11-01", "80"), FIRST[1]], []),
        ([FIRST[0], filed(YEAR, "2025-02-01", "120")], []),
        # Parts of other lines, and a part in doubt.
        ([filed(NINE, "2023-11-01", sources=["a", "b"]), FIRST[1]], []),
        ([filed(NINE, "2023-11-01", doubt="thousands?"), FIRST[1]], []),
    ],
)
def test_parts_are_restated_together_or_not_at_all(
    rows: list[StoredFact], values: list[Decimal]
) -> None:
    assert [each.value for each in derive(rows, FIRST, ["q4"])] == values


def test_part_of_last_year_must_be_known_when_that_year_was_filed() -> None:
    later = [filed(QUARTER, "2024-05-01"), filed(NEXT[0], "2024-05-01")]
    rows = [FIRST[1], *later]
    assert derive(rows, rows, ["ttm"]) == []
    firsts = [FIRST[1], filed(QUARTER, "2023-05-01"), later[1]]
    assert [each.value for each in derive(rows, firsts, ["ttm"])] == [107]


def test_companies_and_concepts_are_apart() -> None:
    other = [
        structs.replace(NINE, concept="us-gaap:Other"),
        structs.replace(NINE, cik="0000000007"),
    ]
    assert derived([YEAR, *other], "q4") == []


@pytest.mark.parametrize(
    ("periods", "points"),
    [
        ("q4", [("2023-12-31", "30", "100 − 70"), ("2023-03-31", "20", None)]),
        ("ttm", [("2024-03-31", "107", "100 + 27 − 20"), ("2023-12-31", "100", None)]),
        ("quarters", [("2024-03-31", "27", None), ("2023-03-31", "20", None)]),
    ],
)
def test_page_marks_what_is_derived(
    periods: str, points: list[tuple[str, str, str | None]]
) -> None:
    rows = [YEAR, NINE, QUARTER] if periods == "q4" else [YEAR, QUARTER, NEXT[0]]
    found = derived(rows, *derived_kinds(periods))
    for (series,) in (item_series(rows, periods, found), concept_series(rows, periods, found)):
        assert [(f"{point.end}", point.text, point.derived) for point in series.points] == points
