"""The history of data calls: written in batches, beside the answers, and kept for some months.

A clock that jumped says nothing about what may be deleted, and on one machine Elasticsearch's jumps
with it. So months are counted from what was written before: decision 0021.

A worker that is killed loses what it has not written yet, about the last second.
"""

import asyncio
import itertools
import logging
import secrets
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime

from edgar_search.access.api_keys import without_keys
from edgar_search.access.quota import month_after, months_before
from edgar_search.engine import bulk_lines
from edgar_search.engine.engine import BulkItem, Engine
from edgar_search.engine.freshness import INTERVAL, SharedWork
from edgar_search.engine.index_names import month_of, parse_index_name, write_alias
from edgar_search.errors import EdgarSearchError, EngineUnavailable, SettingsError
from edgar_search.metrics.meters import HISTORY_WAITING
from edgar_search.settings import Settings
from edgar_search.stored.accounts import StoredCall


def oldest_kept(written: Collection[str], clocks: Sequence[str], months: int) -> str:
    """The first month that is kept if `months` before the current one are.

    `written` are the months that have entries, `clocks` what clocks say the month is.
    """
    return months_before(_trusted_month(written, min(clocks), months), months)


def _trusted_month(written: Collection[str], clock: str, months: int) -> str:
    """The clock's month if it follows what was written before, else the newest written."""
    # What this clock itself has written proves nothing.
    earlier = [month for month in _longest_run(written, months) if month != clock]
    if not earlier or clock <= month_after(earlier[-1]):
        return clock
    return earlier[-1]


def _longest_run(written: Collection[str], gap: int) -> list[str]:
    """Months in order, none more than `gap` after the one before; of equal runs the earliest.

    What was written under a clock that was far off stands apart.
    """
    runs: list[list[str]] = []
    for month in sorted(written):
        if runs and months_before(month, gap) <= runs[-1][-1]:
            runs[-1].append(month)
        else:
            runs.append([month])
    return max(runs, key=len, default=[])


_log = logging.getLogger(__name__)

FLUSH_SECONDS = 0.5
# How long a reader of the history waits until it has all that was called before, in seconds.
SHOW_SECONDS = 5.0
# How long a worker that stops tries to write what Elasticsearch does not take at once, in seconds.
CLOSE_SECONDS = 5.0
# Calls that wait for an Elasticsearch that is away; beyond, the oldest are lost.
MAX_WAITING = 20_000
_BATCH = 1_000
# What is kept of a call's parameters.
MAX_VALUE = 1_000
MAX_VALUES = 100
# A cursor has its query in it, as it was sent: of it the signature, which tells cursors apart.
_LONGEST = {"cursor": 22}
# Elasticsearch is busy, its shards are not there yet, or the month's index was deleted.
_NOT_NOW = frozenset({404, 429, 503})


