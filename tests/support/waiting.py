"""Waiting for what continues beside a test."""

import asyncio
import time
from collections.abc import Awaitable, Callable


async def until(condition: Callable[[], Awaitable[bool]], seconds: float = 10.0) -> None:
    """Return once the condition holds; AssertionError if it does not within `seconds`."""
    end = time.monotonic() + seconds
    while not await condition():
        assert time.monotonic() < end, f"it did not happen within {seconds:g} seconds"
        await asyncio.sleep(0.02)
