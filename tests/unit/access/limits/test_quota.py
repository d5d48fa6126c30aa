"""Quotas as one worker and several spend them, over an engine in memory."""

import asyncio
from datetime import UTC, datetime
from typing import Any, cast

import msgspec
import pytest

from edgar_search.access.limits import quota as quota_module
from edgar_search.access.limits.plans import UNLIMITED, Plan
from edgar_search.access.limits.quota import EXHAUSTED_SECONDS, MAX_LEASE, Quota
from edgar_search.engine.engine import Engine
from edgar_search.errors import EngineUnavailable, QuotaExceeded
from tests.support.memory_engine import MemoryEngine

pytestmark = pytest.mark.anyio
MONTH = "2026-11"


class Clock:
    """Stands in for the module `time` and for `datetime`'s now."""

    def __init__(self) -> None:
        self.seconds = 1_000.0
        self.moment = datetime(2026, 11, 20, 12, tzinfo=UTC)

    def monotonic(self) -> float:
        return self.seconds

    def now(self, zone: object) -> datetime:
        return self.moment


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(quota_module, "time", clock)
    monkeypatch.setattr(quota_module, "datetime", clock)
    return clock


@pytest.fixture
def engine() -> MemoryEngine:
    return MemoryEngine()


def plan(calls: int) -> Plan:
    return Plan("made up", calls=calls, rate=None)


def worker(engine: MemoryEngine) -> Quota:
    return Quota(cast(Engine, engine))


def leased(engine: MemoryEngine, month: str = MONTH) -> int:
    counter, _ = engine.documents["usage", f"{month} alice"]
    calls: int = counter.leased
    return calls


async def spend_all(quota: Quota, plan: Plan) -> int:
    """The calls that go through until one is refused."""
    for number in range(10_000):
        try:
            await quota.spend("alice", plan)
        except QuotaExceeded:
            return number
    raise AssertionError("nothing was ever refused")


@pytest.mark.parametrize("calls", [1, 2, 9, 10, 11, 63, 64, 65, 100, 1_000])
async def test_worker_lets_through_exactly_what_the_plan_has(
    clock: Clock, engine: MemoryEngine, calls: int
) -> None:
    assert await spend_all(worker(engine), plan(calls)) == calls
    assert leased(engine) == calls


@pytest.mark.parametrize("calls", [1, 7, 64, 1_000])
async def test_workers_that_call_in_turn_let_through_what_the_plan_has(
    clock: Clock, engine: MemoryEngine, calls: int
) -> None:
    workers = [worker(engine) for _ in range(4)]
    through = sum(await asyncio.gather(*(spend_all(w, plan(calls)) for w in workers)))
    assert through == calls


async def test_first_call_waits_for_the_counter_and_the_next_do_not(
    clock: Clock, engine: MemoryEngine
) -> None:
    quota = worker(engine)
    await quota.spend("alice", plan(1_000))
    asked = engine.requests
    for _ in range(4):
        await quota.spend("alice", plan(1_000))
    assert engine.requests == asked


async def test_standing_says_what_remains(clock: Clock, engine: MemoryEngine) -> None:
    quota = worker(engine)
    remaining = [(await quota.spend("alice", plan(1_000))).remaining for _ in range(30)]
    assert remaining == list(range(999, 969, -1))


async def test_refusal_names_the_end_of_the_month(clock: Clock, engine: MemoryEngine) -> None:
    quota = worker(engine)
    await quota.spend("alice", plan(1))
    with pytest.raises(QuotaExceeded) as caught:
        await quota.spend("alice", plan(1))
    assert str(caught.value) == (
        "the 1 calls of this month are used up; try again later, after 2026-12-01 00:00 UTC,"
        " or change the plan"
    )
    assert caught.value.retry_after == 10 * 86_400 + 12 * 3_600


async def test_refused_calls_ask_the_counter_once_a_second(
    clock: Clock, engine: MemoryEngine
) -> None:
    quota = worker(engine)
    await spend_all(quota, plan(1))
    asked = engine.requests
    for _ in range(50):
        with pytest.raises(QuotaExceeded):
            await quota.spend("alice", plan(1))
    assert engine.requests == asked
    clock.seconds += EXHAUSTED_SECONDS
    with pytest.raises(QuotaExceeded):
        await quota.spend("alice", plan(1))
    assert engine.requests == asked + 1


async def test_call_that_failed_does_not_count(clock: Clock, engine: MemoryEngine) -> None:
    quota = worker(engine)
    standing = await quota.spend("alice", plan(1))
    quota.refund("alice", standing)
    assert await spend_all(quota, plan(1)) == 1


async def test_new_month_begins_anew(clock: Clock, engine: MemoryEngine) -> None:
    quota = worker(engine)
    assert await spend_all(quota, plan(5)) == 5
    clock.moment = datetime(2026, 12, 1, tzinfo=UTC)
    assert await spend_all(quota, plan(5)) == 5
    assert (leased(engine), leased(engine, "2026-12")) == (5, 5)


