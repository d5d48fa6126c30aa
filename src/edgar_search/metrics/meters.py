"""The figures of a process, by prometheus_client; with several workers those of all of them.

No label grows with users: routes, plans and kinds of indices are a few dozens.
"""

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from prometheus_client import (
    REGISTRY,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
    multiprocess,
)
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
# prometheus_client reads it when it is imported, so before workers start.
_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
# When each was first counted: as many series again, of no use.
disable_created_metrics()  # type: ignore[no-untyped-call]
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)

REQUESTS = Counter(
    "edgar_search_requests", "Requests by route and status", ("route", "method", "status")
)
REQUEST_SECONDS = Histogram(
    "edgar_search_request_seconds", "How long requests took", ("route",), buckets=_SECONDS
)
ENGINE_SECONDS = Histogram(
    "edgar_search_engine_seconds",
    "How long requests to Elasticsearch took, by kind of index and operation",
    ("kind", "operation"),
    buckets=_SECONDS,
)
ENGINE_ERRORS = Counter(
    "edgar_search_engine_errors", "Requests to Elasticsearch that failed", ("reason",)
)
ENGINE_UNDER_WAY = Gauge(
    "edgar_search_engine_requests_under_way",
    "Requests to Elasticsearch that have no answer yet, those that wait for a connection too",
    multiprocess_mode="livesum",
)
POOL_WAITS = Histogram(
    "edgar_search_engine_pool_wait_seconds",
    "How long requests to Elasticsearch waited for a connection, of those that had to",
    buckets=_SECONDS,
)
TURN_SECONDS = Histogram(
    "edgar_search_turn_seconds", "How long data calls waited for their turn", buckets=_SECONDS
)
REFUSALS = Counter(
    "edgar_search_limit_refusals", "Calls beyond a limit of their plan", ("plan", "limit")
)
HISTORY_WAITING = Gauge(
    "edgar_search_history_waiting",
    "Calls that are not in the history yet",
    multiprocess_mode="livesum",
)


class Figure(NamedTuple):
    """What is asked of Elasticsearch when somebody looks; `values` are by label, "" for none."""

    name: str
    help: str
    values: Mapping[str, float]
    label: str = ""


@contextmanager
def shared_by_workers(workers: int) -> Iterator[None]:
    """Let the workers that are started inside count together, in files that go at the end."""
    if workers == 1:
        yield
        return
    folder = tempfile.mkdtemp(prefix="edgar-search-metrics-")
    os.environ[_FOLDER] = folder
    try:
        yield
    finally:
        del os.environ[_FOLDER]
        shutil.rmtree(folder, ignore_errors=True)


def exposition(figures: Iterable[Figure]) -> bytes:
    """All figures in the text form of Prometheus."""
    return generate_latest(_registry()) + generate_latest(_asked(figures))


def _registry() -> CollectorRegistry:
    folder = os.environ.get(_FOLDER)
    if folder is None:
        return REGISTRY
    _forget_dead(Path(folder))
    registry = CollectorRegistry()
    multiprocess.MultiProcessCollector(registry, folder)  # type: ignore[no-untyped-call]
    return registry


def _forget_dead(folder: Path) -> None:
    """What a worker that died had under way is over; what it counted stays."""
    for file in folder.glob("gauge_live*_*.db"):
        pid = file.stem.rpartition("_")[2]
        if not Path("/proc", pid).exists():
            multiprocess.mark_process_dead(int(pid), str(folder))  # type: ignore[no-untyped-call]


def _asked(figures: Iterable[Figure]) -> CollectorRegistry:
    registry = CollectorRegistry()
    registry.register(_Asked(figures))
    return registry


class _Asked(Collector):
    """Figures as they are now. A Gauge of prometheus_client's own would be kept for each worker."""

    def __init__(self, figures: Iterable[Figure]) -> None:
        self._figures = tuple(figures)

    def collect(self) -> Iterator[GaugeMetricFamily]:
        for figure in self._figures:
            family = GaugeMetricFamily(
                figure.name, figure.help, labels=(figure.label,) if figure.label else ()
            )
            for value, number in figure.values.items():
                family.add_metric((value,) if figure.label else (), number)
            yield family
