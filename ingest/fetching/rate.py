"""The rate of requests to EDGAR, shared by the processes of a home or by all hosts."""

import asyncio
import math
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import BinaryIO, NamedTuple

from filelock import lock_descriptor
from msgspec import structs

from edgar_search.engine.changes import Tries, change
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.settings import Settings
from edgar_search.stored.installation import StoredLease
from ingest.loading.retry import Retry

# EDGAR blocks clients that ask too fast for ten minutes. A later time is not a pause, but was
# written before the clock was set back.
MAX_PAUSE = 900.0
# Requests take different times to reach EDGAR, so there is some room between two of them.
ROOM = 1.03
# The lock is held for microseconds, so a process that finds it taken looks again soon.
_POLL_SECONDS = 0.005


class Slots:
    """Slots for the requests of all processes of a home, a little more than 1/rate seconds apart.

    The file `<home>/edgar/rate`, under a lock, has the time of the next slot by the machine's wall
    clock. Hosts share a home on a file system with locks over the network, as far as their clocks
    agree.
    """

    def __init__(self, home: Path, rate: float) -> None:
        self._path = home / "edgar" / "rate"
        self._interval = ROOM / rate
        self._turn = asyncio.Lock()
        self._path.parent.mkdir(parents=True, exist_ok=True)

    async def wait(self) -> None:
        """Return when a request may be sent, which is to be done at once."""
        async with self._turn:
            while True:
                wait = await asyncio.to_thread(self._try)
                if wait <= 0:
                    return
                await asyncio.sleep(wait)

    async def pause(self, seconds: float) -> None:
        """Stop all requests for some seconds, MAX_PAUSE at most."""
        await asyncio.to_thread(self._pause, min(seconds, MAX_PAUSE))

    def _try(self) -> float:
        """Take the next slot if its time has come, and return 0; else the seconds until then."""
        with self._locked() as file:
            now = time.time()
            free = _read(file)
            # The next slot counts from now: one taken late must not be followed too soon.
            if now < free <= now + MAX_PAUSE + self._interval:
                return free - now
            _write(file, now + self._interval)
            return 0.0

    def _pause(self, seconds: float) -> None:
        with self._locked() as file:
            _write(file, max(_read(file), time.time() + seconds))

    @contextmanager
    def _locked(self) -> Iterator[BinaryIO]:
        with self._path.open("a+b") as file:
            lock_descriptor(file.fileno(), poll_interval=_POLL_SECONDS)
            yield file


def _read(file: BinaryIO) -> float:
    file.seek(0)
    try:
        return float(file.read(40))
    except ValueError:
        return 0.0


def _write(file: BinaryIO, free: float) -> None:
    file.truncate(0)
    file.write(f"{free:.6f}".encode())
    file.flush()


NAME = "edgar-rate"
# Seconds at the end of a lease without requests: clocks of Elasticsearch's nodes differ a little.
_GUARD = 0.05
# Requests in a lease, about: at ten a second it is one second long.
_REQUESTS = 10
_TRIES = Tries(20, 0.2, "other processes wrote the lease of EDGAR's rate again and again")
# A lease further ahead than this was written before a clock was set back, and does not count.
_FARTHEST = 2 * MAX_PAUSE
# A date field, by which Elasticsearch tells its clock.
_CLOCK: tuple[Kind, str] = ("ledger", "seen_at")


class _Turn(NamedTuple):
    """A lease by this process's monotonic clock: requests may leave from `first` to `last`.

    It ends with its `epoch`, which every pause increases.
    """

    first: float
    last: float
    epoch: int


