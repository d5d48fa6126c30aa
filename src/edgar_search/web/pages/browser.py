"""The browser that asks: its session, and whether a change is really its own."""

import logging
from collections.abc import Mapping
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.access.sessions import AtIssuer, id_token_of
from edgar_search.errors import BadRequest, Forbidden, Unavailable
from edgar_search.settings.issuer import is_loopback_name
from edgar_search.stored.session import StoredSession
from edgar_search.web.json_body import read_body
from edgar_search.web.state import service

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
