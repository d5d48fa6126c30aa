"""Searches at once: bounds, turns between accounts, and what cannot begin in time."""

import asyncio
import random
import time
from collections import Counter
from contextlib import AsyncExitStack

import pytest

from edgar_search.access.accounts import UNLIMITED, Plan
from edgar_search.access.shares import SLOW_SECONDS, Shares
from edgar_search.errors import SearchesAtOnce

pytestmark = pytest.mark.anyio

ONE = Plan("one", calls=None, rate=None, searches=1)


async def test_account_has_no_more_than_its_plan_allows() -> None:
    shares = Shares(4, wait=0.01)
    async with shares.share("a", ONE):
        with pytest.raises(SearchesAtOnce):
            await shares.share("a", ONE).__aenter__()


async def test_no_account_has_all_whatever_its_plan() -> None:
    shares = Shares(3, wait=0.01)
    async with shares.share("a", UNLIMITED), shares.share("a", UNLIMITED):
        with pytest.raises(SearchesAtOnce):
            await shares.share("a", UNLIMITED).__aenter__()
        async with shares.share("b", UNLIMITED):
            pass


async def test_one_search_runs_where_there_is_room_for_one() -> None:
    shares = Shares(1, wait=0.01)
    async with shares.share("a", UNLIMITED):
        with pytest.raises(SearchesAtOnce):
            await shares.share("b", UNLIMITED).__aenter__()


async def test_refusal_says_when_to_try_again() -> None:
    shares = Shares(4, wait=0.01)
    async with shares.share("a", ONE):
        with pytest.raises(SearchesAtOnce, match="this account may run 1 at a time now") as refusal:
            await shares.share("a", ONE).__aenter__()
    assert refusal.value.retry_after == 1


async def test_refusal_for_others_searches_says_so() -> None:
    shares = Shares(2, wait=0.01)
    async with shares.share("a", ONE), shares.share("b", ONE):
        with pytest.raises(SearchesAtOnce, match="busy with searches of other accounts"):
            await shares.share("c", UNLIMITED).__aenter__()


async def test_refusal_says_how_many_may_run_now_and_not_what_the_plan_has() -> None:
    shares = Shares(12, wait=0.01)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(shares.share("other", UNLIMITED))
        for _ in range(4):
            await stack.enter_async_context(shares.share("a", UNLIMITED))
        with pytest.raises(SearchesAtOnce, match="this account may run 4 at a time now"):
            await shares.share("a", UNLIMITED).__aenter__()


async def test_search_that_waits_begins_when_one_ends() -> None:
    shares = Shares(2, wait=5)
    async with AsyncExitStack() as first:
        await first.enter_async_context(shares.share("a", ONE))
        second = asyncio.create_task(shares.share("a", ONE).__aenter__())
        await asyncio.sleep(0)
        assert not second.done()
    await second


async def test_what_is_not_paced_says_nothing_of_what_searches_cost() -> None:
    shares = Shares(12, wait=0.01)
    async with shares.share("quick", UNLIMITED):
        pass
    async with shares.share("a", UNLIMITED, paced=False):
        await asyncio.sleep(SLOW_SECONDS * 3)
    assert await begun_at_once(shares, "a") == 4


async def test_more_than_would_get_their_turn_in_time_are_refused_at_once() -> None:
    shares = Shares(2, wait=0.1)
    async with shares.share("a", ONE):
        await asyncio.sleep(0.06)
    async with shares.share("a", ONE):
        waiting = [asyncio.create_task(shares.share("a", ONE).__aenter__()) for _ in range(2)]
        await asyncio.sleep(0)
        with pytest.raises(SearchesAtOnce):
            await asyncio.wait_for(shares.share("a", ONE).__aenter__(), 0.05)
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)


async def test_accounts_that_wait_take_turns() -> None:
    shares = Shares(2, wait=5)
    order: list[str] = []

    async def search(account: str) -> None:
        async with shares.share(account, ONE):
            order.append(account)
            await asyncio.sleep(0.001)

    async with shares.share("x", ONE), shares.share("y", ONE):
        tasks = [asyncio.create_task(search(name)) for name in ("a", "a", "a", "b", "c")]
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)
    assert Counter(order[:3]) == {"a": 1, "b": 1, "c": 1}


