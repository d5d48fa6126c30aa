"""The browser that asks, the pipeline around every page, and errors as pages.

A page is one call of the account that reads it, whatever it asks inside.
"""

import logging
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple
from urllib.parse import parse_qsl, quote

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.access.accounts import Plan
from edgar_search.access.api_keys import without_keys
from edgar_search.access.call_log import kept_parameters
from edgar_search.access.quota import QuotaStatus
from edgar_search.access.sessions import AtIssuer, id_token_of
from edgar_search.access.shares import Share
from edgar_search.errors import (
    BadRequest,
    EdgarSearchError,
    Forbidden,
    SearchTimedOut,
    TooManyRequests,
    Unavailable,
)
from edgar_search.metrics.current_request import CURRENT
from edgar_search.settings.issuer import is_loopback_name
from edgar_search.stored.accounts import StoredCall, StoredSession
from edgar_search.web.callers import query_parameters
from edgar_search.web.pages.links import address
from edgar_search.web.pages.templates import HEADERS, rendered
from edgar_search.web.requests import read_body
from edgar_search.web.responses import SCOPE_ID
from edgar_search.web.service import service

_log = logging.getLogger(__name__)

_SESSION = "session"
# A browser that has signed out, or was refused, is asked at the issuer which account it wants next.
SIGNED_OUT, SIGNED_OUT_SECONDS = "signed-out", 86_400
# Browsers take a cookie of such a name from its own host only, and by HTTPS.
_HOST_PREFIX = "__Host-"
# Of a proxy that says so.
_FORWARDED = ("forwarded", "via", "x-forwarded-for")
MAX_FORM_BYTES = 65_536
_MAX_FIELDS = 100


async def session_of(request: Request) -> StoredSession | None:
    """The session of the browser, if it has signed in."""
    session_id = cookie(request, _SESSION)
    return await service(request).sessions.read(session_id) if session_id else None


def id_token(request: Request, session: StoredSession) -> str | None:
    """The issuer's ID token of the browser's session, if there is one."""
    return id_token_of(session, cookie(request, _SESSION))


async def sign_in(
    request: Request,
    response: Response,
    account: str,
    name: str,
    at_issuer: AtIssuer | None = None,
) -> None:
    """Begin a session of an account under a new id; another one that the browser had ends."""
    await _end(request)
    session_id = await service(request).sessions.begin(account, name, at_issuer)
    seconds = service(request).settings.session_lifetime
    set_cookie(request, response, _SESSION, session_id, seconds)


async def sign_out(request: Request, response: Response) -> None:
    """End the session of the browser, which forgets it in any case.

    Where nothing can be written now, what is stored of it ends by itself, with nobody to use it.
    """
    set_cookie(request, response, _SESSION, "", 0)
    if service(request).sign_in is not None:
        set_cookie(request, response, SIGNED_OUT, "1", SIGNED_OUT_SECONDS)
    try:
        await _end(request)
    except Unavailable as error:
        _log.warning("a session was left to end by itself: %s", error)


def cookie(request: Request, name: str) -> str:
    """What the browser holds under a name; "" where it holds nothing."""
    return request.cookies.get(_cookie_name(request, name), "")


def set_cookie(request: Request, response: Response, name: str, value: str, seconds: int) -> None:
    """Let the browser hold something that no script reads and no other site's request sends."""
    response.set_cookie(
        _cookie_name(request, name),
        value,
        max_age=seconds,
        path="/",
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )


def refuse_other_sites(request: Request) -> None:
    """Forbidden for a change that a page of another site sends, or whose sender nobody tells."""
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    if site is not None:
        own = site == "same-origin"
    else:
        own = origin is not None and origin == str(request.base_url).rstrip("/")
    if not own:
        raise Forbidden("this change was not sent by a page of this service")


async def form_of(request: Request) -> Mapping[str, list[str]]:
    """The fields of a form that was sent, each with its values.

    Raises BadRequest for what is no form, and BodyTooLarge.
    """
    body = await read_body(request, MAX_FORM_BYTES)
    try:
        pairs = parse_qsl(
            body.decode(), keep_blank_values=True, errors="strict", max_num_fields=_MAX_FIELDS
        )
    except (UnicodeDecodeError, ValueError):
        raise BadRequest("the body is no form") from None
    found: dict[str, list[str]] = {}
    for name, value in pairs:
        found.setdefault(name, []).append(value)
    return found


def own_path(text: str) -> str:
    """A path of this service to go to; the first page for anything else, another site above all."""
    if not text.startswith("/") or text.startswith("//") or "\\" in text or not text.isprintable():
        return "/"
    return text


