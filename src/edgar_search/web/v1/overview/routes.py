"""The endpoints that tell of a search as a whole."""

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgar_search.search.language import query_places
from edgar_search.search.warnings.overviews import count_facets_and_warn, explain_and_warn
from edgar_search.web.data_call import V1Call, v1_endpoint
from edgar_search.web.disconnect import while_connected
from edgar_search.web.responses import json_response
from edgar_search.web.state import directory_of, service
from edgar_search.web.v1.overview.answers import check_reply, facets_reply
from edgar_search.web.v1.overview.endpoints import CHECK, FACETS
from edgar_search.web.v1.overview.parameters import check_params, facets_params


async def facets(request: Request, call: V1Call) -> Response:
    """GET /v1/facets"""
    params = facets_params(call.raw)
    await call.share.weigh(query_places(params.criteria.query))
    directory = await directory_of(request)
    work = count_facets_and_warn(directory, service(request).known, params, call.key.account)
    page = await while_connected(request, work)
    call.result_count = page.total
    return json_response(facets_reply(page))


async def check(request: Request, call: V1Call) -> Response:
    """GET /v1/check"""
    criteria = check_params(call.raw)
    await call.share.weigh(query_places(criteria.query))
    directory = await directory_of(request)
    work = explain_and_warn(directory, service(request).known, criteria, call.key.account)
    explained = await while_connected(request, work)
    call.result_count = explained.total
    return json_response(check_reply(explained))


routes = [
    Route(endpoint.path, v1_endpoint(endpoint.scope, handler), methods=endpoint.methods)
    for endpoint, handler in ((FACETS, facets), (CHECK, check))
]
