"""Signing in and out, here or at the configured issuer.

The data of a sign-in in progress (state, nonce, code verifier, the next page) is stored under its
own cookie. So only the browser that began it can finish it, once, and two tabs do not disturb each
other.
"""

import hashlib
import json
from typing import NamedTuple
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgar_search.access.sessions import SIGN_IN_TIME, AtIssuer
from edgar_search.access.tokens.bearer import account_id
from edgar_search.access.tokens.issuer_client import Begun, IssuerClient
from edgar_search.access.tokens.local_issuer import ISSUER
from edgar_search.access.tokens.signed_token import MAX_SUBJECT_LENGTH, is_subject
from edgar_search.errors import (
    BadRequest,
    BodyTooLarge,
    EdgarSearchError,
    Forbidden,
    InvalidBearerToken,
    RateExceeded,
    Unavailable,
)
from edgar_search.settings import Settings
from edgar_search.web.calls import RouteHandler
from edgar_search.web.pages.browser import (
    MAX_FORM_BYTES,
    SIGN_IN,
    SIGNED_OUT,
    SIGNED_OUT_SECONDS,
    cookie,
    error_page,
    form_of,
    id_token,
    is_user_here,
    own_path,
    refuse_strangers,
    see_other,
    session_of,
    set_cookie,
    sign_in,
    sign_out,
)
from edgar_search.web.pages.templates import render
from edgar_search.web.requests import read_body
from edgar_search.web.responses import json_response, on_error
from edgar_search.web.service import service

LOCAL = "/sign-in/local"
SIGN_OUT = "/sign-out"
EVERYWHERE = "/sign-out/everywhere"


def sign_in_endpoint(handler: RouteHandler) -> RouteHandler:
    """Make the endpoint of a sign-in page: it refuses strangers, limits rates, shows errors."""

    async def endpoint(request: Request) -> Response:
        try:
            refuse_strangers(request)
            client = request.client.host if request.client else ""
            state = service(request)
            await state.admission.rates.check_user(f"sign-in/{client}", state.settings.pages_rate)
            return await handler(request)
        except EdgarSearchError as error:
            return error_page(request, error)

    return endpoint


async def offer(request: Request) -> Response:
    """GET /sign-in"""
    following = own_path(request.query_params.get("next", "/"))
    session = await session_of(request)
    return render(
        "sign_in.html",
        following=following,
        who=session.name if session else "",
        local=_is_local(request),
        issuer=issuer_of(service(request).settings),
    )


async def local(request: Request) -> Response:
    """POST /sign-in/local: sign in as a user of the local issuer, without a password."""
    if not _is_local(request):
        raise Forbidden("the local sign-in is for development, on the service's own machine")
    form = form_of(await read_body(request, MAX_FORM_BYTES))
    subject = "".join(form.get("name", ())).strip()
    if not is_subject(subject):
        raise BadRequest(f"`name` must have 1 to {MAX_SUBJECT_LENGTH} printable characters")
    account = account_id(ISSUER, subject)
    await service(request).admission.accounts.admit(account, None, None)
    response = see_other(own_path("".join(form.get("next", ()))))
    await sign_in(request, response, account, subject)
    return response


async def leave(request: Request) -> Response:
    """POST /sign-out"""
    response = await _signed_out_page(request)
    await sign_out(request, response)
    return response


async def leave_everywhere(request: Request) -> Response:
    """POST /sign-out/everywhere"""
    response = await _signed_out_page(request)
    session = await session_of(request)
    if session is not None:
        state = service(request)
        try:
            async with state.admission.own_share(session.account):
                await state.sessions.end_all(session.account)
        except Unavailable as error:
            # The error says that other browsers are still signed in; this one is not.
            response = error_page(request, error)
    await sign_out(request, response)
    return response


async def _signed_out_page(request: Request) -> Response:
    """Return the page after a sign-out, with a link to the issuer if that can end its own session.

    The pages' policy (`form-action`) forbids forms that lead to another site, even by a redirect,
    so the answer is a page with a link.
    """
    client, session = service(request).sign_in, await session_of(request)
    if client is None or session is None:
        return see_other("/")
    address = await client.sign_out_address(str(request.base_url), id_token(request, session))
    if address is None:
        return see_other("/")
    return render("signed_out.html", issuer_address=address)


def issuer_of(settings: Settings) -> str:
    """Return the issuer at which the pages' users sign in, or ""."""
    return settings.oidc_issuer or "" if settings.oidc_client_id else ""


def _is_local(request: Request) -> bool:
    return service(request).settings.local_issuer and is_user_here(request)


PAGES = {
    (SIGN_IN, "GET"): offer,
    (LOCAL, "POST"): local,
    (SIGN_OUT, "POST"): leave,
    (EVERYWHERE, "POST"): leave_everywhere,
}


ISSUER_PATH = "/sign-in/issuer"
CALLBACK = "/sign-in/callback"
# OpenID Connect Back-Channel Logout 1.0
LOGOUT = "/sign-out/backchannel"
_NOT_UNDER_WAY = "this sign-in did not begin in this browser; begin again"
_LONGEST_NAME = 100
# Errors of an issuer that does not support `prompt=select_account`; it is then asked without.
_CANNOT_ASK = ("invalid_request", "account_selection_required")


