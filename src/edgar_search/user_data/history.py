"""The history of an account's data calls, for reading and clearing."""

from collections.abc import Awaitable, Callable
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from msgspec import Struct, field

from edgar_search.access.accounts import Accounts
from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import Buckets, SourceHit
from edgar_search.stored.accounts import StoredCall
from edgar_search.user_data.items import calls_body, days_body

AREA = "history"


class CallFilters(Struct, frozen=True):
    """Filters of calls; both days (UTC) are included."""

    from_date: date | None = None
    to_date: date | None = None
    endpoint: str | None = None


class CallPage(NamedTuple):
    total: int
    calls: list[StoredCall]


class _Day(Struct):
    day: date = field(name="key_as_string")
    calls: int = field(name="doc_count")


class _ByDay(Struct):
    days: Buckets[_Day]


class History:
    """The history of all accounts; `show` makes all calls so far visible to searches."""

    def __init__(
        self, engine: Engine, accounts: Accounts, show: Callable[[], Awaitable[None]]
    ) -> None:
        self._engine = engine
        self._accounts = accounts
        self._show = show

    async def page(self, account: str, filters: CallFilters, limit: int, offset: int) -> CallPage:
        """Read a page of an account's calls since it last cleared them, newest first."""
        cleared_at = (await self._accounts.read(account)).history_cleared_at
        after, before = cleared_at, None
        if filters.from_date is not None and filters.from_date > date.min:
            start = _start(filters.from_date) - timedelta(milliseconds=1)
            after = max(after, start) if after else start
        if filters.to_date is not None and filters.to_date < date.max:
            before = _start(filters.to_date + timedelta(days=1)) - timedelta(milliseconds=1)
        return await self._find(account, after, before, filters.endpoint, limit, offset)

    async def days(self, account: str, since: datetime) -> dict[date, int]:
        """Count an account's calls by day (UTC), including cleared calls."""
        await self._show()
        reply = await self._engine.aggregate("history", days_body(account, since), _ByDay)
        return {bucket.day: bucket.calls for bucket in reply.days.buckets}

    async def clear(self, account: str) -> int:
        """Hide all calls made so far; return how many."""
        before = (await self._accounts.read(account)).history_cleared_at
        cleared_at = (await self._accounts.clear_history(account)).history_cleared_at
        return (await self._find(account, before, cleared_at, None, 0, 0)).total

    async def _find(
        self,
        account: str,
        after: datetime | None,
        until: datetime | None,
        endpoint: str | None,
        limit: int,
        offset: int,
    ) -> CallPage:
        await self._show()
        body = calls_body(account, after, until, endpoint, offset=offset, size=limit)
        reply = await self._engine.search("history", body, SourceHit[StoredCall])
        return CallPage(reply.total, [hit.source for hit in reply.hits.hits])


def _start(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)
