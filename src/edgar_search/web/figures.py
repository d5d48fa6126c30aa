"""What Elasticsearch knows of the installation, as figures for Prometheus."""

import asyncio
import time
from datetime import UTC, datetime

from edgar_search.alerts.status import Status, status
from edgar_search.engine.engine import Engine
from edgar_search.errors import EdgarSearchError
from edgar_search.metrics.meters import Figure
from edgar_search.search.ledger_state import LedgerState, ledger_state

# Several that look at once, or one that looks often, cost one look.
_LIFETIME = 15.0
# Whoever asks gives up after 10 seconds by default, and would not even be told that it is away.
_PATIENCE = 5.0


class Figures:
    """The figures of one worker, looked up when somebody asks for them."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._known: list[Figure] = []
        self._looked_at = float("-inf")

    async def current(self) -> list[Figure]:
        """All of them; where Elasticsearch is away only that it is."""
        if time.monotonic() - self._looked_at > _LIFETIME:
            self._known = await self._look()
            self._looked_at = time.monotonic()
        return self._known

    async def _look(self) -> list[Figure]:
        up = "edgar_search_engine_up", "Whether Elasticsearch answers and the indices are there"
        try:
            async with asyncio.timeout(_PATIENCE):
                ledger = await ledger_state(self._engine)
                alerts = await status(self._engine)
        except (EdgarSearchError, TimeoutError):
            return [Figure(*up, {"": 0})]
        return [Figure(*up, {"": 1}), *_of_ledger(ledger), *_of_alerts(alerts, datetime.now(UTC))]


def _of_ledger(ledger: LedgerState) -> list[Figure]:
    return [
        Figure(
            "edgar_search_ledger_submissions",
            "Submissions by what the ledger says of them",
            ledger.submissions,
            "status",
        ),
        Figure(
            "edgar_search_last_loaded_timestamp_seconds",
            "When a submission was loaded last",
            {} if ledger.newest is None else {"": ledger.newest.timestamp()},
        ),
        Figure(
            "edgar_search_last_success_timestamp_seconds",
            "When filings were last listed by EDGAR, fetched, and loaded to be found",
            {step: time.timestamp() for step, time in ledger.steps.items()},
            "step",
        ),
        Figure(
            "edgar_search_listed_to_searchable_seconds",
            "From EDGAR's listing to being searchable, of what became so in the last day",
            _quantiles(ledger.lags),
            "quantile",
        ),
    ]


def _of_alerts(alerts: Status, now: datetime) -> list[Figure]:
    oldest, renewed = alerts.oldest_waiting, alerts.renewed_at
    return [
        Figure("edgar_search_alerts_waiting", "Arrivals to be matched", {"": alerts.waiting}),
        Figure(
            "edgar_search_alerts_oldest_waiting_seconds",
            "How long the oldest of them has waited",
            {"": (now - oldest).total_seconds() if oldest else 0},
        ),
        Figure(
            "edgar_search_alerts_lag_seconds",
            "From being searchable to being notified, of the last day",
            _quantiles(
                {
                    "100" if name == "max" else name.removeprefix("p"): value
                    for name, value in alerts.lag_seconds.items()
                }
            ),
            "quantile",
        ),
        Figure(
            "edgar_search_alerts_matcher_timestamp_seconds",
            "When the matcher last said that it lives",
            {} if renewed is None else {"": renewed.timestamp()},
        ),
    ]


def _quantiles(values: dict[str, float | None]) -> dict[str, float]:
    return {f"{float(name) / 100:g}": value for name, value in values.items() if value is not None}
