"""/account/webhooks: a user's webhooks, and what was sent to them."""

from datetime import timedelta

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.alerts.webhooks import MAX_WEBHOOKS, NewWebhook, Webhooks
from edgar_search.errors import BadRequest, Forbidden
from edgar_search.web.auth.lists import ONLY_ID
from edgar_search.web.auth.webhooks import ADD_WEBHOOK, DEFAULT_OVERLAP, FORMATS, webhook_format
from edgar_search.web.pages.account import SIZE, action_of, fields_of, list_page, offset_of
from edgar_search.web.pages.browser import (
    PageCall,
    forget_handed_over,
    form_of,
    hand_over,
    handed_over,
    see_other,
)
from edgar_search.web.service import service

WEBHOOKS = "/account/webhooks"


async def webhooks(request: Request, call: PageCall) -> Response:
    """Show the webhooks and the delivery log, with forms that make, change, test and replay."""
    if request.method != "POST":
        return await _webhooks_page(request, call)
    try:
        new = await _change(request, call)
    except (BadRequest, Forbidden) as error:
        return await _webhooks_page(request, call, error)
    response = see_other(WEBHOOKS)
    if new is not None:
        hand_over(request, response, f"{new.stored.id} {new.secret}")
    return response


async def _change(request: Request, call: PageCall) -> NewWebhook | None:
    kept, account = _kept(request), call.account
    form = form_of(call.raw.body)
    action = action_of(form, ("add", "test", "rotate", "on", "off", "remove", "replay"))
    if action == "add":
        fields = fields_of(form, ADD_WEBHOOK.declared)
        name, url = fields.required_own_text("name"), fields.required_own_text("url")
        return await kept.add(account, name, url, webhook_format(fields))
    item_id = fields_of(form, ONLY_ID).required_own_text("id")
    if action == "rotate":
        return await kept.rotate(account, item_id, timedelta(seconds=DEFAULT_OVERLAP))
    if action == "test":
        await kept.test(account, item_id)
    elif action == "replay":
        await kept.replay(account, item_id)
    elif action == "remove":
        await kept.remove(account, item_id)
    else:
        await kept.update(account, item_id, {"enabled": action == "on"})
    return None


async def _webhooks_page(
    request: Request, call: PageCall, error: BadRequest | Forbidden | None = None
) -> Response:
    """Render the page, with a new secret if a form has just made one; it is not shown again."""
    kept, offset = _kept(request), offset_of(request)
    stored = await kept.page(call.account, MAX_WEBHOOKS, 0)
    sent = await kept.deliveries(call.account, None, SIZE, offset)
    new_id, _, secret = handed_over(request).partition(" ")
    new = next((item for item in stored.items if item.id == new_id), None)
    response = list_page(
        "webhooks.html",
        request,
        call,
        offset,
        sent.total,
        error.status if error else 200,
        items=stored.items,
        names={item.id: item.content.name for item in stored.items},
        deliveries=sent.items,
        formats=FORMATS,
        new_name=new.content.name if new else "",
        new_secret=secret if new else "",
        on=service(request).settings.secrets_key is not None,
        wrong=str(error) if error else None,
    )
    if new is not None:
        forget_handed_over(request, response)
    return response


def _kept(request: Request) -> Webhooks:
    return Webhooks(service(request).engine, service(request).settings)
