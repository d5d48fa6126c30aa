"""Two matchers and two loaders as processes, each behind a proxy of its own, and their faults.

A matcher also delivers what it or the other one has matched, if it has the lease for that.
"""

import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from random import Random
from typing import NamedTuple

import msgspec

from bench.loading import environment
from bench.service import free_port
from edgar_search.alerts.matcher import Status, status
from edgar_search.engine import embedded
from edgar_search.engine.engine import Engine
from edgar_search.errors import EdgarSearchError
from edgar_search.settings import Settings
from tests.faults.proxy import listening
from tests.faults.striking import Strike, Striking
from tests.support.engines import kill_engine
from tests.support.replaced_constants import program
from tests.support.waiting import until

LEASE_SECONDS = 1.5
_COMMAND = program(
    {
        f"alerts.{module}.{name}": seconds
        for module in ("deliverer", "matcher")
        for name, seconds in (("INTERVAL", 0.1), ("LEASE_SECONDS", LEASE_SECONDS))
    }
)
WAIT_SECONDS = 240.0
KILLED = -signal.SIGKILL
# What a matcher begins a batch with, and a deliverer what is new; a process may be both.
BEGINS = {"loader": "", "matcher": "documents/_refresh", "deliverer": "user_items/_mget"}
_KILLS = ("kill before", "kill after")
_DELIVERS_SECONDS = 10.0


class Fault(NamedTuple):
    """The process that is hit, the kind of fault, and the request at which it comes."""

    who: str
    kind: Strike
    request: int


class Matcher:
    """`edgar-search alerts`, started again when it was killed."""

    def __init__(self, settings: Settings, proxy: Striking) -> None:
        self._settings = msgspec.structs.replace(settings, es_url=proxy.url)
        self.proxy = proxy
        self.process: asyncio.subprocess.Process
        self.kills = 0

    async def start(self) -> None:
        """Start it."""
        self.process = await asyncio.create_subprocess_exec(
            *(sys.executable, *_COMMAND, "alerts"),
            env=environment(self._settings),
            stderr=asyncio.subprocess.DEVNULL,
        )
        self.proxy.load = self.process.pid
        self._asked = len(self.proxy.log)

    async def revive(self) -> None:
        """Start it again if it was killed; whatever else ended it is a failure."""
        if self.process.returncode is not None:
            assert self.process.returncode == KILLED, self.process.returncode
            self.kills += 1
            await self.start()

    async def end(self) -> None:
        """End it as an operator does."""
        if self.process.returncode is None:
            self.process.send_signal(signal.SIGCONT)
            # It handles the signal from before its first request on.
            await until(self._has_asked, 30)
            self.process.terminate()
            assert await asyncio.wait_for(self.process.wait(), 30) == 0

    async def _has_asked(self) -> bool:
        return len(self.proxy.log) > self._asked


