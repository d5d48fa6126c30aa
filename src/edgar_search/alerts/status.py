"""How alerts stand, for operators."""

from datetime import UTC, datetime

from msgspec import Struct

from edgar_search.alerts.arrivals import Arrivals
from edgar_search.alerts.matcher import LEASE
from edgar_search.engine.engine import Engine
from edgar_search.stored.lease import StoredLease


class Status(Struct):
    """Arrivals that wait, and since when the oldest does; those matched in the last 24 hours, and
    the percentiles of their lag from searchable to notified in seconds; who matches."""

    waiting: int
    oldest_waiting: datetime | None
    matched_last_24_hours: int
    lag_seconds: dict[str, float | None]
    holder: str | None
    epoch: int
    renewed_at: datetime | None


async def status(engine: Engine) -> Status:
    """How alerts stand now."""
    lag = await Arrivals(engine).lag(datetime.now(UTC))
    stored = await engine.get("leases", LEASE, StoredLease)
    lease = stored.source if stored is not None else None
    return Status(
        waiting=lag.waiting,
        oldest_waiting=lag.oldest,
        matched_last_24_hours=lag.matched,
        lag_seconds={_name(percent): value for percent, value in lag.percentiles.items()},
        holder=lease.holder or None if lease else None,
        epoch=lease.epoch if lease else 0,
        renewed_at=lease.renewed_at if lease else None,
    )


def _name(percent: str) -> str:
    return "max" if percent == "100.0" else f"p{float(percent):g}"
