"""At most so many requests to EDGAR a second, over all processes that share a home."""

import asyncio
import fcntl
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

# EDGAR shuts out for ten minutes who asks too fast. A time later than this is no pause, but was
# written before the clock was set back.
MAX_PAUSE = 900.0
# What the way to EDGAR takes differs from request to request: some room between two of them.
ROOM = 1.03


class Slots:
    """Requests are let go one by one, a little more than 1/rate seconds apart, whoever makes them.

    The time from which the next may go is kept in the file `<home>/edgar/rate`, under a lock, by
    the machine's wall clock: a home on a file system with locks over the network is shared by
    hosts too, as far as their clocks agree.
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
        """Let nobody send a request for so long, MAX_PAUSE at most."""
        await asyncio.to_thread(self._pause, min(seconds, MAX_PAUSE))

    def _try(self) -> float:
        """Take the next slot if its time has come, and return 0; else how long that is."""
        with self._locked() as file:
            now = time.time()
            free = _read(file)
            # The next slot counts from now: one that was taken late must not be followed too soon.
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
            fcntl.flock(file, fcntl.LOCK_EX)
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
