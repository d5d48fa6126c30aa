"""Results that are computed once, even if several tasks need them at the same time."""

import asyncio
from collections.abc import Callable, Coroutine, Hashable
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Once(Generic[T]):
    """Results by key; an error of the computation reaches every task that waits for it."""

    def __init__(self) -> None:
        self._tasks: dict[Hashable, asyncio.Task[T]] = {}

    async def get(self, key: Hashable, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Return the result of a key; `work` computes it, for the first task that needs it."""
        if key not in self._tasks:
            self._tasks[key] = asyncio.create_task(work())
        return await self._tasks[key]