class CallLog:
    """The history that one worker writes."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        self._engine = engine
        self._prefix = settings.prefix
        self._months = settings.history_months
        self._waiting: list[StoredCall] = []
        self._recorded = 0
        self._ready: set[str] = set()
        self._flushing = asyncio.Lock()
        self._worker = secrets.token_hex(8)
        self._numbers = itertools.count()
        self._written_at = float("-inf")
        self._refresh = SharedWork(lambda: engine.refresh("history"))

    def new_id(self) -> str:
        """An id that no other call has."""
        return f"{self._worker}-{next(self._numbers)}"

    def record(self, call: StoredCall) -> None:
        """Write this call soon."""
        self._waiting.append(call)
        self._recorded += 1

    async def run_forever(self) -> None:
        """Write what is recorded, for as long as the worker lives."""
        waits = False
        while True:
            await asyncio.sleep(FLUSH_SECONDS)
            try:
                await self.flush()
                waits = False
            except EdgarSearchError as error:
                if not waits:
                    _log.warning("the history of %d calls waits: %s", len(self._waiting), error)
                waits = True
            HISTORY_WAITING.set(len(self._waiting))

    async def flush(self) -> None:
        """Write all that was recorded until now; EngineUnavailable leaves it waiting.

        What is recorded meanwhile is left to the next flush, so that this one ends.
        """
        until = self._recorded
        async with self._flushing:
            # Calls are settled in the order in which they were recorded.
            while self._recorded - len(self._waiting) < until:
                batch = self._waiting[:_BATCH]
                try:
                    failed = await self._write(batch)
                except EdgarSearchError:
                    self._bound()
                    raise
                self._written_at = time.monotonic()
                self._waiting[: len(batch)] = self._still_waiting(batch, failed)
                if failed:
                    self._bound()
                    return

    async def show(self) -> None:
        """Write all that was recorded until now, and return once it can be found.

        What others wrote can be found after `shared_work.INTERVAL` at the latest. Raises
        EngineUnavailable after `SHOW_SECONDS`.
        """
        try:
            async with asyncio.timeout(SHOW_SECONDS):
                await self.flush()
                await self._refresh.done_since(max(self._written_at, time.monotonic() - INTERVAL))
        except TimeoutError:
            raise EngineUnavailable(
                "the history could not be written in time; try again later"
            ) from None

    async def close(self) -> None:
        """Write the rest; what Elasticsearch does not take within `CLOSE_SECONDS` is lost."""
        until = time.monotonic() + CLOSE_SECONDS
        while self._waiting:
            try:
                await self.flush()
            except EdgarSearchError as error:
                _log.warning("the history of %d calls waits: %s", len(self._waiting), error)
            if time.monotonic() >= until:
                break
            if self._waiting:
                await asyncio.sleep(FLUSH_SECONDS)
        if self._waiting:
            _log.error("the history of %d calls is lost", len(self._waiting))

    async def _write(self, batch: Sequence[StoredCall]) -> list[tuple[int, BulkItem]]:
        for month in {month_of(call.at.date()) for call in batch}:
            await self._ensure(month)
        lines = []
        for call in batch:
            alias = write_alias(self._prefix, "history", month_of(call.at.date()))
            lines.append(bulk_lines.create(alias, call.id, call))
        return await self._engine.bulk(b"".join(lines))

    def _still_waiting(
        self, batch: Sequence[StoredCall], failed: list[tuple[int, BulkItem]]
    ) -> list[StoredCall]:
        """The calls that Elasticsearch had no time for; what stands already is written."""
        waiting = []
        for place, item in failed:
            if item.status in _NOT_NOW:
                self._ready.clear()  # The month's index may have been deleted.
                waiting.append(batch[place])
            elif not item.conflict:
                _log.error("a call could not be kept: %s", item.error.type if item.error else "")
        return waiting

    def _bound(self) -> None:
        lost = len(self._waiting) - MAX_WAITING
        if lost > 0:
            _log.error("the history of %d calls is lost: Elasticsearch is away for too long", lost)
            del self._waiting[:lost]

    async def _ensure(self, month: str) -> None:
        if month in self._ready:
            return
        await self._engine.ensure_partition("history", month)
        await self._drop_old()
        self._ready.add(month)

    async def _drop_old(self) -> None:
        """Delete the indices of months that are older than the history is kept."""
        found = await self._engine.administer("GET", f"/{self._prefix}history.*/_alias") or {}
        indices = dict(self._months_of(found))
        written, here = set(indices.values()), month_of(datetime.now(UTC).date())
        if not any(month < oldest_kept(written, [here], self._months) for month in written):
            return
        # Something is too old by this machine's clock; another one must say so too.
        there = month_of((await self._engine.now("history", "at")).date())
        oldest = oldest_kept(written, [here, there], self._months)
        for name, month in indices.items():
            if month < oldest:
                _log.warning("the history of %s is deleted: %s", month, name)
                await self._engine.administer("DELETE", f"/{name}")

    def _months_of(self, indices: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Each index of the history with its month."""
        for name in indices:
            with suppress(SettingsError):  # Another installation's, whose prefix begins with ours.
                yield name, parse_index_name(self._prefix, name).partition


def kept_parameters(raw: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Parameters as the history keeps them: no keys, and not endless."""
    return {
        without_keys(name[:MAX_VALUE]): [
            without_keys(value)[: _LONGEST.get(name, MAX_VALUE)] for value in values[:MAX_VALUES]
        ]
        for name, values in itertools.islice(raw.items(), MAX_VALUES)
    }
