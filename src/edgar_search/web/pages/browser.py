"""The reader's browser: sessions, cookies, kinds of page calls, and errors as pages.

A page is one call of the reader's account, whatever it requests internally.
"""

import logging
from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import NamedTuple, TypeAlias
from urllib.parse import parse_qsl, quote

from starlette.datastructures import UploadFile
from starlette.formparsers import MultiPartException, MultiPartParser
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.access.admission import Call, Caller, CallLimits, own_pages_rate, pages_rate
from edgar_search.access.sessions import AtIssuer, id_token_of, sealed, unsealed
from edgar_search.errors import (
    BadRequest,
    EdgarSearchError,
    Forbidden,
    NotFound,
    QuotaExceeded,
    TooManyRequests,
    Unauthorized,
    Unavailable,
)
from edgar_search.metrics.masking import without_keys
from edgar_search.search.warnings.warnings import or_default
from edgar_search.settings.issuer import is_loopback_name
from edgar_search.stored.accounts import StoredSession
from edgar_search.web.callers import IdentifiedRequest, RawLists, query_parameters, visitor
from edgar_search.web.calls import CallKind, Handler, RouteHandler, call_endpoint
from edgar_search.web.middleware import LARGER_BODIES
from edgar_search.web.pages.links import address
from edgar_search.web.pages.templates import HEADERS, render
from edgar_search.web.requests import read_body
from edgar_search.web.responses import SCOPE_ID, on_http_exception
from edgar_search.web.service import service

_log = logging.getLogger(__name__)

_SESSION = "session"
# A browser follows a redirect at once.
_HANDED_OVER, _HANDED_OVER_SECONDS = "handed-over", 60
# After a sign-out or a refusal, the issuer lets the user choose an account.
SIGNED_OUT, SIGNED_OUT_SECONDS = "signed-out", 86_400
# Browsers accept a cookie with this prefix only from its own host, over HTTPS.
_HOST_PREFIX = "__Host-"
# Headers of proxies that name themselves.
_FORWARDED = ("forwarded", "via", "x-forwarded-for")
MAX_FORM_BYTES = 65_536
# The key in a request's scope that holds the body of its form.
_BODY = "edgar_search.body"
_MAX_FIELDS = 100
# Bytes of a form with a file that are parsed without yielding to other requests.
_AT_ONCE = 65_536


async def session_of(request: Request) -> StoredSession | None:
    """Return the browser's session, or None if it has not signed in."""
    session_id = cookie(request, _SESSION)
    return await service(request).sessions.read(session_id) if session_id else None


def id_token(request: Request, session: StoredSession) -> str | None:
    """Return the issuer's ID token of the browser's session, if there is one."""
    return id_token_of(session, cookie(request, _SESSION))


async def sign_in(
    request: Request,
    response: Response,
    account: str,
    name: str,
    at_issuer: AtIssuer | None = None,
) -> None:
    """Begin a session for an account under a new id, and end the browser's previous one."""
    await _end(request)
    session_id = await service(request).sessions.begin(account, name, at_issuer)
    seconds = service(request).settings.session_lifetime
    set_cookie(request, response, _SESSION, session_id, seconds)


async def sign_out(request: Request, response: Response) -> None:
    """End the browser's session, and delete its cookie in any case.

    If nothing can be written now, the stored session expires by itself, and no one can use it.
    """
    set_cookie(request, response, _SESSION, "", 0)
    if service(request).sign_in is not None:
        set_cookie(request, response, SIGNED_OUT, "1", SIGNED_OUT_SECONDS)
    try:
        await _end(request)
    except Unavailable as error:
        _log.warning("a session was left to end by itself: %s", error)


def cookie(request: Request, name: str) -> str:
    """Return the value of one of the browser's cookies, or ""."""
    return request.cookies.get(_cookie_name(request, name), "")


def set_cookie(request: Request, response: Response, name: str, value: str, seconds: int) -> None:
    """Set a cookie that no script can read and no other site's request sends."""
    response.set_cookie(
        _cookie_name(request, name),
        value,
        max_age=seconds,
        path="/",
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )


