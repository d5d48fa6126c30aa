"""One account's calls in one worker: leased in blocks, spent from memory."""

import asyncio
import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime

from edgar_search.access.limits.counters import Counters, LeasedCalls
from edgar_search.access.limits.months import Month, seconds_until
from edgar_search.access.limits.plans import Plan
from edgar_search.engine.freshness import MAX_AGE
from edgar_search.errors import EdgarSearchError, QuotaExceeded

_log = logging.getLogger(__name__)

# The most calls that one lease has, and so that a killed worker loses of an account.
MAX_LEASE = 2_000
# A lease is for the calls of about this time. The next one is taken when half of it is spent, so
# that calls go on while a write hangs: Elasticsearch takes half a minute to leave out a node that
# is frozen, and all writes to shards with a copy there wait as long.
LEASED_AHEAD_SECONDS = 90.0
# A lease goes back if no call was made for as long: a worker remembers keys for the same time.
LEASE_SECONDS = MAX_AGE
MIN_LEASE = 10
# Having found nothing left, a worker looks again after this: others may give some back.
EXHAUSTED_SECONDS = 1.0


class Standing:
    """How an account stands after a call: for the headers. `limit` None is without limit."""

    __slots__ = ("limit", "month", "remaining")

    def __init__(self, limit: int | None, remaining: int, month: Month) -> None:
        self.limit = limit
        self.remaining = remaining
        self.month = month


class Meter:
    """One account's calls in one worker."""

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

    async def spend(self, plan: Plan) -> Standing:
        """Count one call against the plan's month."""
        await self.check(plan)
        self._held -= 1
        self._since_lease += 1
        if self._held <= self._granted // 2 and not self._is_exhausted(plan.calls):
            self._lease_beside(plan.calls)
        return self._standing(plan.calls)

    async def check(self, plan: Plan) -> None:
        """Hold a call at least; QuotaExceeded where the month has none left."""
        self._turn_month()
        self.spent_at = time.monotonic()
        # Without a limit calls are counted, but never waited for: the counter follows.
        while self._held <= 0 and plan.calls is not None:
            if self.spent_at - self._exhausted_at < EXHAUSTED_SECONDS:
                raise self._exceeded(plan.calls)
            await self._more(plan.calls)

    async def reserve(self, plan: Plan, calls: int) -> Standing:
        """Count so many calls against the plan's month, or none."""
        self._turn_month()
        self.spent_at = time.monotonic()
        while plan.calls is not None and self._held < calls:
            month = self.month.name
            missing = calls - self._held
            lease = await self._counters.take(self._account, month, missing, plan.calls)
            if not lease.calls:
                left = max(0, plan.calls - lease.leased + max(0, self._held))
                raise self._too_few(plan.calls, calls, left)
            self._turn_month()
            if month == self.month.name:
                self._held += lease.calls
                self._leased = lease.leased
        self._held -= calls
        if plan.calls is None and self._held <= 0:
            self._lease_beside(None)
        return self._standing(plan.calls)

    def refund(self, calls: int = 1) -> None:
        """The last calls do not count after all."""
        self._held += calls

    def unspent(self, month: str) -> int:
        """Calls that are leased and not made; negative where calls were made before the lease."""
        return self._held if month == self.month.name else 0

    async def last_lease(self) -> "asyncio.Task[None] | None":
        """The last attempt to lease calls, once it has ended."""
        while self._leasing is not None and not self._leasing.done():
            await asyncio.wait({self._leasing})
        return self._leasing

    def is_last(self, lease: "asyncio.Task[None] | None") -> bool:
        """Whether no other was made since."""
        return self._leasing is lease

    async def settle(self) -> None:
        """Bring the counter to what was really used."""
        if self._leasing is not None:
            await asyncio.wait({self._leasing})
        held, self._held = self._held, 0
        try:
            if held > 0:
                # Where it fails, the calls are lost: to try again could give them back twice.
                self._leased = await self._counters.give_back(self._account, self.month.name, held)
            elif held < 0:
                await self._counters.lease(self._account, self.month.name, -held, None)
        except EdgarSearchError as error:
            _log.warning("%d leased calls of an account are lost: %s", held, error)

    async def _more(self, limit: int) -> None:
        """Wait for the lease under way, or for a new one."""
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
            # Where nobody waits for it, the next call tries again.
            self._leasing.add_done_callback(lambda task: task.cancelled() or task.exception())

    async def _lease(self, limit: int | None) -> None:
        wanted, month = self._wanted() + max(0, -self._held), self.month.name
        lease = await self._counters.lease(self._account, month, wanted, limit)
        if month == self.month.name:
            self._take(lease)

    def _take(self, lease: LeasedCalls) -> None:
        self._held += lease.calls
        self._leased = lease.leased
        self._granted = lease.calls
        self._since_lease = 0
        self._leased_at = time.monotonic()
        if not lease.calls:
            self._exhausted_at = self._leased_at

    def _wanted(self) -> int:
        """The calls of about `LEASED_AHEAD_SECONDS`, at the rate since the last lease."""
        elapsed = max(1.0, time.monotonic() - self._leased_at)
        rate = self._since_lease / elapsed
        return max(MIN_LEASE, self._waiting, min(MAX_LEASE, int(rate * LEASED_AHEAD_SECONDS)))

    def _is_exhausted(self, limit: int | None) -> bool:
        return limit is not None and self._leased >= limit

    def _turn_month(self) -> None:
        month = self._now()
        if month.name != self.month.name:
            # What is left of the old month is of no use to anybody.
            self.month = month
            self._held = self._leased = 0
            self._exhausted_at = float("-inf")

    def _standing(self, limit: int | None) -> Standing:
        remaining = 0 if limit is None else max(0, limit - self._leased + max(0, self._held))
        return Standing(limit, remaining, self.month)

    def _too_few(self, limit: int, wanted: int, left: int) -> QuotaExceeded:
        wait = seconds_until(self.month.end, datetime.now(UTC))
        return QuotaExceeded(
            f"this takes {wanted} calls more, and of the {limit} calls of this month {left} are"
            " left; narrow it, or change the plan",
            wait,
        )

    def _exceeded(self, limit: int) -> QuotaExceeded:
        wait = seconds_until(self.month.end, datetime.now(UTC))
        return QuotaExceeded(
            f"the {limit} calls of this month are used up; try again later, after "
            f"{self.month.end:%Y-%m-%d} 00:00 UTC, or change the plan",
            wait,
        )
