"""POST /v1/check_draft over HTTP: the draft is in a JSON body, and nothing of it is stored."""

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.access.admission import CallLimits
from edgar_search.api.draft import CHECK_DRAFT, read_draft
from edgar_search.api.parameters.fields import RequestFields
from edgar_search.web.callers import IdentifiedRequest, identify_v2
from edgar_search.web.calls import CallKind, V2Call, call_endpoint
from edgar_search.web.drafts import checked_draft
from edgar_search.web.responses import json_response


async def draft(request: Request, call: V2Call) -> Response:
    """POST /v1/check_draft"""
    return json_response(await checked_draft(request, call, await read_draft(call.raw)))


async def _identify(request: Request) -> IdentifiedRequest[RequestFields]:
    """Identify the request without anything for the history, which would contain the draft."""
    identified = await identify_v2(request)
    return IdentifiedRequest(identified.caller, identified.parameters)


_KIND = CallKind(CallLimits(counts=True), _identify, tells_limits=True)
endpoint = call_endpoint(_KIND, CHECK_DRAFT.scope, draft)
