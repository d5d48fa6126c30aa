"""The history of data calls: written in batches in the background, and kept for some months.

A clock that jumped must not decide what is deleted, and on a single machine Elasticsearch's clock
jumps with it. Therefore months are counted back from the months with entries (decision 0021).

A killed worker loses the calls not written yet, about a second's worth.
"""

import asyncio
import itertools
import logging
import secrets
import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime

from edgar_search.access.quota import month_after, months_before
from edgar_search.engine import bulk_lines
from edgar_search.engine.engine import BulkItem, Engine
from edgar_search.engine.freshness import INTERVAL, SharedWork
from edgar_search.engine.index_names import month_of, parse_index_name, write_alias
from edgar_search.errors import EdgarSearchError, EngineUnavailable, SettingsError
from edgar_search.metrics.masking import without_keys
from edgar_search.metrics.meters import HISTORY_WAITING
from edgar_search.settings import Settings
from edgar_search.stored.accounts import StoredCall


def oldest_kept(written: Collection[str], clocks: Sequence[str], months: int) -> str:
    """Return the first month that is kept, `months` before the current one.

    `written` are the months with entries, `clocks` the current month by each clock.
    """
    return months_before(_trusted_month(written, min(clocks), months), months)


def _trusted_month(written: Collection[str], clock: str, months: int) -> str:
    """Return the clock's month if it follows the written months, else the newest written month."""
    # Entries of this clock's own month may have been written under the same wrong clock.
    earlier = [month for month in _longest_run(written, months) if month != clock]
    if not earlier or clock <= month_after(earlier[-1]):
        return clock
    return earlier[-1]


def _longest_run(written: Collection[str], gap: int) -> list[str]:
    """Return the longest run of months with no gap over `gap` months; the earliest if several tie.

    Months that were written under a wrong clock are far from the run.
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
# How long, in seconds, a reader of the history waits until earlier calls are written.
SHOW_SECONDS = 5.0
# How long, in seconds, a stopping worker tries to write the pending calls.
CLOSE_SECONDS = 5.0
# Calls kept while Elasticsearch is unavailable; beyond that, the oldest are lost.
MAX_WAITING = 20_000
_BATCH = 1_000
# How many characters of a value, and how many values of a call, are kept.
MAX_VALUE = 1_000
MAX_VALUES = 100
# A cursor contains its whole query; its signature alone identifies it.
_LONGEST = {"cursor": 22}
# Elasticsearch is busy, its shards are not allocated yet, or the month's index was deleted.
_NOT_NOW = frozenset({404, 429, 503})


class CallLog:
    """The history of calls, as one worker writes it."""

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
        """Return a new unique id for a call."""
        return f"{self._worker}-{next(self._numbers)}"

    def record(self, call: StoredCall) -> None:
        """Queue a call, to be written in the next batch."""
        self._waiting.append(call)
        self._recorded += 1

    async def run_forever(self) -> None:
        """Write queued calls in batches until the worker stops."""
        waits = False
        while True:
            await asyncio.sleep(FLUSH_SECONDS)
            try:
                await self.flush()
                waits = False
            except EdgarSearchError as error:
                if not waits:
                    _log.warning(
                        "the history of %d calls could not be written yet: %s",
                        len(self._waiting),
                        error,
                    )
                waits = True
            HISTORY_WAITING.set(len(self._waiting))

    async def flush(self) -> None:
        """Write all calls queued so far; on EngineUnavailable they stay queued.

        Calls queued meanwhile are left to the next flush, so that this one ends.
        """
        until = self._recorded
        async with self._flushing:
            # Calls are written in the order in which they were queued.
            while self._recorded - len(self._waiting) < until:
                batch = self._waiting[:_BATCH]
                try:
                    failed = await self._write(batch)
                except EdgarSearchError:
                    self._drop_surplus()
                    raise
                self._written_at = time.monotonic()
                self._waiting[: len(batch)] = self._still_waiting(batch, failed)
                if failed:
                    self._drop_surplus()
                    return

    async def show(self) -> None:
        """Write all calls queued so far, and return once searches find them.

        Calls written by other workers are found within `freshness.INTERVAL`. Raises
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
        """Write the queued calls; those not written within `CLOSE_SECONDS` are lost."""
        until = time.monotonic() + CLOSE_SECONDS
        while self._waiting:
            try:
                await self.flush()
            except EdgarSearchError as error:
                _log.warning(
                    "the history of %d calls could not be written yet: %s",
                    len(self._waiting),
                    error,
                )
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
        """Return the calls to write again, except calls that an earlier attempt has written."""
        retried = []
        for index, item in failed:
            if item.status in _NOT_NOW:
                self._ready.clear()  # The month's index may have been deleted.
                retried.append(batch[index])
            elif not item.conflict:
                _log.error(
                    "a call could not be recorded: %s", item.error.type if item.error else ""
                )
        return retried

    def _drop_surplus(self) -> None:
        lost = len(self._waiting) - MAX_WAITING
        if lost > 0:
            _log.error(
                "the history of %d calls is lost: Elasticsearch has been away too long", lost
            )
            del self._waiting[:lost]

    async def _ensure(self, month: str) -> None:
        if month in self._ready:
            return
        await self._engine.ensure_partition("history", month)
        await self._drop_old()
        self._ready.add(month)

    async def _drop_old(self) -> None:
        """Delete the indices of months that are too old to keep."""
        aliases = await self._engine.administer("GET", f"/{self._prefix}history.*/_alias") or {}
        indices = dict(self._months_of(aliases))
        written, local_month = set(indices.values()), month_of(datetime.now(UTC).date())
        if not any(month < oldest_kept(written, [local_month], self._months) for month in written):
            return
        # A month is too old by this machine's clock; Elasticsearch's clock must agree.
        engine_month = month_of((await self._engine.now("history", "at")).date())
        oldest = oldest_kept(written, [local_month, engine_month], self._months)
        for name, month in indices.items():
            if month < oldest:
                _log.warning("deleting the history of %s: %s", month, name)
                await self._engine.administer("DELETE", f"/{name}")

    def _months_of(self, indices: Iterable[str]) -> Iterator[tuple[str, str]]:
        """Yield each history index of this installation with its month."""
        for name in indices:
            with suppress(SettingsError):  # Another installation's: its prefix begins with ours.
                yield name, parse_index_name(self._prefix, name).partition


def kept_parameters(raw: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
    """Return the parameters that the history keeps: bounded, and without keys."""
    return {
        without_keys(name[:MAX_VALUE]): [
            without_keys(value)[: _LONGEST.get(name, MAX_VALUE)] for value in values[:MAX_VALUES]
        ]
        for name, values in itertools.islice(raw.items(), MAX_VALUES)
    }