def is_of_this_machine(request: Request) -> bool:
    """Whether the server listens on a loopback address, and the browser is on this machine."""
    server, client = request.scope.get("server"), request.client
    if server is None or client is None:
        return False
    return is_loopback_name(server[0]) and is_loopback_name(client.host)


def is_user_here(request: Request) -> bool:
    """Whether it is a browser on this machine, as far as can be told, and no proxy on it."""
    forwarded = any(name in request.headers for name in _FORWARDED)
    return is_of_this_machine(request) and not forwarded


async def _end(request: Request) -> None:
    session_id = cookie(request, _SESSION)
    if session_id:
        await service(request).sessions.end(session_id)


def _cookie_name(request: Request, name: str) -> str:
    return (_HOST_PREFIX if request.url.scheme == "https" else "") + name


# The account of everybody who has not signed in.
OPEN_ACCOUNT = "pages"
SIGN_IN = "/sign-in"
_TITLES = {
    400: "This cannot be asked",
    403: "This is not for you",
    404: "There is no such thing here",
    429: "Too many pages at once",
    503: "The service is busy or being looked after",
}


class Reader(NamedTuple):
    """Who reads a page: the account that it counts for, and who shares its searches at once.

    `name` is that of a user who has signed in, "" of nobody.
    """

    account: str
    plan: Plan
    turn: str
    name: str = ""


class PageCall:
    """A page under way; the handler says how many results it counts.

    One that is counted has a `share`, its room among the searches.
    """

    __slots__ = (
        "asked",
        "at",
        "began",
        "offers_sign_in",
        "reader",
        "result_count",
        "share",
        "standing",
    )

    share: Share

    def __init__(self, reader: Reader, began: float, *, offers_sign_in: bool = False) -> None:
        self.reader = reader
        self.began = began
        self.offers_sign_in = offers_sign_in
        self.at = datetime.now(UTC)
        self.standing: QuotaStatus | None = None
        self.result_count: int | None = None
        # What was asked, where it is not in the address.
        self.asked: dict[str, list[str]] | None = None

    @property
    def account(self) -> str:
        """The account of the reader."""
        return self.reader.account

    @property
    def plan(self) -> Plan:
        """The plan of the reader's account."""
        return self.reader.plan

    @property
    def milliseconds(self) -> int:
        """How long it has taken until now."""
        return max(1, round((time.perf_counter() - self.began) * 1000))


PageHandler = Callable[[Request, PageCall], Awaitable[Response]]
Answering = Callable[[PageHandler, Request, PageCall], Awaitable[Response]]
PageEndpoint = Callable[[Request], Awaitable[Response]]


def page(name: str, handler: PageHandler) -> PageEndpoint:
    """The endpoint of a page's handler, which is a call of whoever reads it.

    `name` is what it is called in the reader's history.
    """
    return _endpoint(handler, partial(_counted, name), users_only=False)


def own_call(name: str, handler: PageHandler) -> PageEndpoint:
    """The same of what only users may ask for."""
    return _endpoint(handler, partial(_counted, name), users_only=True)


def free_page(handler: PageHandler) -> PageEndpoint:
    """The same of what shows no filings: it is no call, and asks Elasticsearch nothing."""
    return _endpoint(handler, _rated, users_only=False)


def free_search(handler: PageHandler) -> PageEndpoint:
    """The same of what is no call, and asks Elasticsearch."""
    return _endpoint(handler, _shared, users_only=False)


def own_page(handler: PageHandler) -> PageEndpoint:
    """The same of what belongs to a user: it is no call, and nobody else sees it."""
    return _endpoint(handler, _own, users_only=True)


def own_search(handler: PageHandler) -> PageEndpoint:
    """The same of what belongs to a user and searches filings."""
    return _endpoint(handler, _own_search, users_only=True)


def _endpoint(handler: PageHandler, answer: Answering, *, users_only: bool) -> PageEndpoint:
    async def endpoint(request: Request) -> Response:
        began = time.perf_counter()
        try:
            refuse_strangers(request)
            reader = await reader_of(request)
            if reader is None or (users_only and not reader.name):
                return _to_sign_in(request)
            settings = service(request).settings
            offers = settings.local_issuer or settings.oidc_client_id is not None
            return await answer(handler, request, PageCall(reader, began, offers_sign_in=offers))
        except EdgarSearchError as error:
            return error_page(request, error)

    return endpoint


def error_page(request: Request, error: EdgarSearchError) -> Response:
    """An error as a page; what is wrong inside goes to the log only."""
    status, message = error.status, without_keys(str(error))
    if status == 500:
        _log.error("a page failed: %s", request.scope.get(SCOPE_ID), exc_info=error)
        message = "Something is wrong inside of the service. It is in the log."
    signing_in = request.url.path.startswith(f"{SIGN_IN}/")
    title = "You are not signed in" if signing_in else _TITLES.get(status, "This did not work")
    response = rendered(
        "error.html", status, title=title, message=message, again=SIGN_IN if signing_in else ""
    )
    if isinstance(error, Unavailable | TooManyRequests):
        response.headers["Retry-After"] = str(error.retry_after)
    return response


