"""Requests to Elasticsearch and their errors: what it says becomes one of our own."""

import time
from typing import Any, NamedTuple

from edgar_search.engine.client import BULK_TIMEOUT
from edgar_search.engine.elasticsearch_py import (
    ApiError,
    ApiResponse,
    AsyncElasticsearch,
    SerializationError,
    TransportError,
    UnsupportedProductError,
)
from edgar_search.engine.failover import may_be_repeated, only_reads
from edgar_search.engine.nodes import NotReached, WatchedPool
from edgar_search.engine.outage import Outage
from edgar_search.engine.replies import (
    CONFLICT,
    NO_REPLY,
    blocked,
    error_text,
    never_fits,
    switching,
)
from edgar_search.engine.timing import timed
from edgar_search.errors import (
    Conflict,
    EngineFault,
    EngineNotReached,
    EngineRefuses,
    EngineUnavailable,
    IndexSwitching,
    OperationTooLarge,
    SnapshotExpired,
)
from edgar_search.metrics.current import opaque_id

# 429 is a full queue, a tripped breaker or a search time-out: never the caller's fault.
_BUSY_STATUSES = frozenset({408, 429, 502, 503, 504})
_TOO_LARGE = 413
BUSY = "the search engine is overloaded or not ready; try again later"
# A full disk is the usual reason, and Elasticsearch calls it "too many requests".
BLOCKED = (
    "Elasticsearch takes no writes: its disk is full, or an index is read-only; make room"
    " (it lifts that block by itself) or remove the index's blocks, then start again"
)
SWITCHING = "an index takes no writes while another takes its place; try again later"
INDEX_MISSING = "index_not_found_exception"
_JSON = {"accept": "application/json", "content-type": "application/json"}
# With less than this part of its time left a request is not sent again.
_LAST_TRY = 0.5
NDJSON = {"accept": "application/json", "content-type": "application/x-ndjson"}


class _Expected(NamedTuple):
    """Which errors of Elasticsearch's are none, or tell of something, as `Requests.send` has it."""

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
        self._outage = Outage()

    @property
    def fails_over(self) -> bool:
        """Whether there is another node for what one of them fails at."""
        return len(self._pool) > 1

    async def close(self) -> None:
        """Close the connections."""
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
    ) -> bytes:
        """The body of the reply.

        `missing` is what stands for a 404, unless an index is missing; `taken` takes it for done
        where an index of this name is there already. `of_snapshot` takes any 404 for its end, and
        raises SnapshotExpired. Else an error of Elasticsearch's is raised as
        one of ours, without its text.
        """
        with timed(self._prefix, path):
            expected = _Expected(missing, taken, of_snapshot)
            return await self._answer(
                method, path, expected, params=params, headers=headers, body=body
            )

    async def _answer(self, method: str, path: str, expected: _Expected, **options: Any) -> bytes:
        try:
            reply = await self._send(method, path, **options)
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
            # Without its cause: what Elasticsearch says may quote the caller's query to the log.
            raise _translated(error) from None
        except (TimeoutError, TransportError, SerializationError) as error:
            raise EngineNotReached from error
        if not isinstance(reply.body, bytes):
            raise EngineUnavailable(NO_REPLY)
        return reply.body

    async def _send(
        self, method: str, path: str, *, headers: dict[str, str], **options: Any
    ) -> ApiResponse[Any]:
        """The reply of the first node that has one, within the time of one request."""
        bulk = headers is NDJSON
        named = {**headers, "x-opaque-id": opaque_id()}
        client, timeout = (
            (self._bulk_client, BULK_TIMEOUT) if bulk else (self._client, self._timeout)
        )
        began = time.monotonic()
        reads, left = only_reads(method, path), len(self._pool) - 1
        while True:
            try:
                reply = await client.perform_request(method, path, headers=named, **options)
            except (ApiError, TransportError, TimeoutError) as error:
                left = left - 1 if isinstance(error, NotReached) else min(left, 1) - 1
                remaining = began + timeout - time.monotonic()
                late = remaining < timeout * _LAST_TRY
                if left < 0 or late or not may_be_repeated(error, reads):
                    self._note(began, error)
                    raise
                client = self._client.options(request_timeout=remaining)
            else:
                self._outage.answer()
                return reply

    def _note(self, began: float, error: Exception) -> None:
        if isinstance(error, ApiError | SerializationError):
            self._outage.answer()
        elif not self.fails_over or not self._pool.answering:
            self._outage.no_answer(began, type(error).__name__)


def not_set_up() -> EngineUnavailable:
    """The error of a kind that has no index."""
    return EngineRefuses("the indices do not exist yet; run `edgar-ingest templates put`")


def _translated(error: ApiError) -> Exception:
    if isinstance(error, UnsupportedProductError):
        return EngineUnavailable(NO_REPLY)
    kind, reason = error_text(error.body, "type"), error_text(error.body, "reason")
    if kind == INDEX_MISSING:
        return not_set_up()
    if error.status_code == CONFLICT:
        return Conflict(f"a concurrent write came first ({kind})")
    if error.status_code == _TOO_LARGE or never_fits(reason, 0):
        return OperationTooLarge("the search engine has no room for a request of this size")
    if blocked(error.status_code, kind, reason):
        return EngineRefuses(BLOCKED)
    if switching(reason):
        return IndexSwitching(SWITCHING)
    if error.status_code in _BUSY_STATUSES:
        return EngineUnavailable(BUSY)
    if error.status_code in (401, 403):
        return EngineRefuses("the search engine refuses the service's credentials")
    return EngineFault(f"the search engine refused a request ({error.status_code} {kind})")
