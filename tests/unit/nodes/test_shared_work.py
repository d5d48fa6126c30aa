"""Readers that share refreshes."""

import asyncio
import time

import pytest

from edgar_search.engine import freshness as module
from edgar_search.engine.freshness import SharedWork
from edgar_search.errors import EngineUnavailable

pytestmark = pytest.mark.anyio


class Refreshes:
    """Counts refreshes, each of which takes a moment, and may fail."""

    def __init__(self) -> None:
        self.began: list[float] = []
        self.failures = 0

    async def __call__(self) -> None:
        self.began.append(time.monotonic())
        await asyncio.sleep(0.02)
        if self.failures:
            self.failures -= 1
            raise EngineUnavailable("away")


@pytest.fixture
def refreshes(monkeypatch: pytest.MonkeyPatch) -> Refreshes:
    monkeypatch.setattr(module, "INTERVAL", 0.2)
    return Refreshes()


async def test_all_who_wait_share_one(refreshes: Refreshes) -> None:
    shared = SharedWork(refreshes)
    now = time.monotonic()
    await asyncio.gather(*[shared.done_since(now) for _ in range(50)])
    assert len(refreshes.began) == 1


async def test_what_was_seen_needs_no_other(refreshes: Refreshes) -> None:
    shared = SharedWork(refreshes)
    now = time.monotonic()
    for _ in range(5):
        await shared.done_since(now)
    assert len(refreshes.began) == 1


async def test_one_that_began_before_does_not_count(refreshes: Refreshes) -> None:
    shared = SharedWork(refreshes)
    first = asyncio.create_task(shared.done_since(time.monotonic()))
    await asyncio.sleep(0.01)
    moment = time.monotonic()
    await shared.done_since(moment)
    await first
    assert len(refreshes.began) == 2
    assert refreshes.began[1] >= moment


async def test_reader_in_a_loop_gets_no_more_than_one_in_an_interval(refreshes: Refreshes) -> None:
    shared = SharedWork(refreshes)
    for _ in range(4):
        await shared.done_since(time.monotonic())
    gaps = [
        after - before for before, after in zip(refreshes.began, refreshes.began[1:], strict=False)
    ]
    assert min(gaps) >= 0.199


async def test_failure_is_told_and_the_next_reader_tries_again(refreshes: Refreshes) -> None:
    shared = SharedWork(refreshes)
    refreshes.failures = 1
    now = time.monotonic()
    with pytest.raises(EngineUnavailable):
        await shared.done_since(now)
    await shared.done_since(now)
    assert len(refreshes.began) == 2


async def test_reader_that_goes_away_takes_nothing_from_the_others(refreshes: Refreshes) -> None:
    shared = SharedWork(refreshes)
    now = time.monotonic()
    gone = asyncio.create_task(shared.done_since(now))
    stays = asyncio.create_task(shared.done_since(now))
    await asyncio.sleep(0.01)
    gone.cancel()
    await stays
    assert len(refreshes.began) == 1