class SharedSlots:
    """Slots for the requests of all hosts, a little more than 1/rate seconds apart.

    Processes lease whole seconds, one after the other, and use a lease alone: one write for about
    ten requests. A lease begins and ends by Elasticsearch's clock, which is read for each lease, so
    the clocks of hosts need not agree.
    """

    def __init__(self, engine: Engine, rate: float, retry: Retry) -> None:
        self._engine = engine
        self._interval = ROOM / rate
        self._seconds = float(max(1, math.ceil(_REQUESTS / rate)))
        self._retry = retry
        self._holder = socket.gethostname()
        self._turn = asyncio.Lock()
        self._leased = _Turn(0.0, -1.0, 0)
        self._epoch = 0
        self._next = 0.0

    async def wait(self) -> None:
        """Return when a request may be sent, which is to be done at once.

        Raises EngineUnavailable if Elasticsearch stays away.
        """
        async with self._turn:
            while not await self._try():
                pass

    async def pause(self, seconds: float) -> None:
        """Prevent new leases for some seconds, MAX_PAUSE at most; this process stops at once."""
        self._epoch = await self._retry(self._pause, min(seconds, MAX_PAUSE))

    async def _try(self) -> bool:
        """Wait for the next slot of the lease, or a new lease; True if a request may be sent."""
        turn = self._leased
        free = max(self._next, turn.first)
        if free > turn.last or turn.epoch < self._epoch:
            self._leased = await self._retry(self._take_lease)
            return False
        await asyncio.sleep(max(0.0, free - time.monotonic()))
        # Meanwhile a pause may have come, or this process may have been stopped beyond the lease.
        now = time.monotonic()
        if now > turn.last or turn.epoch < self._epoch:
            self._leased = turn._replace(last=-1.0)
            return False
        self._next = now + self._interval
        return True

    async def _take_lease(self) -> _Turn:
        """Take the next lease; return it once it has begun and no pause has come since."""
        while True:
            began = time.monotonic()
            now = await self._engine.now(*_CLOCK)
            ended = time.monotonic()
            lease = await self._write(partial(self._next_lease, now))
            ahead = (lease.renewed_at - now).total_seconds()
            # Elasticsearch's clock was read between `began` and `ended`: the first request counts
            # from the later, the last one from the earlier.
            last = began + ahead + lease.seconds - self._interval - _GUARD
            turn = _Turn(ended + ahead, last, lease.epoch)
            wait = turn.first - time.monotonic()
            if wait <= 0 or await self._is_still_leased(turn, wait):
                return turn

    async def _is_still_leased(self, turn: _Turn, wait: float) -> bool:
        """Wait `wait` seconds, until a lease begins; True if it is still valid then."""
        await asyncio.sleep(wait)
        stored = await self._engine.get("leases", NAME, StoredLease)
        return (
            stored is not None and stored.source is not None and stored.source.epoch == turn.epoch
        )

    async def _pause(self, seconds: float) -> int:
        now = await self._engine.now(*_CLOCK)

        def extend(before: StoredLease | None) -> StoredLease:
            lease = _lease_after(before, "", now, max(seconds, _seconds_taken(before, now)))
            return structs.replace(lease, epoch=lease.epoch + 1)

        return (await self._write(extend)).epoch

    def _next_lease(self, now: datetime, before: StoredLease | None) -> StoredLease:
        """The lease of the first seconds that are free."""
        free = now + timedelta(seconds=_seconds_taken(before, now))
        return _lease_after(before, self._holder, free, self._seconds)

    async def _write(self, following: Callable[[StoredLease | None], StoredLease]) -> StoredLease:
        changed = await change(
            self._engine, "leases", NAME, StoredLease, following, _TRIES, visible=False
        )
        assert changed.after is not None
        return changed.after


def make_slots(settings: Settings, engine: Engine) -> Slots | SharedSlots:
    """Make the slots that the settings ask for: through Elasticsearch, or in this home alone."""
    if settings.edgar_rate_shared:
        return SharedSlots(engine, settings.edgar_rate, Retry(settings.load_patience))
    return Slots(settings.absolute_home, settings.edgar_rate)


def _seconds_taken(before: StoredLease | None, now: datetime) -> float:
    """The seconds from now on that are leased or paused."""
    if before is None:
        return 0.0
    left = (before.renewed_at - now).total_seconds() + before.seconds
    return left if 0 < left <= _FARTHEST else 0.0


def _lease_after(
    before: StoredLease | None, holder: str, begins: datetime, seconds: float
) -> StoredLease:
    epoch, revision = (before.epoch, before.revision) if before is not None else (1, 0)
    return StoredLease(holder, epoch, revision + 1, seconds, begins)
