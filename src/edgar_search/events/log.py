"""The event log: events are appended under ids, and read in the order of their positions.

The primary of the only shard numbers its writes, so that writers need no coordination. An event may
become visible before one with a lower number. The global checkpoint is the number up to which
everything is written, on disk and on every copy: a reader stops there, so that nothing can appear
behind it later.

Numbers are valid in one index only. Therefore a position is the sum of the number and the base of
the index's generation: whoever finds the log in another index, such as after a restore, begins a
generation above all earlier ones. A rebuild copies events with their positions.
"""

import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any, NamedTuple

from msgspec import Struct, field, structs

from edgar_search.engine.engine import Engine, Stored
from edgar_search.engine.replies import Metric
from edgar_search.errors import BadRequest, Conflict, EngineUnavailable, PositionGone
from edgar_search.stored.events import (
    ALERT,
    FILING_EVENTS,
    LOG,
    MARK,
    Generation,
    LogState,
    StoredEvent,
)

# A generation's base is the clock in microseconds, more than the number of writes ever made. If the
# clock was set back, the base is this far above the last one.
_APART = 10_000_000_000
_PAGE = 500
# Attempts to read while the log moves to another index.
_TRIES = 5
_DELETED_AT_ONCE = 1_000
_SWITCHED = "the event log is being switched to another index; try again"

Clause = dict[str, Any]


class Event(NamedTuple):
    """An event and its position."""

    position: int
    content: StoredEvent


class LogPage(NamedTuple):
    """Events in order, and the position at which to continue; `more` if the log goes on."""

    events: list[Event]
    position: int
    more: bool


class _Hit(Struct):
    """An event as a search returns it."""

    id: str = field(name="_id")
    index: str = field(name="_index")
    seq_no: int = field(name="_seq_no")
    primary_term: int = field(name="_primary_term")
    source: StoredEvent = field(name="_source")


class _Rest(Struct):
    arrivals: Metric
    oldest: Metric


class Rest(NamedTuple):
    """The number of documents that arrived after a position, and the time of the first."""

    arrivals: int
    oldest: datetime | None


