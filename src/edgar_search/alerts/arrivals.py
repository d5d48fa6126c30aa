"""Arrivals: searchable documents that wait to be matched against alert triggers.

Loads write them; their order is that of the one shard's sequence numbers, so that no clocks of
different machines are compared.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from msgspec import Struct, field, structs

from edgar_search.engine.engine import Engine, Stored
from edgar_search.stored.user_items import MARK, MATCHED, WAITING, LogPosition, StoredArrival

KEPT = timedelta(days=30)
_PRUNED = 1_000
# What the percentiles of the lag are of.
LAG_TIME = timedelta(hours=24)
PERCENTS = (50.0, 90.0, 99.0, 100.0)

Arrival = Stored[StoredArrival]


class Lag(NamedTuple):
    """How long documents waited, from searchable to notified, and what waits still.

    `percentiles` are seconds by percent; `oldest` is None if nothing waits.
    """

    waiting: int
    oldest: datetime | None
    matched: int
    percentiles: dict[str, float | None]


class _Value(Struct):
    value_as_string: str | None = None


class _Waiting(Struct):
    oldest: _Value
    count: int = field(name="doc_count")


class _Percentiles(Struct):
    values: dict[str, float | None]


class _Matched(Struct):
    lag: _Percentiles
    count: int = field(name="doc_count")


class _Aggregations(Struct):
    waiting: _Waiting
    matched: _Matched


class Arrivals:
    """The arrivals of an installation."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    async def place(self) -> LogPosition:
        """The place after everything that has arrived; what arrives from now on comes after it."""
        # In this order: were the index made anew in between, the place would mean nothing there,
        # and what means nothing hides no document.
        index = await self._engine.index_id("arrivals")
        mark = StoredArrival(MARK, datetime.now(UTC))
        written = await self._engine.put("arrivals", MARK, mark, visible=False)
        return LogPosition(index, written.seq_no)

    async def index_id(self) -> str:
        """The id of the index in whose order arrivals stand now."""
        return await self._engine.index_id("arrivals")

    async def refresh(self) -> None:
        """Let `waiting` have all that has arrived until now."""
        await self._engine.refresh("arrivals")

    async def waiting(self, size: int, after: Arrival | None = None) -> list[Arrival]:
        """Up to `size` arrivals that wait, oldest first, those behind `after`."""
        body = waiting_body(size, None if after is None else after.source)
        reply = await self._engine.search("arrivals", body, Arrival)
        return reply.hits.hits

    async def matched(self, arrivals: Sequence[Arrival], at: datetime) -> int:
        """Note that these were matched; the number of those that somebody else came before at."""
        changes = [(each, _as_matched(each, at)) for each in arrivals]
        return len(await self._engine.replace_many("arrivals", changes))

    async def prune(self, now: datetime) -> int:
        """Delete what was matched longer ago than `KEPT`; the number of entries."""
        pruned = 0
        while True:
            body = old_body(now - KEPT, _PRUNED)
            found = (await self._engine.search("arrivals", body, Arrival)).hits.hits
            pruned += len(found) - await self._engine.delete_many("arrivals", found)
            if len(found) < _PRUNED:
                return pruned

    async def lag(self, now: datetime) -> Lag:
        """What waits, and how long what was matched in the last 24 hours had waited."""
        body = lag_body(now - LAG_TIME)
        await self._engine.refresh("arrivals")
        found = await self._engine.aggregate("arrivals", body, _Aggregations)
        oldest = found.waiting.oldest.value_as_string
        return Lag(
            found.waiting.count,
            None if oldest is None else datetime.fromisoformat(oldest),
            found.matched.count,
            found.matched.lag.values,
        )


def waiting_body(size: int, after: StoredArrival | None) -> dict[str, Any]:
    """Arrivals that wait, oldest first."""
    body: dict[str, Any] = {
        "query": {"bool": {"filter": [{"term": {"state": WAITING}}]}},
        "size": size,
        "sort": [{"arrived_at": "asc"}, {"document_id": "asc"}],
        "seq_no_primary_term": True,
        "track_total_hits": False,
    }
    if after is not None:
        body["search_after"] = [_format_time(after.arrived_at), after.document_id]
    return body


def old_body(before: datetime, size: int) -> dict[str, Any]:
    """Arrivals that were matched before a time."""
    old = {"range": {"matched_at": {"lt": _format_time(before)}}}
    return {
        "query": {"bool": {"filter": [{"term": {"state": MATCHED}}, old]}},
        "size": size,
        "seq_no_primary_term": True,
        "track_total_hits": False,
    }


def lag_body(since: datetime) -> dict[str, Any]:
    """The number that waits and the oldest of them; the lag of those matched since a time."""
    recent = {"range": {"matched_at": {"gte": _format_time(since)}}}
    return {
        "size": 0,
        "aggs": {
            "waiting": {
                "filter": {"term": {"state": WAITING}},
                "aggs": {"oldest": {"min": {"field": "arrived_at"}}},
            },
            "matched": {
                "filter": {"bool": {"filter": [{"term": {"state": MATCHED}}, recent]}},
                "aggs": {"lag": {"percentiles": {"field": "lag", "percents": list(PERCENTS)}}},
            },
        },
    }


def _as_matched(arrival: Arrival, at: datetime) -> StoredArrival:
    assert arrival.source is not None
    # Clocks of two machines may differ by more than the wait.
    lag = max(0.0, (at - arrival.source.arrived_at).total_seconds())
    return structs.replace(arrival.source, state=MATCHED, matched_at=at, lag=lag)


def _format_time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")