def hand_over(request: Request, response: Response, text: str) -> None:
    """Pass a text in a cookie to the page that the browser is redirected to.

    The service does not store it; it is encrypted with the session's id.
    """
    value = sealed(text, cookie(request, _SESSION))
    set_cookie(request, response, _HANDED_OVER, value, _HANDED_OVER_SECONDS)


def handed_over(request: Request) -> str:
    """Return the text that was passed to this page.

    "" if there is none, or it was already shown.
    """
    return unsealed(cookie(request, _HANDED_OVER), cookie(request, _SESSION))


def forget_handed_over(request: Request, response: Response) -> None:
    """Delete the passed text from the browser."""
    set_cookie(request, response, _HANDED_OVER, "", 0)


def refuse_other_sites(request: Request) -> None:
    """Raise Forbidden for a change requested by another site's page, or by an unknown sender."""
    site = request.headers.get("sec-fetch-site")
    origin = request.headers.get("origin")
    if site is not None:
        own = site == "same-origin"
    else:
        own = origin is not None and origin == str(request.base_url).rstrip("/")
    if not own:
        raise Forbidden("this change was not sent by a page of this service")


def form_of(body: bytes) -> Mapping[str, list[str]]:
    """Return the fields of the form in a body, each with its values.

    Raises BadRequest if it is not a form.
    """
    try:
        pairs = parse_qsl(
            body.decode(), keep_blank_values=True, errors="strict", max_num_fields=_MAX_FIELDS
        )
    except (UnicodeDecodeError, ValueError):
        raise BadRequest("the body is not a form") from None
    fields: dict[str, list[str]] = {}
    for name, value in pairs:
        fields.setdefault(name, []).append(value)
    return fields


class _InMemory(MultiPartParser):
    # Zero bytes are spooled, because a file must never be written to a disk.
    spool_max_size = 0


async def form_with_file(request: Request, body: bytes) -> tuple[Mapping[str, list[str]], bytes]:
    """Return the fields of the form in a body, and the file in it, empty if none was chosen.

    Raises BadRequest if it is not a form, or contains several files.
    """
    if not request.headers.get("content-type", "").lower().startswith("multipart/form-data"):
        return form_of(body), b""

    async def pieces() -> AsyncGenerator[bytes, None]:
        for start in range(0, len(body), _AT_ONCE):
            yield body[start : start + _AT_ONCE]

    parser = _InMemory(
        request.headers,
        pieces(),
        max_files=1,
        max_fields=_MAX_FIELDS,
        max_part_size=len(body),
    )
    try:
        sent = await parser.parse()
    except MultiPartException:
        raise BadRequest("the body is not a form with one file at most") from None
    fields: dict[str, list[str]] = {}
    file = b""
    for name, value in sent.multi_items():
        if isinstance(value, UploadFile):
            file = await value.read()
        else:
            fields.setdefault(name, []).append(value)
    await sent.close()
    return fields, file


def page_parameters(request: Request, without: Sequence[str] = ()) -> RawLists:
    """Return the parameters in a page's address, without keys and tokens, since pages repeat them.

    Raises as `query_parameters`.
    """
    return {
        without_keys(name): list(map(without_keys, values))
        for name, values in query_parameters(request, without).items()
    }


def own_path(text: str) -> str:
    """Return a path of this service, or the home page's for anything else, such as another site."""
    if not text.startswith("/") or text.startswith("//") or "\\" in text or not text.isprintable():
        return "/"
    return text


def is_of_this_machine(request: Request) -> bool:
    """Return True if the server listens on loopback, and the browser is on this machine."""
    server, client = request.scope.get("server"), request.client
    if server is None or client is None:
        return False
    return is_loopback_name(server[0]) and is_loopback_name(client.host)


def is_user_here(request: Request) -> bool:
    """Return True if the client is a browser on this machine, and not a proxy."""
    forwarded = any(name in request.headers for name in _FORWARDED)
    return is_of_this_machine(request) and not forwarded


