"""Requests to Elasticsearch: sending, repeating, timing, and translating errors.

A request that was not sent may be repeated, and so may one that only reads. A write that may have
succeeded is not repeated here, because only its caller knows what a second one would do.
"""

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from edgar_search.engine.client import (
    BULK_TIMEOUT,
    NOT_JOINED,
    Attempt,
    NotReached,
    WatchedPool,
    avoid_hanging_nodes,
    can_avoid,
)
from edgar_search.engine.elasticsearch_py import (
    ApiError,
    ApiResponse,
    AsyncElasticsearch,
    ConnectionTimeout,
    NodeConnectionError,
    SerializationError,
    TlsError,
    TransportError,
    UnsupportedProductError,
)
from edgar_search.engine.index_names import KINDS
from edgar_search.engine.replies import (
    CONFLICT,
    NO_REPLY,
    error_text,
    is_blocked,
    is_switching,
    never_fits,
)
from edgar_search.engine.watch import LATE, GivenUp, Watch
from edgar_search.errors import (
    Conflict,
    EngineFault,
    EngineNotReached,
    EngineRefuses,
    EngineTimedOut,
    EngineUnavailable,
    IndexSwitching,
    OperationTooLarge,
    SnapshotExpired,
)
from edgar_search.metrics.current_request import CURRENT, note_hang, opaque_id
from edgar_search.metrics.meters import ENGINE_ERRORS, ENGINE_SECONDS, ENGINE_UNDER_WAY
from edgar_search.metrics.spans import span

# POST requests that may be sent twice, because they change nothing, or nothing more.
_READING = frozenset({"_search", "_msearch", "_mget", "_count", "_query", "query", "_refresh"})
_UNAVAILABLE = 503


def only_reads(method: str, path: str) -> bool:
    """Return True if repeating a request has no further effect."""
    return method in ("GET", "HEAD") or path.rpartition("/")[2] in _READING


def may_be_repeated(error: Exception, reads: bool) -> bool:
    """Return True if another node may answer after this error, and asking it does no harm."""
    if isinstance(error, NodeConnectionError):
        return reads or isinstance(error, NotReached)
    if isinstance(error, ApiError) and error.status_code == _UNAVAILABLE:
        # The node that runs a search died, or the node takes no requests.
        return reads or error_text(error.body, "type") == NOT_JOINED
    return False


_log = logging.getLogger(__name__)


class Outage:
    """The outages of Elasticsearch that one process has observed.

    Times are values of `time.monotonic`.
    """

    def __init__(self) -> None:
        self._answered_at = float("-inf")
        self._since: float | None = None
        self._failed = 0

    def no_answer(self, began: float, reason: str) -> None:
        """Record that a request sent at `began` got no answer."""
        # A slow request while others are answered is not an outage.
        if self._since is None and self._answered_at > began:
            return
        if self._since is None:
            self._since, self._failed = began, 0
            _log.warning("Elasticsearch is away: %s", reason)
        self._failed += 1

    def answer(self) -> None:
        """Record that a request was answered."""
        self._answered_at = time.monotonic()
        if self._since is not None:
            seconds = self._answered_at - self._since
            _log.warning(
                "Elasticsearch is back after %.0f s, in which %d requests had no answer",
                seconds,
                self._failed,
            )
            self._since = None


_OPERATIONS = frozenset(
    "_search _msearch _mget _doc _create _bulk _count _refresh _settings _mapping _alias _aliases"
    " _validate _stats _pit".split()
)
# Paths of no kind or of several, and rare operations.
_OTHER = "other"


@contextmanager
def time_request(prefix: str, path: str) -> Iterator[None]:
    """Measure a request to Elasticsearch, for the process and for the current request."""
    began = time.perf_counter()
    kind, operation = labels(prefix, path)
    values = {
        "db.system.name": "elasticsearch",
        "db.operation.name": operation,
        "db.collection.name": kind,
    }
    ENGINE_UNDER_WAY.inc()
    try:
        with span(f"{operation} {kind}", values, kind="client"):
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
    """Return the kind of index and the operation of a path, from a bounded set of labels."""
    parts = path.partition("?")[0].strip("/").split("/")
    kind = parts[0].removeprefix(prefix).partition(".")[0]
    operation = next((part for part in parts if part in _OPERATIONS), _OTHER)
    return (kind if kind in KINDS else _OTHER), operation


