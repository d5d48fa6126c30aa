"""Work of a worker's own that takes long, done so that other requests are answered meanwhile."""

import asyncio
import time
from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

# A request has about ten turns of the event loop, and waits this long for each at most.
TURN_SECONDS = 0.002


async def in_turns(make: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """Return the results of `make`, in order; after some items all other requests have a turn."""
    made: list[R] = []
    until = time.perf_counter() + TURN_SECONDS
    for item in items:
        made.append(make(item))
        if time.perf_counter() > until:
            await asyncio.sleep(0)
            until = time.perf_counter() + TURN_SECONDS
    return made
