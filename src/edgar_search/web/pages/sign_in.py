"""Signing in and out."""

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.access.tokens.bearer import account_id
from edgar_search.access.tokens.local_issuer import ISSUER
from edgar_search.access.tokens.signed_token import MAX_SUBJECT_LENGTH, is_subject
from edgar_search.errors import BadRequest, EdgarSearchError, Forbidden, Unavailable
from edgar_search.settings import Settings
from edgar_search.web.pages.browser import (
    form_of,
    id_token,
    is_user_here,
    own_path,
    session_of,
    sign_in,
    sign_out,
)
from edgar_search.web.pages.calls import (
    SIGN_IN,
    PageEndpoint,
    error_page,
    refuse_strangers,
    see_other,
)
from edgar_search.web.pages.templates import rendered
from edgar_search.web.state import service

LOCAL = "/sign-in/local"
SIGN_OUT = "/sign-out"
EVERYWHERE = "/sign-out/everywhere"


def around(handler: PageEndpoint) -> PageEndpoint:
    """What is done around these pages, which nobody has to have signed in for."""

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
    return rendered(
        "sign_in.html",
        following=following,
        who=session.name if session else "",
        local=_is_local(request),
        issuer=issuer_of(service(request).settings),
    )


async def local(request: Request) -> Response:
    """POST /sign-in/local: as a user of the local issuer, whom nobody asks for a password."""
    if not _is_local(request):
        raise Forbidden("the local sign-in is for development, on the machine itself")
    form = await form_of(request)
    subject = "".join(form.get("name", ())).strip()
    if not is_subject(subject):
        raise BadRequest(f"name: must be 1 to {MAX_SUBJECT_LENGTH} printable characters")
    account = account_id(ISSUER, subject)
    await service(request).admission.accounts.admit(account, None, None)
    response = see_other(own_path("".join(form.get("next", ()))))
    await sign_in(request, response, account, subject)
    return response


async def leave(request: Request) -> Response:
    """POST /sign-out"""
    response = await _left(request)
    await sign_out(request, response)
    return response


async def leave_everywhere(request: Request) -> Response:
    """POST /sign-out/everywhere"""
    response = await _left(request)
    session = await session_of(request)
    if session is not None:
        state = service(request)
        try:
            async with state.admission.own_share(session.account):
                await state.sessions.end_all(session.account)
        except Unavailable as error:
            # Other browsers are signed in still: this one is not, and says so.
            response = error_page(request, error)
    await sign_out(request, response)
    return response


async def _left(request: Request) -> Response:
    """The page after a sign-out: if the issuer can end its own session, that is where it leads.

    A form of these pages must not be sent elsewhere (`form-action` of their policy), and a redirect
    counts as that, so a page leads there.
    """
    client, session = service(request).sign_in, await session_of(request)
    if client is None or session is None:
        return see_other("/")
    address = await client.sign_out_address(str(request.base_url), id_token(request, session))
    if address is None:
        return see_other("/")
    return rendered("signed_out.html", issuer_address=address)


def issuer_of(settings: Settings) -> str:
    """The issuer at which users of the pages sign in; "" where there is none."""
    return settings.oidc_issuer or "" if settings.oidc_client_id else ""


def _is_local(request: Request) -> bool:
    return service(request).settings.local_issuer and is_user_here(request)


PAGES = {
    (SIGN_IN, "GET"): offer,
    (LOCAL, "POST"): local,
    (SIGN_OUT, "POST"): leave,
    (EVERYWHERE, "POST"): leave_everywhere,
}
