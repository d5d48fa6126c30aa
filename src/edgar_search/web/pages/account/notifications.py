"""/account/notifications: documents that matched the user's alerts."""

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.alerts.notifications import Notifications, withdrawn_documents
from edgar_search.web.auth.endpoints import ID
from edgar_search.web.pages.account.pages import (
    SIZE,
    action_of,
    fields_of,
    list_page,
    offset_of,
)
from edgar_search.web.pages.browser import form_of
from edgar_search.web.pages.calls import PageCall, see_other
from edgar_search.web.state import service

NOTIFICATIONS = "/account/notifications"


async def notifications(request: Request, call: PageCall) -> Response:
    """The notifications, newest first, and what marks them as read and removes them."""
    kept, account = Notifications(service(request).engine), call.reader.account
    if request.method == "POST":
        form = await form_of(request)
        if action_of(form, ("read", "remove")) == "read":
            await kept.mark_all_read(account)
        else:
            await kept.remove(account, fields_of(form, (ID,)).needed("id"))
        return see_other(NOTIFICATIONS)
    offset = offset_of(request)
    found = await kept.page(account, SIZE, offset)
    return list_page(
        "notifications.html",
        request,
        call,
        offset,
        found.total,
        items=found.items,
        withdrawn=await withdrawn_documents(service(request).engine, found.items),
    )
