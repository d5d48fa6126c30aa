"""Monthly quotas: each worker leases blocks of calls and spends them from memory.

Nothing is written for a single call. A worker that is killed loses its leases to the user, and no
fault lets more calls through than the plan has: a call is made only from what the counter has
already counted.
"""

import asyncio
import time
from contextlib import suppress
from datetime import UTC, datetime

from edgar_search.access.limits.calendar import Calendar
from edgar_search.access.limits.counters import Counters
from edgar_search.access.limits.meter import LEASE_SECONDS, Meter, Standing
from edgar_search.access.limits.months import Month
from edgar_search.access.limits.plans import Plan
from edgar_search.engine.engine import Engine
from edgar_search.errors import EngineUnavailable

# Meters of accounts that make no calls are dropped after this.
_IDLE_SECONDS = 60.0
_TICK = 0.5
# An account that leases all the time is told what may be off by a lease.
_USED_TRIES = 3


class Quota:
    """The quotas of all accounts, as one worker spends them."""

    def __init__(self, engine: Engine, workers: int = 1) -> None:
        self._counters = Counters(engine, workers)
        self._calendar = Calendar(self._counters)
        self._meters: dict[str, Meter] = {}
        self._settling: asyncio.Task[None] | None = None

    async def spend(self, account: str, plan: Plan) -> "Standing":
        """Count one call; QuotaExceeded where the month has none left.

        Waits for Elasticsearch only where this worker holds no call of the account, and raises
        EngineUnavailable where it is away then.
        """
        return await (await self._meter(account, plan)).spend(plan)

    async def check(self, account: str, plan: Plan) -> None:
        """Raise as `spend` would, and count nothing."""
        await (await self._meter(account, plan)).check(plan)

    async def reserve(self, account: str, plan: Plan, calls: int) -> "Standing":
        """Count so many calls at once; QuotaExceeded, and none is counted, where fewer are left.

        What other workers hold of the account, at most a 64th of what is left each, counts as
        made. Raises EngineUnavailable as `spend`.
        """
        return await (await self._meter(account, plan)).reserve(plan, calls)

    async def give_back(self, account: str, standing: "Standing", calls: int) -> None:
        """Take back the counting of calls that were reserved and not made.

        Raises EngineUnavailable.
        """
        meter = self._meters.get(account)
        if meter is None:
            await self._counters.give_back(account, standing.month.name, calls)
        elif meter.month == standing.month:
            meter.refund(calls)

    async def month(self) -> Month:
        """The month that calls are counted in now; raises EngineUnavailable."""
        await self._calendar.read()
        return self._month()

    def _month(self) -> Month:
        return self._calendar.month(datetime.now(UTC), time.monotonic())

    def refund(self, account: str, standing: "Standing") -> None:
        """Take back the counting of a call that failed through no fault of the caller's."""
        meter = self._meters.get(account)
        if meter is not None and meter.month == standing.month:
            meter.refund()

    async def used(self, account: str) -> int:
        """The calls of this month, from the counter; this worker's unspent leases are not in it.

        Those of other workers are, until they go back, `LEASE_SECONDS` after their last call.
        """
        month = (await self.month()).name
        for _ in range(_USED_TRIES):
            meter = self._meters.get(account)
            lease = await meter.last_lease() if meter else None
            leased = await self._counters.read(account, month)
            # Else calls were leased meanwhile, and what was read may be from before or after.
            if meter is self._meters.get(account) and (not meter or meter.is_last(lease)):
                break
        return max(0, leased - meter.unspent(month)) if meter else leased

    async def run_forever(self) -> None:
        """Give back what is not used, for as long as the worker lives."""
        while True:
            await asyncio.sleep(_TICK)
            self._settling = asyncio.create_task(self._settle(LEASE_SECONDS))
            # What was begun is ended also where this is cancelled: half given back is lost.
            await asyncio.shield(self._settling)

    async def close(self) -> None:
        """Give everything back; call it once no call is under way any more."""
        if self._settling is not None:
            await asyncio.wait({self._settling})
        await self._settle(0)

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
        with suppress(EngineUnavailable):  # It is tried again, and until then nobody needs it.
            await self._calendar.keep()
            await self._counters.book()
        for account, meter in list(self._meters.items()):
            if now - meter.spent_at > _IDLE_SECONDS and not meter.unspent(meter.month.name):
                del self._meters[account]
