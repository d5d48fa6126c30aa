"""Metrics of the installation for Prometheus, from Elasticsearch.

Metrics are looked up in the background and cached: a scrape waits for Elasticsearch for at most a
fifth of a second, and reports the age of each group.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime

from edgar_search.alerts.deliverer import DeliveriesStatus
from edgar_search.alerts.matcher import Status, status
from edgar_search.engine.backups import backups, newest_complete
from edgar_search.engine.engine import Engine
from edgar_search.engine.node_stats import NodeStats, node_stats
from edgar_search.errors import EdgarSearchError
from edgar_search.metrics.meters import Figure
from edgar_search.search.coverage import LedgerState, ledger_state
from edgar_search.search.snapshots import snapshots_by_state
from edgar_search.settings import Settings

# Figures up to this age are reused: frequent or concurrent scrapes cost one lookup.
_LIFETIME = 15.0
# A repository may be an object store, and is written to once a day.
_BACKUPS_LIFETIME = 300.0
# The seconds that one lookup may take, and that a scrape waits for lookups it has started.
_PATIENCE = 10.0
_SCRAPE_WAITS = 0.2
# A group that could not be looked up for this long is left out.
_KEPT = 300.0

Ask = Callable[[], Awaitable[list[Figure]]]


class Part:
    """Figures that are looked up and cached together."""

    def __init__(self, name: str, ask: Ask, lifetime: float = _LIFETIME) -> None:
        self.name = name
        # True if the last finished lookup succeeded.
        self.answered = False
        self._ask = ask
        self._lifetime = max(lifetime, _LIFETIME)
        self._known: list[Figure] = []
        self._known_at = self._ended_at = float("-inf")
        self._looking: asyncio.Task[None] | None = None

    @property
    def age(self) -> float | None:
        """The seconds since its figures were read; None if they are too old to report."""
        age = time.monotonic() - self._known_at
        return age if age <= max(_KEPT, 2 * self._lifetime) else None

    @property
    def figures(self) -> list[Figure]:
        """The figures of the last successful lookup."""
        return [] if self.age is None else self._known

    def look(self) -> asyncio.Task[None] | None:
        """Return the running lookup; starts one if the last has ended long enough ago."""
        if self._looking is None and time.monotonic() - self._ended_at > self._lifetime:
            self._looking = asyncio.create_task(self._look())
        return self._looking

    async def close(self) -> None:
        """Cancel the running lookup."""
        if self._looking is not None:
            self._looking.cancel()
            with suppress(asyncio.CancelledError):
                await self._looking

    async def _look(self) -> None:
        began = time.monotonic()
        try:
            async with asyncio.timeout(_PATIENCE):
                self._known = await self._ask()
            self._known_at, self.answered = began, True
        except (EdgarSearchError, TimeoutError):
            self.answered = False
        finally:
            self._ended_at, self._looking = time.monotonic(), None


class Figures:
    """The figures of one worker, looked up when they are requested."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        async def ledger() -> list[Figure]:
            return _of_ledger(await ledger_state(engine), datetime.now(UTC))

        async def alerts() -> list[Figure]:
            return _of_alerts(await status(engine), datetime.now(UTC))

        async def nodes() -> list[Figure]:
            return _of_nodes(await node_stats(engine))

        async def snapshots() -> list[Figure]:
            return [_of_snapshots(await snapshots_by_state(engine))]

        async def last_backup() -> list[Figure]:
            stored = await backups(engine, settings.backup_repository or "", settings.prefix)
            newest = newest_complete(stored)
            return [_of_backup(newest.started_at if newest else None)]

        self._ledger = Part("ledger", ledger)
        self._parts = [
            self._ledger,
            Part("alerts", alerts),
            Part("nodes", nodes),
            Part("snapshots", snapshots),
        ]
        if settings.backup_repository is not None:
            self._parts.append(Part("backups", last_backup, _BACKUPS_LIFETIME))

    async def current(self) -> list[Figure]:
        """Return all known figures; if Elasticsearch has not answered yet, only that fact."""
        looking = [task for part in self._parts if (task := part.look())]
        if looking:
            await asyncio.wait(looking, timeout=_SCRAPE_WAITS)
        ages = {part.name: part.age for part in self._parts}
        return [
            Figure(
                "edgar_search_engine_up",
                "1 if Elasticsearch answered last and the indices are there, else 0",
                {"": float(self._ledger.answered)},
            ),
            Figure(
                "edgar_search_figures_age_seconds",
                "Age of the figures of Elasticsearch, by part",
                {name: age for name, age in ages.items() if age is not None},
                "part",
            ),
            *(figure for part in self._parts for figure in part.figures),
        ]

    async def close(self) -> None:
        """Cancel the running lookup."""
        await asyncio.gather(*(part.close() for part in self._parts))


