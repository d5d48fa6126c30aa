"""Figures of the installation, made of what Elasticsearch knows."""

from datetime import UTC, datetime

from edgar_search.alerts.matcher import Status
from edgar_search.search.coverage import LedgerState
from edgar_search.web.figures import _of_alerts, _of_ledger


def test_percentiles_have_the_same_labels_everywhere() -> None:
    alerts = Status(0, None, 2, {"p50": 1.0, "p99": 2.0, "max": 3.0, "p90": None}, None, 0, None)
    ledger = LedgerState({}, None, {"50.0": 1.0, "99.0": 2.0, "100.0": 3.0, "90.0": None}, {})
    figures = [*_of_alerts(alerts, datetime.now(UTC)), *_of_ledger(ledger, datetime.now(UTC))]
    found = [figure.values for figure in figures if figure.label == "percentile"]
    assert found == [{"50": 1.0, "99": 2.0, "100": 3.0}] * 2
