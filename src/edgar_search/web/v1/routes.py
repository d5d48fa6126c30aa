"""The v1 endpoints."""

from datetime import UTC, datetime

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgar_search.search.shape import search_places
from edgar_search.search.warnings.searches import (
    look_up_and_check,
    look_up_coverage_and_warn,
    search_and_warn,
)
from edgar_search.web.data_call import V1Call, v1_endpoint
from edgar_search.web.disconnect import while_connected
from edgar_search.web.responses import json_response
from edgar_search.web.state import directory_of, service
from edgar_search.web.v1.answers import lookup_reply, search_reply
from edgar_search.web.v1.coverage_answers import coverage_reply
from edgar_search.web.v1.endpoints import COVERAGE, LOOKUP, SEARCH
from edgar_search.web.v1.evidence import routes as evidence
from edgar_search.web.v1.export import routes as export
from edgar_search.web.v1.overview import routes as overview
from edgar_search.web.v1.parameters import coverage_params, lookup_params, search_params
from edgar_search.web.v1.walking import walk_of, walked_lookup, walked_search


async def lookup(request: Request, call: V1Call) -> Response:
    """GET /v1/lookup"""
    begun = await walk_of(request, call, LOOKUP)
    if begun is not None:
        return await walked_lookup(request, call, begun)
    params = lookup_params(call.raw)
    directory = await directory_of(request)
    work = look_up_and_check(directory, service(request).known, params, call.key.account)
    found = await while_connected(request, work)
    call.result_count = found.page.total
    return json_response(lookup_reply(found.page, directory.table, found.errors, found.withdrawn))


async def search(request: Request, call: V1Call) -> Response:
    """GET /v1/search"""
    begun = await walk_of(request, call, SEARCH)
    if begun is not None:
        return await walked_search(request, call, begun)
    state = service(request)
    params = search_params(call.raw, state.settings.max_window)
    await call.share.weigh(search_places(params))
    work = search_and_warn(await directory_of(request), state.known, params, call.key.account)
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
