"""What is done around every page: who reads it, what they may, and errors as pages.

A page is one call of the account that reads it, whatever it asks inside.
"""

import logging
import time
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.access.key_format import without_keys
from edgar_search.access.limits.plans import Plan
from edgar_search.errors import (
    EdgarSearchError,
    Forbidden,
    SearchTimedOut,
    TooManyRequests,
    Unavailable,
)
from edgar_search.settings.issuer import is_loopback_name
from edgar_search.web.pages.templates import rendered
from edgar_search.web.responses import SCOPE_ID
from edgar_search.web.state import service

_log = logging.getLogger(__name__)

# The account of everybody who has not signed in.
OPEN_ACCOUNT = "pages"
_TITLES = {
    400: "This cannot be asked",
    403: "This is not for you",
    404: "There is no such thing here",
    429: "Too many pages at once",
    503: "The service is busy or being looked after",
}


class Reader(NamedTuple):
    """Who reads a page: the account that it counts for, and who shares its searches at once."""

    account: str
    plan: Plan
    turn: str


class PageCall(NamedTuple):
    """A page under way."""

    reader: Reader
    began: float

    @property
    def milliseconds(self) -> int:
        """How long it has taken until now."""
        return max(1, round((time.perf_counter() - self.began) * 1000))


PageHandler = Callable[[Request, PageCall], Awaitable[Response]]


def page(handler: PageHandler) -> Callable[[Request], Awaitable[Response]]:
    """The endpoint of a page's handler."""

    async def endpoint(request: Request) -> Response:
        began = time.perf_counter()
        try:
            refuse_other_hosts(request)
            return await _answer(handler, request, began)
        except EdgarSearchError as error:
            return error_page(request, error)

    return endpoint


def error_page(request: Request, error: EdgarSearchError) -> Response:
    """An error as a page; what is wrong inside goes to the log only."""
    status, message = error.status, without_keys(str(error))
    if status == 500:
        _log.error("a page failed: %s", request.scope.get(SCOPE_ID), exc_info=error)
        message = "Something is wrong inside of the service. It is in the log."
    title = _TITLES.get(status, "This did not work")
    response = rendered("error.html", status, title=title, message=message)
    if isinstance(error, Unavailable | TooManyRequests):
        response.headers["Retry-After"] = str(error.retry_after)
    return response


def refuse_other_hosts(request: Request) -> None:
    """Forbidden where the server's address is this machine's own and the request names another.

    A page of another site may have had its name resolved to this machine's loopback address.
    """
    server = request.scope.get("server")
    if server is None or not is_loopback_name(server[0]):
        return
    if not is_loopback_name(request.url.hostname or ""):
        raise Forbidden("Host: this service answers as localhost or 127.0.0.1 only")


async def _answer(handler: PageHandler, request: Request, began: float) -> Response:
    reader = _reader(request)
    state = service(request)
    admission = state.admission
    await admission.rates.check_user(reader.turn, state.settings.pages_rate)
    await admission.rates.check(reader.account, reader.plan)
    standing = await admission.quota.spend(reader.account, reader.plan)
    try:
        async with admission.shares.share(reader.turn, reader.plan):
            return await handler(request, PageCall(reader, began))
    except EdgarSearchError as error:
        if error.status >= 500 and not isinstance(error, SearchTimedOut):
            admission.quota.refund(reader.account, standing)
        raise


def _reader(request: Request) -> Reader:
    state = service(request)
    plan = state.admission.accounts.plans.named(state.settings.pages_plan)
    client = request.client.host if request.client else ""
    return Reader(OPEN_ACCOUNT, plan, f"{OPEN_ACCOUNT}/{client}")
