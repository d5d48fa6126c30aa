"""Values kept in memory: never older than five seconds, and read rarely."""

import asyncio

import pytest

from edgar_search.engine import freshness
from edgar_search.engine.freshness import Fresh
from edgar_search.errors import EngineUnavailable, Unavailable

pytestmark = pytest.mark.anyio


class Clock:
    """Stands in for the module `time`."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def monotonic(self) -> float:
        return self.now


class Source:
    """A counter that is read with a delay, or fails, as a test wants it."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.begun = 0
        self.error: Exception | None = None
        self.answers = asyncio.Event()
        self.answers.set()

    async def read(self) -> int:
        self.begun += 1
        value = self.begun
        await self.answers.wait()
        if self.error is not None:
            raise self.error
        return value


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(freshness, "time", clock)
    return clock


@pytest.fixture
async def source(clock: Clock) -> Source:
    return Source(clock)


async def settle() -> None:
    """Let every task that can continue do so."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_first_value_is_waited_for(source: Source) -> None:
    assert await Fresh(source.read).value() == 1


async def test_value_is_kept_for_two_seconds(source: Source, clock: Clock) -> None:
    fresh = Fresh(source.read)
    await fresh.value()
    clock.now += 2.0
    await fresh.value()
    await settle()
    assert source.begun == 1


async def test_older_value_is_handed_out_and_read_again_beside(
    source: Source, clock: Clock
) -> None:
    fresh = Fresh(source.read)
    await fresh.value()
    clock.now += 2.1
    assert await fresh.value() == 1
    await settle()
    assert await fresh.value() == 2


async def test_nobody_waits_for_a_reading_while_the_value_is_young_enough(
    source: Source, clock: Clock
) -> None:
    fresh = Fresh(source.read)
    await fresh.value()
    source.answers.clear()
    clock.now += 5.0
    assert await asyncio.wait_for(fresh.value(), 1) == 1
    source.answers.set()


async def test_value_older_than_five_seconds_is_never_handed_out(
    source: Source, clock: Clock
) -> None:
    fresh = Fresh(source.read)
    await fresh.value()
    clock.now += 5.1
    assert await fresh.value() == 2


async def test_age_counts_from_the_beginning_of_the_reading(source: Source, clock: Clock) -> None:
    fresh = Fresh(source.read)
    source.answers.clear()
    asking = asyncio.create_task(fresh.value())
    await settle()
    clock.now += 3.0
    source.answers.set()
    assert await asking == 1
    clock.now += 2.1
    assert await fresh.value() == 2


async def test_many_who_wait_share_one_reading(source: Source) -> None:
    fresh = Fresh(source.read)
    assert await asyncio.gather(*[fresh.value() for _ in range(50)]) == [1] * 50
    assert source.begun == 1


async def test_many_who_find_an_old_value_share_one_reading(source: Source, clock: Clock) -> None:
    fresh = Fresh(source.read)
    await fresh.value()
    clock.now += 3.0
    await asyncio.gather(*[fresh.value() for _ in range(50)])
    await settle()
    assert source.begun == 2


async def test_failing_source_is_not_noticed_for_five_seconds(source: Source, clock: Clock) -> None:
    fresh = Fresh(source.read)
    await fresh.value()
    source.error = EngineUnavailable("away")
    clock.now += 4.9
    await fresh.value()
    await settle()
    assert await fresh.value() == 1


async def test_source_that_fails_for_longer_is_an_error(source: Source, clock: Clock) -> None:
    fresh = Fresh(source.read)
    await fresh.value()
    source.error = EngineUnavailable("away")
    clock.now += 5.1
    with pytest.raises(EngineUnavailable, match="away"):
        await fresh.value()


async def test_source_that_is_back_is_read_at_once(source: Source, clock: Clock) -> None:
    fresh = Fresh(source.read)
    source.error = EngineUnavailable("away")
    with pytest.raises(EngineUnavailable):
        await fresh.value()
    source.error = None
    assert await fresh.value() == 2


async def test_one_who_gives_up_does_not_end_the_reading_of_the_others(source: Source) -> None:
    fresh = Fresh(source.read)
    source.answers.clear()
    gone, waiting = asyncio.create_task(fresh.value()), asyncio.create_task(fresh.value())
    await settle()
    gone.cancel()
    await settle()
    source.answers.set()
    assert await waiting == 1


async def test_reading_that_takes_longer_than_a_value_may_be_old_is_an_error(
    source: Source, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(freshness, "MAX_AGE", 0.02)
    source.answers.clear()
    with pytest.raises(Unavailable, match="could not be read in time"):
        await asyncio.wait_for(Fresh(source.read).value(), 5)
