"""Readers of the log that one process at a time keeps: the position, and what is left of before."""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from msgspec import structs

from edgar_search.engine.engine import Engine, Stored
from edgar_search.stored.events import READER, ReaderState, StoredEvent

# Steps of a lag for each time that it doubles; a step is 9 % wide.
_STEPS = 8
_SHORTEST = 0.001
LAG_HOURS = 24


class LogReader:
    """The stored state of the reader of a name."""

    def __init__(self, engine: Engine, name: str) -> None:
        self._engine = engine
        self._key = f"{READER} {name}"
        self._stored: Stored[StoredEvent] | None = None

    async def read(self) -> ReaderState:
        """Read the state; a new reader begins at the beginning of the log."""
        self._stored = await self._engine.get("events", self._key, StoredEvent)
        entry = self._stored.source if self._stored is not None else None
        return (entry.reader if entry is not None else None) or ReaderState()

    async def write(self, state: ReaderState) -> None:
        """Write the state in the place of the one that was read; Conflict if that was changed."""
        entry = StoredEvent(READER, datetime.now(UTC), reader=state)
        if self._stored is None:
            made = self._engine.create("events", self._key, entry, visible=False)
        else:
            made = self._engine.replace("events", self._stored, entry, visible=False)
        self._stored = await made


def add_lags(state: ReaderState, lags: Sequence[float], now: datetime) -> ReaderState:
    """Count the lags in seconds of what was done in this hour; forget yesterday's."""
    hour = int(now.timestamp() // 3600)
    counts = dict(state.lags.get(hour, {}))
    for lag in lags:
        step = round(math.log2(max(_SHORTEST, lag)) * _STEPS)
        counts[step] = counts.get(step, 0) + 1
    kept = {each: steps for each, steps in state.lags.items() if each > hour - LAG_HOURS}
    return structs.replace(state, lags=kept | ({hour: counts} if counts else {}))


def lag_percentiles(
    state: ReaderState, percents: Mapping[str, float], now: datetime
) -> tuple[int, dict[str, float | None]]:
    """Return the number of lags of the last 24 hours, and these percentiles in seconds."""
    hour = int(now.timestamp() // 3600)
    total: dict[int, int] = {}
    for each, steps in state.lags.items():
        if each > hour - LAG_HOURS:
            for step, count in steps.items():
                total[step] = total.get(step, 0) + count
    number = sum(total.values())
    return number, {name: _percentile(total, number, each) for name, each in percents.items()}


def _percentile(counts: Mapping[int, int], number: int, percent: float) -> float | None:
    rank = 0
    for step in sorted(counts):
        rank += counts[step]
        if rank >= number * percent / 100:
            return float(2 ** (step / _STEPS))
    return None
