"""A claimed number compared with filed ones: supported, contradicted, ambiguous or not found; pure.

A claim is supported or contradicted only if it is certain which filed number is meant.
"""

from collections.abc import Iterable, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Literal, NamedTuple, TypeAlias

from msgspec import structs

from edgar_search.financials.derived import DerivedKind, derive
from edgar_search.financials.history import days_of, fiscal_years, is_of
from edgar_search.financials.number_claims import PERCENT, Amount, Change
from edgar_search.financials.statements import months, number
from edgar_search.search.reading.periods import YearEnd, quarter_end
from edgar_search.search.reading.stated_periods import AskedPeriod
from edgar_search.stored.financials import StoredFact

NumberVerdict: TypeAlias = Literal["supported", "contradicted", "ambiguous", "not_found"]
# How far a period of whole weeks may end from the month's end, and from a day that is named.
_NEAR, _BESIDE = timedelta(days=12), timedelta(days=7)
# Days between the ends of a fiscal and a calendar quarter that are different quarters.
_APART = 20
# A rounded number must be this near to the filed one for it to be certain that it is meant.
_MOST_OFF = Decimal("0.05")
# Points by which a margin of net sales may differ from a margin of all revenue.
_POINTS = 2
# A year that ends up to this day is named after the new year or the previous one.
_EARLY = (2, 7)
_YEAR = timedelta(days=365)
_Q4: tuple[DerivedKind, ...] = ("q4",)


class CheckedNumber(NamedTuple):
    """A verdict, its reason, and the filed number that it is about, as last filed.

    `base` is the number from which a change is measured, or the revenue of a margin. `earlier` are
    other values filed before, `candidates` the numbers that may be meant.
    """

    verdict: NumberVerdict
    reason: str = ""
    row: StoredFact | None = None
    base: StoredFact | None = None
    earlier: Sequence[StoredFact] = ()
    candidates: Sequence[StoredFact] = ()


def check_number(
    rows: Iterable[StoredFact],
    amount: Amount,
    period: AskedPeriod,
    change: Change = "",
    year_end: YearEnd | None = None,
) -> CheckedNumber:
    """Check an amount against all rows of a company's item, as every filing has them."""
    series = _series_in_unit(rows, amount, year_end)
    fiscal = series.of(period, calendar=False)
    calendar = series.of(period, calendar=True)
    if not fiscal and not calendar:
        return CheckedNumber("not_found", "no filing here has this number for the period")
    if len(fiscal) > 1 or (not fiscal and len(calendar) > 1):
        several = fiscal or calendar
        return CheckedNumber(
            "ambiguous", "several filed numbers may be meant", candidates=_last(several)
        )
    if change:
        return _change(series, fiscal, amount, period, change)
    if not fiscal:
        return CheckedNumber(
            "ambiguous", "only the calendar quarter is here", candidates=_last(calendar)
        )
    return _value(fiscal[0], calendar, amount)


def certain_number(
    rows: Iterable[StoredFact], period: AskedPeriod, year_end: YearEnd | None = None
) -> StoredFact | None:
    """Return the last filed number for a period, from all rows of a company's item.

    None unless it is certain: if several periods or units may be meant, if another value was filed
    too, or if it is in doubt or was not filed.
    """
    series = _Series(list(rows), year_end)
    numbers = series.of(period, calendar=False)
    if len(numbers) != 1:
        return None
    row = numbers[0][-1]
    if row.doubt is not None or series.is_derived(row):
        return None
    rounded = max((_step(version) for version in numbers[0]), default=Decimal())
    apart = (abs(number(version.value) - number(row.value)) for version in numbers[0])
    return row if max(apart) <= rounded / 2 else None


def _step(row: StoredFact) -> Decimal:
    """Return one unit of the last digit to which a number is filed; 0 if it is exact."""
    return Decimal() if row.decimals is None else Decimal(1).scaleb(-row.decimals)


