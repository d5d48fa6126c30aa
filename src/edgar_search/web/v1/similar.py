"""/v1/similar over HTTP: a position in the address, or a text in a JSON body that is not stored."""

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.access.admission import CallLimits
from edgar_search.api.parameters.fields import RequestFields
from edgar_search.api.similar import SIMILAR, find_passages, read_similar
from edgar_search.web.callers import IdentifiedRequest, identify_v2
from edgar_search.web.calls import CallKind, V2Call, call_endpoint, context_of
from edgar_search.web.responses import json_response


async def similar(request: Request, call: V2Call) -> Response:
    """GET and POST /v1/similar"""
    reply = await find_passages(context_of(request, call), read_similar(call.raw))
    call.result_count = reply.result_count
    return json_response(reply)


async def _identify(request: Request) -> IdentifiedRequest[RequestFields]:
    """Identify the request; the history stores nothing of its body."""
    identified = await identify_v2(request)
    return identified._replace(kept=lambda given: RequestFields(given.query, {}).texts())


_KIND = CallKind(CallLimits(counts=True), _identify, tells_limits=True)
endpoint = call_endpoint(_KIND, SIMILAR.scope, similar)
