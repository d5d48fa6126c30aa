"""Calls: the pipeline around data endpoints, users' endpoints and pages.

A call is refused with 401, 403 or 429 before its parameters are read. It is counted, its answer
shows the remaining limits, and it is recorded in its account's history.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgar_search.access.admission import (
    FAULT,
    Call,
    Caller,
    CallLimits,
    TextLists,
    limit_headers,
)
from edgar_search.api.context import Context, no_slots
from edgar_search.api.parameters.declaration import Endpoint
from edgar_search.api.parameters.fields import RequestFields
from edgar_search.errors import BadRequest, ClientGone, EdgarSearchError
from edgar_search.web.callers import IdentifiedRequest, RawLists, identify_v1, identify_v2
from edgar_search.web.responses import on_error
from edgar_search.web.service import service
from edgar_search.web.strangers import refusal_of

T = TypeVar("T")


async def while_connected(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Return the result of `work`, which is cancelled if the client disconnects.

    That closes the connections to Elasticsearch on which it waits, and Elasticsearch then cancels
    their searches. The request's body must have been read. Raises ClientGone.
    """
    working = asyncio.ensure_future(work)
    watching = asyncio.ensure_future(_await_disconnect(request))
    try:
        await asyncio.wait((working, watching), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise ClientGone("the client closed the connection")
        return working.result()
    finally:
        watching.cancel()
        working.cancel()


async def _await_disconnect(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


P = TypeVar("P")
Handler = Callable[[Request, Call[P]], Awaitable[Response]]
RouteHandler = Callable[[Request], Awaitable[Response]]
V1Call: TypeAlias = Call[RawLists]
V2Call: TypeAlias = Call[RequestFields]


def context_of(request: Request, call: Call[Any]) -> Context:
    """Return the service as the call's account sees it."""
    state = service(request)
    weigh = call.share.weigh if call.limits.turn == "search" else no_slots
    window = state.settings.max_window
    pagination = state.pagination.for_account(call.account)
    return Context(state.context, pagination, call.account, window, state.room, weigh)


class CallKind(NamedTuple, Generic[P]):
    """The differences between kinds of calls.

    `identify` finds the caller, and raises Forbidden for a request that another site may have sent,
    and Unauthorized if there is no caller. `refuse` turns an error into an answer. With
    `tells_limits`, the headers of an answer show the plan's remaining limits.
    """

    limits: CallLimits
    identify: Callable[[Request], Awaitable[IdentifiedRequest[P]]]
    refuse: Callable[[Request, EdgarSearchError], Awaitable[Response]] = on_error
    tells_limits: bool = False


_DATA = CallLimits(counts=True)
V1 = CallKind(_DATA, identify_v1, tells_limits=True)
V2 = CallKind(_DATA, identify_v2, tells_limits=True)


def v1_endpoint(scope: str, handler: Handler[RawLists]) -> RouteHandler:
    """Make the endpoint of a handler that takes its parameters from the query string."""
    return call_endpoint(V1, scope, handler)


def call_endpoint(kind: CallKind[P], name: str, handler: Handler[P]) -> RouteHandler:
    """Make the endpoint of a handler whose requests are calls of this kind and name."""

    async def endpoint(request: Request) -> Response:
        return await answer_call(kind, name, handler, request)

    return endpoint


async def answer_call(
    kind: CallKind[P], name: str, handler: Handler[P], request: Request
) -> Response:
    """Answer a request: identify (401), admit (403, 429), read (400), run, respond.

    If the client disconnects, work that only reads is cancelled, even while it waits in a queue. A
    call whose caller is known is settled once, however it ends.
    """
    try:
        identified = await kind.identify(request)
    except EdgarSearchError as refusal:
        return await kind.refuse(request, await refusal_of(request, refusal))

    async def identify() -> Caller:
        return (await kind.identify(request)).caller

    async def answer() -> Response:
        async with admission.turn(call):
            return await handler(request, call)

    state = service(request).for_account(identified.caller.account)
    request.state.service = state
    admission = state.admission
    call = Call[P](name, kind.limits, identified.caller, identify)
    error: EdgarSearchError | None = None
    status = FAULT
    try:
        await admission.admit(call)
        call.raw = identified.parameters()
        if call.is_kept:
            call.kept = identified.kept(call.raw)
        if kind.limits.counts or request.method in ("GET", "HEAD"):
            response = await while_connected(request, answer())
        else:  # A change is completed even if no one waits for its answer.
            response = await answer()
        status = response.status_code
    except EdgarSearchError as refusal:
        if call.is_kept and call.quota_status is None:
            call.kept = _readable(identified)
        error, status = refusal, refusal.status
        response = await kind.refuse(request, refusal)
    finally:
        admission.settle(call, status, error)
    if kind.tells_limits:
        response.headers.update(limit_headers(call.plan, call.quota_status, error))
    return response


def _readable(identified: IdentifiedRequest[P]) -> TextLists:
    """Return the parameters to record for a call that was refused before they were read."""
    try:
        return identified.kept(identified.parameters())
    except BadRequest:
        return {}


def route(endpoint: Endpoint, handler: Handler[RequestFields]) -> Route:
    """Make the route of a data endpoint."""
    return Route(
        endpoint.path, call_endpoint(V2, endpoint.scope, handler), methods=list(endpoint.methods)
    )
