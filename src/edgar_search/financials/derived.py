"""Amounts that were not filed: fourth quarters and twelve trailing months; pure."""

from collections.abc import Collection, Iterable, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Literal, NamedTuple, get_args

from edgar_search.financials.history import (
    LONGEST_QUARTER,
    SHORTEST_QUARTER,
    days_of,
    fiscal_years,
    is_of,
)
from edgar_search.financials.statements import number
from edgar_search.stored.financials import StoredFact

DerivedKind = Literal["q4", "ttm"]
DERIVED_KINDS: tuple[DerivedKind, ...] = get_args(DerivedKind)
# Days by which periods of as many weeks differ from one year to the next.
_MOST_MOVED = 10


class Derived(NamedTuple):
    """An amount of a period, and the filed amounts that it is the sum of, each with its sign."""

    kind: DerivedKind
    start: date
    end: date
    parts: Sequence[tuple[int, StoredFact]]

    @property
    def value(self) -> Decimal:
        """The sum of the parts."""
        return sum((sign * number(row.value) for sign, row in self.parts), Decimal())

    @property
    def unit(self) -> str:
        """The unit of the parts."""
        return self.parts[0][1].unit


def derive(rows: Iterable[StoredFact], kinds: Collection[DerivedKind]) -> list[Derived]:
    """Derive amounts of one concept, only of money: numbers of shares and ratios do not add up.

    A fourth quarter is the year without the nine months before it. Twelve trailing months are the
    last year and the part of this year, without the same part of the last one. What was filed is
    not derived.
    """
    flows = [row for row in rows if row.start is not None and _is_money(row.unit)]
    found: list[Derived] = []
    for unit in dict.fromkeys(row.unit for row in flows):
        of_unit = [row for row in flows if row.unit == unit]
        years = fiscal_years(of_unit)
        if "q4" in kinds:
            found += _fourth_quarters(of_unit, years)
        if "ttm" in kinds:
            found += _trailing_months(of_unit, years)
    return sorted(found, key=lambda each: (-each.end.toordinal(), each.kind))


def _is_money(unit: str) -> bool:
    """True for a currency, whose codes have three capitals."""
    return len(unit) == 3 and unit.isalpha() and unit.isupper()


def _fourth_quarters(rows: Sequence[StoredFact], years: Sequence[StoredFact]) -> Iterable[Derived]:
    filed = {row.end for row in rows if is_of(row, "quarter")}
    for year in years:
        before = [
            row
            for row in rows
            if row.start == year.start and row.end < year.end and is_of(row, "ytd")
        ]
        if year.end in filed or not before:
            continue
        part = max(before, key=lambda row: row.end)
        start = part.end + timedelta(1)
        if SHORTEST_QUARTER <= (year.end - part.end).days <= LONGEST_QUARTER:
            yield Derived("q4", start, year.end, [(1, year), (-1, part)])


def _trailing_months(rows: Sequence[StoredFact], years: Sequence[StoredFact]) -> Iterable[Derived]:
    filed = {row.end for row in rows if is_of(row, "year")}
    by_end = {year.end: year for year in years}
    for row in rows:
        assert row.start is not None
        year = by_end.get(row.start - timedelta(1))
        if year is None or row.end in filed or not (is_of(row, "quarter") or is_of(row, "ytd")):
            continue
        same = [
            each
            for each in rows
            if each.start == year.start and abs(days_of(each) - days_of(row)) <= _MOST_MOVED
        ]
        if same:
            part = same[0]
            start = part.end + timedelta(1)
            yield Derived("ttm", start, row.end, [(1, year), (1, row), (-1, part)])