def record(request: Request, call: PageCall, name: str, status: int) -> None:
    """Keep a page in its reader's history; of those who have not signed in nothing is kept."""
    current = CURRENT.get()
    if current is not None:
        current.account, current.results = call.account, call.result_count
    if not call.reader.name:
        return
    calls = service(request).admission.history
    calls.record(
        StoredCall(
            id=calls.new_id(),
            account=call.account,
            at=call.at,
            endpoint=name,
            parameters=kept_parameters(_asked(request) if call.asked is None else call.asked),
            status=status,
            duration_ms=round((time.perf_counter() - call.began) * 1000, 1),
            key_prefix="",
            result_count=call.result_count,
        )
    )


def _asked(request: Request) -> dict[str, list[str]]:
    """What an address says, as the history has it."""
    said = {name: [value] for name, value in request.path_params.items()}
    try:
        return said | query_parameters(request)
    except BadRequest:
        return said


def refuse_strangers(request: Request) -> None:
    """Forbidden for what another site may have sent: under another name, or as a change."""
    refuse_other_hosts(request)
    if request.method not in ("GET", "HEAD"):
        refuse_other_sites(request)


def refuse_other_hosts(request: Request) -> None:
    """Forbidden where server and client are on this machine and the request names another one.

    A page of another site may have had its name resolved to this machine's loopback address; its
    browser is on this machine. Of a client behind a proxy that the settings name it is not.
    """
    if not is_of_this_machine(request):
        return
    if not is_loopback_name(request.url.hostname or ""):
        raise Forbidden("Host: this service answers as localhost or 127.0.0.1 only")


async def _counted(name: str, handler: PageHandler, request: Request, call: PageCall) -> Response:
    reader, state = call.reader, service(request)
    admission, status = state.admission, 500
    try:
        await admission.rates.check_user(reader.turn, state.settings.pages_rate)
        await admission.rates.check(reader.account, reader.plan)
        call.standing = await admission.quota.spend(reader.account, reader.plan)
        async with admission.shares.share(reader.turn, reader.plan) as call.share:
            response = await handler(request, call)
        status = response.status_code
        return response
    except EdgarSearchError as error:
        status = error.status
        refunded = status >= 500 and not isinstance(error, SearchTimedOut)
        if refunded and call.standing is not None:
            admission.quota.refund(reader.account, call.standing, 1)
        raise
    finally:
        record(request, call, name, status)


async def _rated(handler: PageHandler, request: Request, call: PageCall) -> Response:
    state = service(request)
    await state.admission.rates.check_user(call.reader.turn, state.settings.pages_rate)
    return await handler(request, call)


async def _shared(handler: PageHandler, request: Request, call: PageCall) -> Response:
    state = service(request)
    await state.admission.rates.check_user(call.reader.turn, state.settings.pages_rate)
    async with state.admission.shares.share(call.reader.turn, call.plan):
        return await handler(request, call)


async def _own(handler: PageHandler, request: Request, call: PageCall) -> Response:
    state = service(request)
    await state.admission.rates.check_user(call.account, state.settings.auth_rate)
    async with state.admission.own_share(call.account):
        return await handler(request, call)


async def _own_search(handler: PageHandler, request: Request, call: PageCall) -> Response:
    state = service(request)
    await state.admission.rates.check_user(call.account, state.settings.auth_rate)
    async with state.admission.shares.share(call.account, call.plan):
        return await handler(request, call)


async def reader_of(request: Request) -> Reader | None:
    """Who reads; None where only users may and this is none."""
    state = service(request)
    accounts = state.admission.accounts
    session = await session_of(request)
    if session is not None:
        plan = await accounts.plan(session.account)
        return Reader(session.account, plan, session.account, session.name)
    if state.settings.pages != "open":
        return None
    plan = accounts.plans.named(state.settings.pages_plan)
    client = request.client.host if request.client else ""
    return Reader(OPEN_ACCOUNT, plan, f"{OPEN_ACCOUNT}/{client}")


def _to_sign_in(request: Request) -> Response:
    wanted = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return see_other(address(SIGN_IN, next=wanted if request.method != "POST" else None))


def see_other(place: str) -> Response:
    """The way to another page, which nobody is to keep."""
    # Only ASCII can stand in a header.
    location = quote(place, safe="/?#[]@!$&'()*+,;=:%~")
    return Response(status_code=303, headers={**HEADERS, "Location": location})