class _Pending(NamedTuple):
    begun: Begun
    following: str
    choose: bool


async def start(request: Request) -> Response:
    """GET /sign-in/issuer: a redirect to the issuer's page."""
    state = service(request)
    choose = cookie(request, SIGNED_OUT) != ""
    callback_address = str(request.base_url)[:-1] + CALLBACK
    address, begun = await _client(request).begin(callback_address, choose=choose)
    following = own_path(request.query_params.get("next", "/"))
    response = see_other(address)
    client = request.client.host if request.client else ""
    pending = json.dumps(_Pending(begun, following, choose))
    async with state.admission.own_share(f"sign-in/{client}"):
        key = await state.sessions.begin_sign_in(pending)
    seconds = int(SIGN_IN_TIME.total_seconds())
    set_cookie(request, response, _cookie_of(begun.state), key, seconds)
    set_cookie(request, response, SIGNED_OUT, "", 0)
    return response


async def callback(request: Request) -> Response:
    """GET /sign-in/callback: the return from the issuer, signed in or refused."""
    state = service(request)
    name = _cookie_of(request.query_params.get("state", ""))
    key = cookie(request, name)
    text = await state.sessions.take_sign_in(key) if key else None
    if text is None:
        raise BadRequest(_NOT_UNDER_WAY)
    try:
        begun, following, choose = json.loads(text)
    except ValueError:
        # An older version began it; after an upgrade nobody can finish it.
        raise BadRequest(_NOT_UNDER_WAY) from None
    if choose and request.query_params.get("error") in _CANNOT_ASK:
        return see_other(f"{ISSUER_PATH}?{urlencode({'next': following})}")
    user = await _client(request).finish(Begun(*begun), dict(request.query_params))
    try:
        identity = state.tokens.admit(user.claims, whole=user.whole)
        account = account_id(identity.issuer, identity.subject)
        await state.admission.accounts.admit(account, identity.plan, identity.email)
    except Forbidden as error:
        # The issuer would sign in the same user again, who may have another account there.
        refused = error_page(request, error)
        set_cookie(request, refused, SIGNED_OUT, "1", SIGNED_OUT_SECONDS)
        return refused
    response = see_other(following)
    set_cookie(request, response, name, "", 0)
    at_issuer = AtIssuer(user.id_token, user.session)
    await sign_in(request, response, account, user.name[:_LONGEST_NAME], at_issuer)
    return response


async def log_out(request: Request) -> Response:
    """POST /sign-out/backchannel: the issuer reports that a user has signed out.

    Requests with invalid tokens are limited by address. Valid ones are not: the issuer may log out
    any number of users at once.
    """
    headers = {"Cache-Control": "no-store"}
    state = service(request)
    rates, rate = state.admission.rates, state.settings.pages_rate
    caller = f"sign-out/{request.client.host if request.client else ''}"
    try:
        form = form_of(await read_body(request, MAX_FORM_BYTES))
        signed = state.tokens.logout_token("".join(form.get("logout_token", ())))
        # Counted separately: a provider may send from one address for this issuer and for others,
        # and anyone can have an issuer there.
        caller = f"{caller}/issuer"
        await rates.check_user(caller, rate, count=False)
        logout = await state.tokens.verify_logout(signed)
        account = account_id(logout.issuer, logout.subject) if logout.subject else None
        async with state.admission.own_share(account or f"session/{logout.session}"):
            await state.sessions.end_at_issuer(account, logout.session, logout.at)
    except (BadRequest, BodyTooLarge, InvalidBearerToken) as error:
        try:
            await rates.check_user(caller, rate)
        except RateExceeded as exceeded:
            return await on_error(request, exceeded)
        if not isinstance(error, InvalidBearerToken):
            return await on_error(request, error)
        body = {"error": "invalid_request", "error_description": str(error)}
        return json_response(body, 400, headers)
    except EdgarSearchError as error:
        return await on_error(request, error)
    return Response(status_code=200, headers=headers)


def routes() -> list[Route]:
    """Return the routes of a sign-in at the issuer.

    A HEAD, which a link preview sends, must not use up a sign-in, so it gets a 405.
    """
    issuer_routes = []
    for path, handler in ((ISSUER_PATH, start), (CALLBACK, callback)):
        route = Route(path, sign_in_endpoint(handler), methods=["GET"])
        route.methods = {"GET"}
        issuer_routes.append(route)
    return [*issuer_routes, Route(LOGOUT, log_out, methods=["POST"])]


def _client(request: Request) -> IssuerClient:
    client = service(request).sign_in
    assert client is not None, "an issuer's routes exist only with a client"
    return client


def _cookie_of(state: str) -> str:
    """Return the name of one sign-in's cookie: each tab has its own."""
    return f"sign-in-{hashlib.sha256(state.encode()).hexdigest()[:16]}"
