"""A lease lets one process at a time do something, even if processes are paused and continued.

A waiter takes the lease only after it has seen one revision for the whole expiry time by its own
clock, so no clocks are compared. Each write of the lease is refused unless the revision is
unchanged.
"""

import asyncio
import time
from contextlib import suppress
from datetime import UTC, datetime

from msgspec import structs

from edgar_search.engine.engine import Engine, Stored
from edgar_search.errors import Conflict, EdgarSearchError
from edgar_search.stored.installation import StoredLease

# A holder renews its lease after this fraction of its time.
_RENEWED_AFTER = 1 / 3


class LeaseLost(EdgarSearchError):
    """Another process has taken the lease; work that needs it must stop."""


class Lease:
    """One process's hold on the lease of a name; it expires after `seconds`."""

    def __init__(self, engine: Engine, name: str, holder: str, seconds: float) -> None:
        self._engine = engine
        self._name = name
        self._holder = holder
        self._seconds = seconds
        self._held: Stored[StoredLease] | None = None
        self._renewed = 0.0
        self._seen: tuple[int, float] = (-1, 0.0)
        self._renewing = asyncio.Lock()

    @property
    def held(self) -> bool:
        """True if this process has taken the lease and has not noticed a loss."""
        return self._held is not None

    async def take(self) -> bool:
        """Take the lease if it is free or has expired; return True if this process holds it now."""
        began = time.monotonic()
        stored = await self._engine.get("leases", self._name, StoredLease)
        try:
            if stored is None or stored.source is None:
                lease = self._lease(epoch=1, revision=1)
                self._held = await self._engine.create("leases", self._name, lease, visible=False)
            elif stored.source.holder in ("", self._holder) or self._has_expired(stored):
                before = stored.source
                lease = self._lease(before.epoch + 1, before.revision + 1)
                self._held = await self._engine.replace("leases", stored, lease, visible=False)
        except Conflict:
            return False  # Another waiter was faster.
        self._renewed = began
        return self.held

    async def hold(self) -> None:
        """Make sure that the lease is still held, and stays so for most of its time from now on.

        Raises LeaseLost if it is lost.
        """
        async with self._renewing:
            if self._held is None:
                raise LeaseLost(f"the lease {self._name} is not held")
            began = time.monotonic()
            if began - self._renewed > self._seconds * _RENEWED_AFTER:
                await self._write(self._holder)
                self._renewed = began

    async def keep(self) -> None:
        """Keep renewing the lease until cancelled.

        A failure shows when the lease is next used.
        """
        while True:
            await asyncio.sleep(self._seconds * _RENEWED_AFTER)
            with suppress(EdgarSearchError):
                await self.hold()

    def forget(self) -> None:
        """Treat the lease as lost; `take` may take it again."""
        self._held = None

    async def release(self) -> None:
        """Let others take it at once."""
        async with self._renewing:
            if self._held is not None:
                await self._write("")
                self._held = None

    async def _write(self, holder: str) -> None:
        assert self._held is not None and self._held.source is not None
        before = self._held.source
        lease = self._lease(before.epoch, before.revision + 1)
        lease = structs.replace(lease, holder=holder)
        try:
            self._held = await self._engine.replace("leases", self._held, lease, visible=False)
        except Conflict:
            self._held = await self._own(lease)
            if self._held is None:
                raise LeaseLost(f"another process has taken the lease {self._name}") from None

    async def _own(self, lease: StoredLease) -> Stored[StoredLease] | None:
        """Return the stored lease if we wrote it: a write whose reply was lost succeeded."""
        stored = await self._engine.get("leases", self._name, StoredLease)
        if stored is None or stored.source is None:
            return None
        stored_lease = stored.source
        ours = (stored_lease.epoch, stored_lease.revision, stored_lease.holder) == (
            lease.epoch,
            lease.revision,
            lease.holder,
        )
        return stored if ours else None

    def _has_expired(self, stored: Stored[StoredLease]) -> bool:
        """True if this process has seen the same revision for the lease's whole time."""
        assert stored.source is not None
        seq_no, since = self._seen
        if seq_no != stored.seq_no:
            self._seen = (stored.seq_no, time.monotonic())
            return False
        return time.monotonic() - since > stored.source.seconds

    def _lease(self, epoch: int, revision: int) -> StoredLease:
        return StoredLease(self._holder, epoch, revision, self._seconds, datetime.now(UTC))
