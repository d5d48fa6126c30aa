"""The v1 endpoints."""

from datetime import UTC, datetime

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgar_search.search.coverage import look_up_coverage
from edgar_search.search.documents import search_documents
from edgar_search.search.filings import look_up_filings
from edgar_search.web.data_call import V1Call, v1_endpoint
from edgar_search.web.disconnect import while_connected
from edgar_search.web.responses import json_response
from edgar_search.web.state import directory_of, service
from edgar_search.web.v1.answers import lookup_reply, search_reply
from edgar_search.web.v1.coverage_answers import coverage_reply
from edgar_search.web.v1.endpoints import COVERAGE, LOOKUP, SEARCH
from edgar_search.web.v1.parameters import coverage_params, lookup_params, search_params


async def lookup(request: Request, call: V1Call) -> Response:
    """GET /v1/lookup"""
    params = lookup_params(call.raw)
    directory = await directory_of(request)
    work = look_up_filings(directory, params, call.key.account)
    page = await while_connected(request, work)
    call.result_count = page.total
    unknown = [each for each in params.criteria.tickers if not directory.table.ciks(each)]
    return json_response(lookup_reply(page.filings, page.total, directory.table, unknown))


async def search(request: Request, call: V1Call) -> Response:
    """GET /v1/search"""
    params = search_params(call.raw, service(request).settings.max_window)
    work = search_documents(await directory_of(request), params, call.key.account)
    page = await while_connected(request, work)
    call.result_count = page.total
    return json_response(search_reply(page.total, page.hits, page.snippets, params.details))


async def coverage(request: Request, call: V1Call) -> Response:
    """GET /v1/coverage"""
    params = coverage_params(call.raw, datetime.now(UTC).date())
    work = look_up_coverage(service(request).engine, params)
    return json_response(coverage_reply(params, await while_connected(request, work)))


routes = [
    Route(endpoint.path, v1_endpoint(endpoint.scope, handler), methods=endpoint.methods)
    for endpoint, handler in ((LOOKUP, lookup), (SEARCH, search), (COVERAGE, coverage))
]
