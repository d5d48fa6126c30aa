"""/auth/notifications: documents that matched a user's alert triggers."""

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.alerts.notifications import AREA, Notifications, withdrawn_documents
from edgar_search.errors import BadRequest
from edgar_search.web.auth.answers import notification
from edgar_search.web.auth.endpoints import MARK_READ, NOTIFICATIONS, REMOVE_NOTIFICATION
from edgar_search.web.auth.lists import (
    UserCall,
    changed_response,
    changing,
    list_response,
    listing,
    naming,
    route,
)
from edgar_search.web.parameters.reader import Parameters
from edgar_search.web.service import service

_TRUTHS = {"true": True, "false": False}


async def get(request: Request, call: UserCall) -> Response:
    """GET /auth/notifications/get"""
    account, parameters, page = listing(call, NOTIFICATIONS.parameters)
    found = await _notifications(request).page(account, *page, unread=_unread(parameters))
    withdrawn = await withdrawn_documents(service(request).engine, found.items)
    items = [notification(item, withdrawn) for item in found.items]
    return list_response(AREA, items, found.total)


async def mark_read(request: Request, call: UserCall) -> Response:
    """POST /auth/notifications/mark_read"""
    account, fields = changing(call, MARK_READ.parameters)
    ids = fields.own_texts("ids") or []
    everything = fields.flag("all")
    if everything == bool(ids):
        raise BadRequest('`ids` or `"all": true` must be given, not both')
    notifications = _notifications(request)
    if everything:
        return changed_response(await notifications.mark_all_read(account))
    return changed_response(await notifications.mark_read(account, ids))


async def remove(request: Request, call: UserCall) -> Response:
    """POST or DELETE /auth/notifications/remove"""
    account, notification_id = naming(request, call)
    await _notifications(request).remove(account, notification_id)
    return changed_response(1)


def _unread(parameters: Parameters) -> bool:
    text = (parameters.text("unread") or "false").strip()
    if text not in _TRUTHS:
        raise BadRequest(f"`unread` must be true or false, not `{text[:40]}`")
    return _TRUTHS[text]


def _notifications(request: Request) -> Notifications:
    return Notifications(service(request).engine)


routes = [
    route(get, NOTIFICATIONS),
    route(mark_read, MARK_READ),
    route(remove, *REMOVE_NOTIFICATION),
]
