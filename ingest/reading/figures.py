"""Figures of a report: its standard items by period, for searches by numbers; pure.

They come only from the report itself, and only from unambiguous facts: an item with two candidate
columns, or a doubtful value, is absent.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import NamedTuple

from edgar_search.edgar.items import (
    FORM_10K,
    FORM_10KSB,
    FORM_10Q,
    FORM_10QSB,
    FORM_20F,
    report_form_of,
)
from edgar_search.stored.figures import (
    CHANGES,
    COVER_ITEM,
    ITEMS_OF_A_DAY,
    QUOTIENTS,
    SUMS,
    YEAR_TO_DATE,
    previous_of,
)
from edgar_search.stored.financials import StoredFact
from ingest.reading.xbrl.instance import Period
from ingest.reading.xbrl.standard_items import TAXONOMY

_QUARTERLY = (FORM_10Q, FORM_10QSB)
_ANNUAL = (FORM_10K, FORM_10KSB, FORM_20F)
# Days in a quarter and in a year of 52 or 53 weeks, and the tolerance for comparing columns.
_QUARTER, _YEAR, _APART = range(77, 123), range(350, 381), 15
# The most days between the stated end of a period and the end of its columns.
_BESIDE = 7
_QUARTER_DAYS = 91.3


class Figures(NamedTuple):
    """Values and their quotients by the names of `edgar_search.stored.figures`; the currency."""

    values: dict[str, float]
    currency: str | None
    quotients: dict[str, float] = {}


NO_FIGURES = Figures({}, None)


_Columns = Mapping[Period, float]


def figures_of(
    facts: Iterable[StoredFact], form_type: str, period_end: date | None, fiscal_period: str | None
) -> Figures:
    """Return the figures of a report from its facts; none for other forms.

    `period_end` is the end of the period of report and `fiscal_period` its name, such as `Q2`; a
    report without an end has no figures.
    """
    form = report_form_of(form_type)
    quarterly = form in _QUARTERLY
    annual = form in _ANNUAL or form_type.removesuffix("/A") == "40-F"
    if period_end is None or not (quarterly or annual):
        return NO_FIGURES
    items, currency = _items(facts)
    end = _own_end(items, period_end)
    if end is None:
        return NO_FIGURES
    spans = {span for columns in items.values() for span in columns if span.end == end}
    if quarterly:
        own = _one(span for span in spans if span.days in _QUARTER)
        year_to_date = _year_to_date(spans, fiscal_period)
    else:
        own = year_to_date = _one(span for span in spans if span.days in _YEAR) or _one(
            span for span in spans if span.start
        )
    values: dict[str, float] = {}
    for name, columns in items.items():
        if name == COVER_ITEM:
            values[name] = columns[max(columns, key=lambda span: span.end)]
        elif name in ITEMS_OF_A_DAY:
            # The comparative balance is the one at the beginning of the year, as on the sheet.
            _put(values, name, columns, Period(None, end), _opening(columns, year_to_date))
        else:
            _put(values, name, columns, own, _year_before(columns, own))
            if quarterly:
                _put(
                    values,
                    f"{name}{YEAR_TO_DATE}",
                    columns,
                    year_to_date,
                    _year_before(columns, year_to_date),
                )
    return Figures(values, currency, quotients_of(values)) if values else NO_FIGURES


def quotients_of(values: Mapping[str, float]) -> dict[str, float]:
    """Return the quotients and changes of the figures; none by zero."""
    quotients: dict[str, float] = {}
    for name, (above, below) in QUOTIENTS.items():
        if above in values and below in values:
            _divide(quotients, name, values[above], values[below])
    for name, (added, subtracted, below) in SUMS.items():
        if all(name_needed in values for name_needed in (*added, *subtracted, below)):
            amount = sum(map(values.__getitem__, added)) - sum(map(values.__getitem__, subtracted))
            _divide(quotients, name, amount, values[below])
    for name, measure in CHANGES.items():
        if measure in values and previous_of(measure) in values:
            before = values[previous_of(measure)]
            _divide(quotients, name, values[measure] - before, abs(before))
    return quotients


def _divide(found: dict[str, float], name: str, above: float, below: float) -> None:
    """Set a quotient, if it is finite."""
    if below and math.isfinite(quotient := above / below):
        found[name] = quotient + 0.0


def _items(facts: Iterable[StoredFact]) -> tuple[dict[str, dict[Period, float]], str | None]:
    """Return the columns of each item in the report's currency, and the currency."""
    facts_by_item: dict[str, list[StoredFact]] = {}
    currencies: Counter[str] = Counter()
    for fact in facts:
        # A number of any size may be filed; the engine accepts only finite ones.
        if fact.taxonomy == TAXONOMY and fact.doubt is None and math.isfinite(fact.amount):
            facts_by_item.setdefault(fact.local_name, []).append(fact)
            if fact.unit != "shares" and "/" not in fact.unit:
                currencies[fact.unit] += 1
    currency = _commonest(currencies)
    units = {"shares"} if currency is None else {"shares", currency, f"{currency}/shares"}
    items: dict[str, dict[Period, float]] = {}
    for name, of_item in facts_by_item.items():
        columns: dict[Period, float] = {}
        undecided: set[Period] = set()
        for fact in of_item:
            span = Period(fact.start, fact.end)
            # Zero has no sign, so that nothing below it equals it.
            amount = fact.amount + 0.0
            if fact.unit in units and columns.setdefault(span, amount) != amount:
                undecided.add(span)
        kept = {span: amount for span, amount in columns.items() if span not in undecided}
        if kept:
            items[name] = kept
    return items, currency


