"""Long work in a worker that yields to other requests."""

import asyncio
import time
from collections.abc import Callable, Iterable
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

# A request needs about ten iterations of the event loop, and waits at most this long for each.
TURN_SECONDS = 0.002


async def in_turns(make: Callable[[T], R], items: Iterable[T]) -> list[R]:
    """Return the results of `make`, in order, yielding to other requests after some items."""
    results: list[R] = []
    until = time.perf_counter() + TURN_SECONDS
    for item in items:
        results.append(make(item))
        if time.perf_counter() > until:
            await asyncio.sleep(0)
            until = time.perf_counter() + TURN_SECONDS
    return results
