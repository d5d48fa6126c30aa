"""The rate of requests as leases of time, of several hosts whose engine is in memory."""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from typing import cast

import pytest

from edgar_search.engine.engine import Engine
from edgar_search.stored.installation import StoredLease
from ingest.fetching.rate import MAX_PAUSE, NAME, SharedSlots
from ingest.loading.retry import Retry
from tests.support.memory_engine import MemoryEngine

pytestmark = pytest.mark.anyio


class Clocked(MemoryEngine):
    """An engine with a clock of its own, which is far from this machine's."""

    ahead = timedelta(days=-400)

    async def now(self, kind: str, field: str) -> datetime:
        return datetime.now(UTC) + self.ahead

    @property
    def lease(self) -> StoredLease:
        lease, _ = self.documents["leases", NAME]
        assert isinstance(lease, StoredLease)
        return lease


@pytest.fixture
def memory() -> Clocked:
    return Clocked()


def host(memory: Clocked, rate: float = 10) -> SharedSlots:
    return SharedSlots(cast(Engine, memory), rate, Retry(5, waits=(0.05,)))


async def times_of(slots: SharedSlots, count: int) -> list[float]:
    times = []
    for _ in range(count):
        await slots.wait()
        times.append(time.monotonic())
    return times


def stand_still(seconds: float) -> None:
    time.sleep(seconds)


async def test_hosts_stay_below_the_rate_together_with_a_write_a_second(memory: Clocked) -> None:
    found = await asyncio.gather(*(times_of(host(memory), 12) for _ in range(2)))
    times = sorted(time for times in found for time in times)
    assert max(sum(begin <= t < begin + 1 for t in times) for begin in times) <= 10
    # Each second is one host's: nine requests at most.
    assert times[-1] - times[0] < 4.5
    assert memory.lease.revision <= 5


async def test_slow_rate_leases_longer(memory: Clocked) -> None:
    await host(memory, rate=0.5).wait()
    assert memory.lease.seconds == 20


async def test_pause_holds_everybody_back(memory: Clocked) -> None:
    first, second = host(memory), host(memory)
    await first.wait()
    begun = time.monotonic()
    await first.pause(1.5)
    await asyncio.gather(first.wait(), second.wait())
    assert time.monotonic() - begun >= 1.5
    assert memory.lease.epoch == 2


async def test_pause_ends_leases_that_have_not_begun(memory: Clocked) -> None:
    first, second = host(memory), host(memory)
    await first.wait()
    begun = time.monotonic()
    waiting = asyncio.create_task(second.wait())
    await asyncio.sleep(0.1)
    await first.pause(2)
    await waiting
    assert time.monotonic() - begun >= 2


async def test_host_that_stood_still_asks_for_another_lease(memory: Clocked) -> None:
    slots = host(memory)
    await slots.wait()
    stand_still(1.1)
    await slots.wait()
    assert memory.lease.revision == 2


async def test_elasticsearch_that_is_away_for_a_while_is_waited_for(memory: Clocked) -> None:
    memory.away = True
    waiting = asyncio.create_task(host(memory).wait())
    await asyncio.sleep(0.2)
    assert not waiting.done()
    memory.away = False
    async with asyncio.timeout(1):
        await waiting


async def test_clock_that_was_set_back_holds_nobody_back(memory: Clocked) -> None:
    await host(memory).wait()
    memory.ahead -= timedelta(seconds=2 * MAX_PAUSE + 60)
    begun = time.monotonic()
    await host(memory).wait()
    # A time that were believed would hold it back for minutes.
    assert time.monotonic() - begun < 10