def _of_snapshots(states: Mapping[str, float]) -> Figure:
    return Figure(
        "edgar_search_snapshots",
        "Snapshots that cursors and exports keep open; idle ones were not read for a minute",
        states,
        "state",
    )


def _of_backup(began: datetime | None) -> Figure:
    return Figure(
        "edgar_search_last_backup_timestamp_seconds",
        "Beginning of the newest complete backup; 0 if there is none",
        {"": 0 if began is None else began.timestamp()},
    )


def _of_nodes(nodes: Sequence[NodeStats]) -> list[Figure]:
    return [
        Figure(
            "edgar_search_engine_disk_bytes",
            "Size of the disks that a node of Elasticsearch has its data on",
            {node.name: node.disk_bytes for node in nodes},
            "node",
        ),
        Figure(
            "edgar_search_engine_disk_free_bytes",
            "Part of them that Elasticsearch may still use",
            {node.name: node.free_bytes for node in nodes},
            "node",
        ),
        Figure(
            "edgar_search_engine_heap_used_ratio",
            "Used share of the heap of a node of Elasticsearch",
            {node.name: node.heap_used for node in nodes},
            "node",
        ),
    ]


def _of_ledger(ledger: LedgerState, now: datetime) -> list[Figure]:
    oldest = ledger.oldest_pending
    return [
        Figure(
            "edgar_search_ledger_submissions",
            "Submissions by their status in the ledger",
            ledger.submissions,
            "status",
        ),
        Figure(
            "edgar_search_outdated_submissions",
            "Submissions that an older version loaded, by kind of what it made",
            ledger.outdated,
            "kind",
        ),
        Figure(
            "edgar_search_ledger_oldest_pending_seconds",
            "Age of the oldest half loaded submission, since its load began",
            {"": (now - oldest).total_seconds() if oldest else 0},
        ),
        Figure(
            "edgar_search_last_loaded_timestamp_seconds",
            "Time of the latest load of a submission",
            {} if ledger.newest is None else {"": ledger.newest.timestamp()},
        ),
        Figure(
            "edgar_search_last_success_timestamp_seconds",
            "Latest times at which filings were listed by EDGAR, fetched, and made searchable",
            {step: time.timestamp() for step, time in ledger.steps.items()},
            "step",
        ),
        Figure(
            "edgar_search_listed_to_searchable_seconds",
            "Time from EDGAR's listing to being searchable, for submissions of the last day",
            _percentiles(ledger.lags),
            "percentile",
        ),
    ]


def _of_alerts(alerts: Status, now: datetime) -> list[Figure]:
    oldest, renewed = alerts.oldest_waiting, alerts.renewed_at
    return [
        Figure(
            "edgar_search_alerts_waiting", "Arrivals that wait to be matched", {"": alerts.waiting}
        ),
        Figure(
            "edgar_search_alerts_oldest_waiting_seconds",
            "Waiting time of the oldest arrival",
            {"": (now - oldest).total_seconds() if oldest else 0},
        ),
        Figure(
            "edgar_search_alerts_lag_seconds",
            "Time from being searchable to the notification, in the last day",
            _percentiles(
                {
                    "100" if name == "max" else name.removeprefix("p"): value
                    for name, value in alerts.lag_seconds.items()
                }
            ),
            "percentile",
        ),
        Figure(
            "edgar_search_alerts_matcher_timestamp_seconds",
            "Time of the matcher's latest sign of life",
            {} if renewed is None else {"": renewed.timestamp()},
        ),
        *(_of_deliveries(alerts.deliveries, now) if alerts.deliveries else ()),
    ]


def _of_deliveries(deliveries: DeliveriesStatus, now: datetime) -> list[Figure]:
    oldest = deliveries.oldest
    return [
        Figure(
            "edgar_search_deliveries_overdue",
            "Deliveries to webhooks and mailboxes whose time has come",
            {"": deliveries.overdue},
        ),
        Figure(
            "edgar_search_deliveries_oldest_waiting_seconds",
            "Waiting time of the oldest notification that the deliverer should have handled",
            {"": (now - oldest).total_seconds() if oldest else 0},
        ),
    ]


def _percentiles(values: dict[str, float | None]) -> dict[str, float]:
    return {f"{float(name):g}": value for name, value in values.items() if value is not None}