def check_margin(
    rows: Sequence[StoredFact],
    item: str,
    amount: Amount,
    period: AskedPeriod,
    year_end: YearEnd | None = None,
) -> CheckedNumber:
    """Check an item as a percentage of revenue, against all of a company's rows of both."""
    of_item, of_revenue = (
        _Series([row for row in rows if row.local_name == name], year_end).of(
            period, calendar=False
        )
        for name in (item, "revenue")
    )
    if not of_item or not of_revenue:
        return CheckedNumber("not_found", "no filing here has both numbers for the period")
    row, base = of_item[0][-1], of_revenue[0][-1]
    supported = CheckedNumber("supported", f"of {_days(row)}", row, base)
    if (
        len(of_item) > 1
        or len(of_revenue) > 1
        or (row.start, row.end, row.unit)
        != (
            base.start,
            base.end,
            base.unit,
        )
    ):
        return CheckedNumber(
            "ambiguous", "several filed numbers may be meant", candidates=_last(of_item)
        )
    if row.doubt or base.doubt:
        return supported._replace(verdict="ambiguous", reason=row.doubt or base.doubt or "")
    if number(base.value) <= 0:
        return supported._replace(verdict="ambiguous", reason="a margin needs a revenue")
    percent = number(row.value) / number(base.value) * 100
    if _is_rounded(percent, amount):
        return supported
    if _other_values(of_item[0]) or _other_values(of_revenue[0]):
        return supported._replace(verdict="ambiguous", reason="one of the numbers was restated")
    if abs(percent - amount.value) <= _POINTS:
        return supported._replace(
            verdict="ambiguous",
            reason=f"of all revenue it is {percent:.1f} %, of a part it differs",
        )
    return supported._replace(verdict="contradicted", reason=f"it is {percent:.1f} %")


def check_sum(
    items: Sequence[Sequence[StoredFact]],
    name: str,
    amount: Amount,
    period: AskedPeriod,
    change: Change = "",
    year_end: YearEnd | None = None,
) -> CheckedNumber:
    """Check an amount or change of the sum of several items, against all rows of each.

    A sum that differs from the filed one is ambiguous, never contradicted: companies add up such
    totals in more than one way.
    """
    all_series = [_series_in_unit(rows, amount, year_end) for rows in items]
    numbers = [series.of(period, calendar=False) for series in all_series]
    if not all(numbers):
        return CheckedNumber("not_found", "no filing here has all numbers that it is the sum of")
    parts = [versions[0][-1] for versions in numbers]
    several = max(map(len, numbers)) > 1
    checked = _sum_of(name, parts, several=several)
    total = checked.row
    if total is None or checked.verdict != "supported":
        return checked
    if not change:
        value, said = number(total.value), f"{number(total.value):,f} {total.unit}"
    else:
        before = [series.year_before(row) for series, row in zip(all_series, parts, strict=True)]
        if any(len(versions) != 1 for versions in before):
            return CheckedNumber("not_found", "no filing here has the numbers of the year before")
        base = _sum_of(name, [versions[0][-1] for versions in before], several=False)
        if base.row is None or base.verdict != "supported":
            return base
        if number(base.row.value) <= 0:
            return base._replace(verdict="ambiguous", reason="it is a change from nothing")
        checked = checked._replace(base=base.row)
        old = number(base.row.value)
        value = (number(total.value) - old) / old * 100
        said = f"{value:.1f} %"
        off = -abs(amount.value) if change == "fall" else abs(amount.value)
        amount = amount._replace(value=off)
    if _is_rounded(value, amount):
        return checked
    return checked._replace(
        verdict="ambiguous",
        reason=f"the filed items make {said}, but such a total is counted in more than one way",
    )


def _sum_of(name: str, parts: Sequence[StoredFact], *, several: bool) -> CheckedNumber:
    """Return the sum of rows as a row, supported if it is certain which parts it has."""
    row = parts[0]
    total = sum((number(part.value) for part in parts), Decimal())
    alike = {(part.start, part.end, part.unit) for part in parts}
    sources = [source for part in parts for source in part.sources]
    if several or len(alike) > 1:
        return CheckedNumber("ambiguous", "several filed numbers may be meant", candidates=parts)
    if len(set(sources)) < len(sources):
        return CheckedNumber("ambiguous", "one filed number is in several items", candidates=parts)
    doubt = next((part.doubt for part in parts if part.doubt), None)
    total_row = structs.replace(row, local_name=name, value=f"{total:f}", place=None)
    said = " and ".join(part.local_name.replace("_", " ") for part in parts)
    reason = doubt or f"{said} of {_days(row)}"
    return CheckedNumber("ambiguous" if doubt else "supported", reason, total_row, candidates=parts)


