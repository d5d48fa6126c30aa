"""POST /v1/check_draft over HTTP: the draft in a JSON body, of which nothing is kept."""

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.access.admission import CallLimits
from edgar_search.access.quota import QuotaStatus
from edgar_search.api.draft import (
    CHECK_DRAFT,
    CLAIMS_OF_A_CALL,
    MAX_CLAIMS,
    check_draft,
    read_draft,
)
from edgar_search.api.parameters.fields import RequestFields
from edgar_search.web.callers import IdentifiedRequest, identify_v2
from edgar_search.web.calls import CallKind, V2Call, call_endpoint, context_of
from edgar_search.web.responses import json_response
from edgar_search.web.service import service


async def draft(request: Request, call: V2Call) -> Response:
    """POST /v1/check_draft"""
    asked = await read_draft(call.raw)
    claims = min(len(asked.claims) - asked.begin, MAX_CLAIMS)
    calls = -(-claims // CLAIMS_OF_A_CALL)
    admission = service(request).admission
    if calls > 1:
        await admission.reserve(call, calls - 1)
    reply = await check_draft(context_of(request, call), asked)
    # An answer that ends early has fewer claims.
    unused = calls - max(1, -(-len(reply.claims) // CLAIMS_OF_A_CALL))
    if unused > 0 and isinstance(call.quota_status, QuotaStatus):
        await admission.quota.return_calls(call.account, call.quota_status, unused)
        call.charged -= unused
    call.result_count = reply.result_count
    return json_response(reply)


async def _identify(request: Request) -> IdentifiedRequest[RequestFields]:
    """The request without anything for the history, which would have the draft."""
    identified = await identify_v2(request)
    return IdentifiedRequest(identified.caller, identified.parameters)


_KIND = CallKind(CallLimits(counts=True), _identify, tells_limits=True)
endpoint = call_endpoint(_KIND, CHECK_DRAFT.scope, draft)
