"""The handlers of look-ups, searches and coverage."""

from datetime import UTC, datetime
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgar_search.errors import BadRequest
from edgar_search.search.cursors import Cursor, Place
from edgar_search.search.pagination import Start, walk_documents, walk_filings
from edgar_search.search.shape import search_places
from edgar_search.search.warnings.warnings import (
    checked,
    look_up_and_check,
    look_up_coverage_and_warn,
    search_and_warn,
    warned,
)
from edgar_search.web.calls import V1Call, v1_endpoint, while_connected
from edgar_search.web.declaration import Endpoint
from edgar_search.web.responses import json_response
from edgar_search.web.service import service
from edgar_search.web.v1 import evidence, export, overview
from edgar_search.web.v1.answers import (
    LookupReply,
    SearchReply,
    coverage_reply,
    lookup_reply,
    search_reply,
)
from edgar_search.web.v1.cursor import BEGIN, begun_question, continued_question, given_cursor
from edgar_search.web.v1.endpoints import COVERAGE, LOOKUP, SEARCH
from edgar_search.web.v1.parameters import coverage_params, lookup_params, search_params

# Proxies take headers of 4 or 8 kB in all; with a longer link they would answer for us, with a 502.
MAX_LINK = 3_000


class Walk(NamedTuple):
    """A walk that a request begins or goes on with: its endpoint, its question, its start."""

    endpoint: Endpoint
    question: dict[str, list[str]]
    start: Start


async def walk_of(request: Request, call: V1Call, endpoint: Endpoint) -> Walk | None:
    """The walk that a request is a step of; None where it has no cursor.

    Raises BadRequest for what is wrong with the cursor, or beside it.
    """
    text = given_cursor(call.raw, endpoint)
    if text is None:
        return None
    if text == BEGIN:
        snapshot = "true" in (value.strip().lower() for value in call.raw.get("snapshot", ()))
        return Walk(endpoint, begun_question(call.raw), Start(None, snapshot))
    cursor = await service(request).walks.seal.opened(text, call.account)
    if cursor.walk != endpoint.path:
        raise BadRequest(f"cursor: is one of {cursor.walk}; begin with cursor=*")
    return Walk(endpoint, continued_question(cursor.question, call.raw), Start(cursor.place))


async def walked_search(request: Request, call: V1Call, walk: Walk) -> Response:
    """A page of documents, and the cursor to the next one."""
    state, account = service(request), call.account
    params = search_params(walk.question, state.settings.max_window)
    await call.share.weigh(search_places(params))
    context = service(request).context

    async def found() -> tuple[SearchReply, Place | None]:
        walked = await walk_documents(state.walks, context, params, walk.start, account)
        page = await warned(context, params, walked.page, account)
        return search_reply(page, params.details, params.snippets), walked.place

    reply, place = await while_connected(request, found())
    call.result_count = reply.total_count
    return await _response(request, call, walk, reply, place)


async def walked_lookup(request: Request, call: V1Call, walk: Walk) -> Response:
    """A page of filings, and the cursor to the next one."""
    state = service(request)
    params = lookup_params(walk.question)
    context = service(request).context

    async def found() -> tuple[LookupReply, Place | None]:
        walked = await walk_filings(state.walks, context, params, walk.start, call.account)
        found = await checked(context, params, walked.page)
        table = await context.tickers.table()
        reply = lookup_reply(found.page, table, found.errors, found.withdrawn)
        return reply, walked.place

    reply, place = await while_connected(request, found())
    call.result_count = reply.response_details.filings_found
    return await _response(request, call, walk, reply, place)


async def _response(
    request: Request, call: V1Call, walk: Walk, reply: Any, place: Place | None
) -> Response:
    """The answer with the cursor to the next one, in its body and as a link."""
    reply.next_cursor = None
    headers = {}
    if place is not None:
        cursor = Cursor(walk.endpoint.path, walk.question, place)
        reply.next_cursor = await service(request).walks.seal.seal(cursor, call.account)
        link = f'<{walk.endpoint.path}?cursor={reply.next_cursor}>; rel="next"'
        if len(link) <= MAX_LINK:
            headers["Link"] = link
    return json_response(reply, headers=headers)


async def lookup(request: Request, call: V1Call) -> Response:
    """GET /v1/lookup"""
    begun = await walk_of(request, call, LOOKUP)
    if begun is not None:
        return await walked_lookup(request, call, begun)
    params = lookup_params(call.raw)
    context = service(request).context
    work = look_up_and_check(context, params, call.account)
    found = await while_connected(request, work)
    call.result_count = found.page.total
    table = await context.tickers.table()
    return json_response(lookup_reply(found.page, table, found.errors, found.withdrawn))


async def search(request: Request, call: V1Call) -> Response:
    """GET /v1/search"""
    begun = await walk_of(request, call, SEARCH)
    if begun is not None:
        return await walked_search(request, call, begun)
    state = service(request)
    params = search_params(call.raw, state.settings.max_window)
    await call.share.weigh(search_places(params))
    work = search_and_warn(state.context, params, call.account)
    page = await while_connected(request, work)
    call.result_count = page.total
    return json_response(search_reply(page, params.details, params.snippets))


async def coverage(request: Request, call: V1Call) -> Response:
    """GET /v1/coverage"""
    params = coverage_params(call.raw, datetime.now(UTC).date())
    work = look_up_coverage_and_warn(service(request).engine, params)
    found = await while_connected(request, work)
    return json_response(coverage_reply(params, found.days, found.warnings, found.missing_days))


routes = [
    *(
        Route(endpoint.path, v1_endpoint(endpoint.scope, handler), methods=endpoint.methods)
        for endpoint, handler in ((LOOKUP, lookup), (SEARCH, search), (COVERAGE, coverage))
    ),
    *evidence.routes,
    *overview.routes,
    *export.routes,
]
