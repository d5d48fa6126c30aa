"""Checks of drafts, charged as one call for every 50 claims in the answer."""

from typing import Any

from starlette.requests import Request

from edgar_search.access.admission import Call
from edgar_search.access.quota import QuotaStatus
from edgar_search.api.draft import (
    CLAIMS_OF_A_CALL,
    MAX_CLAIMS,
    DraftParams,
    DraftReply,
    check_draft,
)
from edgar_search.web.calls import context_of
from edgar_search.web.service import service


async def checked_draft(request: Request, call: Call[Any], asked: DraftParams) -> DraftReply:
    """Check a draft and charge the call for its claims; raises as `check_draft`."""
    claims = min(len(asked.claims) - asked.begin, MAX_CLAIMS)
    calls = -(-claims // CLAIMS_OF_A_CALL)
    admission = service(request).admission
    if calls > 1:
        await admission.reserve(call, calls - 1)
    reply = await check_draft(context_of(request, call), asked)
    # An answer that ends early contains fewer claims.
    unused = calls - max(1, -(-len(reply.claims) // CLAIMS_OF_A_CALL))
    if unused > 0 and isinstance(call.quota_status, QuotaStatus):
        await admission.quota.return_calls(call.account, call.quota_status, unused)
        call.charged -= unused
    call.result_count = reply.result_count
    return reply