async def test_many_short_searches_of_an_account_all_get_their_turn() -> None:
    shares = Shares(3, wait=30)
    ended: list[int] = []

    async def search(number: int) -> None:
        async with shares.share("a", UNLIMITED):
            await asyncio.sleep(0.001)
            ended.append(number)

    await asyncio.gather(*(search(number) for number in range(300)))
    assert sorted(ended) == list(range(300))


async def test_slow_accounts_have_a_twelfth_together_beside_a_quick_one() -> None:
    shares = Shares(24, wait=0.3)
    await slow_search(shares, "slow")
    await slow_search(shares, "late")
    await quick_search(shares, "quick")
    async with shares.share("slow", UNLIMITED), shares.share("late", UNLIMITED):
        with pytest.raises(SearchesAtOnce):
            await shares.share("late", UNLIMITED).__aenter__()
        async with shares.share("quick", UNLIMITED), shares.share("quick", UNLIMITED):
            pass


async def test_slow_account_is_not_held_back_where_all_are_slow() -> None:
    shares = Shares(12, wait=0.3)
    await slow_search(shares, "slow")
    await slow_search(shares, "late")
    assert await begun_at_once(shares, "slow") == 4


async def test_cheap_searches_between_dear_ones_do_not_make_an_account_quick() -> None:
    shares = Shares(12, wait=0.3)
    await quick_search(shares, "quick")
    await slow_search(shares, "mixed")
    for _ in range(3):
        await quick_search(shares, "mixed")
    assert await begun_at_once(shares, "mixed") == 1


async def test_account_begins_with_a_third() -> None:
    assert await begun_at_once(Shares(12, wait=0.01), "new") == 4


async def test_quick_search_gives_a_slot() -> None:
    shares = Shares(12, wait=0.01)
    await quick_search(shares, "account")
    assert await begun_at_once(shares, "account") == 5


async def test_quick_searches_leave_the_last_slot_to_others() -> None:
    shares = Shares(12, wait=0.01)
    for _ in range(20):
        await quick_search(shares, "account")
    assert await begun_at_once(shares, "account") == 11


@pytest.mark.parametrize(("most", "slots"), [(12, 1), (120, 10)])
async def test_account_has_a_twelfth_from_its_first_slow_search_on(most: int, slots: int) -> None:
    shares = Shares(most, wait=0.3)
    for _ in range(3):
        await quick_search(shares, "account")
    await quick_search(shares, "quick")
    await slow_search(shares, "account")
    assert await begun_at_once(shares, "account") == slots


async def test_account_regains_its_slots_by_quick_searches() -> None:
    shares = Shares(36, wait=0.3)
    await quick_search(shares, "quick")
    await slow_search(shares, "account")
    for _ in range(40):
        await quick_search(shares, "account")
    assert await begun_at_once(shares, "account") == 12


async def test_slow_account_has_a_third_where_nobody_is_quicker() -> None:
    shares = Shares(12, wait=0.3)
    for _ in range(3):
        await slow_search(shares, "account")
    assert await begun_at_once(shares, "account") == 4


async def test_account_has_a_third_while_another_searches() -> None:
    shares = Shares(12, wait=0.01)
    for _ in range(20):
        await quick_search(shares, "account")
    await quick_search(shares, "other")
    assert await begun_at_once(shares, "account") == 4


async def test_slot_of_a_slow_account_rests_for_as_long_as_its_search_took() -> None:
    shares = Shares(12, wait=1)
    await quick_search(shares, "quick")
    began = time.monotonic()
    await slow_search(shares, "slow")
    took = time.monotonic() - began
    async with shares.share("slow", UNLIMITED):
        assert time.monotonic() - began >= 1.9 * took


async def test_slot_of_a_slow_account_rests_for_half_of_the_time_that_searches_wait() -> None:
    shares = Shares(12, wait=0.12)
    await quick_search(shares, "quick")
    ended = 0
    for _ in range(5):
        # A slot that rested for as long as its search took would refuse the next one.
        await slow_search(shares, "slow")
        ended += 1
    assert ended == 5


