"""The stored counter of an account's month: compare and set, for all workers and hosts."""

import time
from collections import Counter
from collections.abc import Callable
from typing import NamedTuple

import msgspec

from edgar_search.engine.changes import Change, Tries, change
from edgar_search.engine.engine import BLOCKED, Engine
from edgar_search.errors import EngineRefuses
from edgar_search.stored.accounts import NEWEST_MONTH, StoredUsage, usage_id

# Seconds between two attempts to book owed calls.
BOOKING_SECONDS = 5.0
_TRIES = Tries(
    50, 0.02, "too many requests are counting calls of this account at once; try again later"
)
# A lease takes at most one in this many of the calls left, so that no worker keeps the last ones.
_FRACTION = 64


class LeasedCalls(NamedTuple):
    """The `calls` that were leased; `leased` is the counter after that."""

    calls: int
    leased: int


class Counters:
    """The calls that workers have leased, by account and month.

    While Elasticsearch can be read but not written, as with a full disk, a worker leases on credit:
    at most its fraction, one of `workers`, of the calls left. Its next write books what it owes.
    Calls leased on credit count against this fraction all month: other workers may not have booked
    theirs when the disk fills up again.
    """

    def __init__(self, engine: Engine, workers: int = 1) -> None:
        self._engine = engine
        self._workers = workers
        self._owed: dict[tuple[str, str], int] = {}
        # The calls owed that a write under way books: another write must not book them too.
        self._booking: dict[tuple[str, str], int] = {}
        # The calls of this month that were leased on credit, booked or not.
        self._credited: Counter[tuple[str, str]] = Counter()
        self._next_booking = float("-inf")

    async def read(self, account: str, month: str) -> int:
        """Read how many calls were leased so far."""
        stored = await self._engine.get("usage", usage_id(account, month), StoredUsage)
        return stored.source.leased if stored and stored.source else 0

    async def lease(
        self, account: str, month: str, wanted: int, limit: int | None, *, whole: bool = False
    ) -> LeasedCalls:
        """Lease up to `wanted` calls; fewer, or none, if few are left.

        With `whole`, leases all of them or none, and never on credit. Raises EngineUnavailable if
        the counter cannot be read and written.
        """
        owed = self._begin_booking(account, month)

        def taken(before: StoredUsage | None) -> StoredUsage | None:
            leased = (before.leased if before else 0) + owed
            calls = wanted
            if limit is not None and whole:
                calls = wanted if wanted <= limit - leased else 0
            elif limit is not None:
                left = limit - leased
                calls = max(0, min(left, max(1, min(wanted, left // _FRACTION))))
            return StoredUsage(account, month, leased + calls) if calls + owed > 0 else before

        try:
            before, after = await self._change(account, month, taken)
        except EngineRefuses as error:
            if whole:
                raise
            return await self._lease_on_credit(account, month, wanted, limit, error)
        finally:
            self._end_booking(account, month, owed)
        self._owe(account, month, -owed)
        leased = after.leased if after else 0
        return LeasedCalls(leased - (before.leased if before else 0) - owed, leased)

    async def book(self, *, at_once: bool = False) -> None:
        """Book the calls owed, at intervals or `at_once`; failed attempts are repeated."""
        if not self._owed or not at_once and time.monotonic() < self._next_booking:
            return
        self._next_booking = time.monotonic() + BOOKING_SECONDS
        for account, month in list(self._owed):
            await self.lease(account, month, 0, None)

    async def return_calls(self, account: str, month: str, calls: int) -> int:
        """Return leased calls that were not made; the result is the counter after that."""
        key = (account, month)
        unmade = min(calls, self._owed.get(key, 0) - self._booking.get(key, 0))
        self._owe(account, month, -unmade)
        if unmade:
            self._credited[key] -= unmade
        calls -= unmade
        if not calls:
            return await self.read(account, month)

        def returned(before: StoredUsage | None) -> StoredUsage | None:
            if before is None:
                return None
            return msgspec.structs.replace(before, leased=max(0, before.leased - calls))

        _, after = await self._change(account, month, returned)
        return after.leased if after else 0

    async def newest_month(self) -> str | None:
        """Read the last month in which calls were counted; None before the first call."""
        stored = await self._engine.get("usage", NEWEST_MONTH, StoredUsage)
        return stored.source.month if stored and stored.source else None

    async def turn_month(self, before: str | None, month: str) -> str:
        """Store the month in which calls are counted; return the stored one.

        If another worker has replaced `before` meanwhile, its month is kept.
        """

        def turned(before_change: StoredUsage | None) -> StoredUsage | None:
            if (before_change.month if before_change else None) != before:
                return before_change
            return StoredUsage("", month, 0)

        changed = await change(
            self._engine, "usage", NEWEST_MONTH, StoredUsage, turned, _TRIES, visible=False
        )
        return changed.after.month if changed.after else month

    async def _lease_on_credit(
        self, account: str, month: str, wanted: int, limit: int | None, error: EngineRefuses
    ) -> LeasedCalls:
        """Lease without a write; raises `error` unless writes are blocked."""
        if str(error) != BLOCKED or wanted == 0:
            raise error
        key = (account, month)
        stored, owed = await self.read(account, month), self._owed.get(key, 0)
        calls = wanted
        if limit is not None:
            calls = max(0, min(wanted, (limit - stored) // self._workers - self._credited[key]))
            if not calls and stored + owed < limit:
                raise error  # The calls left may be the fractions of other workers.
        self._owe(account, month, calls)
        self._credited = Counter(
            {owner: count for owner, count in self._credited.items() if owner[1] == month}
        )
        self._credited[key] += calls
        return LeasedCalls(calls, stored + owed + calls)

    def _begin_booking(self, account: str, month: str) -> int:
        """Reserve for this write the calls owed that no other is booking; return their number."""
        key = (account, month)
        owed = self._owed.get(key, 0) - self._booking.get(key, 0)
        if owed:
            self._booking[key] = self._booking.get(key, 0) + owed
        return owed

    def _end_booking(self, account: str, month: str, owed: int) -> None:
        left = self._booking.pop((account, month), 0) - owed
        if left > 0:
            self._booking[account, month] = left

    def _owe(self, account: str, month: str, calls: int) -> None:
        owed = self._owed.pop((account, month), 0) + calls
        if owed > 0:
            self._owed[account, month] = owed

    async def _change(
        self,
        account: str,
        month: str,
        changed: Callable[[StoredUsage | None], StoredUsage | None],
    ) -> Change[StoredUsage]:
        key = usage_id(account, month)
        return await change(self._engine, "usage", key, StoredUsage, changed, _TRIES, visible=False)
