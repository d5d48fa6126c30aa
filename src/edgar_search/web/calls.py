"""Data calls: the pipeline around every data endpoint.

A call is refused as 401, 403, 429 before anything else of it is looked at; it is counted, its
answer says what is left, and it goes into its account's history.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgar_search.access.accounts import Plan
from edgar_search.access.admission import limit_headers
from edgar_search.access.api_keys import ApiKeys
from edgar_search.access.call_log import kept_parameters
from edgar_search.access.quota import QuotaStatus
from edgar_search.access.shares import Share
from edgar_search.errors import (
    BadRequest,
    ClientGone,
    EdgarSearchError,
    QuotaExceeded,
    RateExceeded,
    SearchTimedOut,
    TooManyRequests,
)
from edgar_search.metrics.current_request import CURRENT
from edgar_search.metrics.meters import REFUSALS, TURN_SECONDS
from edgar_search.stored.accounts import StoredApiKey, StoredCall
from edgar_search.web.callers import RawLists, VerifiedRequest, received_v1, received_v2
from edgar_search.web.declaration import Endpoint
from edgar_search.web.requests import RequestFields
from edgar_search.web.responses import on_error
from edgar_search.web.service import Service, service


class CountedCall(Protocol):
    """A call under way, of a key or of a page; `standing` is that of its account once it counts.

    `share` is its room among the searches.
    Who answers it says how many results the answer counts.
    """

    share: Share
    standing: QuotaStatus | None
    result_count: int | None

    @property
    def account(self) -> str:
        """The account that it counts for."""

    @property
    def plan(self) -> Plan:
        """The plan of the account."""


T = TypeVar("T")


async def while_connected(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """The result of `work`; where the client goes away first, `work` is cancelled.

    That closes the connections to Elasticsearch on which it waits, and Elasticsearch then cancels
    the searches behind them. The request's body must have been read. Raises ClientGone.
    """
    working = asyncio.ensure_future(work)
    watching = asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait((working, watching), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientGone("the client closed the connection")
        return working.result()
    finally:
        watching.cancel()
        working.cancel()


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


P = TypeVar("P")
Raw = Mapping[str, Sequence[str]]
_FAULT = 500
_LIMITS = {RateExceeded: "second", QuotaExceeded: "month"}


class Call(Generic[P]):
    """One data call under way; the handler says how many results its answer counts.

    `raw` are its parameters as received, and `kept` the same for the history. `share` is its room
    among the searches.
    """

    __slots__ = ("at", "began", "kept", "key", "plan", "raw", "result_count", "share", "standing")

    raw: P
    share: Share

    def __init__(self, key: StoredApiKey, plan: Plan) -> None:
        self.key = key
        self.plan = plan
        self.at = datetime.now(UTC)
        self.began = time.perf_counter()
        self.kept: Raw = {}
        self.standing: QuotaStatus | None = None
        self.result_count: int | None = None

    @property
    def account(self) -> str:
        """The account of the key."""
        return self.key.account


Handler = Callable[[Request, Call[P]], Awaitable[Response]]
Reader = Callable[[Request, ApiKeys], Awaitable[VerifiedRequest[P]]]
RouteHandler = Callable[[Request], Awaitable[Response]]
V1Call: TypeAlias = Call[RawLists]
V2Call: TypeAlias = Call[RequestFields]


def v1_endpoint(scope: str, handler: Handler[RawLists]) -> RouteHandler:
    """The endpoint of a handler that takes its parameters from the query string."""
    return _endpoint(scope, handler, received_v1)


def v2_endpoint(scope: str, handler: Handler[RequestFields]) -> RouteHandler:
    """The endpoint of a handler that takes them from a JSON body too."""
    return _endpoint(scope, handler, received_v2)


def _endpoint(scope: str, handler: Handler[P], read: Reader[P]) -> RouteHandler:
    async def endpoint(request: Request) -> Response:
        state = service(request)
        received = await read(request, state.keys)
        call: Call[P] = Call(
            received.key, await state.admission.accounts.plan(received.key.account)
        )
        error: EdgarSearchError | None = None
        status = _FAULT
        try:
            call.standing = await state.admission.admit(call.key, scope, call.plan)
            call.raw = received.parameters()
            call.kept = received.kept(call.raw)
            asked = time.perf_counter()
            async with state.admission.shares.share(call.account, call.plan) as call.share:
                TURN_SECONDS.observe(time.perf_counter() - asked)
                response = await handler(request, call)
            status = response.status_code
        except EdgarSearchError as refusal:
            if call.standing is None:
                call.kept = _readable(received)
            error, status = refusal, refusal.status
            if isinstance(refusal, TooManyRequests):
                REFUSALS.labels(call.plan.name, _LIMITS.get(type(refusal), "other")).inc()
            response = await on_error(request, refusal)
        finally:
            _settle(state, call, scope, status, own_fault=isinstance(error, SearchTimedOut))
        response.headers.update(limit_headers(call.plan, call.standing, error))
        return response

    return endpoint


def _readable(received: VerifiedRequest[P]) -> Raw:
    """The parameters of a call that was refused before they were read, for the history."""
    try:
        return received.kept(received.parameters())
    except BadRequest:
        return {}


def _settle(state: Service, call: Call[P], scope: str, status: int, *, own_fault: bool) -> None:
    """Record the call; one that failed through no fault of the caller's does not count."""
    refused = status >= _FAULT or status == TooManyRequests.status
    if refused and not own_fault and call.standing is not None:
        state.admission.quota.refund(call.account, call.standing)
    current = CURRENT.get()
    if current is not None:
        current.account, current.results = call.account, call.result_count
    state.calls.record(
        StoredCall(
            id=state.calls.new_id(),
            account=call.account,
            at=call.at,
            endpoint=scope,
            parameters=kept_parameters(call.kept),
            status=status,
            duration_ms=round((time.perf_counter() - call.began) * 1000, 1),
            key_prefix=call.key.prefix,
            result_count=call.result_count,
        )
    )


def route(endpoint: Endpoint, handler: Handler[RequestFields]) -> Route:
    """The route of a data endpoint."""
    return Route(
        endpoint.path, v2_endpoint(endpoint.scope, handler), methods=list(endpoint.methods)
    )
