"""/account/mail: the address for mailed alerts; and the link that unsubscribes."""

from functools import cache
from zoneinfo import available_timezones

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgar_search.alerts.mailboxes import DEFAULT_HOUR, DEFAULT_ZONE, Mailboxes
from edgar_search.api.parameters.declaration import Parameter, by_spelling
from edgar_search.errors import BadRequest, EdgarSearchError
from edgar_search.web.pages.account import account_page, action_of, fields_of
from edgar_search.web.pages.browser import PageCall, error_page, form_of, page_parameters, see_other
from edgar_search.web.pages.templates import render
from edgar_search.web.service import service
from edgar_search.web.strangers import admit_stranger

MAIL = "/account/mail"
UNSUBSCRIBE = "/mail/unsubscribe"
_TOKEN_CHARS = 2_000


_FIELDS = by_spelling(
    (
        Parameter("address", "text", "a mail address", required=True, longest=254),
        Parameter("hour", "integer", "an hour", least=0, most=23, default=DEFAULT_HOUR),
        Parameter("time_zone", "text", "a time zone", required=True, longest=100),
    )
)


@cache
def _zones() -> list[str]:
    return sorted(available_timezones())


async def mail(request: Request, call: PageCall) -> Response:
    """Show the address, with forms that change, confirm and remove it."""
    if request.method != "POST":
        return await _mail_page(request, call)
    kept, account = _mailboxes(request), call.account
    form = form_of(call.raw.body)
    action = action_of(form, ("set", "confirm", "remove"))
    try:
        if action == "set":
            fields = fields_of(form, _FIELDS)
            zone = fields.required_own_text("time_zone")
            if zone not in _zones():
                raise BadRequest(f"`time_zone` must be a name such as {DEFAULT_ZONE}, not {zone}")
            address = fields.required_own_text("address")
            await kept.set(account, address, fields.integer("hour"), zone)
        elif action == "confirm":
            await kept.confirm(account, "".join(form.get("token", ()))[:_TOKEN_CHARS])
        else:
            await kept.remove(account)
    except BadRequest as error:
        return await _mail_page(request, call, wrong=str(error))
    return see_other(MAIL)


async def _mail_page(request: Request, call: PageCall, wrong: str | None = None) -> Response:
    token = "".join(page_parameters(request).get("token", ()))
    mailbox = await _mailboxes(request).read(call.account)
    return account_page(
        "mail.html",
        request,
        call,
        400 if wrong else 200,
        mailbox=mailbox,
        token=token[:_TOKEN_CHARS] if mailbox is not None and not mailbox.confirmed_at else "",
        on=_mailboxes(request).on,
        zones=_zones(),
        hour=mailbox.hour if mailbox else DEFAULT_HOUR,
        zone=mailbox.time_zone if mailbox else DEFAULT_ZONE,
        wrong=wrong,
    )


async def unsubscribe(request: Request) -> Response:
    """GET /mail/unsubscribe, a page with a button; POST, which stops the mails (RFC 8058).

    Mail programs send the POST without a session, so the token alone decides.
    """
    try:
        await admit_stranger(request)
        token = request.query_params.get("token", "")[:_TOKEN_CHARS]
        ended = ""
        if request.method == "POST":
            ended = await _mailboxes(request).unsubscribe(token)
    except EdgarSearchError as error:
        return error_page(request, error)
    return render("unsubscribe.html", ended=ended)


def _mailboxes(request: Request) -> Mailboxes:
    return Mailboxes(service(request).engine, service(request).settings)


ROUTES = [Route(UNSUBSCRIBE, unsubscribe, methods=["GET", "POST"])]