def check_part(
    rows: Iterable[StoredFact],
    amount: Amount,
    period: AskedPeriod,
    change: Change = "",
    year_end: YearEnd | None = None,
) -> CheckedNumber:
    """Check an amount against all rows of one item for one part of a company.

    If they have several concepts or members, only one of these may have a number for the period.
    """
    series: dict[tuple[str, ...], list[StoredFact]] = {}
    for row in rows:
        series.setdefault((row.concept, *sorted(row.dimensions)), []).append(row)
    checked = [
        check_number(rows_of_one, amount, period, change, year_end)
        for rows_of_one in series.values()
    ]
    with_number = [rows_of_one for rows_of_one in checked if rows_of_one.verdict != "not_found"]
    if len(with_number) == 1:
        return with_number[0]
    if not with_number:
        return CheckedNumber("not_found", "no filing here has this number of the part")
    return CheckedNumber(
        "ambiguous",
        "several filed numbers may be meant",
        candidates=[rows_of_one.row for rows_of_one in with_number if rows_of_one.row],
    )


def _value(
    versions: Sequence[StoredFact], calendar: Sequence[Sequence[StoredFact]], amount: Amount
) -> CheckedNumber:
    row, filed = versions[-1], number(versions[-1].value)
    earlier = _other_values(versions)
    supported = CheckedNumber("supported", f"of {_days(row)}", row, earlier=earlier)
    if _is_rounded(filed, amount):
        if row.doubt is not None:
            return supported._replace(verdict="ambiguous", reason=row.doubt)
        if abs(amount.value - filed) > _MOST_OFF * abs(filed):
            return supported._replace(
                verdict="ambiguous", reason="it is rounded too much to be sure"
            )
        return supported
    if any(_is_rounded(number(version.value), amount) for version in earlier):
        return supported._replace(
            verdict="ambiguous", reason="it was filed so, and later otherwise", candidates=earlier
        )
    if any(_is_rounded(number(version[-1].value), amount) for version in calendar):
        return supported._replace(
            verdict="ambiguous",
            reason="it is the number of the calendar quarter, not of the company's own",
            candidates=_last(calendar),
        )
    if row.doubt is not None:
        return supported._replace(verdict="ambiguous", reason=row.doubt)
    filed_step = _step(row)
    if amount.step < filed_step and abs(amount.value - filed) <= filed_step / 2:
        return supported._replace(verdict="ambiguous", reason="the filed number is rounded more")
    return supported._replace(verdict="contradicted")


def _change(
    series: "_Series",
    fiscal: Sequence[Sequence[StoredFact]],
    amount: Amount,
    period: AskedPeriod,
    change: Change,
) -> CheckedNumber:
    """Check a change in percent since the same period of the previous year."""
    before = series.year_before(fiscal[0][-1]) if fiscal else []
    if len(before) != 1:
        return CheckedNumber("not_found", "no filing here has the number of the year before")
    row, base = fiscal[0][-1], before[0][-1]
    old, new = number(base.value), number(row.value)
    supported = CheckedNumber("supported", f"from {_days(base)} to {_days(row)}", row, base)
    if old <= 0 or new <= 0:
        return supported._replace(
            verdict="ambiguous", reason="a change of a loss has no percentage"
        )
    percent = (new - old) / old * 100
    claimed = -abs(amount.value) if change == "fall" else abs(amount.value)
    if row.doubt or base.doubt:
        return supported._replace(verdict="ambiguous", reason=row.doubt or base.doubt or "")
    if _is_rounded(percent, amount._replace(value=claimed)):
        return supported
    if _other_values(fiscal[0]) or _other_values(before[0]):
        return supported._replace(verdict="ambiguous", reason="one of the numbers was restated")
    if period.months == 3 or period.quarter:
        return supported._replace(
            verdict="ambiguous", reason="it may be the change from the quarter before"
        )
    return supported._replace(verdict="contradicted", reason=f"it is {percent:.1f} %")


def _is_rounded(filed: Decimal, amount: Amount) -> bool:
    """Return True if an amount is the filed one, rounded to its own digits."""
    step = amount.step
    while amount.rough and amount.value and amount.value % (step * 10) == 0:
        step *= 10
    off = abs(filed - amount.value)
    # A half may be rounded up or down.
    return off <= step / 2


def _series_in_unit(
    rows: Iterable[StoredFact], amount: Amount, year_end: YearEnd | None
) -> "_Series":
    """Keep the rows in the unit of an amount; all of them if it is a percentage or has no unit."""
    unit = "" if amount.unit == PERCENT else amount.unit
    return _Series([row for row in rows if not unit or row.unit == unit], year_end)


