"""Time as a service counts it whose machine is busy with other things."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

# How often it is asked if this process gets a core, in seconds.
_TICK = 0.02


class Stopwatch:
    """Seconds since its start, except for those in which the event loop did not get its turn.

    What waits for a node or for a client is bounded by these: a busy machine does not lengthen it.
    """

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._lost = 0.0

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._began - self._lost

    async def watch(self) -> None:
        """Count what is lost, until this is cancelled."""
        while True:
            before = time.monotonic()
            await asyncio.sleep(_TICK)
            late = time.monotonic() - before - _TICK
            # A timer of an idle machine is late by a millisecond or two.
            self._lost += late if late > _TICK / 4 else 0.0


@asynccontextmanager
async def stopwatch() -> AsyncIterator[Stopwatch]:
    """Yield a stopwatch that has been started."""
    watch = Stopwatch()
    watching = asyncio.create_task(watch.watch())
    try:
        yield watch
    finally:
        watching.cancel()
