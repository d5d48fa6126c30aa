"""GET /status: live numbers for an operator."""

from importlib.metadata import version

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.alerts.status import status as alerts_status
from edgar_search.errors import Forbidden
from edgar_search.web.pages.browser import is_user_here
from edgar_search.web.pages.calls import PageCall
from edgar_search.web.pages.search import head
from edgar_search.web.pages.templates import rendered
from edgar_search.web.state import service

STATUS = "/status"


async def status(request: Request, call: PageCall) -> Response:
    """For this machine's own users, where the server listens on a loopback address."""
    if not is_user_here(request):
        raise Forbidden("this page is for the operator of the service, on its own machine")
    state = service(request)
    await state.engine.ping()
    return rendered(
        "status.html",
        held=await state.holdings.value(),
        alerts=await alerts_status(state.engine),
        settings=state.settings,
        version=version("edgar-search"),
        milliseconds=call.milliseconds,
        **head(call),
    )