def _commonest(currencies: Counter[str]) -> str | None:
    """Return the currency of most values, because a convenience translation has fewer."""
    most = currencies.most_common(2)
    if not most or (len(most) == 2 and most[0][1] == most[1][1]):
        return None
    return most[0][0]


def _own_end(items: Mapping[str, _Columns], period_end: date) -> date | None:
    """Return the end of the report's own columns, which may be some days from the stated one."""
    ends = {span.end for name, columns in items.items() if name != COVER_ITEM for span in columns}
    if period_end in ends:
        return period_end
    near = [end for end in ends if abs((end - period_end).days) <= _BESIDE]
    return near[0] if len(near) == 1 else None


def _one(spans: Iterable[Period]) -> Period | None:
    """Return the only column, or None if there is not exactly one."""
    distinct = list(spans)
    return distinct[0] if len(distinct) == 1 else None


def _year_to_date(spans: Iterable[Period], fiscal_period: str | None) -> Period | None:
    """Return the column of the fiscal year up to the end of a quarter.

    Some companies show twelve months, or all time, beside it.
    """
    if fiscal_period in ("Q1", "Q2", "Q3"):
        days = int(fiscal_period[1]) * _QUARTER_DAYS
        return _one(span for span in spans if abs(span.days - days) <= _APART)
    parts = [span for span in spans if 0 < span.days <= 3 * _QUARTER_DAYS + _APART]
    return max(parts, key=lambda span: span.days, default=None)


def _opening(columns: _Columns, whole: Period | None) -> Period | None:
    """Return the day of the balance before the first day of a year to date."""
    if whole is None or whole.start is None:
        return None
    day = whole.start - timedelta(1)
    exact = Period(None, day)
    if exact in columns:
        return exact
    return _one(span for span in columns if abs((span.end - day).days) <= _BESIDE)


def _year_before(columns: _Columns, own: Period | None) -> Period | None:
    """Return the column of the same part of the previous year."""
    if own is None:
        return None
    return _one(
        span
        for span in columns
        if (own.end - span.end).days in _YEAR and abs(span.days - own.days) <= _APART
    )


def _put(
    values: dict[str, float],
    name: str,
    columns: _Columns,
    own: Period | None,
    before: Period | None,
) -> None:
    """Set an item's value and its comparative value, as far as there are columns."""
    if own is not None and own in columns:
        values[name] = columns[own]
    if before is not None and before in columns:
        values[previous_of(name)] = columns[before]
