"""Calls a second: in memory, in a real Redis, and while that is away."""

import asyncio
import logging
import time

import pytest

from edgar_search.access import rates as rates_module
from edgar_search.access.accounts import UNLIMITED, Plan
from edgar_search.access.rates import Rates
from edgar_search.errors import RateExceeded, SettingsError
from tests.support.redis_server import running_redis

pytestmark = pytest.mark.anyio
FIVE = Plan("five", calls=None, rate=5)


async def through(rates: Rates, account: str, calls: int = 20, plan: Plan = FIVE) -> int:
    """Return the number of these calls at once that go through."""
    count = 0
    for _ in range(calls):
        try:
            await rates.check(account, plan)
        except RateExceeded:
            continue
        count += 1
    return count


async def test_no_more_than_the_rate_goes_through_at_once() -> None:
    assert await through(Rates("memory", "test-"), "alice") == 5


async def test_plan_without_a_rate_is_not_counted() -> None:
    assert await through(Rates("memory", "test-"), "alice", plan=UNLIMITED) == 20


async def test_accounts_have_rates_of_their_own() -> None:
    rates = Rates("memory", "test-")
    assert [await through(rates, name) for name in ("a", "a/b", "b", "a/5/1")] == [5, 5, 5, 5]


async def test_rate_is_there_again_after_two_seconds() -> None:
    rates = Rates("memory", "test-")
    await through(rates, "alice")
    await asyncio.sleep(2.1)
    assert await through(rates, "alice") == 5


@pytest.mark.parametrize("jump", [3_600.0, -3_600.0])
async def test_clock_that_jumps_gives_a_second_at_most_and_shuts_nobody_out(
    jump: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    rates = Rates("memory", "test-")
    ahead, right = 0.0, time.time
    monkeypatch.setattr(time, "time", lambda: right() + ahead)
    assert await through(rates, "alice") == 5
    ahead = jump
    assert await through(rates, "alice") == 5
    ahead = 0.0
    assert await through(rates, "alice") <= 5
    await asyncio.sleep(2.1)
    assert await through(rates, "alice") == 5


async def test_refusal_says_when_to_come_again() -> None:
    rates = Rates("memory", "test-")
    await through(rates, "alice")
    with pytest.raises(RateExceeded) as caught:
        await rates.check("alice", FIVE)
    assert str(caught.value) == "more than 5 calls a second; try again later, after 1 s"
    assert caught.value.retry_after == 1


@pytest.fixture
def patient_rates(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let Redis answer late, as it does on a busy machine, without being taken for away."""
    monkeypatch.setattr(rates_module, "_REDIS_SECONDS", 10.0)


@pytest.mark.usefixtures("patient_rates")
async def test_workers_share_a_rate_in_redis() -> None:
    with running_redis() as address:
        workers = [Rates(address, "test-") for _ in range(3)]
        counts = await asyncio.gather(*(through(worker, "alice") for worker in workers))
        for worker in workers:
            await worker.close()
    assert sum(counts) == 5


@pytest.mark.usefixtures("patient_rates")
async def test_installations_do_not_share_a_rate() -> None:
    with running_redis() as address:
        workers = [Rates(address, prefix) for prefix in ("one-", "two-")]
        counts = [await through(worker, "alice") for worker in workers]
        for worker in workers:
            await worker.close()
    assert counts == [5, 5]


async def test_rate_counts_in_memory_while_redis_is_away(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.WARNING)
    with running_redis() as address:
        rates = Rates(address.replace("redis://", "redis://:secret@"), "test-")
    assert await through(rates, "alice") == 5
    await rates.close()
    [record] = caplog.records
    assert record.getMessage() == "Redis is away (StorageError): rates count per worker"
    assert "secret" not in caplog.text


@pytest.mark.usefixtures("patient_rates")
async def test_redis_counts_again_when_it_is_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates_module, "_PAUSE_SECONDS", 0.0)
    with running_redis() as address:
        port = int(address.rsplit(":", 1)[1].partition("/")[0])
        first = Rates(address, "test-")
        assert await through(first, "alice", calls=1) == 1
    assert await through(first, "bob", calls=1) == 1
    with running_redis(port=port) as address:
        second = Rates(address, "test-")
        counts = await asyncio.gather(*(through(rates, "carol") for rates in (first, second)))
        await first.close()
        await second.close()
    assert sum(counts) == 5


async def test_redis_that_does_not_answer_holds_a_call_up_for_a_moment_only() -> None:
    async def say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    async with await asyncio.start_server(say_nothing, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        rates = Rates(f"redis://127.0.0.1:{port}/0", "test-")
        began = asyncio.get_running_loop().time()
        assert await through(rates, "alice") == 5
        assert asyncio.get_running_loop().time() - began < 3
        await rates.close()
        await asyncio.sleep(0.1)


@pytest.mark.parametrize(
    "address", ["redis://user:secret@h:port/0", "redis://h/x", "redis://[::1", "redis://h:99999"]
)
def test_address_that_is_none_is_refused_without_its_password(address: str) -> None:
    with pytest.raises(SettingsError) as caught:
        Rates(address, "test-")
    assert str(caught.value) == (
        "EDGAR_SEARCH_RATE_STORAGE: must be memory, or an address such as redis://HOST:PORT/DB"
    )


async def test_122_rate_cannot_be_had_twice_at_the_turn_of_a_second() -> None:
    rates = Rates("memory", "test-")
    await asyncio.sleep((0.9 - time.time()) % 1)
    assert await through(rates, "alice") == 5
    await asyncio.sleep((0.05 - time.time()) % 1)
    assert await through(rates, "alice") <= 2


async def test_119_a_call_does_not_look_at_the_other_accounts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(rates_module, "_SWEEP_SECONDS", 0.1)
    rates = Rates("memory", "test-")
    tending = asyncio.create_task(rates.run_forever())
    await asyncio.sleep(0)
    for number in range(100):
        await rates.check(f"account {number}", FIVE)
    tasks = asyncio.all_tasks()
    await rates.check("alice", FIVE)
    assert asyncio.all_tasks() == tasks
    await asyncio.sleep(2.3)
    assert not rates._memory.expirations
    assert await through(rates, "account 1") == 5
    tending.cancel()
    await asyncio.gather(tending, return_exceptions=True)


async def test_126_redis_that_refuses_to_write_is_as_one_that_is_away(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with running_redis("--maxmemory", "1", "--maxmemory-policy", "noeviction") as address:
        rates = Rates(address, "test-")
        assert await through(rates, "alice") == 5
        assert caplog.messages == ["Redis is away (StorageError): rates count per worker"]
        await rates.close()


async def user_through(rates: Rates, account: str, requests: int) -> int:
    """Return the number of a user's requests at once that go through, at five a second."""
    count = 0
    for _ in range(requests):
        try:
            await rates.check_user(account, 5)
        except RateExceeded as error:
            assert error.retry_after == 2
            continue
        count += 1
    return count


async def test_user_may_send_those_of_two_seconds_at_once() -> None:
    assert await user_through(Rates("memory", "test-"), "alice", 30) == 10


async def test_users_requests_and_calls_are_counted_apart() -> None:
    rates = Rates("memory", "test-")
    await user_through(rates, "alice", 30)
    assert await through(rates, "alice") == 5
    assert await user_through(rates, "bob", 30) == 10


async def test_looking_for_room_takes_none() -> None:
    rates = Rates("memory", "test-")
    for _ in range(30):
        await rates.check_user("alice", 5, count=False)
    assert await user_through(rates, "alice", 30) == 10
    with pytest.raises(RateExceeded):
        await rates.check_user("alice", 5, count=False)
