"""Data endpoints: what is done around every one of them.

A call is refused as 401, 403, 429 before anything else of it is looked at; it is counted, its
answer says what is left, and it goes into its account's history.
"""

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.access.admission import limit_headers
from edgar_search.access.calls import kept_parameters
from edgar_search.access.plans import Plan
from edgar_search.access.quota import Standing
from edgar_search.errors import EdgarSearchError
from edgar_search.stored.api_key import StoredApiKey
from edgar_search.stored.call import StoredCall
from edgar_search.web.requests import query_parameters, v1_key
from edgar_search.web.responses import on_error
from edgar_search.web.state import Service, service

Raw = Mapping[str, Sequence[str]]
_FAULT = 500


class Call:
    """One data call under way; the handler says how many results its answer counts."""

    __slots__ = ("at", "began", "key", "plan", "raw", "result_count", "standing")

    def __init__(self, key: StoredApiKey, plan: Plan) -> None:
        self.key = key
        self.plan = plan
        self.at = datetime.now(UTC)
        self.began = time.perf_counter()
        self.raw: Raw = {}
        self.standing: Standing | None = None
        self.result_count: int | None = None


Handler = Callable[[Request, Call], Awaitable[Response]]


def v1_endpoint(scope: str, handler: Handler) -> Callable[[Request], Awaitable[Response]]:
    """The endpoint of a handler that takes its parameters from the query string."""

    async def endpoint(request: Request) -> Response:
        state = service(request)
        key = await v1_key(request, state.keys)
        call = Call(key, await state.admission.accounts.plan(key.account))
        error: EdgarSearchError | None = None
        status = _FAULT
        try:
            call.standing = await state.admission.admit(key, scope, call.plan)
            call.raw = query_parameters(request)
            response = await handler(request, call)
            status = response.status_code
        except EdgarSearchError as refusal:
            error, status = refusal, refusal.status
            response = await on_error(request, refusal)
        finally:
            _settle(state, call, scope, status)
        response.headers.update(limit_headers(call.plan, call.standing, error))
        return response

    return endpoint


def _settle(state: Service, call: Call, scope: str, status: int) -> None:
    """Record the call; one that failed through no fault of the caller's does not count."""
    if status >= _FAULT and call.standing is not None:
        state.admission.quota.refund(call.key.account, call.standing)
    state.calls.record(
        StoredCall(
            id=state.calls.new_id(),
            account=call.key.account,
            at=call.at,
            endpoint=scope,
            parameters=kept_parameters(call.raw),
            status=status,
            duration_ms=round((time.perf_counter() - call.began) * 1000, 1),
            key_prefix=call.key.prefix,
            result_count=call.result_count,
        )
    )
