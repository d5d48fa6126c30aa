"""/auth/history: the data calls of an account."""

from datetime import datetime

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.parameters.declaration import Parameter
from edgar_search.api.parameters.reader import Parameters
from edgar_search.api.scopes import PAGE_CALLS, SCOPES
from edgar_search.errors import BadRequest
from edgar_search.stored.accounts import StoredCall
from edgar_search.user_data.history import AREA, CallFilters, History
from edgar_search.web.auth.lists import (
    UserCall,
    UserEndpoint,
    change_endpoint,
    changed_response,
    list_endpoint,
    list_response,
    read_change,
    read_listing,
)
from edgar_search.web.service import service


class Call(Struct):
    """A data call; `result_count` is null if it failed."""

    id: str
    at: datetime
    endpoint: str
    parameters: dict[str, list[str]]
    status: int
    result_count: int | None
    duration_ms: float
    key_prefix: str


HISTORY = list_endpoint(
    "/auth/history/get",
    "lists the data calls of the user, by API key and on pages",
    Call,
    Parameter("from_date", "date", "made on that day (UTC) or later"),
    Parameter("to_date", "date", "made on that day (UTC) or earlier"),
    Parameter("endpoint", "choice", "only calls of this endpoint", choices=(*SCOPES, *PAGE_CALLS)),
)
CLEAR_HISTORY = change_endpoint("/auth/history/clear", "hides all calls made until now")


async def get(request: Request, call: UserCall) -> Response:
    """GET /auth/history/get"""
    account, parameters, page = read_listing(call, HISTORY.declared)
    first, last = parameters.days()
    filters = CallFilters(first, last, _endpoint(parameters))
    stored = await _history(request).page(account, filters, *page)
    return list_response(
        AREA, [call_answer(stored_call) for stored_call in stored.calls], stored.total
    )


async def clear(request: Request, call: UserCall) -> Response:
    """POST /auth/history/clear"""
    account, _ = read_change(call, CLEAR_HISTORY.declared)
    return changed_response(await _history(request).clear(account))


def _endpoint(parameters: Parameters) -> str | None:
    """Return the endpoint to filter by, with its first slash."""
    text = parameters.text("endpoint")
    if text is None:
        return None
    endpoint = text.strip().removeprefix("/")
    if endpoint not in (*SCOPES, *PAGE_CALLS):
        raise BadRequest(f"`endpoint` must be one of {', '.join((*SCOPES, *PAGE_CALLS))}")
    return endpoint


def call_answer(stored: StoredCall) -> Call:
    """Convert a stored call to the API's."""
    return Call(
        id=stored.id,
        at=stored.at,
        endpoint=stored.endpoint,
        parameters=stored.parameters,
        status=stored.status,
        result_count=stored.result_count,
        duration_ms=stored.duration_ms,
        key_prefix=stored.key_prefix,
    )


def _history(request: Request) -> History:
    state = service(request)
    return History(state.engine, state.admission.accounts, state.admission.history.show)


ENDPOINTS = (
    UserEndpoint(get, (HISTORY,)),
    UserEndpoint(clear, (CLEAR_HISTORY,)),
)
