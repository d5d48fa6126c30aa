"""The counter of an account's month: compare-and-set, shared by all workers and hosts."""

import asyncio
import random
from typing import NamedTuple

import msgspec

from edgar_search.engine.engine import Engine
from edgar_search.errors import Conflict, EngineUnavailable
from edgar_search.stored.usage import StoredUsage, usage_id

# A change that others overtake is tried again this often, after waits of up to so many seconds.
_TRIES = 50
_WAIT = 0.02
# A lease is at most this part of what is left, so that no worker sits on much of it at the end.
_PART = 64


class Lease(NamedTuple):
    """`calls` were taken; `leased` is what the counter says after that."""

    calls: int
    leased: int


class Counters:
    """What workers have leased of each account's month."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def read(self, account: str, month: str) -> int:
        """The calls leased so far."""
        stored = await self._engine.get("usage", usage_id(account, month), StoredUsage)
        return stored.source.leased if stored and stored.source else 0

    async def lease(self, account: str, month: str, wanted: int, limit: int | None) -> Lease:
        """Take up to `wanted` calls, fewer where few are left; none where none is.

        Raises EngineUnavailable where the counter cannot be read and written.
        """
        for _ in range(_TRIES):
            stored = await self._engine.get("usage", usage_id(account, month), StoredUsage)
            before = stored.source.leased if stored and stored.source else 0
            taken = wanted if limit is None else _share(limit - before, wanted)
            if taken <= 0:
                return Lease(0, before)
            counter = StoredUsage(account, month, before + taken)
            try:
                if stored is None:
                    await self._engine.create(
                        "usage", usage_id(account, month), counter, visible=False
                    )
                else:
                    await self._engine.replace("usage", stored, counter, visible=False)
            except Conflict:
                await asyncio.sleep(random.uniform(0, _WAIT))
                continue
            return Lease(taken, before + taken)
        raise EngineUnavailable("the account's counter is in use by too many; try again later")

    async def give_back(self, account: str, month: str, calls: int) -> int:
        """Return calls that were leased and not made; what is leased after that."""
        for _ in range(_TRIES):
            stored = await self._engine.get("usage", usage_id(account, month), StoredUsage)
            if stored is None or stored.source is None:
                return 0
            leased = max(0, stored.source.leased - calls)
            counter = msgspec.structs.replace(stored.source, leased=leased)
            try:
                await self._engine.replace("usage", stored, counter, visible=False)
            except Conflict:
                await asyncio.sleep(random.uniform(0, _WAIT))
                continue
            return leased
        raise EngineUnavailable("the account's counter is in use by too many; try again later")


def _share(left: int, wanted: int) -> int:
    return min(left, max(1, min(wanted, left // _PART)))
