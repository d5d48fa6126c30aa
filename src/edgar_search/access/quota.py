"""Monthly quotas: each worker leases blocks of calls and spends them from memory.

The newest month in which calls were counted is stored beside the counters. When the clock reaches
the next month, so does the service. Any other change of the clock, forward or back, takes effect
only after a day: until then calls count in the old month, so that no jump grants new calls
(decision 0021).

Single calls are not written. If a worker is killed, its leased calls are lost to the user. No fault
lets more calls through than the plan allows: calls are counted before they are made.
"""

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from typing import NamedTuple

from edgar_search.access.accounts import Plan
from edgar_search.access.quota_counters import Counters
from edgar_search.engine.engine import Engine
from edgar_search.engine.freshness import MAX_AGE
from edgar_search.errors import EdgarSearchError, EngineUnavailable, QuotaExceeded


class Month(NamedTuple):
    """A calendar month; `end` is the first moment after it."""

    name: str
    start: datetime
    end: datetime


def month_at(moment: datetime) -> Month:
    """Return the month that contains a moment."""
    start = moment.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    year, number = (start.year + 1, 1) if start.month == 12 else (start.year, start.month + 1)
    return Month(start.strftime("%Y-%m"), start, start.replace(year=year, month=number))


def seconds_until(moment: datetime, now: datetime) -> int:
    """Return the whole seconds until a moment, at least one."""
    return max(1, -int((now - moment).total_seconds() // 1))


def months_before(month: str, count: int) -> str:
    """Return the month `count` months before another; after it if `count` is negative."""
    total = int(month[:4]) * 12 + int(month[5:]) - 1 - count
    return f"{total // 12:04d}-{total % 12 + 1:02d}"


def month_after(month: str) -> str:
    """Return the next month."""
    return months_before(month, -1)


def month_named(name: str) -> Month:
    """Parse the name of a month."""
    return month_at(datetime(int(name[:4]), int(name[5:]), 1, tzinfo=UTC))


_log = logging.getLogger(__name__)

# How long a clock must show a month other than the next one before it is believed: long enough for
# someone to notice a wrong clock, short compared with a month.
TRUST_SECONDS = 86_400.0


class Calendar:
    """The current month, by which one worker counts calls."""

    def __init__(self, counters: Counters) -> None:
        self._counters = counters
        self._known = False
        self._month: Month | None = None
        self._stored: str | None = None
        # The month to which the clock jumped, and since when it has shown it.
        self._jumped: tuple[str, float] | None = None

    async def read(self) -> None:
        """Read the last stored month, once; raises EngineUnavailable."""
        if not self._known:
            stored = await self._counters.newest_month()
            if not self._known:  # Another call may have read it while this one waited.
                self._stored, self._known = stored, True
                self._month = month_named(stored) if stored is not None else None

    def month(self, moment: datetime, monotonic: float) -> Month:
        """Return the month in which a call at this moment counts.

        Until `read` succeeds, it is the clock's month.
        """
        if not self._known:
            return month_at(moment)
        current = self._month
        if current is not None and current.start <= moment < current.end:
            self._jumped = None
            return current
        clock_month = month_at(moment)
        if current is None or clock_month.name == month_after(current.name):
            return self._change_month(clock_month)
        if self._jumped is None or self._jumped[0] != clock_month.name:
            _log.error(
                "the clock shows %s, but calls were last counted in %s: they count there until"
                " the clock has shown the new month for a day",
                clock_month.name,
                current.name,
            )
            self._jumped = clock_month.name, monotonic
        if monotonic - self._jumped[1] < TRUST_SECONDS:
            return current
        _log.error(
            "the clock has shown %s for a day: calls count in that month now", clock_month.name
        )
        return self._change_month(clock_month)

    async def keep(self) -> None:
        """Store the month if it has changed; raises EngineUnavailable."""
        if self._month is not None and self._month.name != self._stored:
            month, before = self._month.name, self._stored
            self._stored = await self._counters.turn_month(before, month)

    def _change_month(self, month: Month) -> Month:
        self._month, self._jumped = month, None
        return month


# Calls in one lease, at most; an account loses them if the worker is killed.
MAX_LEASE = 2_000
# A lease should last about this long. The next one is taken when half of it is spent, so that calls
# continue while a write hangs: Elasticsearch needs half a minute to remove a frozen node, and until
# then blocks all writes to shards with a copy on it.
LEASED_AHEAD_SECONDS = 90.0
# A lease is returned after this long without a call, which is also how long a worker caches keys.
LEASE_SECONDS = MAX_AGE
MIN_LEASE = 10
# A worker that found no calls left checks again after this time: others may have returned some.
EXHAUSTED_SECONDS = 1.0


class QuotaStatus:
    """The quota of an account after a call, for the headers; None for `limit` means unlimited."""

    __slots__ = ("limit", "month", "remaining")

    def __init__(self, limit: int | None, remaining: int, month: Month) -> None:
        self.limit = limit
        self.remaining = remaining
        self.month = month


class Meter:
    """The calls of one account in one worker."""

    def __init__(self, account: str, counters: Counters, now: Callable[[], Month]) -> None:
        self._account = account
        self._counters = counters
        self._now = now
        self.month = now()
        self.spent_at = time.monotonic()
        self._held = 0
        self._leased = 0
        self._waiting = 0
        self._since_lease = 0
        self._granted = 0
        self._leased_at = self.spent_at
        self._leasing: asyncio.Task[None] | None = None
        self._exhausted_at = float("-inf")

    async def spend(self, plan: Plan) -> QuotaStatus:
        """Count one call against the plan's month."""
        await self.check(plan)
        self._held -= 1
        self._since_lease += 1
        exhausted = plan.calls is not None and self._leased >= plan.calls
        if self._held <= self._granted // 2 and not exhausted:
            self._lease_beside(plan.calls)
        return self._status(plan.calls)

    async def check(self, plan: Plan) -> None:
        """Make sure that a call is leased; QuotaExceeded if none is left this month."""
        self._follow_month()
        self.spent_at = time.monotonic()
        # Without a limit a call is counted but need not wait: the counter catches up.
        while self._held <= 0 and plan.calls is not None:
            if self.spent_at - self._exhausted_at < EXHAUSTED_SECONDS:
                raise self._exceeded_error(plan.calls)
            await self._more(plan.calls)

    async def reserve(self, plan: Plan, calls: int) -> QuotaStatus:
        """Count several calls against the plan's month, or none of them."""
        self._follow_month()
        self.spent_at = time.monotonic()
        while plan.calls is not None and self._held < calls:
            month = self.month.name
            missing = calls - self._held
            lease = await self._counters.lease(
                self._account, month, missing, plan.calls, whole=True
            )
            if not lease.calls:
                left = max(0, plan.calls - lease.leased + max(0, self._held))
                raise self._too_few_error(plan.calls, calls, left)
            self._follow_month()
            if month == self.month.name:
                self._held += lease.calls
                self._leased = lease.leased
        self._held -= calls
        if plan.calls is None and self._held <= 0:
            self._lease_beside(None)
        return self._status(plan.calls)

    def refund(self, calls: int) -> None:
        """Take back the count of calls."""
        self._held += calls

    def unspent(self, month: str) -> int:
        """Return how many leased calls were not made; negative if calls came before their lease."""
        return self._held if month == self.month.name else 0

    async def last_lease(self) -> "asyncio.Task[None] | None":
        """Wait for the latest attempt to lease calls, and return it."""
        while self._leasing is not None and not self._leasing.done():
            await asyncio.wait({self._leasing})
        return self._leasing

    def is_last(self, lease: "asyncio.Task[None] | None") -> bool:
        """Return True if no attempt to lease calls followed this one."""
        return self._leasing is lease

    async def settle(self) -> None:
        """Correct the counter to the number of calls made."""
        if self._leasing is not None:
            await asyncio.wait({self._leasing})
        held, self._held = self._held, 0
        try:
            if held > 0:
                # A failed return loses the calls: a second try could return them twice.
                self._leased = await self._counters.return_calls(
                    self._account, self.month.name, held
                )
            elif held < 0:
                await self._counters.lease(self._account, self.month.name, -held, None)
        except EdgarSearchError as error:
            _log.warning("%d leased calls of an account were lost: %s", held, error)

    async def _more(self, limit: int) -> None:
        """Wait for a lease that is under way, or take a new one."""
        self._waiting += 1
        try:
            self._lease_beside(limit)
            assert self._leasing is not None
            await asyncio.shield(self._leasing)
        finally:
            self._waiting -= 1

    def _lease_beside(self, limit: int | None) -> None:
        if self._leasing is None or self._leasing.done():
            self._leasing = asyncio.create_task(self._lease(limit))
            # The error may go unawaited; the next call tries again.
            self._leasing.add_done_callback(lambda task: task.cancelled() or task.exception())

    async def _lease(self, limit: int | None) -> None:
        wanted, month = self._lease_size() + max(0, -self._held), self.month.name
        lease = await self._counters.lease(self._account, month, wanted, limit)
        if month != self.month.name:
            return
        self._held += lease.calls
        self._leased = lease.leased
        self._granted = lease.calls
        self._since_lease = 0
        self._leased_at = time.monotonic()
        if not lease.calls:
            self._exhausted_at = self._leased_at

    def _lease_size(self) -> int:
        """Return how many calls `LEASED_AHEAD_SECONDS` need, at the rate since the last lease."""
        elapsed = max(1.0, time.monotonic() - self._leased_at)
        rate = self._since_lease / elapsed
        return max(MIN_LEASE, self._waiting, min(MAX_LEASE, int(rate * LEASED_AHEAD_SECONDS)))

    def _follow_month(self) -> None:
        month = self._now()
        if month.name != self.month.name:
            # Calls left over from the old month are useless.
            self.month = month
            self._held = self._leased = 0
            self._exhausted_at = float("-inf")

    def _status(self, limit: int | None) -> QuotaStatus:
        remaining = 0 if limit is None else max(0, limit - self._leased + max(0, self._held))
        return QuotaStatus(limit, remaining, self.month)

    def _too_few_error(self, limit: int, wanted: int, left: int) -> QuotaExceeded:
        wait = seconds_until(self.month.end, datetime.now(UTC))
        return QuotaExceeded(
            f"this request needs {wanted} more calls, but only {left} of this month's {limit}"
            f" calls are left; narrow it, or change the plan",
            wait,
        )

    def _exceeded_error(self, limit: int) -> QuotaExceeded:
        wait = seconds_until(self.month.end, datetime.now(UTC))
        return QuotaExceeded(
            f"the {limit} calls of this month are used up; try again later, after "
            f"{self.month.end:%Y-%m-%d} 00:00 UTC, or change the plan",
            wait,
        )


# The meter of an account without calls is dropped after this time.
_IDLE_SECONDS = 60.0
_TICK = 0.5
# How often `used` reads the counter again if calls are leased meanwhile; then it may be off by a
# lease.
_USED_TRIES = 3


class Quota:
    """The quotas of all accounts in one worker."""

    def __init__(self, engine: Engine, workers: int = 1) -> None:
        self._counters = Counters(engine, workers)
        self._calendar = Calendar(self._counters)
        self._meters: dict[str, Meter] = {}
        self._settling: asyncio.Task[None] | None = None

    async def spend(self, account: str, plan: Plan) -> "QuotaStatus":
        """Count one call; QuotaExceeded if none is left this month.

        Waits for Elasticsearch only if this worker has leased no call of the account; then it
        raises EngineUnavailable if Elasticsearch cannot be reached.
        """
        return await (await self._meter(account, plan)).spend(plan)

    async def check(self, account: str, plan: Plan) -> None:
        """Raise as `spend` would, without counting a call."""
        await (await self._meter(account, plan)).check(plan)

    async def reserve(self, account: str, plan: Plan, calls: int) -> "QuotaStatus":
        """Count several calls at once, or none and raise QuotaExceeded if fewer are left.

        Calls leased by other workers, each at most a 64th of those left, count as made. Raises
        EngineUnavailable as `spend`.
        """
        return await (await self._meter(account, plan)).reserve(plan, calls)

    async def return_calls(self, account: str, status: "QuotaStatus", calls: int) -> None:
        """Take back the count of reserved calls that were not made.

        Raises EngineUnavailable.
        """
        meter = self._meters.get(account)
        if meter is None:
            await self._counters.return_calls(account, status.month.name, calls)
        elif meter.month == status.month:
            meter.refund(calls)

    async def month(self) -> Month:
        """Return the month in which calls count now; raises EngineUnavailable."""
        await self._calendar.read()
        return self._month()

    def _month(self) -> Month:
        return self._calendar.month(datetime.now(UTC), time.monotonic())

    def refund(self, account: str, status: "QuotaStatus", calls: int) -> None:
        """Take back the count of calls that failed through no fault of the caller."""
        meter = self._meters.get(account)
        if meter is not None and meter.month == status.month:
            meter.refund(calls)

    async def used(self, account: str) -> int:
        """Return this month's calls by the counter, without this worker's unspent leases.

        Other workers' unspent leases are included until they are returned, `LEASE_SECONDS` after
        their last call.
        """
        month = (await self.month()).name
        for _ in range(_USED_TRIES):
            meter = self._meters.get(account)
            lease = await meter.last_lease() if meter else None
            leased = await self._counters.read(account, month)
            # Otherwise calls were leased meanwhile, and the counter may be older or newer than
            # that.
            if meter is self._meters.get(account) and (not meter or meter.is_last(lease)):
                break
        return max(0, leased - meter.unspent(month)) if meter else leased

    async def run_forever(self) -> None:
        """Return unused calls periodically, until the worker stops."""
        while True:
            await asyncio.sleep(_TICK)
            self._settling = asyncio.create_task(self._settle(LEASE_SECONDS))
            # A round is completed even if this task is cancelled: otherwise its calls would be
            # lost.
            await asyncio.shield(self._settling)

    async def close(self) -> None:
        """Return all unused calls; to be called when no call is running any more."""
        if self._settling is not None:
            await asyncio.wait({self._settling})
        await self._settle(0)
        with suppress(EngineUnavailable):
            await self._counters.book(at_once=True)

    async def _meter(self, account: str, plan: Plan) -> "Meter":
        if plan.calls is not None:
            await self._calendar.read()
        meter = self._meters.get(account)
        if meter is None:
            meter = self._meters[account] = Meter(account, self._counters, self._month)
        return meter

    async def _settle(self, idle: float) -> None:
        now = time.monotonic()
        quiet = [meter for meter in self._meters.values() if now - meter.spent_at >= idle]
        await asyncio.gather(*(meter.settle() for meter in quiet))
        with suppress(EngineUnavailable):  # The next round tries again.
            await self._calendar.keep()
            await self._counters.book()
        for account, meter in list(self._meters.items()):
            if now - meter.spent_at > _IDLE_SECONDS and not meter.unspent(meter.month.name):
                del self._meters[account]
