"""Work done in turns: nothing else waits for the end of it."""

import asyncio
import time
from contextlib import suppress

import pytest

from edgar_search.search.turns import TURN_SECONDS, in_turns

pytestmark = pytest.mark.anyio


async def test_another_task_has_a_turn_after_every_item_that_takes_long() -> None:
    turns = 0

    async def other() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    def long(item: int) -> int:
        time.sleep(TURN_SECONDS * 1.5)
        return -item

    task = asyncio.create_task(other())
    assert await in_turns(long, range(20)) == [-item for item in range(20)]
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    assert turns >= 20


async def test_short_work_is_done_at_once() -> None:
    began = asyncio.get_running_loop().create_task(asyncio.sleep(0))
    assert await in_turns(str, range(10)) == list(map(str, range(10)))
    assert not began.done()
    await began
