"""The v1 endpoints."""

from datetime import UTC, datetime

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgar_search.search import searching
from edgar_search.web.data_call import V1Call, v1_endpoint
from edgar_search.web.disconnect import while_connected
from edgar_search.web.responses import json_response
from edgar_search.web.state import service
from edgar_search.web.v1.answers import lookup_reply, search_reply
from edgar_search.web.v1.coverage import coverage_params
from edgar_search.web.v1.coverage_answers import coverage_reply
from edgar_search.web.v1.endpoints import COVERAGE, LOOKUP, SEARCH
from edgar_search.web.v1.parameters import lookup_params, search_params


async def lookup(request: Request, call: V1Call) -> Response:
    """GET /v1/lookup"""
    state = service(request)
    params = lookup_params(call.raw)
    table = await state.tickers.table()
    work = searching.look_up(state.engine, params, table, call.key.account)
    page = await while_connected(request, work)
    call.result_count = page.total
    unknown = [ticker for ticker in params.filters.tickers if not table.ciks(ticker)]
    return json_response(lookup_reply(page.filings, page.total, table, unknown))


async def search(request: Request, call: V1Call) -> Response:
    """GET /v1/search"""
    state = service(request)
    params = search_params(call.raw, state.settings.max_window)
    table = await state.tickers.table()
    work = searching.search(state.engine, params, table, call.key.account)
    page = await while_connected(request, work)
    call.result_count = page.total
    return json_response(search_reply(page.total, page.hits, page.snippets))


async def coverage(request: Request, call: V1Call) -> Response:
    """GET /v1/coverage"""
    state = service(request)
    params = coverage_params(call.raw, datetime.now(UTC).date())
    buckets = await while_connected(request, searching.coverage(state.engine, params))
    return json_response(coverage_reply(params, buckets))


routes = [
    Route(endpoint.path, v1_endpoint(endpoint.scope, handler), methods=endpoint.methods)
    for endpoint, handler in ((LOOKUP, lookup), (SEARCH, search), (COVERAGE, coverage))
]
