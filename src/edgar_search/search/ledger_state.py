"""How far the ledger is, in all."""

from datetime import UTC, datetime
from typing import NamedTuple

from msgspec import Struct

from edgar_search.engine.engine import Engine
from edgar_search.search.bodies.coverage import LEDGER_STEPS, ledger_body


class LedgerState(NamedTuple):
    """Submissions by their status, when one was loaded last, and how long they took of late.

    `steps` are when submissions were last listed by EDGAR ("list"), fetched ("fetch"), and loaded
    to be found ("load"); without those that never were.
    `lags` are the percentiles of seconds from EDGAR's listing to being searchable, of what became
    so in the last day, by their percent; None where nothing did. `oldest_pending` is when a load
    began with the one that has been half loaded for longest.
    """

    submissions: dict[str, int]
    newest: datetime | None
    lags: dict[str, float | None]
    steps: dict[str, datetime]
    oldest_pending: datetime | None = None


class _Bucket(Struct):
    key: str
    doc_count: int


class _Buckets(Struct):
    buckets: list[_Bucket]


class _Value(Struct):
    value: float | None = None


class _Percentiles(Struct):
    values: dict[str, float | None]


class _Day(Struct):
    lag: _Percentiles


class _Pending(Struct):
    since: _Value


class _Ledger(Struct):
    status: _Buckets
    newest: _Value
    list: _Value
    fetch: _Value
    load: _Value
    day: _Day
    pending: _Pending


async def ledger_state(engine: Engine) -> LedgerState:
    """How far the ledger is now; one engine request."""
    found = await engine.aggregate("ledger", ledger_body(), _Ledger)
    steps = {step: _moment(getattr(found, step)) for step in LEDGER_STEPS}
    return LedgerState(
        {bucket.key: bucket.doc_count for bucket in found.status.buckets},
        _moment(found.newest),
        found.day.lag.values,
        {step: moment for step, moment in steps.items() if moment is not None},
        _moment(found.pending.since),
    )


def _moment(found: _Value) -> datetime | None:
    return None if found.value is None else datetime.fromtimestamp(found.value / 1_000, UTC)
