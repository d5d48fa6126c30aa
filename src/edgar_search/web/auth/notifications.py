"""/auth/notifications: documents that matched a user's alert triggers."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from msgspec import UNSET, Struct, UnsetType
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.alerts.notifications import AREA, Notifications, withdrawn_documents
from edgar_search.api.parameters.declaration import Endpoint, Parameter
from edgar_search.api.parameters.reader import Parameters
from edgar_search.errors import BadRequest
from edgar_search.events.log import LogPage
from edgar_search.stored.events import ALERT
from edgar_search.stored.user_items import DocumentMatch, StoredNotification, StoredUserItem
from edgar_search.web.auth.lists import (
    MAX_ID,
    MAX_LIMIT,
    UserCall,
    UserEndpoint,
    change_endpoint,
    changed_response,
    list_endpoint,
    list_response,
    read_change,
    read_id,
    read_listing,
    read_query,
    removal_endpoints,
)
from edgar_search.web.service import service
from edgar_search.web.streams import AFTER, EVENT_STREAM, RULES, Rendered, begin, open_stream

_TRUTHS = {"true": True, "false": False}


class Notification(Struct):
    """A notification; `withdrawn` is when EDGAR removed the filing, if it did."""

    id: str
    alert_trigger_id: str
    created_at: datetime
    read_at: datetime | None
    document: DocumentMatch | None
    message: str | None
    withdrawn: str | UnsetType = UNSET


NOTIFICATIONS = list_endpoint(
    "/auth/notifications/get",
    "lists documents that matched alert triggers",
    Notification,
    Parameter("unread", "flag", "true lists only unread ones", default=False),
)
MARK_READ = change_endpoint(
    "/auth/notifications/mark_read",
    "marks some or all as read",
    Parameter(
        "ids",
        "list",
        "the ids of the notifications; this or `all` is needed",
        most=MAX_LIMIT,
        longest=MAX_ID,
        of="ids",
    ),
    Parameter("all", "flag", "true marks all", default=False),
)
STREAM = Endpoint(
    "/auth/notifications/stream",
    "streams documents as they match alert triggers",
    (AFTER,),
    credential="token",
    media=(EVENT_STREAM,),
    rules=(
        "The event `notification` has the same as an entry of the list. A notification that was"
        " removed meanwhile is not sent.",
        *RULES,
    ),
)
REMOVE_NOTIFICATION = removal_endpoints(
    "/auth/notifications/remove", "removes a notification for good: it is not made again"
)


async def get(request: Request, call: UserCall) -> Response:
    """GET /auth/notifications/get"""
    account, parameters, page = read_listing(call, NOTIFICATIONS.declared)
    stored = await _notifications(request).page(account, *page, unread=_unread(parameters))
    withdrawn = await withdrawn_documents(service(request).engine, stored.items)
    items = [notification(item, withdrawn) for item in stored.items]
    return list_response(AREA, items, stored.total)


async def mark_read(request: Request, call: UserCall) -> Response:
    """POST /auth/notifications/mark_read"""
    account, fields = read_change(call, MARK_READ.declared)
    ids = fields.own_texts("ids") or []
    everything = fields.flag("all")
    if everything == bool(ids):
        raise BadRequest('`ids` or `"all": true` must be given, not both')
    notifications = _notifications(request)
    if everything:
        return changed_response(await notifications.mark_all_read(account))
    return changed_response(await notifications.mark_read(account, ids))


async def stream(request: Request, call: UserCall) -> Response:
    """GET /auth/notifications/stream"""
    account, parameters = read_query(call, STREAM.declared)
    state = service(request)
    notifications = _notifications(request)

    async def render(page: LogPage, _: bool) -> Sequence[Rendered]:
        positions = {event.content.notification_id: event.position for event in page.events}
        items = await notifications.existing(account, list(positions))
        withdrawn = await withdrawn_documents(state.engine, items)
        return [
            Rendered(positions[item.id], "notification", notification(item, withdrawn))
            for item in items
        ]

    beginning = await begin(request, parameters, state.feed)
    return await open_stream(request, call, beginning, render, (ALERT,), account)


async def remove(request: Request, call: UserCall) -> Response:
    """POST or DELETE /auth/notifications/remove"""
    account, notification_id = read_id(request, call)
    await _notifications(request).remove(account, notification_id)
    return changed_response(1)


def _unread(parameters: Parameters) -> bool:
    text = (parameters.text("unread") or "false").strip()
    if text not in _TRUTHS:
        raise BadRequest(f"`unread` must be true or false, not `{text[:40]}`")
    return _TRUTHS[text]


def notification(
    item: StoredUserItem[StoredNotification], withdrawn: Mapping[str, str] = MappingProxyType({})
) -> Notification:
    """Convert a stored notification; `withdrawn` gives the withdrawal times by accession number."""
    content = item.content
    number = content.document.accnum if content.document else ""
    return Notification(
        id=item.id,
        alert_trigger_id=content.alert_trigger_id,
        created_at=item.created_at,
        read_at=content.read_at,
        document=content.document,
        message=content.message,
        withdrawn=withdrawn.get(number, UNSET),
    )


def _notifications(request: Request) -> Notifications:
    return Notifications(service(request).engine)


ENDPOINTS = (
    UserEndpoint(get, (NOTIFICATIONS,)),
    UserEndpoint(mark_read, (MARK_READ,)),
    UserEndpoint(stream, (STREAM,)),
    UserEndpoint(remove, REMOVE_NOTIFICATION),
)
