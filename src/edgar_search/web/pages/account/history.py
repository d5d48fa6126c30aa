"""/account/history: the calls of the user's keys, and the pages that they read."""

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.accounts.history import CallFilters, History
from edgar_search.web.pages.account.pages import SIZE, list_page, offset_of
from edgar_search.web.pages.calls import PageCall, see_other
from edgar_search.web.state import service

HISTORY = "/account/history"


async def history(request: Request, call: PageCall) -> Response:
    """The calls, newest first; a change shows none of them any more."""
    state, account = service(request), call.reader.account
    kept = History(state.engine, state.admission.accounts, state.calls.show)
    if request.method == "POST":
        await kept.clear(account)
        return see_other(HISTORY)
    offset = offset_of(request)
    found = await kept.page(account, CallFilters(), SIZE, offset)
    return list_page(
        "history.html",
        request,
        call,
        offset,
        found.total,
        calls=found.calls,
    )