async def test_dear_search_takes_more_than_one_slot() -> None:
    shares = Shares(12, wait=0.01)
    async with shares.share("account", UNLIMITED) as share:
        await share.weigh(3)
        assert await begun_at_once(shares, "account") == 1


async def test_dearest_search_takes_a_third_of_all_slots() -> None:
    shares = Shares(12, wait=0.01)
    async with shares.share("account", UNLIMITED) as share:
        await share.weigh(1_000)
        assert share.slots == 4


async def test_dear_search_runs_alone_whatever_it_takes() -> None:
    shares = Shares(12, wait=0.01)
    async with shares.share("account", ONE) as share:
        await share.weigh(3)
        with pytest.raises(SearchesAtOnce):
            await shares.share("account", ONE).__aenter__()


async def test_dear_search_waits_until_its_slots_are_free() -> None:
    shares = Shares(12, wait=5)
    async with AsyncExitStack() as running:
        for _ in range(2):
            await running.enter_async_context(shares.share("account", UNLIMITED))
        share = await running.enter_async_context(shares.share("account", UNLIMITED))
        async with AsyncExitStack() as last:
            await last.enter_async_context(shares.share("account", UNLIMITED))
            weighing = asyncio.create_task(share.weigh(2))
            await asyncio.sleep(0)
            assert not weighing.done()
        await weighing


async def test_search_that_finds_no_room_for_its_slots_has_none() -> None:
    shares = Shares(12, wait=0.01)
    async with shares.share("account", UNLIMITED), shares.share("account", UNLIMITED):
        with pytest.raises(SearchesAtOnce):
            async with shares.share("account", UNLIMITED) as share:
                await share.weigh(4)
        assert await begun_at_once(shares, "account") == 2


async def quick_search(shares: Shares, account: str) -> None:
    async with shares.share(account, UNLIMITED):
        pass


async def slow_search(shares: Shares, account: str) -> None:
    async with shares.share(account, UNLIMITED):
        await asyncio.sleep(SLOW_SECONDS * 3)


async def begun_at_once(shares: Shares, account: str) -> int:
    """Return the number of searches of an account that run side by side."""
    async with AsyncExitStack() as running:
        for number in range(20):
            try:
                await running.enter_async_context(shares.share(account, UNLIMITED))
            except SearchesAtOnce:
                return number
    return 20


async def test_turn_that_comes_as_its_search_is_cancelled_goes_to_the_next() -> None:
    shares = Shares(2, wait=5)
    running = shares.share("a", ONE)
    await running.__aenter__()
    waiting = asyncio.create_task(shares.share("a", ONE).__aenter__())
    await asyncio.sleep(0)
    await running.__aexit__(None, None, None)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    async with shares.share("a", ONE) as share:
        assert share.slots == 1


async def test_any_mix_keeps_every_bound_and_leaves_nothing_behind() -> None:
    seed = random.randrange(2**32)
    print(f"seed {seed}")
    chance = random.Random(seed)
    shares = Shares(3, wait=0.02)
    running: Counter[str] = Counter()
    outcomes: Counter[str] = Counter()

    async def search(account: str, plan: Plan, seconds: float) -> None:
        try:
            async with shares.share(account, plan) as share:
                await share.weigh(chance.choice([1, 1, 1, 2]))
                running[account] += 1
                assert running[account] <= (plan.searches or 2)
                assert running.total() <= 3
                try:
                    await asyncio.sleep(seconds)
                finally:
                    running[account] -= 1
            outcomes["answered"] += 1
        except SearchesAtOnce:
            outcomes["refused"] += 1

    tasks = []
    for _ in range(400):
        plan = chance.choice([ONE, UNLIMITED])
        account = f"{plan.name} {chance.randrange(3)}"
        tasks.append(asyncio.create_task(search(account, plan, chance.random() / 100)))
        if chance.random() < 0.1:
            chance.choice(tasks).cancel()
        await asyncio.sleep(chance.random() / 500)
    ended = await asyncio.gather(*tasks, return_exceptions=True)
    assert [error for error in ended if isinstance(error, AssertionError)] == []
    assert outcomes["answered"] > 0
    async with asyncio.timeout(1), shares.share("a", ONE), shares.share("b", ONE):
        pass
