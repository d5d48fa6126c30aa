"""Amounts that were not filed: fourth quarters and twelve trailing months."""

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
    def year(self) -> StoredFact:
        """The fiscal year that it is made of, whose company, concept and unit are its own."""
        return self.parts[0][1]

    @property
    def row(self) -> StoredFact:
        """The amount as a row of its series, in the newest filing of a part, without a position."""
        newest = max((row for _, row in self.parts), key=lambda row: row.filing_date)
        return structs.replace(
            newest, start=self.start, end=self.end, value=f"{self.value:f}", place=None
        )


async def find_derived(
    engine: Engine, search: FactSearch, kinds: Collection[DerivedKind]
) -> list[Derived]:
    """The amounts that can be derived of the facts of a search, whose days bound their ends."""
    search_all = structs.replace(search, first_end=None, last_end=None)
    rows = await all_facts(engine, search_all)
    firsts = await all_facts(engine, structs.replace(search_all, original=True))
    return [
        each
        for each in derive(rows, firsts, kinds)
        if (search.first_end or date.min) <= each.end <= (search.last_end or date.max)
    ]


def derive(
    rows: Iterable[StoredFact], firsts: Iterable[StoredFact], kinds: Collection[DerivedKind]
) -> list[Derived]:
    """Derive amounts of money, the newest first: numbers of shares and ratios do not add up.

    A fourth quarter is the year without the nine months before it. Twelve trailing months are the
    last year and the part of this year, without the same part of the last one. What was filed is
    not derived. `firsts` are the same facts as they were filed first: nothing is derived of parts
    that were not restated alike, nor of parts in doubt, or that are sums of other lines.
    """
    series: dict[tuple[str, ...], list[StoredFact]] = {}
    for row in rows:
        if row.start is not None and _is_money(row.unit):
            key = (row.cik, row.concept, row.unit, *row.dimensions)
            series.setdefault(key, []).append(row)
    found: list[Derived] = []
    for flows in series.values():
        years = fiscal_years(flows)
        by_start: _ByStart = {}
        for row in flows:
            by_start.setdefault(row.start, []).append(row)
        if "q4" in kinds:
            found += _fourth_quarters(flows, years, by_start)
        if "ttm" in kinds:
            found += _trailing_months(flows, years, by_start)
    first = {_fact_of(row): row for row in firsts}
    certain = [each for each in found if _is_certain(each, first)]
    return sorted(certain, key=lambda each: (-each.end.toordinal(), each.kind))


def _fact_of(row: StoredFact) -> tuple[str | date | None, ...]:
    return (row.cik, row.concept, row.unit, row.start, row.end, *row.dimensions)


def _is_certain(found: Derived, first: Mapping[tuple[str | date | None, ...], StoredFact]) -> bool:
    """Return True if the parts have one definition, and were restated together or not at all.

    What is subtracted from the year must have been filed by then: of a later filing nobody knows if
    it tells that part as the year tells it.
    """
    year, restated = found.year, date.max
    for sign, row in found.parts:
        before = first.get(_fact_of(row), row)
        if row.doubt is not None or row.sources != year.sources:
            return False
        if sign < 0 and before.filing_date > year.filing_date:
            return False
        if _differ(row, before):
            restated = min(restated, row.filing_date)
    return restated == date.max or all(row.filing_date >= restated for _, row in found.parts)


def _differ(row: StoredFact, before: StoredFact) -> bool:
    """Return True if two versions differ by more than what both round to."""
    digits = [each.decimals for each in (row, before) if each.decimals is not None]
    rounded = Decimal(10) ** -min(digits) if digits else Decimal()
    return abs(number(row.value) - number(before.value)) > rounded


def _is_money(unit: str) -> bool:
    """True for a currency, whose codes have three capitals."""
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
            each
            for each in by_start[year.start]
            if abs(days_of(each) - days_of(row)) <= _MOST_MOVED
        ]
        if same:
            part = same[0]
            start = part.end + timedelta(1)
            yield Derived("ttm", start, row.end, [(1, year), (1, row), (-1, part)])
