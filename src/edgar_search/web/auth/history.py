"""/auth/history: the data calls of an account."""

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.access.api_keys import PAGE_CALLS, SCOPES
from edgar_search.errors import BadRequest
from edgar_search.user_data.history import AREA, CallFilters, History
from edgar_search.web.auth import answers
from edgar_search.web.auth.endpoints import CLEAR_HISTORY, HISTORY
from edgar_search.web.auth.lists import (
    UserCall,
    changed_response,
    changing,
    list_response,
    listing,
    route,
)
from edgar_search.web.parameters.reader import Parameters
from edgar_search.web.service import service


async def get(request: Request, call: UserCall) -> Response:
    """GET /auth/history/get"""
    account, parameters, page = listing(call, HISTORY.parameters)
    first, last = parameters.days()
    filters = CallFilters(first, last, _endpoint(parameters))
    found = await _history(request).page(account, filters, *page)
    return list_response(AREA, [answers.call(each) for each in found.calls], found.total)


async def clear(request: Request, call: UserCall) -> Response:
    """POST /auth/history/clear"""
    account, _ = changing(call, CLEAR_HISTORY.parameters)
    return changed_response(await _history(request).clear(account))


def _endpoint(parameters: Parameters) -> str | None:
    """An endpoint, with or without its first slash."""
    text = parameters.text("endpoint")
    if text is None:
        return None
    endpoint = text.strip().removeprefix("/")
    if endpoint not in (*SCOPES, *PAGE_CALLS):
        raise BadRequest(f"`endpoint` must be one of {', '.join((*SCOPES, *PAGE_CALLS))}")
    return endpoint


def _history(request: Request) -> History:
    state = service(request)
    return History(state.engine, state.admission.accounts, state.admission.history.show)


routes = [
    route(get, HISTORY),
    route(clear, CLEAR_HISTORY),
]
