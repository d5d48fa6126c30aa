"""The counter of an account's month: compare-and-set, shared by all workers and hosts."""

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from edgar_search.engine.changes import Change, Tries, change
from edgar_search.engine.engine import Engine
from edgar_search.stored.usage import NEWEST_MONTH, StoredUsage, usage_id

_TRIES = Tries(50, 0.02, "the account's counter is in use by too many; try again later")
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

        def taken(before: StoredUsage | None) -> StoredUsage | None:
            leased = before.leased if before else 0
            calls = wanted if limit is None else _share(limit - leased, wanted)
            return StoredUsage(account, month, leased + calls) if calls > 0 else before

        before, after = await self._change(account, month, taken)
        leased = after.leased if after else 0
        return Lease(leased - (before.leased if before else 0), leased)

    async def give_back(self, account: str, month: str, calls: int) -> int:
        """Return calls that were leased and not made; what is leased after that."""

        def returned(before: StoredUsage | None) -> StoredUsage | None:
            if before is None:
                return None
            return msgspec.structs.replace(before, leased=max(0, before.leased - calls))

        _, after = await self._change(account, month, returned)
        return after.leased if after else 0

    async def newest_month(self) -> str | None:
        """The month in which calls were counted last; None before the first."""
        stored = await self._engine.get("usage", NEWEST_MONTH, StoredUsage)
        return stored.source.month if stored and stored.source else None

    async def turn_month(self, before: str | None, month: str) -> str:
        """Store the month in which calls are counted; the one that stands then.

        Where another worker has turned it from `before` meanwhile, that stands.
        """

        def turned(found: StoredUsage | None) -> StoredUsage | None:
            if (found.month if found else None) != before:
                return found
            return StoredUsage("", month, 0)

        changed = await change(
            self._engine, "usage", NEWEST_MONTH, StoredUsage, turned, _TRIES, visible=False
        )
        return changed.after.month if changed.after else month

    async def _change(
        self,
        account: str,
        month: str,
        changed: Callable[[StoredUsage | None], StoredUsage | None],
    ) -> Change[StoredUsage]:
        key = usage_id(account, month)
        return await change(self._engine, "usage", key, StoredUsage, changed, _TRIES, visible=False)


def _share(left: int, wanted: int) -> int:
    return min(left, max(1, min(wanted, left // _PART)))
