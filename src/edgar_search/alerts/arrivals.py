"""Arrivals: searchable documents that wait to be matched against alert triggers.

Loads write them. Their order is that of the sequence numbers of the one shard, so that no clocks of
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
# The percentiles of the lag are of arrivals matched within this time.
LAG_TIME = timedelta(hours=24)
PERCENTS = (50.0, 90.0, 99.0, 100.0)

Arrival = Stored[StoredArrival]


class Lag(NamedTuple):
    """The times from searchable to notified of matched documents, and the documents that wait.

    `percentiles` are seconds by percent; `oldest` is None if none waits.
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

    async def position(self) -> LogPosition:
        """Return the position after everything that has arrived; later arrivals come after it."""
        # In this order: if the index is made anew in between, the position means nothing in it,
        # and such a position hides no document.
        index = await self._engine.index_id("arrivals")
        mark = StoredArrival(MARK, datetime.now(UTC))
        written = await self._engine.put("arrivals", MARK, mark, visible=False)
        return LogPosition(index, written.seq_no)

    async def index_id(self) -> str:
        """Return the id of the index that orders arrivals now."""
        return await self._engine.index_id("arrivals")

    async def refresh(self) -> None:
        """Make all arrivals until now visible to `waiting`."""
        await self._engine.refresh("arrivals")

    async def waiting(self, size: int, after: Arrival | None = None) -> list[Arrival]:
        """Find up to `size` arrivals that wait, oldest first, after the arrival `after`."""
        body = waiting_body(size, None if after is None else after.source)
        reply = await self._engine.search("arrivals", body, Arrival)
        return reply.hits.hits

    async def matched(self, arrivals: Sequence[Arrival], at: datetime) -> int:
        """Mark arrivals as matched; return how many of them another process changed first."""
        changes = [(each, _as_matched(each, at)) for each in arrivals]
        return len(await self._engine.replace_many("arrivals", changes))

    async def prune(self, now: datetime) -> int:
        """Delete arrivals matched longer ago than `KEPT`; return their number."""
        pruned = 0
        while True:
            body = old_body(now - KEPT, _PRUNED)
            found = (await self._engine.search("arrivals", body, Arrival)).hits.hits
            pruned += len(found) - await self._engine.delete_many("arrivals", found)
            if len(found) < _PRUNED:
                return pruned

    async def lag(self, now: datetime) -> Lag:
        """Measure the arrivals that wait, and the lag of those matched in the last 24 hours."""
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
    """Build the search for arrivals that wait, oldest first."""
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
    """Build the search for arrivals that were matched before a time."""
    old = {"range": {"matched_at": {"lt": _format_time(before)}}}
    return {
        "query": {"bool": {"filter": [{"term": {"state": MATCHED}}, old]}},
        "size": size,
        "seq_no_primary_term": True,
        "track_total_hits": False,
    }


def lag_body(since: datetime) -> dict[str, Any]:
    """Build the aggregations of arrivals that wait, and of the lag since a time."""
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
    # The clocks of two machines may differ by more than the wait.
    lag = max(0.0, (at - arrival.source.arrived_at).total_seconds())
    return structs.replace(arrival.source, state=MATCHED, matched_at=at, lag=lag)


def _format_time(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")
