"""Metrics of a process, or of all workers together, by prometheus_client.

No label grows with the number of users: routes, plans and kinds of indices have a few dozen values.
"""

import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
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
from prometheus_client.metrics_core import Metric
from prometheus_client.registry import Collector

_PAGE = os.sysconf("SC_PAGE_SIZE")


def resident_bytes(pid: int) -> float | None:
    """Return how many bytes of memory a process uses; None if it does not exist."""
    try:
        return float(Path("/proc", str(pid), "statm").read_text().split()[1]) * _PAGE
    except (OSError, IndexError):
        return None


def children(pid: int) -> list[int]:
    """Return the running child processes of a process."""
    pids: list[int] = []
    for file in Path("/proc", str(pid), "task").glob("*/children"):
        with suppress(OSError):  # A thread may have ended meanwhile.
            pids += map(int, file.read_text().split())
    return sorted(pids)


def resident_by_name(root: str, pid: int, workers: list[int]) -> dict[str, float]:
    """Return the memory of a process and of its workers, which are numbered by process id."""
    named = {root: pid} | {
        f"worker-{number}": process_id for number, process_id in enumerate(sorted(workers), 1)
    }
    sizes = {name: resident_bytes(process_id) for name, process_id in named.items()}
    return {name: size for name, size in sizes.items() if size is not None}


CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
# prometheus_client reads it when it is imported, so it is set before workers start.
_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
# The times at which metrics were created would double the number of series, for no use.
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
    "edgar_search_turn_seconds", "How long calls waited for their turn", buckets=_SECONDS
)
REFUSALS = Counter("edgar_search_limit_refusals", "Calls beyond a limit", ("plan", "limit"))
HISTORY_WAITING = Gauge(
    "edgar_search_history_waiting",
    "Calls that are not in the history yet",
    multiprocess_mode="livesum",
)
EXPORTS_UNREAD = Gauge(
    "edgar_search_exports_unread",
    "Exports, each with a snapshot, whose client has taken nothing for a second",
    multiprocess_mode="livesum",
)
STREAMS = Gauge(
    "edgar_search_streams",
    "Open streams of events",
    multiprocess_mode="livesum",
)
STREAMS_CUT = Counter(
    "edgar_search_streams_cut",
    "Streams that were cut because their client read nothing",
)
EXPORTS_TOO_SLOW = Counter(
    "edgar_search_exports_too_slow",
    "Exports that ended because their client read less than 10,000 bytes a second",
)
SNAPSHOTS_CLOSED = Counter(
    "edgar_search_snapshots_closed", "Idle snapshots that were closed to make room for others"
)


SUBMISSIONS = Counter("edgar_ingest_submissions", "Submissions by outcome", ("result",))
EDGAR_REQUESTS = Counter(
    "edgar_ingest_edgar_requests", "Requests to EDGAR by outcome", ("outcome",)
)


class Figure(NamedTuple):
    """A value that is read on each request; `values` are by label, or under "" without labels."""

    name: str
    help: str
    values: Mapping[str, float]
    label: str = ""


@contextmanager
def shared_by_workers(workers: int) -> Iterator[None]:
    """Let workers started within the context count together, in files removed at its end."""
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
    """Write all metrics in the text format of Prometheus."""
    memory = Figure(
        "edgar_search_resident_memory_bytes",
        "Memory that each process of the service holds",
        _resident(),
        "process",
    )
    return generate_latest(_registry()) + generate_latest(_figure_registry([*figures, memory]))


def write_textfile(path: Path, figures: Iterable[Figure], labels: Mapping[str, str]) -> None:
    """Write these figures and this process's counters for the textfile collector.

    All get the labels, and names with `edgar_ingest_` instead of `edgar_search_`, so that they are
    not mixed with other commands' or the service's. The file is complete at any moment. Raises
    OSError.
    """
    registry = CollectorRegistry()
    registry.register(_Labelled([REGISTRY, _figure_registry(figures)], labels))
    written = path.with_suffix(f".{os.getpid()}.new")
    try:
        written.write_bytes(generate_latest(registry))
        written.chmod(0o644)
        written.rename(path)
    finally:
        written.unlink(missing_ok=True)


def _resident() -> dict[str, float]:
    """Return the memory of the service's processes.

    Only of this one, or of all workers and their parent.
    """
    folder = os.environ.get(_FOLDER)
    if folder is None:
        return resident_by_name("serve", os.getpid(), [])
    workers = {int(file.stem.rpartition("_")[2]) for file in Path(folder).glob("*.db")}
    return resident_by_name("serve", os.getppid(), [*workers])


def _registry() -> CollectorRegistry:
    folder = os.environ.get(_FOLDER)
    if folder is None:
        return REGISTRY
    _forget_dead(Path(folder))
    registry = CollectorRegistry()
    multiprocess.MultiProcessCollector(registry, folder)  # type: ignore[no-untyped-call]
    return registry


def _forget_dead(folder: Path) -> None:
    """Clear the gauges of dead workers' unfinished work; their counters stay."""
    for file in folder.glob("gauge_live*_*.db"):
        pid = file.stem.rpartition("_")[2]
        if not Path("/proc", pid).exists():
            multiprocess.mark_process_dead(int(pid), str(folder))  # type: ignore[no-untyped-call]


def _figure_registry(figures: Iterable[Figure]) -> CollectorRegistry:
    registry = CollectorRegistry()
    registry.register(_CurrentFigures(figures))
    return registry


class _Labelled(Collector):
    """Collects this project's own counters, with labels added."""

    def __init__(self, sources: Sequence[CollectorRegistry], labels: Mapping[str, str]) -> None:
        self._sources = sources
        self._labels = labels

    def collect(self) -> Iterator[Metric]:
        for family in (metric for source in self._sources for metric in source.collect()):
            if not family.name.startswith("edgar_") or not family.samples:
                continue
            labelled = Metric(_ingest_name(family.name), family.documentation, family.type)
            for sample in family.samples:
                labelled.add_sample(
                    _ingest_name(sample.name), {**sample.labels, **self._labels}, sample.value
                )
            yield labelled


def _ingest_name(name: str) -> str:
    return name.replace("edgar_search_", "edgar_ingest_", 1)


class _CurrentFigures(Collector):
    """Collects figures as they are now; a Gauge would be kept for each worker."""

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
