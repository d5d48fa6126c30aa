"""Leases of a quota by workers: given back, lost, overtaken, or away with the engine."""

import asyncio
from typing import Any

import msgspec
import pytest

from edgar_search.access import quota as quota_module
from edgar_search.access.quota import LEASE_SECONDS, MAX_LEASE
from edgar_search.errors import EngineUnavailable, QuotaExceeded
from tests.support.memory_engine import MemoryEngine
from tests.unit.limits.spending import MONTH, Clock, leased, plan, spend_all, worker

pytestmark = pytest.mark.anyio


async def test_close_gives_back_what_was_not_used(clock: Clock, engine: MemoryEngine) -> None:
    quota = worker(engine)
    for _ in range(3):
        await quota.spend("alice", plan(1_000))
    assert leased(engine) > 3
    await quota.close()
    assert leased(engine) == 3


async def test_counter_that_was_restored_from_a_backup_stays_above_nothing(
    clock: Clock, engine: MemoryEngine
) -> None:
    quota = worker(engine)
    await quota.spend("alice", plan(1_000))
    counter, revision = engine.documents["usage", f"{MONTH} alice"]
    engine.documents["usage", f"{MONTH} alice"] = (
        msgspec.structs.replace(counter, leased=2),
        revision + 1,
    )
    await quota.close()
    assert leased(engine) == 0


async def test_what_is_given_back_is_there_for_others(clock: Clock, engine: MemoryEngine) -> None:
    first, second = worker(engine), worker(engine)
    await first.spend("alice", plan(1_000))
    await second.spend("alice", plan(1_000))
    await first.close()
    assert await spend_all(second, plan(1_000)) == 998


async def test_killed_worker_loses_its_lease_only(clock: Clock, engine: MemoryEngine) -> None:
    killed = worker(engine)
    for _ in range(3):
        await killed.spend("alice", plan(1_000))
    through = 3 + await spend_all(worker(engine), plan(1_000))
    assert 1_000 - 15 * 3 // 2 <= through <= 1_000


async def test_busy_worker_holds_at_most_a_lease_and_a_half(
    clock: Clock, engine: MemoryEngine
) -> None:
    quota = worker(engine)
    held = []
    for spent in range(1, 900):
        await quota.spend("alice", plan(1_000))
        await asyncio.sleep(0)
        held.append(leased(engine) - spent)
    assert 0 < max(held) <= 15 * 3 // 2


async def test_give_back_whose_reply_is_lost_is_not_repeated(
    clock: Clock, engine: MemoryEngine
) -> None:
    quota = worker(engine)
    await quota.spend("alice", plan(1_000))
    engine.lost_replies = 1
    await quota.close()
    await quota.close()
    assert leased(engine) == 1


async def test_lease_whose_reply_is_lost_lets_no_call_too_many_through(
    clock: Clock, engine: MemoryEngine
) -> None:
    quota = worker(engine)
    engine.lost_replies = 1
    with pytest.raises(EngineUnavailable):
        await quota.spend("alice", plan(100))
    assert await spend_all(quota, plan(100)) == 99


async def test_lease_that_others_overtake_is_tried_again(
    clock: Clock, engine: MemoryEngine
) -> None:
    quota = worker(engine)
    await quota.spend("alice", plan(20))
    engine.overtaken = 10
    assert await spend_all(quota, plan(20)) == 19


async def test_engine_that_is_away_stops_a_limited_plan_when_its_lease_is_spent(
    clock: Clock, engine: MemoryEngine
) -> None:
    quota = worker(engine)
    await quota.spend("alice", plan(1_000))
    engine.away = True
    through = 0
    with pytest.raises(EngineUnavailable):
        while True:
            await quota.spend("alice", plan(1_000))
            through += 1
    assert 0 < through < MAX_LEASE


async def test_idle_leases_go_back_by_themselves(
    engine: MemoryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quota_module, "LEASE_SECONDS", 0.1)
    monkeypatch.setattr(quota_module, "_TICK", 0.05)
    quota = worker(engine)
    tending = asyncio.create_task(quota.run_forever())
    await quota.spend("alice", plan(1_000))
    month = next(key for kind, key in engine.documents)[:7]
    await asyncio.sleep(1)
    tending.cancel()
    assert leased(engine, month) == 1


async def test_what_is_going_back_when_a_worker_stops_is_not_lost(
    clock: Clock, engine: MemoryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quota_module, "_TICK", 0.0)
    quota = worker(engine)
    await quota.spend("alice", plan(1_000))
    held = asyncio.Event()

    async def slow_get(*arguments: Any) -> Any:
        held.set()
        await asyncio.sleep(0.05)
        return await MemoryEngine.get(engine, *arguments)

    monkeypatch.setattr(engine, "get", slow_get)
    clock.seconds += LEASE_SECONDS
    tending = asyncio.create_task(quota.run_forever())
    await held.wait()
    tending.cancel()
    await asyncio.gather(tending, return_exceptions=True)
    await quota.close()
    assert leased(engine) == 1


async def test_calls_go_on_for_45_seconds_while_the_counter_s_write_hangs(
    clock: Clock, engine: MemoryEngine
) -> None:
    quota, a_second, spent = worker(engine), 20, 0
    for second in range(60 + 45):
        if second == 60:
            engine.takes_writes.clear()
        for _ in range(a_second):
            await quota.spend("alice", plan(1_000_000))
            await asyncio.sleep(0)
            spent += 1
        clock.seconds += 1
    assert leased(engine) >= spent
    engine.takes_writes.set()
    await quota.close()
    assert leased(engine) == spent


async def test_no_call_is_made_that_the_counter_does_not_have_while_its_write_hangs(
    clock: Clock, engine: MemoryEngine
) -> None:
    quota, others = worker(engine), worker(engine)
    engine.takes_writes.clear()
    waiting = [asyncio.create_task(quota.spend("alice", plan(5))) for _ in range(8)]
    await asyncio.sleep(0.01)
    assert not any(task.done() for task in waiting)
    engine.takes_writes.set()
    ended = await asyncio.gather(*waiting, return_exceptions=True)
    assert sum(isinstance(end, QuotaExceeded) for end in ended) == 3
    assert await spend_all(others, plan(5)) == 0
