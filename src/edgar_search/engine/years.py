"""Which years a query asks, where each year of filing has indices of its own; pure."""

from collections.abc import Collection, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from edgar_search.engine.index_names import WHOLE

# EDGAR has nothing older, and dates in filings are not the date of filing.
_FIRST = 1993
_DATE = "filing_date"


class Years(NamedTuple):
    """The first and the last year that can match; None without a bound."""

    first: int | None
    last: int | None


def years_of(query: Any) -> Years:
    """The years in which filings may match; of what the query does not say for sure, all."""
    first: int | None = None
    last: int | None = None
    for bounds in _bounds(query):
        low, high = _year(bounds, "gte", "gt"), _year(bounds, "lte", "lt")
        first = max(first or low, low) if low is not None else first
        last = min(last or high, high) if high is not None else last
    return Years(first, last)


def partitions_of(years: Years, known: Sequence[str]) -> list[str] | None:
    """The partitions to ask of those `known`; None: all of them.

    A year within the bounds that is not known yet is among them: it may have been made since.
    """
    if set(known) <= {WHOLE} or years == Years(None, None):
        return None
    this = datetime.now(UTC).year
    first = max(years.first or _FIRST, _FIRST)
    last = min(years.last if years.last is not None else this + 1, this + 1)
    asked = [WHOLE, *(f"{year:04d}" for year in range(first, last + 1))]
    if set(known) <= set(asked):
        return None
    # Dates before EDGAR are in partitions too, where a filing says so.
    return [*asked, *(name for name in known if name not in asked and _is_old(name, years))]


def partitions_filed(dates: Collection[str], known: Collection[str]) -> list[str] | None:
    """The partitions of these dates of filing (`2024-01-31`) of those known; None: all of them."""
    asked = [WHOLE, *sorted({day[:4] for day in dates})]
    return None if set(known) <= set(asked) else asked


def _is_old(name: str, years: Years) -> bool:
    year = int(name)
    outside = year < _FIRST or year > datetime.now(UTC).year + 1
    above = years.first is None or year >= years.first
    return outside and above and (years.last is None or year <= years.last)


def _bounds(query: Any) -> Iterator[Any]:
    """The bounds on the date of filing that everything which matches must keep."""
    if not isinstance(query, dict):
        return
    if _DATE in query.get("range", {}):
        yield query["range"][_DATE]
    clauses = query.get("bool", {})
    for name in ("filter", "must"):
        inner = clauses.get(name, [])
        for clause in inner if isinstance(inner, list) else [inner]:
            yield from _bounds(clause)
    for name in ("function_score", "constant_score"):
        yield from _bounds(query.get(name, {}).get("query" if name[0] == "f" else "filter"))


def _year(bounds: Any, *names: str) -> int | None:
    for name in names:
        text = str(bounds.get(name, ""))
        if text[:4].isdecimal() and text[4:5] in ("", "-"):
            return int(text[:4])
    return None
