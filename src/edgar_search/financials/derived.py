"""Amounts that were not filed but derived: fourth quarters and twelve trailing months."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Literal, NamedTuple, get_args

from msgspec import structs

from edgar_search.engine.engine import Engine
from edgar_search.financials.facts import FactSearch, all_facts
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
# By how many days periods of whole weeks may differ from one year to the next.
_MOST_MOVED = 10


class Derived(NamedTuple):
    """An amount for a period, and the filed amounts that add up to it, each with its sign."""

    kind: DerivedKind
    start: date
    end: date
    parts: Sequence[tuple[int, StoredFact]]

    @property
    def value(self) -> Decimal:
        """The sum of the parts, each with its sign."""
        return sum((sign * number(row.value) for sign, row in self.parts), Decimal())

    @property
    def year(self) -> StoredFact:
        """The fiscal year among the parts, which gives company, concept and unit."""
        return self.parts[0][1]

    @property
    def row(self) -> StoredFact:
        """The amount as a row of its series, in the newest filing of a part, without position."""
        newest = max((row for _, row in self.parts), key=lambda row: row.filing_date)
        return structs.replace(
            newest, start=self.start, end=self.end, value=f"{self.value:f}", place=None
        )


async def find_derived(
    engine: Engine, search: FactSearch, kinds: Collection[DerivedKind]
) -> list[Derived]:
    """Derive amounts from the facts of a search, whose days bound the ends of periods."""
    search_all = structs.replace(search, first_end=None, last_end=None)
    rows = await all_facts(engine, search_all)
    firsts = await all_facts(engine, structs.replace(search_all, original=True))
    return [
        derived
        for derived in derive(rows, firsts, kinds)
        if (search.first_end or date.min) <= derived.end <= (search.last_end or date.max)
    ]


def derive(
    rows: Iterable[StoredFact], firsts: Iterable[StoredFact], kinds: Collection[DerivedKind]
) -> list[Derived]:
    """Derive amounts of money, newest first: numbers of shares and ratios do not add up.

    A fourth quarter is the year minus its first nine months. Twelve trailing months are the last
    year plus this year so far, minus the same part of the last year. An amount that was filed is
    not derived. `firsts` are the same facts as first filed: nothing is derived from parts that were
    restated differently, are in doubt, or are sums of other lines.
    """
    series: dict[tuple[str, ...], list[StoredFact]] = {}
    for row in rows:
        if row.start is not None and _is_money(row.unit):
            key = (row.cik, row.concept, row.unit, *row.dimensions)
            series.setdefault(key, []).append(row)
    amounts: list[Derived] = []
    for flows in series.values():
        years = fiscal_years(flows)
        by_start: _ByStart = {}
        for row in flows:
            by_start.setdefault(row.start, []).append(row)
        if "q4" in kinds:
            amounts += _fourth_quarters(flows, years, by_start)
        if "ttm" in kinds:
            amounts += _trailing_months(flows, years, by_start)
    first = {_fact_of(row): row for row in firsts}
    certain = [amount for amount in amounts if _is_certain(amount, first)]
    return sorted(certain, key=lambda amount: (-amount.end.toordinal(), amount.kind))


def _fact_of(row: StoredFact) -> tuple[str | date | None, ...]:
    return (row.cik, row.concept, row.unit, row.start, row.end, *row.dimensions)


def _is_certain(amount: Derived, first: Mapping[tuple[str | date | None, ...], StoredFact]) -> bool:
    """Return True if the parts have one definition, and were restated together or not at all.

    A subtracted part must have been filed no later than the year: a later filing may define it
    differently.
    """
    year, restated = amount.year, date.max
    for sign, row in amount.parts:
        before = first.get(_fact_of(row), row)
        if row.doubt is not None or row.sources != year.sources:
            return False
        if sign < 0 and before.filing_date > year.filing_date:
            return False
        if _differ(row, before):
            restated = min(restated, row.filing_date)
    return restated == date.max or all(row.filing_date >= restated for _, row in amount.parts)


def _differ(row: StoredFact, before: StoredFact) -> bool:
    """Return True if two versions differ by more than their rounding."""
    digits = [version.decimals for version in (row, before) if version.decimals is not None]
    rounded = Decimal(10) ** -min(digits) if digits else Decimal()
    return abs(number(row.value) - number(before.value)) > rounded


def _is_money(unit: str) -> bool:
    """Return True for a currency, whose code is three capitals."""
    return len(unit) == 3 and unit.isalpha() and unit.isupper()


# The facts of a series by the first days of their periods.
_ByStart = dict[date | None, list[StoredFact]]


def _fourth_quarters(
    rows: Sequence[StoredFact], years: Sequence[StoredFact], by_start: _ByStart
) -> Iterable[Derived]:
    filed = {row.end for row in rows if is_of(row, "quarter")}
    for year in years:
        same_start = by_start[year.start]
        before = [row for row in same_start if row.end < year.end and is_of(row, "ytd")]
        if year.end in filed or not before:
            continue
        part = max(before, key=lambda row: row.end)
        start = part.end + timedelta(1)
        if SHORTEST_QUARTER <= (year.end - part.end).days <= LONGEST_QUARTER:
            yield Derived("q4", start, year.end, [(1, year), (-1, part)])


def _trailing_months(
    rows: Sequence[StoredFact], years: Sequence[StoredFact], by_start: _ByStart
) -> Iterable[Derived]:
    filed = {row.end for row in rows if is_of(row, "year")}
    by_end = {year.end: year for year in years}
    for row in rows:
        assert row.start is not None
        year = by_end.get(row.start - timedelta(1))
        if year is None or row.end in filed or not (is_of(row, "quarter") or is_of(row, "ytd")):
            continue
        same = [
            candidate
            for candidate in by_start[year.start]
            if abs(days_of(candidate) - days_of(row)) <= _MOST_MOVED
        ]
        if same:
            part = same[0]
            start = part.end + timedelta(1)
            yield Derived("ttm", start, row.end, [(1, year), (1, row), (-1, part)])
