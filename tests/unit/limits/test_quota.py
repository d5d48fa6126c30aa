"""Quotas as one worker and several spend them, over an engine in memory."""

import asyncio
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from edgar_search.access.accounts import UNLIMITED
from edgar_search.access.quota import EXHAUSTED_SECONDS, month_at, seconds_until
from edgar_search.errors import QuotaExceeded
from tests.support.memory_engine import MemoryEngine
from tests.unit.limits.spending import Clock, leased, plan, spend_all, worker

pytestmark = pytest.mark.anyio


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
    status = await quota.spend("alice", plan(1))
    quota.refund("alice", status, 1)
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
    assert {status.month.name for status in await asyncio.gather(*calls)} == {"2026-12"}
    assert await spend_all(quota, plan(20)) == 18
    assert leased(engine, "2026-12") == 20


async def test_call_of_the_old_month_is_not_refunded_to_the_new_one(
    clock: Clock, engine: MemoryEngine
) -> None:
    quota = worker(engine)
    old = await quota.spend("alice", plan(5))
    clock.moment = datetime(2026, 12, 1, tzinfo=UTC)
    assert await spend_all(quota, plan(5)) == 5
    quota.refund("alice", old, 1)
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


@pytest.mark.parametrize("calls", [1, 10, 900, 1_000])
async def test_reservation_counts_all_calls_at_once(
    clock: Clock, engine: MemoryEngine, calls: int
) -> None:
    quota = worker(engine)
    status = await quota.reserve("alice", plan(1_000), calls)
    assert status.remaining == 1_000 - calls
    assert await spend_all(quota, plan(1_000)) == 1_000 - calls


async def test_reservation_that_does_not_fit_counts_nothing(
    clock: Clock, engine: MemoryEngine
) -> None:
    quota = worker(engine)
    await quota.spend("alice", plan(100))
    with pytest.raises(QuotaExceeded) as caught:
        await quota.reserve("alice", plan(100), 100)
    assert str(caught.value) == (
        "this request needs 100 more calls, but only 99 of this month's 100 calls are left;"
        " narrow it, or"
        " change the plan"
    )
    assert caught.value.retry_after == 10 * 86_400 + 12 * 3_600
    assert (await quota.reserve("alice", plan(100), 99)).remaining == 0


async def test_reservations_of_several_workers_never_take_more_than_there_is(
    clock: Clock, engine: MemoryEngine
) -> None:
    workers = [worker(engine) for _ in range(4)]
    work = (each.reserve("alice", plan(100), 30) for each in workers for _ in range(2))
    done = await asyncio.gather(*work, return_exceptions=True)
    assert sum(not isinstance(each, QuotaExceeded) for each in done) == 3
    assert leased(engine) == 90


async def test_reserved_calls_that_were_not_made_go_back(
    clock: Clock, engine: MemoryEngine
) -> None:
    quota, other = worker(engine), worker(engine)
    status = await quota.reserve("alice", plan(100), 100)
    await quota.return_calls("alice", status, 40)
    await quota.close()
    assert leased(engine) == 60
    # Long after, this worker has nothing of the account any more.
    await other.return_calls("alice", status, 10)
    assert leased(engine) == 50
    assert await spend_all(worker(engine), plan(100)) == 50


async def test_reservation_without_a_limit_is_counted(clock: Clock, engine: MemoryEngine) -> None:
    quota = worker(engine)
    await quota.reserve("alice", UNLIMITED, 1_500)
    await quota.close()
    assert leased(engine) == 1_500


async def test_reservation_of_an_ended_month_is_not_given_back_to_the_next(
    clock: Clock, engine: MemoryEngine
) -> None:
    quota = worker(engine)
    status = await quota.reserve("alice", plan(100), 50)
    clock.moment = datetime(2026, 12, 1, 0, 1, tzinfo=UTC)
    await quota.spend("alice", plan(100))
    await quota.return_calls("alice", status, 50)
    assert await spend_all(quota, plan(100)) == 99


EAST, WEST = timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))


@pytest.mark.parametrize(
    ("moment", "name", "days"),
    [
        (datetime(2026, 11, 1, tzinfo=UTC), "2026-11", 30),
        (datetime(2026, 11, 30, 23, 59, 59, 999_999, tzinfo=UTC), "2026-11", 30),
        (datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC), "2026-12", 31),
        (datetime(2027, 1, 1, tzinfo=UTC), "2027-01", 31),
        (datetime(2027, 2, 28, tzinfo=UTC), "2027-02", 28),
        (datetime(2028, 2, 29, tzinfo=UTC), "2028-02", 29),
        (datetime(2026, 12, 1, 13, 59, tzinfo=EAST), "2026-11", 30),
        (datetime(2026, 11, 30, 12, tzinfo=WEST), "2026-12", 31),
    ],
)
def test_114_month_is_the_calendars(moment: datetime, name: str, days: int) -> None:
    month = month_at(moment)
    assert (month.name, month.end - month.start) == (name, timedelta(days=days))
    assert month.start <= moment < month.end


@pytest.mark.parametrize(
    ("left", "seconds"), [(10.0, 10), (9.2, 10), (1.0, 1), (0.1, 1), (0.0, 1), (-5.0, 1)]
)
def test_121_wait_is_whole_seconds_and_never_too_short(left: float, seconds: int) -> None:
    now = datetime(2026, 11, 20, tzinfo=UTC)
    assert seconds_until(now + timedelta(seconds=left), now) == seconds
