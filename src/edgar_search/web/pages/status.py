"""GET /status: live numbers for an operator."""

from importlib.metadata import version

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.alerts.status import status as alerts_status
from edgar_search.errors import Forbidden
from edgar_search.search.ledger_state import ledger_state
from edgar_search.web.pages.browser import is_user_here
from edgar_search.web.pages.calls import PageCall
from edgar_search.web.pages.search import head
from edgar_search.web.pages.templates import rendered
from edgar_search.web.state import service

STATUS = "/status"


async def status(request: Request, call: PageCall) -> Response:
    """For operators, by their account; and for users on this machine, where it serves these."""
    state = service(request)
    known = bool(call.reader.name) and call.account in state.settings.operator_accounts
    if not known and not is_user_here(request):
        raise Forbidden(
            "this page is for the operators of the service, whom EDGAR_SEARCH_OPERATORS names, and"
            " on its own machine"
        )
    await state.engine.ping()
    return rendered(
        "status.html",
        held=await state.holdings.value(),
        ledger=await ledger_state(state.engine),
        alerts=await alerts_status(state.engine),
        settings=state.settings,
        version=version("edgar-search"),
        milliseconds=call.milliseconds,
        **head(call),
    )