class EventLog:
    """The log of an installation."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._state: LogState | None = None

    async def append(self, events: Sequence[tuple[str, StoredEvent]]) -> int:
        """Append events under their ids; return how many are new."""
        return await self._engine.create_many("events", events)

    async def end(self) -> int:
        """Return the position of the end: no event will appear at or below it."""
        end = await self._engine.log_end("events")
        return position_at(await self._state_of(end.id), end.seq_no)

    async def state(self) -> LogState:
        """Return the state of the log in its present index."""
        return await self._state_of(await self._engine.index_id("events"))

    async def mark(self) -> int:
        """Return a position above all events acknowledged before, and below all later ones."""
        for _ in range(_TRIES):
            index = await self._engine.index_id("events")
            state = await self._state_of(index)
            mark = StoredEvent(MARK, datetime.now(UTC))
            written = await self._engine.put("events", MARK, mark, visible=False)
            if await self._engine.index_id("events") == index:
                return position_at(state, written.seq_no)
        raise EngineUnavailable(_SWITCHED)

    async def require(self, position: int) -> None:
        """Raise PositionGone if events after a position were deleted, BadRequest past the end."""
        await self._require_kept(position)
        if position > await self.end():
            raise BadRequest(f"`after` is {position}, which is after the end of the log")

    async def page(
        self,
        after: int,
        size: int = _PAGE,
        *,
        kinds: Sequence[str] = (*FILING_EVENTS, ALERT),
        account: str | None = None,
    ) -> LogPage:
        """Read up to `size` events after a position, in order, of one account or of all.

        Raises PositionGone if events after the position were deleted.
        """
        for _ in range(_TRIES):
            end = await self._engine.log_end("events")
            state = await self._state_of(end.id)
            last = position_at(state, end.seq_no)
            if last <= after:
                return LogPage([], after, False)
            await self._engine.refresh("events")
            body = page_body(state, after, end.seq_no, size, kinds, account)
            hits = (await self._engine.search("events", body, _Hit)).hits.hits
            if any(hit.index != end.name for hit in hits):
                continue
            # Checked after the search: events deleted before it are below the floor by now.
            await self._require_kept(after)
            events = [Event(_position_of(hit, state), hit.source) for hit in hits]
            more = len(hits) == size
            return LogPage(events, events[-1].position if more else last, more)
        raise EngineUnavailable(_SWITCHED)

    async def rest(self, after: int) -> Rest:
        """Count the documents that arrived after a position."""
        end = await self._engine.log_end("events")
        state = await self._state_of(end.id)
        await self._engine.refresh("events")
        body = page_body(state, after, end.seq_no, 0, FILING_EVENTS, None)
        del body["sort"]
        aggregations = {
            "arrivals": {"sum": {"field": "arrivals"}},
            "oldest": {"min": {"field": "at"}},
        }
        response = await self._engine.aggregate("events", body | {"aggs": aggregations}, _Rest)
        oldest = response.oldest.text
        number = int(response.arrivals.value or 0)
        return Rest(number, datetime.fromisoformat(oldest) if oldest and number else None)

    async def prune(self, before: datetime, until: int) -> int:
        """Delete events older than `before`, up to the position `until`; return how many."""
        deleted = 0
        while True:
            end = await self._engine.log_end("events")
            state = await self._state_of(end.id)
            kinds = (*FILING_EVENTS, ALERT)
            body = page_body(state, 0, end.seq_no, _DELETED_AT_ONCE, kinds, None)
            hits = (await self._engine.search("events", body, _Hit)).hits.hits
            old: list[_Hit] = []
            for hit in hits:
                if hit.source.at >= before or _position_of(hit, state) > until:
                    break
                old.append(hit)
            if not old:
                return deleted
            # The floor first, so that no reader mistakes deleted events for events that never were.
            await self._raise_floor(_position_of(old[-1], state))
            stored = [Stored(hit.id, True, hit.source, hit.seq_no, hit.primary_term) for hit in old]
            deleted += len(old) - await self._engine.delete_many("events", stored)

    async def _require_kept(self, position: int) -> None:
        stored = await self._engine.get("events", LOG, StoredEvent)
        log = stored.source.log if stored and stored.source else None
        if log is not None and position < log.floor:
            raise PositionGone(position, log.floor)

    async def _raise_floor(self, floor: int) -> None:
        while True:
            stored = await self._engine.get("events", LOG, StoredEvent)
            assert stored is not None and stored.source is not None and stored.source.log
            entry, log = stored.source, stored.source.log
            if log.floor >= floor:
                return
            raised = structs.replace(entry, log=structs.replace(log, floor=floor))
            try:
                await self._engine.replace("events", stored, raised, visible=False)
                return
            except Conflict:
                continue

    async def _state_of(self, index: str) -> LogState:
        """Return the state of the log in this index; begin a generation if the index is new."""
        while self._state is None or self._state.generations[-1].index != index:
            stored = await self._engine.get("events", LOG, StoredEvent)
            log = stored.source.log if stored is not None and stored.source is not None else None
            if log is not None and log.generations[-1].index == index:
                self._state = log
                break
            # Events that came with a restored index keep their positions.
            first = 0 if log is None else (await self._engine.log_end("events")).seq_no + 1
            log = next_generation(log, index, first, time.time())
            entry = StoredEvent(LOG, datetime.now(UTC), log=log)
            try:
                if stored is None:
                    await self._engine.create("events", LOG, entry, visible=False)
                else:
                    await self._engine.replace("events", stored, entry, visible=False)
            except Conflict:
                continue  # Another process was first; read its state.
            if await self._engine.index_id("events") != index:
                raise EngineUnavailable(_SWITCHED)
        return self._state


def next_generation(log: LogState | None, index: str, first: int, now: float) -> LogState:
    """Add a generation for another index, with a base above all earlier positions."""
    earlier = log or LogState([])
    base = int(now * 1_000_000)
    if earlier.generations:
        base = max(base, earlier.generations[-1].base + _APART)
    return structs.replace(
        earlier, generations=[*earlier.generations, Generation(index, first, base)]
    )


def position_at(state: LogState, seq_no: int) -> int:
    """Return the position of a sequence number; in an empty log, the one before its first."""
    for generation in reversed(state.generations):
        if generation.first <= seq_no:
            return generation.base + seq_no
    return state.generations[0].base + seq_no


def sequence_after(state: LogState, position: int) -> int:
    """Return the highest sequence number at or before a position; -1 if there is none."""
    until = None
    for generation in reversed(state.generations):
        if position >= generation.base + generation.first:
            number = position - generation.base
            return number if until is None else min(number, until - 1)
        until = generation.first
    return -1


def page_body(
    state: LogState, after: int, end: int, size: int, kinds: Sequence[str], account: str | None
) -> Clause:
    """Build the search for events after a position and up to another, in order."""
    written_here = {
        "bool": {
            "filter": [{"range": {"_seq_no": {"gt": sequence_after(state, after), "lte": end}}}],
            "must_not": [{"exists": {"field": "position"}}],
        }
    }
    copied = {"range": {"position": {"gt": after}}}
    clauses: list[Clause] = [
        {"terms": {"kind": list(kinds)}},
        {"bool": {"should": [written_here, copied], "minimum_should_match": 1}},
    ]
    if account is not None:
        clauses.append({"term": {"account": account}})
    return {
        "query": {"bool": {"filter": clauses}},
        "size": size,
        # Copied events come before all that were written to this index.
        "sort": [{"position": {"order": "asc", "missing": "_last"}}, {"_seq_no": "asc"}],
        "seq_no_primary_term": True,
        "track_total_hits": False,
    }


def _position_of(hit: _Hit, state: LogState) -> int:
    own = hit.source.position
    return position_at(state, hit.seq_no) if own is None else own


def copied_entry(source: Clause, seq_no: int, log: LogState, new: str, now: float) -> Clause:
    """Return a document of the log for its copy in the index `new`.

    An event keeps its position; the state of the log gets a generation for the new index.
    """
    if source["kind"] == LOG:
        floor = source["log"].get("floor", 0)
        state = structs.replace(next_generation(log, new, 0, now), floor=floor)
        return {**source, "log": state}
    return {**source, "position": source.get("position", position_at(log, seq_no))}