async def test_lease_of_the_old_month_is_not_spent_in_the_new_one(
    clock: Clock, engine: MemoryEngine
) -> None:
    quota = worker(engine)
    await quota.spend("alice", plan(1_000))  # Leaves nine calls of its lease.
    clock.moment = datetime(2026, 12, 1, tzinfo=UTC)
    assert await spend_all(quota, plan(20)) == 20
    assert leased(engine, "2026-12") == 20


async def test_lease_that_comes_after_its_month_is_not_spent(
    clock: Clock, engine: MemoryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    quota = worker(engine)
    arrived = asyncio.Event()

    async def late_get(*arguments: Any) -> Any:
        found = await MemoryEngine.get(engine, *arguments)
        if "2026-11" in arguments[1]:
            await arrived.wait()
        return found

    monkeypatch.setattr(engine, "get", late_get)
    calls = [asyncio.create_task(quota.spend("alice", plan(20)))]
    await asyncio.sleep(0.01)
    clock.moment = datetime(2026, 12, 1, tzinfo=UTC)
    calls.append(asyncio.create_task(quota.spend("alice", plan(20))))
    await asyncio.sleep(0.01)
    arrived.set()
    assert {standing.month.name for standing in await asyncio.gather(*calls)} == {"2026-12"}
    assert await spend_all(quota, plan(20)) == 18
    assert leased(engine, "2026-12") == 20


async def test_call_of_the_old_month_is_not_refunded_to_the_new_one(
    clock: Clock, engine: MemoryEngine
) -> None:
    quota = worker(engine)
    old = await quota.spend("alice", plan(5))
    clock.moment = datetime(2026, 12, 1, tzinfo=UTC)
    assert await spend_all(quota, plan(5)) == 5
    quota.refund("alice", old)
    with pytest.raises(QuotaExceeded):
        await quota.spend("alice", plan(5))


async def test_larger_plan_counts_at_once_and_keeps_the_usage(
    clock: Clock, engine: MemoryEngine
) -> None:
    quota = worker(engine)
    assert await spend_all(quota, plan(5)) == 5
    clock.seconds += EXHAUSTED_SECONDS
    assert await spend_all(quota, plan(8)) == 3


async def test_smaller_plan_leaves_nothing(clock: Clock, engine: MemoryEngine) -> None:
    quota = worker(engine)
    assert await spend_all(quota, plan(8)) == 8
    clock.seconds += EXHAUSTED_SECONDS
    assert await spend_all(quota, plan(5)) == 0


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


@pytest.mark.parametrize(("before", "meanwhile"), [(5, 0), (4, 3)])
async def test_used_is_exact_while_more_is_leased(
    clock: Clock,
    engine: MemoryEngine,
    monkeypatch: pytest.MonkeyPatch,
    before: int,
    meanwhile: int,
) -> None:
    quota = worker(engine)
    for _ in range(before):
        await quota.spend("alice", plan(1_000))

    async def late_get(*arguments: Any) -> Any:
        found = await MemoryEngine.get(engine, *arguments)
        await asyncio.sleep(0.05 if asyncio.current_task() is asked else 0.01)
        return found

    monkeypatch.setattr(engine, "get", late_get)
    asked = asyncio.create_task(quota.used("alice"))
    await asyncio.sleep(0)
    for _ in range(meanwhile):
        await quota.spend("alice", plan(1_000))
    assert await asked == before + meanwhile
    assert leased(engine) > 10


async def test_used_is_exact_for_the_worker_that_calls(clock: Clock, engine: MemoryEngine) -> None:
    quota = worker(engine)
    for _ in range(7):
        await quota.spend("alice", plan(1_000))
    assert await quota.used("alice") == 7


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


async def test_unlimited_plan_never_waits_and_is_counted(
    clock: Clock, engine: MemoryEngine
) -> None:
    quota = worker(engine)
    engine.away = True
    for _ in range(300):
        await quota.spend("alice", UNLIMITED)
        await asyncio.sleep(0)  # The counter is tried, in vain.
    assert engine.requests > 100
    engine.away = False
    await quota.close()
    assert leased(engine) == 300


async def test_accounts_have_quotas_of_their_own(clock: Clock, engine: MemoryEngine) -> None:
    quota = worker(engine)
    assert await spend_all(quota, plan(2)) == 2
    assert (await quota.spend("bob", plan(2))).remaining == 1


async def test_idle_leases_go_back_by_themselves(
    engine: MemoryEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quota_module, "LEASE_SECONDS", 0.1)
    monkeypatch.setattr(quota_module, "_TICK", 0.05)
    quota = worker(engine)
    tending = asyncio.create_task(quota.tend())
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
    clock.seconds += quota_module.LEASE_SECONDS
    tending = asyncio.create_task(quota.tend())
    await held.wait()
    tending.cancel()
    await asyncio.gather(tending, return_exceptions=True)
    await quota.close()
    assert leased(engine) == 1


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
