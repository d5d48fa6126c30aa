"""Workers that spend an account's quota, and a clock that a test moves."""

from datetime import UTC, datetime, tzinfo
from typing import cast

from edgar_search.access.accounts import Plan
from edgar_search.access.quota import Quota
from edgar_search.engine.engine import Engine
from edgar_search.errors import QuotaExceeded
from tests.support.memory_engine import MemoryEngine

MONTH = "2026-11"


class Clock:
    """Stands in for the module `time` and for `datetime`, whose now it is."""

    def __init__(self) -> None:
        self.seconds = 1_000.0
        self.moment = datetime(2026, 11, 20, 12, tzinfo=UTC)

    def monotonic(self) -> float:
        return self.seconds

    def now(self, zone: object) -> datetime:
        return self.moment

    def __call__(self, year: int, month: int, day: int, tzinfo: tzinfo) -> datetime:
        return datetime(year, month, day, tzinfo=tzinfo)


def plan(calls: int) -> Plan:
    return Plan("made up", calls=calls, rate=None)


def worker(engine: MemoryEngine) -> Quota:
    return Quota(cast(Engine, engine))


def leased(engine: MemoryEngine, month: str = MONTH) -> int:
    counter, _ = engine.documents["usage", f"{month} alice"]
    calls: int = counter.leased
    return calls


async def spend_all(quota: Quota, plan: Plan) -> int:
    """Return the calls that go through until one is refused."""
    for number in range(10_000):
        try:
            await quota.spend("alice", plan)
        except QuotaExceeded:
            return number
    raise AssertionError("nothing was ever refused")