# 429 means a full queue, a tripped breaker or a search time-out; the caller never caused it.
_BUSY_STATUSES = frozenset({408, 429, 502, 503, 504})
_TOO_LARGE = 413
BUSY = "the search engine is overloaded or not ready; try again later"
# The usual reason is a full disk, which Elasticsearch calls "too many requests".
BLOCKED = (
    "Elasticsearch accepts no writes: its disk is full, or an index is read-only; make room"
    " (Elasticsearch then lifts its block by itself) or remove the index's blocks, then"
    " start again"
)
SWITCHING = "an index accepts no writes while another replaces it; try again later"
# Reasons for a missing answer, for the person who runs a command.
NO_CONNECTION = "no address of EDGAR_SEARCH_ES_URL takes connections; is it running there?"
NO_TLS = "TLS with EDGAR_SEARCH_ES_URL failed; is EDGAR_SEARCH_ES_CA its authority?"
NO_NAME_OR_CUT = (
    "EDGAR_SEARCH_ES_URL names an unknown host, or the connection broke before the answer"
)
INDEX_MISSING = "index_not_found_exception"
_JSON = {"accept": "application/json", "content-type": "application/json"}
# A request is not sent again if less than this fraction of its time is left.
_LAST_TRY = 0.5
NDJSON = {"accept": "application/json", "content-type": "application/x-ndjson"}


class _Expected(NamedTuple):
    """Errors of Elasticsearch that a caller expects; see `Requests.send`."""

    missing: bytes | None
    taken: bool
    of_snapshot: bool