async def _end(request: Request) -> None:
    session_id = cookie(request, _SESSION)
    if session_id:
        await service(request).sessions.end(session_id)


def _cookie_name(request: Request, name: str) -> str:
    return (_HOST_PREFIX if request.url.scheme == "https" else "") + name


SIGN_IN = "/sign-in"
_NOT_SIGNED_IN = "this page is for users who have signed in"
_TITLES = {
    400: "The request is not valid",
    403: "Access refused",
    404: "Not found",
    429: "Too many requests",
    503: "The service is busy or under maintenance",
}


class PageRequest(NamedTuple):
    """A request for a page. Its handler reads the parameters; its header may offer a sign-in.

    `unread` counts a signed-in user's unread notifications. `body` is the form's.
    """

    offers_sign_in: bool
    place: str
    unread: int = 0
    body: bytes = b""


async def identify_reader(request: Request) -> IdentifiedRequest[PageRequest]:
    """Identify a signed-in user, or a visitor if the pages are open to them.

    Raises Forbidden for a request that another site may have sent, and for a suspended account, and
    BodyTooLarge.
    """
    refuse_strangers(request)
    body = await _body(request) if request.method == "POST" else b""
    settings = service(request).settings
    caller = await _reader(request)
    offers = settings.local_issuer or settings.oidc_client_id is not None
    counts = service(request).unread
    unread = await or_default(0, counts.value, caller.account) if caller.name else 0
    return IdentifiedRequest(
        caller,
        lambda: PageRequest(offers, _place(request), unread, body),
        lambda _: _parameters(request),
    )


async def identify_reading_user(request: Request) -> IdentifiedRequest[PageRequest]:
    """Identify a signed-in user; raises Unauthorized for anyone else."""
    identified = await identify_reader(request)
    if not identified.caller.name:
        raise Unauthorized(_NOT_SIGNED_IN)
    return identified


async def _body(request: Request) -> bytes:
    """Return the body, received once: an export identifies its caller again while sending."""
    if _BODY not in request.scope:
        request.scope[_BODY] = await read_body(
            request, LARGER_BODIES.get(request.scope["path"], MAX_FORM_BYTES)
        )
    body: bytes = request.scope[_BODY]
    return body


async def _reader(request: Request) -> Caller:
    state = service(request)
    accounts = state.admission.accounts
    session = await session_of(request)
    if session is not None:
        plan = await accounts.plan(session.account)
        if state.settings.pages == "open" and plan.name == accounts.plans.default.name:
            # Signing in takes nothing away, unless someone has chosen the account's plan.
            plan = plan.widened(accounts.plans.named(state.settings.pages_plan))
        return Caller(session.account, plan, name=session.name)
    if state.settings.pages != "open":
        raise Unauthorized(_NOT_SIGNED_IN)
    return visitor(request)


def _place(request: Request) -> str:
    """Return the page to return to after a sign-in.

    "" for a change, which is not repeated.
    """
    query = f"?{request.url.query}" if request.url.query else ""
    return "" if request.method == "POST" else f"{request.url.path}{query}"


def _parameters(request: Request) -> dict[str, list[str]]:
    """Return the parameters in the address, as the history stores them."""
    parameters = {name: [value] for name, value in request.path_params.items()}
    try:
        return parameters | query_parameters(request)
    except BadRequest:
        return parameters


async def refuse_page(request: Request, error: EdgarSearchError) -> Response:
    """Return an error as a page, or a redirect to the sign-in if the reader must sign in."""
    if isinstance(error, Unauthorized):
        return see_other(address(SIGN_IN, next=_place(request) or None))
    return error_page(request, error)


