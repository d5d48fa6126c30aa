"""The quota where a clock jumps, and where the disk of the counters is full."""

import asyncio
from contextlib import suppress
from datetime import UTC, datetime
from typing import cast

import pytest

from edgar_search.access.quota import Quota
from edgar_search.access.quota_counters import Counters
from edgar_search.engine.engine import Engine
from edgar_search.errors import EngineUnavailable, QuotaExceeded
from tests.support.memory_engine import MemoryEngine
from tests.unit.limits.spending import MONTH, Clock, leased, plan, spend_all, worker

pytestmark = pytest.mark.anyio
FAR = datetime(2126, 11, 20, 12, tzinfo=UTC)
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
DAY = 86_400


async def test_clock_that_jumps_ahead_gives_no_calls(clock: Clock, engine: MemoryEngine) -> None:
    quota = worker(engine)
    assert await spend_all(quota, plan(5)) == 5
    clock.moment = FAR
    clock.seconds += 10
    assert await spend_all(quota, plan(5)) == 0
    await quota.close()
    assert await spend_all(worker(engine), plan(5)) == 0


async def test_clock_that_jumped_ahead_and_back_leaves_the_month_as_it_was(
    clock: Clock, engine: MemoryEngine
) -> None:
    quota = worker(engine)
    assert await spend_all(quota, plan(5)) == 5
    for moment in (FAR, NOW):
        clock.moment = moment
        clock.seconds += 10
        assert await spend_all(quota, plan(5)) == 0
    clock.moment = datetime(2026, 12, 1, tzinfo=UTC)
    assert await spend_all(quota, plan(5)) == 5


@pytest.mark.parametrize("restarted", [False, True])
async def test_clock_that_jumps_back_gives_no_calls_of_an_earlier_month(
    clock: Clock, engine: MemoryEngine, restarted: bool
) -> None:
    quota = worker(engine)
    assert await spend_all(quota, plan(5)) == 5
    await quota.close()
    clock.moment = datetime(2026, 10, 31, tzinfo=UTC)
    clock.seconds += 10
    assert await spend_all(worker(engine) if restarted else quota, plan(5)) == 0


async def test_month_that_the_clock_stands_by_for_a_day_counts(
    clock: Clock, engine: MemoryEngine
) -> None:
    quota = worker(engine)
    assert await spend_all(quota, plan(5)) == 5
    await quota.close()
    clock.moment = datetime(2027, 3, 1, tzinfo=UTC)  # After a pause of months.
    again = worker(engine)
    assert await spend_all(again, plan(5)) == 0
    clock.seconds += DAY - 1
    assert await spend_all(again, plan(5)) == 0
    clock.seconds += 2
    assert await spend_all(again, plan(5)) == 5
    assert leased(engine, "2027-03") == 5


async def test_month_is_the_same_for_a_worker_that_comes_later(
    clock: Clock, engine: MemoryEngine
) -> None:
    first = worker(engine)
    await first.spend("alice", plan(5))
    await first.close()
    clock.moment = datetime(2026, 10, 31, tzinfo=UTC)
    assert (await worker(engine).month()).name == MONTH


@pytest.mark.parametrize(("workers", "through"), [(1, 100), (4, 25)])
async def test_full_disk_lets_each_worker_make_its_part_of_what_is_left(
    clock: Clock, engine: MemoryEngine, workers: int, through: int
) -> None:
    engine.read_only = True
    quota = Quota(cast(Engine, engine), workers)
    for _ in range(through):
        await quota.spend("alice", plan(100))
    with pytest.raises(EngineUnavailable if workers > 1 else QuotaExceeded):
        await quota.spend("alice", plan(100))


async def test_calls_made_on_a_full_disk_are_booked_once_there_is_room(
    clock: Clock, engine: MemoryEngine
) -> None:
    quota = worker(engine)
    await quota.spend("alice", plan(100))
    await quota.close()
    engine.read_only = True
    for _ in range(37):
        await quota.spend("alice", plan(100))
    engine.read_only = False
    await quota.close()
    assert leased(engine) == 38
    assert await spend_all(worker(engine), plan(100)) == 62


async def test_calls_made_on_a_full_disk_are_booked_at_the_end_also_just_after_a_failed_booking(
    clock: Clock, engine: MemoryEngine
) -> None:
    quota = worker(engine)
    engine.read_only = True
    for _ in range(25):
        await quota.spend("alice", plan(100))
    with suppress(EngineUnavailable):
        await quota._counters.book()
    engine.read_only = False
    await quota.close()
    assert leased(engine) == 25


async def test_two_writes_at_once_book_calls_of_a_full_disk_once(
    clock: Clock, engine: MemoryEngine
) -> None:
    counters = Counters(cast(Engine, engine))
    engine.read_only = True
    assert (await counters.lease("alice", MONTH, 40, 1_000)).calls == 40
    engine.read_only = False
    engine.takes_writes.clear()
    writes = [asyncio.create_task(counters.lease("alice", MONTH, 10, 1_000)) for _ in range(2)]
    await asyncio.sleep(0.01)
    engine.takes_writes.set()
    assert [lease.calls for lease in await asyncio.gather(*writes)] == [10, 10]
    assert leased(engine) == 60


async def test_disk_that_is_full_again_before_others_have_booked_gives_no_part_twice(
    clock: Clock, engine: MemoryEngine
) -> None:
    workers = [Counters(cast(Engine, engine), 4) for _ in range(4)]
    engine.read_only = True
    for counters in workers:
        assert (await counters.lease("alice", MONTH, 2_000, 1_000)).calls == 250
    engine.read_only = False
    await workers[0].book(at_once=True)
    engine.read_only = True
    with pytest.raises(EngineUnavailable):
        await workers[0].lease("alice", MONTH, 2_000, 1_000)
    engine.read_only = False
    for counters in workers:
        await counters.book(at_once=True)
    assert leased(engine) == 1_000
