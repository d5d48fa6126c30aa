"""Readers of the log, each run by one process at a time: their positions and pending work."""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from msgspec import structs

from edgar_search.engine.engine import Engine, Stored
from edgar_search.stored.events import READER, ReaderState, StoredEvent

# Lags are counted in steps, of which this many double the lag: a step is 9 % wide.
_STEPS = 8
_SHORTEST = 0.001
LAG_HOURS = 24


class LogReader:
    """The stored state of the reader with this name."""

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine = engine
        self._key = f"{READER} {name}"
        self._stored: Stored[StoredEvent] | None = None

    async def read(self) -> ReaderState:
        """Read the state; a new reader begins at the start of the log."""
        self._stored = await self._engine.get("events", self._key, StoredEvent)
        entry = self._stored.source if self._stored is not None else None
        return (entry.reader if entry is not None else None) or ReaderState()

    async def write(self, state: ReaderState) -> None:
        """Replace the state that was read; Conflict if another process changed it meanwhile."""
        entry = StoredEvent(READER, datetime.now(UTC), reader=state)
        if self._stored is None:
            created = self._engine.create("events", self._key, entry, visible=False)
        else:
            created = self._engine.replace("events", self._stored, entry, visible=False)
        self._stored = await created


def add_lags(state: ReaderState, lags: Sequence[float], now: datetime) -> ReaderState:
    """Count this hour's lags, in seconds, and forget yesterday's."""
    hour = int(now.timestamp() // 3600)
    counts = dict(state.lags.get(hour, {}))
    for lag in lags:
        step = round(math.log2(max(_SHORTEST, lag)) * _STEPS)
        counts[step] = counts.get(step, 0) + 1
    kept = {
        stored_hour: steps
        for stored_hour, steps in state.lags.items()
        if stored_hour > hour - LAG_HOURS
    }
    return structs.replace(state, lags=kept | ({hour: counts} if counts else {}))


def lag_percentiles(
    state: ReaderState, percents: Mapping[str, float], now: datetime
) -> tuple[int, dict[str, float | None]]:
    """Return how many lags the last 24 hours have, and their percentiles in seconds."""
    hour = int(now.timestamp() // 3600)
    total: dict[int, int] = {}
    for stored_hour, steps in state.lags.items():
        if stored_hour > hour - LAG_HOURS:
            for step, count in steps.items():
                total[step] = total.get(step, 0) + count
    number = sum(total.values())
    return number, {
        name: _percentile(total, number, stored_hour) for name, stored_hour in percents.items()
    }


def _percentile(counts: Mapping[int, int], number: int, percent: float) -> float | None:
    rank = 0
    for step in sorted(counts):
        rank += counts[step]
        if rank >= number * percent / 100:
            return float(2 ** (step / _STEPS))
    return None