_OF_PAGES = CallLimits(counts=True, user_rate=pages_rate)
_COUNTED = CallKind(_OF_PAGES, identify_reader, refuse_page)
_FREE = CallKind(CallLimits(user_rate=pages_rate, turn="none"), identify_reader, refuse_page)
_FREE_SEARCH = CallKind(CallLimits(user_rate=pages_rate), identify_reader, refuse_page)
_OWN = CallKind(
    CallLimits(user_rate=own_pages_rate, turn="own"), identify_reading_user, refuse_page
)
_OWN_SEARCH = CallKind(CallLimits(user_rate=own_pages_rate), identify_reading_user, refuse_page)

PageCall: TypeAlias = Call[PageRequest]
PageHandler: TypeAlias = Handler[PageRequest]


def page(name: str, handler: PageHandler) -> RouteHandler:
    """Make the endpoint of a page that counts as a call of the reader.

    `name` is the call's name in the reader's history.
    """
    return call_endpoint(_COUNTED, name, handler)


def free_page(handler: PageHandler) -> RouteHandler:
    """Make the endpoint of a page without filings: it is free, and needs no engine request."""
    return call_endpoint(_FREE, "", handler)


def free_search(handler: PageHandler) -> RouteHandler:
    """Make the endpoint of a page that searches but is not counted."""
    return call_endpoint(_FREE_SEARCH, "", handler)


def own_page(handler: PageHandler) -> RouteHandler:
    """Make the endpoint of a user's private page, which is not counted.

    No one else sees it.
    """
    return call_endpoint(_OWN, "", handler)


def own_search(handler: PageHandler) -> RouteHandler:
    """Make the endpoint of a user's private page that searches filings."""
    return call_endpoint(_OWN_SEARCH, "", handler)


def error_page(request: Request, error: EdgarSearchError) -> Response:
    """Return an error as a page; only the log shows the details of a failure inside the service."""
    status, message = error.status, without_keys(str(error))
    if status == 500:
        _log.error("a page failed: %s", request.scope.get(SCOPE_ID), exc_info=error)
        message = "Something failed inside the service. The log has the details."
    signing_in = request.url.path.startswith(f"{SIGN_IN}/")
    title = "You are not signed in" if signing_in else _TITLES.get(status, "The request failed")
    used_up = isinstance(error, QuotaExceeded)
    response = render(
        "error.html",
        status,
        title="No calls are left this month" if used_up else title,
        message=message,
        used_up=used_up,
        again=SIGN_IN if signing_in else "",
    )
    if isinstance(error, Unavailable | TooManyRequests):
        response.headers["Retry-After"] = str(error.retry_after)
    return response


# First parts of paths for programs, which get JSON whatever they accept.
_FOR_PROGRAMS = frozenset({"v1", "v2", "auth", "mcp"})
_NO_PAGE = "This page does not exist. The address may be incomplete or mistyped."


async def refuse_path(request: Request, error: Exception) -> Response:
    """Answer a refusal of the router; browsers get a page."""
    wanted = "text/html" in request.headers.get("accept", "")
    part = request.url.path.split("/")[1]
    if wanted and part not in _FOR_PROGRAMS and getattr(error, "status_code", 0) == 404:
        return error_page(request, NotFound(_NO_PAGE))
    return await on_http_exception(request, error)


def refuse_strangers(request: Request) -> None:
    """Raise Forbidden for a request or a change that another site may have sent."""
    refuse_other_hosts(request)
    if request.method not in ("GET", "HEAD"):
        refuse_other_sites(request)


def refuse_other_hosts(request: Request) -> None:
    """Raise Forbidden if server and client are on this machine and the request names another host.

    Another site may have pointed its name at this machine's loopback address; the browser is then
    on this machine. A client behind a configured proxy is not.
    """
    if not is_of_this_machine(request):
        return
    if not is_loopback_name(request.url.hostname or ""):
        raise Forbidden("Host: this service answers as localhost or 127.0.0.1 only")


def see_other(place: str) -> Response:
    """Return a redirect to another page, which no cache may store."""
    # A header may contain only ASCII.
    location = quote(place, safe="/?#[]@!$&'()*+,;=:%~")
    return Response(status_code=303, headers={**HEADERS, "Location": location})
