"""What Elasticsearch knows of the installation, as figures for Prometheus."""

import time
from datetime import UTC, datetime

from msgspec import Struct

from edgar_search.alerts.status import Status, status
from edgar_search.engine.engine import Engine
from edgar_search.errors import EdgarSearchError
from edgar_search.metrics.meters import Figure

# Several that look at once, or one that looks often, cost one look.
_LIFETIME = 15.0
_LAGS = (50.0, 95.0)
# What tells that each step of getting filings last came to its end.
_STEPS = {"list": "listed_at", "fetch": "fetched_at", "load": "searchable_at"}
_LEDGER_BODY = {
    "size": 0,
    "track_total_hits": False,
    "aggs": {
        "status": {"terms": {"field": "status", "size": 10}},
        "newest": {"max": {"field": "loaded_at"}},
        **{step: {"max": {"field": field}} for step, field in _STEPS.items()},
        "day": {
            "filter": {"range": {"searchable_at": {"gte": "now-1d"}}},
            "aggs": {"lag": {"percentiles": {"field": "listed_lag", "percents": _LAGS}}},
        },
    },
}


class _Bucket(Struct):
    key: str
    doc_count: int


class _Buckets(Struct):
    buckets: list[_Bucket]


class _Value(Struct):
    value: float | None = None


class _Percentiles(Struct):
    values: dict[str, float | None]


class _Day(Struct):
    lag: _Percentiles


class _Ledger(Struct):
    status: _Buckets
    newest: _Value
    list: _Value
    fetch: _Value
    load: _Value
    day: _Day


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
            ledger = await self._engine.aggregate("ledger", _LEDGER_BODY, _Ledger)
            alerts = await status(self._engine)
        except EdgarSearchError:
            return [Figure(*up, {"": 0})]
        return [Figure(*up, {"": 1}), *_of_ledger(ledger), *_of_alerts(alerts, datetime.now(UTC))]


def _of_ledger(ledger: _Ledger) -> list[Figure]:
    newest = ledger.newest.value
    steps = {step: getattr(ledger, step).value for step in _STEPS}
    return [
        Figure(
            "edgar_search_ledger_submissions",
            "Submissions by what the ledger says of them",
            {bucket.key: bucket.doc_count for bucket in ledger.status.buckets},
            "status",
        ),
        Figure(
            "edgar_search_last_loaded_timestamp_seconds",
            "When a submission was loaded last",
            {} if newest is None else {"": newest / 1_000},
        ),
        Figure(
            "edgar_search_last_success_timestamp_seconds",
            "When filings were last listed by EDGAR, fetched, and loaded to be found",
            {step: value / 1_000 for step, value in steps.items() if value is not None},
            "step",
        ),
        Figure(
            "edgar_search_listed_to_searchable_seconds",
            "From EDGAR's listing to being searchable, of what became so in the last day",
            _quantiles(ledger.day.lag.values),
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
            {name: value for name, value in alerts.lag_seconds.items() if value is not None},
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
