"""Stopping a service behind a balancer that looks at readiness and repeats nothing."""

import asyncio
import os
import signal
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from pathlib import Path

import pytest

from tests.support.waiting import until
from tests.web.canned import KEY
from tests.web.process import REPLY_SECONDS, Process, parsed, request, running_service

pytestmark = pytest.mark.anyio
READY = request(b"/health/ready")
SEARCH = request(b"/v1/search?query=sales", b"X-API-Key: " + KEY.encode())
# Room for all of one account: what is looked at here is not its share.
SETTINGS = {"DRAIN": "1.5", "SEARCHES": "400"}
# A machine that is busy with other tests takes a second for the requests that come meanwhile.
LONGER = {**SETTINGS, "DRAIN": "3"}
# Seconds between two looks at an instance's readiness, and between two requests.
LOOK, PAUSE = 0.1, 0.04


class Balancer:
    """Sends each request to a ready instance, in turn, once."""

    def __init__(self) -> None:
        self.instances: list[Process] = []
        self.statuses: Counter[int | str] = Counter()
        self.served: Counter[int] = Counter()
        self._ready: list[Process] = []
        self._turn = 0
        self._until = 0
        self._reached = asyncio.Event()

    async def look_forever(self) -> None:
        """Keep to the instances that say they are ready."""
        while True:
            answers = await asyncio.gather(*(_is_ready(instance) for instance in self.instances))
            self._ready = [e for e, ready in zip(self.instances, answers, strict=False) if ready]
            await asyncio.sleep(LOOK)

    async def ask_forever(self) -> None:
        """Ask at a steady pace, however long answers take."""
        async with asyncio.TaskGroup() as requests:
            while True:
                if self._ready:
                    self._turn += 1
                    requests.create_task(self._ask(self._ready[self._turn % len(self._ready)]))
                await asyncio.sleep(PAUSE)

    async def answered(self, more: int) -> None:
        """Wait until this many more requests have ended."""
        self._until = self.statuses.total() + more
        self._reached.clear()
        await self._reached.wait()

    async def _ask(self, instance: Process) -> None:
        try:
            reply = await instance.ask(SEARCH)
            self.statuses[reply.status] += 1
            self.served[instance.port] += 1
        except (OSError, AssertionError) as error:
            self.statuses[type(error).__name__] += 1
        if self.statuses.total() >= self._until:
            self._reached.set()


async def is_stopping(instance: Process) -> bool:
    return (await instance.ask(READY)).status == 503


async def _is_ready(instance: Process) -> bool:
    with suppress(OSError, AssertionError):
        return (await instance.ask(READY)).status == 200
    return False


@asynccontextmanager
async def balancing(balancer: Balancer) -> AsyncIterator[None]:
    looking = asyncio.create_task(balancer.look_forever())
    asking = asyncio.create_task(balancer.ask_forever())
    try:
        yield
    finally:
        asking.cancel()
        looking.cancel()
        await asyncio.gather(asking, looking, return_exceptions=True)


@pytest.mark.long
async def test_no_request_fails_while_two_instances_are_replaced_one_by_one(
    tmp_path: Path,
) -> None:
    balancer = Balancer()
    async with AsyncExitStack() as stack:

        async def start(name: str, workers: int) -> AsyncExitStack:
            (tmp_path / name).mkdir()
            one = await stack.enter_async_context(AsyncExitStack())
            running = running_service(tmp_path / name, workers, SETTINGS)
            balancer.instances.append(await one.enter_async_context(running))
            return one

        first = await start("first", 2)
        second = await start("second", 1)
        async with balancing(balancer):
            for name in ("third", "fourth"):
                await balancer.answered(500)
                await first.aclose()
                await balancer.answered(500)
                first, second = second, await start(name, 1)
            await balancer.answered(500)
    print(balancer.statuses, balancer.served)
    assert set(balancer.statuses) == {200}
    assert balancer.statuses[200] >= 2_000
    assert len(balancer.served) == 4


async def test_service_that_is_told_to_stop_goes_on_for_its_time_and_is_not_ready(
    tmp_path: Path,
) -> None:
    async with running_service(tmp_path, 1, LONGER) as process:
        assert (await process.ask(READY)).status == 200
        os.kill(process.pid, signal.SIGTERM)
        await until(partial(is_stopping, process), 1.0)
        reply = await process.ask(READY)
        assert (reply.status, reply.json()) == (503, {"error": "the service is stopping"})
        # A request that does not ask for it: its connection is closed all the same.
        lasting = request(b"/v1/search?query=sales", b"X-API-Key: " + KEY.encode(), close=False)
        answered = parsed(await process.send(lasting))
        assert (answered.status, answered.headers["connection"]) == (200, "close")
        # Once more changes nothing.
        os.kill(process.pid, signal.SIGTERM)
        assert (await process.ask(SEARCH)).status == 200
        async with asyncio.timeout(REPLY_SECONDS):
            with suppress(OSError, AssertionError):
                while True:
                    await process.ask(SEARCH)
                    await asyncio.sleep(0.05)
