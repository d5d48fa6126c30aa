"""Turns by account of works that few may do at once."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from edgar_search.document.account_turns import AccountTurns
from edgar_search.errors import PrintsAtOnce

pytestmark = pytest.mark.anyio


class Works:
    """Works that end when they are told to, and the order in which they began."""

    def __init__(self, most: int, wait: float = 10.0) -> None:
        self._turns, self._wait = AccountTurns(most), wait
        self.began: list[str] = []
        self._may_end = asyncio.Event()

    async def work(self, name: str) -> None:
        """Work for the account that is the first letter of a name."""
        async with self._turns.turn(name[0], self._wait, PrintsAtOnce()):
            self.began.append(name)
            await self._may_end.wait()

    @asynccontextmanager
    async def begun(self, *names: str) -> AsyncIterator[list[asyncio.Task[None]]]:
        tasks = [asyncio.create_task(self.work(name)) for name in names]
        for _ in range(3):
            await asyncio.sleep(0)
        try:
            yield tasks
        finally:
            self._may_end.set()
            await asyncio.gather(*tasks, return_exceptions=True)


async def test_account_has_one_at_once_and_another_begins_beside_it() -> None:
    works = Works(2)
    async with works.begun("a1", "a2", "a3", "b1"):
        assert works.began == ["a1", "b1"]
    assert works.began == ["a1", "b1", "a2", "a3"]


async def test_accounts_that_wait_take_turns() -> None:
    works = Works(1)
    async with works.begun("a1", "a2", "a3", "b1", "b2", "c1"):
        assert works.began == ["a1"]
    assert works.began == ["a1", "b1", "c1", "a2", "b2", "a3"]


async def test_work_that_waits_too_long_is_refused_and_its_turn_is_given_on() -> None:
    works = Works(1, wait=0.05)
    async with works.begun("a1", "b1") as tasks:
        with pytest.raises(PrintsAtOnce):
            await tasks[1]
    async with works.begun("c1"):
        assert works.began == ["a1", "c1"]


async def test_work_that_is_given_up_leaves_no_turn_taken() -> None:
    works = Works(1)
    async with works.begun("a1", "b1", "c1") as tasks:
        tasks[1].cancel()
        tasks[0].cancel()
        for _ in range(5):
            await asyncio.sleep(0)
        assert works.began == ["a1", "c1"]
