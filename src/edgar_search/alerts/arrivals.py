"""Arrivals: documents of the event log to match against alert triggers.

Before the log existed, loads wrote arrivals to an index of their own. Those still pending there are
appended to the log, and are read before everything else in it.
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from msgspec import structs

from edgar_search.engine.engine import Engine, Stored
from edgar_search.events.log import Event, EventLog
from edgar_search.stored.events import PendingArrival, StoredEvent
from edgar_search.stored.user_items import EVENTS, MATCHED, WAITING, LogPosition, StoredArrival

_BATCH = 500


def arrivals_of(events: Sequence[Event]) -> list[PendingArrival]:
    """Return the documents that arrived by these events, in order."""
    return [
        PendingArrival(
            document_id,
            event.accession_number,
            event.at,
            event.arrival or LogPosition(EVENTS, position),
        )
        for position, event in events
        for document_id in event.arrived
    ]


async def carry_over(engine: Engine) -> int:
    """Append pending arrivals from their old index to the log; return how many.

    Each arrival is marked after its event was appended. The event's id is derived from the arrival,
    so a repeated attempt adds no second event.
    """
    log, carried = EventLog(engine), 0
    await engine.refresh("arrivals")
    while waiting := (
        await engine.search("arrivals", waiting_body(_BATCH), Stored[StoredArrival])
    ).hits.hits:
        index = await engine.index_id("arrivals")
        await log.append([_event(arrival, index) for arrival in waiting])
        now = datetime.now(UTC)
        changes = [
            (arrival, structs.replace(_source(arrival), state=MATCHED, matched_at=now))
            for arrival in waiting
        ]
        carried += len(waiting) - len(await engine.replace_many("arrivals", changes))
    return carried


def waiting_body(size: int) -> dict[str, Any]:
    """Build the search for pending arrivals, oldest first."""
    return {
        "query": {"bool": {"filter": [{"term": {"state": WAITING}}]}},
        "size": size,
        "sort": [{"arrived_at": "asc"}, {"document_id": "asc"}],
        "seq_no_primary_term": True,
        "track_total_hits": False,
    }


def _event(arrival: Stored[StoredArrival], index: str) -> tuple[str, StoredEvent]:
    source = _source(arrival)
    event = StoredEvent(
        "loaded",
        source.arrived_at,
        source.accession_number,
        documents=[source.document_id],
        arrived=[source.document_id],
        arrivals=1,
        arrival=LogPosition(index, arrival.seq_no),
    )
    return f"arrival {source.document_id}", event


def _source(arrival: Stored[StoredArrival]) -> StoredArrival:
    assert arrival.source is not None
    return arrival.source