class KilledService:
    """A service on one port, that is killed and started again."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._port = free_port()
        self.url = f"http://127.0.0.1:{self._port}"
        self._process: asyncio.subprocess.Process | None = None

    async def start(self) -> None:
        """Start it, and wait until it listens."""
        command = (sys.executable, "-m", "edgar_search.cli", "serve", "--port", str(self._port))
        self._process = await asyncio.create_subprocess_exec(
            *command,
            env=environment(self._settings),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )

    async def kill(self) -> None:
        """End it without a chance to say so."""
        assert self._process is not None
        self._process.kill()
        await self._process.wait()


class Site:
    """An installation with its processes."""

    def __init__(
        self,
        settings: Settings,
        engine: Engine,
        matchers: list[Matcher],
        loading: Striking,
        random: Random,
    ) -> None:
        self.random = random
        self.settings = settings
        self.engine = engine
        self.matchers = matchers
        self.loading = loading

    async def holder(self, *, delivers: bool = False) -> Matcher:
        """Return the matcher that has the lease, or the one that delivers, once one of them has."""
        until = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < until:
            status = await self.status()
            deliveries = status.deliveries
            assert deliveries is not None
            name = (deliveries.holder if delivers else status.holder) or ""
            for matcher in self.matchers:
                if f" {matcher.process.pid} " in name:
                    return matcher
            await asyncio.sleep(0.1)
        raise AssertionError("no matcher took the lease")

    async def load(self, paths: Sequence[Path], url: str | None = None) -> int:
        """One run of `edgar-ingest load`; its exit status."""
        settings = self.settings
        if url is not None:
            settings = msgspec.structs.replace(settings, es_url=url)
        load = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "ingest.cli", "load", "--workers", "1", *map(str, paths)),
            env=environment(settings),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        if url is not None:
            self.loading.load = load.pid
        _, errors = await asyncio.wait_for(load.communicate(), WAIT_SECONDS)
        assert load.returncode in (0, KILLED), errors.decode()
        return load.returncode

    async def settle(self) -> None:
        """Revive and wait until nothing waits any more."""
        until = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < until:
            for matcher in self.matchers:
                await matcher.revive()
            if (await self.status()).waiting == 0:
                return
            await asyncio.sleep(0.2)
        raise AssertionError(f"arrivals still wait: {await self.status()}")

    async def resume(self, matcher: Matcher) -> None:
        """Let a stopped matcher continue, well after its lease has run out, and find that out."""
        if matcher.proxy.stopped:
            await asyncio.sleep(2 * LEASE_SECONDS)
            os.kill(matcher.process.pid, signal.SIGCONT)
            matcher.proxy.stopped = False
            await asyncio.sleep(1)

    async def status(self) -> Status:
        """Return the state of alerts, once the engine answers."""
        while True:
            try:
                return await status(self.engine)
            except EdgarSearchError:
                await asyncio.sleep(0.5)  # The engine was killed too.


@asynccontextmanager
async def site(settings: Settings, random: Random) -> AsyncIterator[Site]:
    """Yield two matchers that run, started at once, and a proxy for a loader."""
    assert settings.es_url is not None
    engine = Engine.from_settings(settings)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(engine.close)
        proxies = [
            await stack.enter_async_context(
                listening(Striking(settings.es_url, settings.prefix, random))
            )
            for _ in range(3)
        ]
        matchers = [Matcher(settings, proxy) for proxy in proxies[:2]]
        try:
            await asyncio.gather(*(matcher.start() for matcher in matchers))
            yield Site(settings, engine, matchers, proxies[2], random)
        finally:
            for matcher in matchers:
                await matcher.end()


async def strike(place: Site, files: Sequence[Path], fault: Fault, own: Settings | None) -> bool:
    """Load these files by two loaders with this fault; say whether it came."""
    holder = await place.holder(delivers=fault.who == "deliverer")
    kills = holder.kills
    proxy = place.loading if fault.who == "loader" else holder.proxy
    restarts: list[asyncio.Task[object]] = []
    if own is not None:
        settings = own

        def restart() -> None:
            kill_engine(settings)
            restarts.append(asyncio.create_task(asyncio.to_thread(embedded.up, settings)))

        proxy.kill_engine = restart
    proxy.arm(fault.kind, BEGINS[fault.who], fault.request)
    status, _ = await asyncio.gather(
        place.load(files, place.loading.url), place.load(list(reversed(files)))
    )
    if status == KILLED:
        await place.load(files)
    # A stopped holder's work is done by the other matcher; then it continues where it was.
    await place.settle()
    if fault.who == "deliverer":
        # It has most of its work after that of the matcher.
        with suppress(AssertionError):
            await until(lambda: _struck(proxy), _DELIVERS_SECONDS)
    await place.resume(holder)
    await asyncio.gather(*restarts)
    proxy.disarm()
    if proxy.struck and proxy is holder.proxy and fault.kind in _KILLS and holder.kills == kills:
        # It was killed after everything had settled.
        await asyncio.wait_for(holder.process.wait(), 30)
        await holder.revive()
    return proxy.struck


async def _struck(proxy: Striking) -> bool:
    return proxy.struck
