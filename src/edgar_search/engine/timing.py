"""How long Elasticsearch takes, by kind of index and operation."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from edgar_search.engine.index_names import KINDS
from edgar_search.metrics.current import CURRENT
from edgar_search.metrics.meters import ENGINE_ERRORS, ENGINE_SECONDS, ENGINE_UNDER_WAY
from edgar_search.metrics.spans import span

_OPERATIONS = frozenset(
    "_search _msearch _mget _doc _create _bulk _count _refresh _settings _mapping _alias _aliases"
    " _validate _stats _pit".split()
)
# What belongs to no kind, or to several, and operations that are hardly ever asked for.
_OTHER = "other"


@contextmanager
def timed(prefix: str, path: str) -> Iterator[None]:
    """Count a request to Elasticsearch and its time, for all and for the request it is made for."""
    began = time.perf_counter()
    kind, operation = labels(prefix, path)
    said = {
        "db.system.name": "elasticsearch",
        "db.operation.name": operation,
        "db.collection.name": kind,
    }
    ENGINE_UNDER_WAY.inc()
    try:
        with span(f"{operation} {kind}", said, kind="client"):
            yield
    except Exception as error:
        ENGINE_ERRORS.labels(type(error).__name__).inc()
        raise
    finally:
        ENGINE_UNDER_WAY.dec()
        seconds = time.perf_counter() - began
        ENGINE_SECONDS.labels(kind, operation).observe(seconds)
        current = CURRENT.get()
        if current is not None:
            current.engine_seconds += seconds


def labels(prefix: str, path: str) -> tuple[str, str]:
    """The kind of index and the operation of a path, of a bounded number."""
    parts = path.partition("?")[0].strip("/").split("/")
    kind = parts[0].removeprefix(prefix).partition(".")[0]
    operation = next((part for part in parts if part in _OPERATIONS), _OTHER)
    return (kind if kind in KINDS else _OTHER), operation
