"""The days of which EDGAR's indices list filings, and the business days of which they list none."""

from collections.abc import Collection
from datetime import UTC, date, datetime
from functools import partial

from msgspec import Struct, field

from edgar_search.edgar.calendar import FIRST_INDEX, business_days
from edgar_search.engine.engine import Engine
from edgar_search.stored.missing_day import MissingDay
from ingest.fetching.quarter import Quarter
from ingest.loading.patience import Patience

# A quarter's index that lists filings of so many of its business days, at least so many of them,
# lists all that EDGAR has: a day without any is one that it lost. EDGAR's first years, and excerpts
# of an index, have fewer.
_DENSE, _LEAST = 0.9, 10
# More business days than EDGAR has had, and not more than one search gives.
_MOST = 10_000


class ListedDays:
    """The days that the index files read so far list."""

    def __init__(self) -> None:
        self._until: dict[Quarter, date] = {}
        self._filed: set[date] = set()
        self._own: set[date] = set()

    def add_quarter(self, quarter: Quarter, filed: Collection[date], until: date | None) -> None:
        """Add the days in a quarter's index, which has all data until a day, if it says which."""
        self._filed.update(filed)
        if until is not None:
            self._until[quarter] = until

    def add_day(self, day: date) -> None:
        """Add a day whose own index lists filings."""
        self._own.add(day)

    def missing(self, first: date, last: date) -> list[date]:
        """The business days from `first` to `last` of which no index lists filings."""
        days = list(business_days(max(first, FIRST_INDEX), last))
        covered = {day for day in days if day <= self._until.get(Quarter.of(day), date.min)}
        filled = covered & self._filed
        dense = len(covered) >= _LEAST and len(filled) >= _DENSE * len(covered)
        found = filled | self._own | (set() if dense else covered)
        return [day for day in days if day not in found]


class _Hit(Struct):
    id: str = field(name="_id")


async def note_missing(
    engine: Engine, patience: Patience, first: date, last: date, missing: Collection[date]
) -> None:
    """Store which business days of a range are missing, for coverage; found ones are forgotten."""
    bounds = {"gte": first.isoformat(), "lte": last.isoformat()}
    body = {"query": {"range": {"day": bounds}}, "size": _MOST, "_source": False}
    await patience(engine.refresh, "missing_days")
    reply = await patience(engine.search, "missing_days", body, _Hit)
    known = {hit.id for hit in reply.hits.hits}
    now = datetime.now(UTC)
    new = {str(day): MissingDay(day, now) for day in missing if str(day) not in known}
    if new:
        await patience(partial(engine.create_many, "missing_days", list(new.items())))
    gone = sorted(known - {str(day) for day in missing})
    found = await patience(engine.multi_get, "missing_days", gone, MissingDay)
    await patience(engine.delete_many, "missing_days", [each for each in found if each.found])
    await patience(engine.refresh, "missing_days")