class Requests:
    """The connections of one engine."""

    def __init__(self, client: AsyncElasticsearch, timeout: float, prefix: str) -> None:
        self._prefix = prefix
        self._client = client
        self._bulk_client = client.options(request_timeout=BULK_TIMEOUT)
        self._timeout = timeout
        pool = client.transport.node_pool
        assert isinstance(pool, WatchedPool)
        self._pool = pool
        self._watch = Watch(client, pool, prefix)
        self._outage = Outage()

    @property
    def fails_over(self) -> bool:
        """True if another node can answer when one fails."""
        return len(self._pool) > 1

    async def close(self) -> None:
        """Close the connections."""
        await self._watch.close()
        await self._client.close()

    async def send(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        params: dict[str, str] | None = None,
        headers: dict[str, str] = _JSON,
        missing: bytes | None = None,
        taken: bool = False,
        of_snapshot: bool = False,
        seconds: float | None = None,
    ) -> bytes:
        """Send a request and return the body of the reply.

        `missing` is returned for a 404, unless an index is missing. With `taken`, an index of this
        name that already exists counts as made. With `of_snapshot`, any 404 means that the snapshot
        has ended, and raises SnapshotExpired. `seconds` is the request's time limit if it needs
        longer than others. Any other error of Elasticsearch is translated to one of ours, without
        its text.
        """
        with time_request(self._prefix, path):
            expected = _Expected(missing, taken, of_snapshot)
            bound = BULK_TIMEOUT if headers is NDJSON else max(self._timeout, seconds or 0)
            if self._watch.is_silent and only_reads(method, path):
                bound = min(bound, LATE)
            return await self._answer(
                method, path, bound, expected, params=params, headers=headers, body=body
            )

    async def _answer(
        self, method: str, path: str, seconds: float, expected: _Expected, **options: Any
    ) -> bytes:
        try:
            reply = await self._send(method, path, seconds, **options)
        except ApiError as error:
            if (
                error.status_code == 404
                and expected.missing is not None
                and not error_text(error.body, "type") == INDEX_MISSING
            ):
                return expected.missing
            if error.status_code == 404 and expected.of_snapshot:
                raise SnapshotExpired from None
            if (
                expected.taken
                and error_text(error.body, "type") == "resource_already_exists_exception"
            ):
                return b"{}"
            # Without its cause, because Elasticsearch's text may quote the caller's query to the
            # log.
            raise _translate(error) from None
        except (TimeoutError, ConnectionTimeout, GivenUp) as error:
            raise EngineTimedOut(seconds, ours=seconds == self._timeout) from error
        except (TransportError, SerializationError) as error:
            raise EngineNotReached(_explain_no_connection(error)) from error
        if not isinstance(reply.body, bytes):
            raise EngineUnavailable(NO_REPLY)
        return reply.body

    async def _send(
        self, method: str, path: str, seconds: float, *, headers: dict[str, str], **options: Any
    ) -> ApiResponse[Any]:
        """Return the first reply of any node, within the time of one request."""
        sent_headers = {**headers, "x-opaque-id": opaque_id()}
        reads = only_reads(method, path)
        client = self._client_for(seconds)
        began, nodes_left = time.monotonic(), len(self._pool) - 1
        while True:
            preference = self._watch.preference if can_avoid(method, path) else None
            sent = options
            if preference is not None and preference.avoided:
                sent = avoid_hanging_nodes(path, options, preference)
            sent_at = time.monotonic()
            try:
                async with self._watch.attend(Attempt(reads=reads, preference=preference)):
                    reply = await client.perform_request(method, path, headers=sent_headers, **sent)
            except GivenUp:
                note_hang(time.monotonic() - sent_at)
                remaining = began + seconds - time.monotonic()
                if remaining <= 0:
                    raise
                client = self._client_for(remaining)
            except (ApiError, TransportError, TimeoutError) as error:
                nodes_left = (
                    nodes_left - 1 if isinstance(error, NotReached) else min(nodes_left, 1) - 1
                )
                remaining = began + seconds - time.monotonic()
                late = remaining < seconds * _LAST_TRY
                if nodes_left < 0 or late or not may_be_repeated(error, reads):
                    self._note(began, error)
                    raise
                client = self._client_for(remaining)
            else:
                self._outage.answer()
                return reply

    def _client_for(self, seconds: float) -> AsyncElasticsearch:
        if seconds == self._timeout:
            return self._client
        if seconds == BULK_TIMEOUT:
            return self._bulk_client
        return self._client.options(request_timeout=seconds)

    def _note(self, began: float, error: Exception) -> None:
        if isinstance(error, ApiError | SerializationError):
            self._outage.answer()
        elif not self.fails_over or not self._pool.answering:
            late = isinstance(error, ConnectionTimeout)
            reason = "no answer in time" if late else _explain_no_connection(error)
            self._outage.no_answer(began, reason)


def missing_index_error() -> EngineUnavailable:
    """Return the error for a kind without an index."""
    return EngineRefuses("the indices do not exist yet; run `edgar-ingest templates put`")


def _explain_no_connection(error: Exception) -> str:
    if isinstance(error, NotReached):
        return NO_CONNECTION
    if isinstance(error, TlsError):
        return NO_TLS
    if isinstance(error, SerializationError):
        return NO_REPLY
    return NO_NAME_OR_CUT


def _translate(error: ApiError) -> Exception:
    if isinstance(error, UnsupportedProductError):
        return EngineUnavailable(NO_REPLY)
    kind, reason = error_text(error.body, "type"), error_text(error.body, "reason")
    if kind == INDEX_MISSING:
        return missing_index_error()
    if error.status_code == CONFLICT:
        return Conflict(f"a concurrent write came first ({kind})")
    if error.status_code == _TOO_LARGE or never_fits(reason, 0):
        return OperationTooLarge("the search engine has no room for a request of this size")
    if is_blocked(error.status_code, kind, reason):
        return EngineRefuses(BLOCKED)
    if is_switching(reason):
        return IndexSwitching(SWITCHING)
    if error.status_code in _BUSY_STATUSES:
        return EngineUnavailable(BUSY, f"it answered {error.status_code} {kind}")
    if error.status_code in (401, 403):
        return EngineRefuses("the search engine refuses the service's credentials")
    return EngineFault(f"the search engine refused a request ({error.status_code} {kind})")