class _Series:
    """The versions of an item's numbers by period and unit, the last filed ones at the end."""

    def __init__(self, rows: Sequence[StoredFact], year_end: YearEnd | None) -> None:
        self._rows = rows
        self._by_period: dict[tuple[date | None, date, str], list[StoredFact]] = {}
        for row in sorted(rows, key=lambda row: (row.filing_date, row.accession_number)):
            self._by_period.setdefault((row.start, row.end, row.unit), []).append(row)
        self._instant = sum(row.start is None for row in rows) * 2 > len(rows)
        years = list(fiscal_years(rows))
        if years:
            newest = max(row.end for row in years)
            year_end = YearEnd(newest.month, newest.day)
        self._year_end = year_end
        self._late = self._years_late()

    def of(self, period: AskedPeriod, *, calendar: bool) -> list[list[StoredFact]]:
        """Return the numbers of a period.

        With `calendar`, only those of another calendar quarter.
        """
        if period.day is not None:
            if calendar or (not self._instant and not period.months):
                return []
            return self._near(period.day, period.months, _BESIDE)
        own = [
            quarter_end(period.year + late, period.quarter or 4, self._year_end)
            for late in self._late
            if self._year_end is not None
        ]
        if not calendar:
            found = [versions for end in own for versions in self._near(end, period.months, _NEAR)]
            return found or (self._fourth(own) if period.quarter == 4 else [])
        if not period.quarter or period.fiscal:
            return []
        end = quarter_end(period.year, period.quarter, YearEnd(12, 31))
        if any(abs((end - versions).days) <= _APART for versions in own):
            return []
        return self._near(end, 3, _NEAR)

    def is_derived(self, row: StoredFact) -> bool:
        """Return True if no filing has a number of the row's period."""
        return (row.start, row.end, row.unit) not in self._by_period

    def year_before(self, row: StoredFact) -> list[list[StoredFact]]:
        """Return the numbers for the same length of the year before a row's."""
        numbers = self._near(row.end - _YEAR, months(row.start, row.end), _NEAR)
        return [versions for versions in numbers if versions[-1].unit == row.unit]

    def _near(self, day: date, length: int, near: timedelta) -> list[list[StoredFact]]:
        """Return the numbers whose period ends near a day, of one length if not instants."""
        return [
            versions
            for (start, end, _), versions in self._by_period.items()
            if abs(end - day) <= near
            and (start is None) == self._instant
            and (start is None or _has_length(versions[0], length))
        ]

    def _fourth(self, ends: Sequence[date]) -> list[list[StoredFact]]:
        """Return the fourth quarter as the year minus nine months, if it was not filed."""
        last = [versions[-1] for versions in self._by_period.values()]
        first = [versions[0] for versions in self._by_period.values()]
        return [
            [derived.row]
            for derived in derive(last, first, _Q4)
            if any(abs(derived.end - end) <= _NEAR for end in ends)
        ]

    def _years_late(self) -> tuple[int, ...]:
        """Return the years between a fiscal year's name and its end: 0, 1, or both if unknown."""
        if self._year_end is None or self._year_end > _EARLY:
            return (0,)
        ends: dict[str, StoredFact] = {}
        for row in self._rows:
            number = row.accession_number
            if row.fiscal_period == "FY" and row.fiscal_year is not None:
                ends[number] = max(ends.get(number, row), row, key=lambda end_row: end_row.end)
        late = {row.end.year - (row.fiscal_year or 0) for row in ends.values()}
        return tuple(late) if len(late) == 1 and late <= {0, 1} else (0, 1)


def _has_length(row: StoredFact, length: int) -> bool:
    if length == 3:
        return is_of(row, "quarter")
    if length == 12:
        return is_of(row, "year")
    return months(row.start, row.end) == length


def _other_values(versions: Sequence[StoredFact]) -> list[StoredFact]:
    last = number(versions[-1].value)
    return [row for row in versions[:-1] if number(row.value) != last]


def _last(several: Iterable[Sequence[StoredFact]]) -> list[StoredFact]:
    return [versions[-1] for versions in several]


def _days(row: StoredFact) -> str:
    if row.start is None:
        return f"{row.end}"
    return f"the {days_of(row)} days to {row.end}"
