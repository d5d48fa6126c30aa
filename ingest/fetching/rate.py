"""The rate of requests to EDGAR, shared by the processes of a home."""

import asyncio
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from filelock import lock_descriptor

# EDGAR blocks clients that are too fast for ten minutes. A later time is not a pause, but was
# written before the clock was set back.
MAX_PAUSE = 900.0
# Requests take different times to reach EDGAR, so they are spaced slightly further apart.
ROOM = 1.03
# The lock is held for microseconds, so a process that finds it taken retries soon.
_POLL_SECONDS = 0.005


class Slots:
    """Request slots for all processes of a home, slightly more than 1/rate seconds apart.

    The file `<home>/edgar/rate`, under a lock, holds the time of the next slot by the machine's
    wall clock. Hosts may share a home on a file system with network locks, as far as their clocks
    agree.
    """

    def __init__(self, home: Path, rate: float) -> None:
        self._path = home / "edgar" / "rate"
        self._interval = ROOM / rate
        self._turn = asyncio.Lock()
        self._path.parent.mkdir(parents=True, exist_ok=True)

    async def wait(self) -> None:
        """Wait until a request may be sent, which must happen at once."""
        async with self._turn:
            while True:
                wait = await asyncio.to_thread(self._try)
                if wait <= 0:
                    return
                await asyncio.sleep(wait)

    async def pause(self, seconds: float) -> None:
        """Pause all requests for some seconds, at most MAX_PAUSE."""
        await asyncio.to_thread(self._pause, min(seconds, MAX_PAUSE))

    def _try(self) -> float:
        """Take the next slot and return 0 if its time has come, else return the wait in seconds."""
        with self._locked() as file:
            now = time.time()
            free = _read(file)
            # The next slot is counted from now: one taken late must not be followed too soon.
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
