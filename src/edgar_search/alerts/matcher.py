"""The matcher as it runs: one process at a time, until it is stopped, whatever happens."""

import asyncio
import logging
import os
import secrets
import socket
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime

from edgar_search.alerts.arrivals import Arrivals
from edgar_search.alerts.batch import Counts, Matcher
from edgar_search.engine.engine import Engine
from edgar_search.engine.lease import Lease, LeaseLost
from edgar_search.errors import EdgarSearchError
from edgar_search.search.matching import MAX_QUERIES
from edgar_search.search.tickers import Tickers
from edgar_search.settings import Settings

_log = logging.getLogger(__name__)

LEASE = "alerts"
BATCH = 1_000
# Waits after a failure double up to this many seconds.
MAX_WAIT = 30.0
# Documents that a load has taken away for a moment are looked for again after so many seconds.
POSTPONED_WAIT = 5.0
PRUNE_INTERVAL = 3_600.0
# How long a stop may take that gives the lease back.
_RELEASE_SECONDS = 2.0


class Alerts:
    """The matcher of one process."""

    def __init__(self, engine: Engine, settings: Settings, tickers: Tickers) -> None:
        self._interval = settings.alerts_interval
        self._lease_seconds = settings.alerts_lease
        self._lease = Lease(engine, LEASE, _holder(), settings.alerts_lease)
        self._arrivals = Arrivals(engine)
        self._matcher = Matcher(engine, tickers, self._lease)
        self._most = MAX_QUERIES
        self._failures = 0
        self._pruned = float("-inf")

    async def run_forever(self) -> None:
        """Match what arrives, for ever; cancel it, and the next process may begin at once."""
        async with self._released():
            while True:
                wait = await self._turn()
                await asyncio.sleep(wait)

    async def once(self) -> Counts:
        """Match everything that waits now; waits for another process that is at it.

        Raises EngineUnavailable where Elasticsearch is away, and LeaseLost.
        """
        async with self._released():
            while True:
                if await self._lease.take():
                    await self._arrivals.refresh()
                    return await self._match_waiting()
                await asyncio.sleep(self._waiting_interval())

    async def _turn(self) -> float:
        """One look at the arrivals; the seconds until the next one."""
        try:
            if not self._lease.held and not await self._lease.take():
                return self._waiting_interval()
            counts = await self._match_waiting()
            await self._prune(counts)
        except LeaseLost as error:
            self._lease.forget()
            _log.warning("%s; this one waits", error)
            return self._waiting_interval()
        except EdgarSearchError as error:
            return self._wait_after(error)
        except Exception as error:
            # Whatever it is, notifications that come late are better than none.
            _log.exception("a fault of the matcher; it goes on")
            return self._wait_after(error)
        self._failures, self._most = 0, min(MAX_QUERIES, self._most * 2)
        return max(self._interval, POSTPONED_WAIT) if counts.postponed else self._interval

    async def _match_waiting(self) -> Counts:
        """One pass over everything that waits."""
        counts = Counts()
        last = None
        while batch := await self._arrivals.waiting(BATCH, last):
            counts = counts.plus(await self._matcher.match(batch, self._most))
            last = batch[-1]
        return counts

    async def _prune(self, counts: Counts) -> None:
        """Now and then, when there is nothing else to do, forget what was matched long ago."""
        if counts == Counts() and time.monotonic() - self._pruned > PRUNE_INTERVAL:
            await self._arrivals.prune(datetime.now(UTC))
            self._pruned = time.monotonic()

    def _wait_after(self, error: Exception) -> float:
        if self._failures == 0:
            _log.warning("alerts wait: %s", error)
        self._failures += 1
        # A request that takes too long is a smaller one next time.
        self._most = max(1, self._most // 2)
        return float(min(MAX_WAIT, self._interval * 2 ** min(self._failures, 10)))

    def _waiting_interval(self) -> float:
        return min(MAX_WAIT, self._lease_seconds / 5)

    @asynccontextmanager
    async def _released(self) -> AsyncIterator[None]:
        """Keeps the lease, and gives it back in the end."""
        keeping = asyncio.create_task(self._lease.keep())
        try:
            yield
        finally:
            keeping.cancel()
            with suppress(asyncio.CancelledError):
                await keeping
            with suppress(EdgarSearchError, TimeoutError):
                async with asyncio.timeout(_RELEASE_SECONDS):
                    await self._lease.release()


def _holder() -> str:
    """A name that no other process has, and that tells people which process it is."""
    return f"{socket.gethostname()} {os.getpid()} {secrets.token_hex(4)}"
