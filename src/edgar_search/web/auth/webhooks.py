"""/auth/webhooks: addresses that notifications are sent to, and the log of deliveries."""

from datetime import datetime, timedelta
from typing import get_args

from msgspec import UNSET, Struct, UnsetType, structs
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.alerts.webhooks import NewWebhook, Webhooks
from edgar_search.api.parameters.declaration import Parameter
from edgar_search.api.parameters.reader import Parameters
from edgar_search.stored.user_items import (
    Attempt,
    DeliveryState,
    StoredDelivery,
    StoredUserItem,
    StoredWebhook,
    WebhookFormat,
)
from edgar_search.web.auth.lists import (
    CREATED,
    ID,
    NAME,
    PAGE,
    UserCall,
    UserEndpoint,
    change_endpoint,
    changed_response,
    changes,
    list_endpoint,
    list_of,
    list_response,
    optional,
    read_change,
    read_endpoint,
    read_id,
    read_listing,
    removal_endpoints,
)
from edgar_search.web.responses import json_response
from edgar_search.web.service import service

MAX_URL = 2_000
FORMATS: tuple[WebhookFormat, ...] = get_args(WebhookFormat)
# How long a replaced secret still signs, in seconds.
DEFAULT_OVERLAP, MAX_OVERLAP = 86_400, 30 * 86_400


class Webhook(Struct):
    """A webhook; `failures` counts the attempts since the last successful one.

    One that the service has disabled has the reason. `format` is set unless it is standard.
    """

    id: str
    name: str
    url: str
    enabled: bool
    created_at: datetime
    failures: int
    failing_since: datetime | None
    disabled_because: str | None
    format: WebhookFormat | UnsetType = UNSET


class FullWebhook(Webhook, kw_only=True):
    """A webhook with its new secret: the only time that it is shown."""

    secret: str


class Try(Struct):
    """A delivery attempt: the status of the answer, or the error if there was none."""

    at: datetime
    status: int | None
    error: str | None


class Delivery(Struct):
    """An event that is sent to a webhook; `id` is the request's `webhook-id`.

    `next_try_at` is set while it waits.
    """

    id: str
    webhook_id: str
    type: str
    state: DeliveryState
    created_at: datetime
    next_try_at: datetime | None
    attempts: list[Try]
    body: str


_URL = Parameter(
    "url",
    "text",
    "https, with a host on the public internet; no user, no fragment, ASCII only",
    required=True,
    longest=MAX_URL,
    of="address",
)
_FORMAT = Parameter(
    "format",
    "choice",
    "the format of bodies: `standard` for programs, `slack` and `teams` for channels",
    default="standard",
    choices=FORMATS,
)
WEBHOOKS = list_endpoint("/auth/webhooks/get", "lists webhooks", Webhook)
ADD_WEBHOOK = change_endpoint(
    "/auth/webhooks/add",
    "makes a webhook",
    NAME,
    _URL,
    _FORMAT,
    answer=FullWebhook,
    statuses=CREATED,
)
UPDATE_WEBHOOK = change_endpoint(
    "/auth/webhooks/update",
    "changes a webhook",
    ID,
    *optional((NAME, _URL, _FORMAT)),
    Parameter("enabled", "flag", "true: it is sent notifications", default=True),
    answer=Webhook,
)
ROTATE_SECRET = change_endpoint(
    "/auth/webhooks/rotate",
    "gives a webhook a new secret",
    ID,
    Parameter(
        "overlap_seconds",
        "integer",
        "the number of seconds for which the old secret signs too",
        least=0,
        most=MAX_OVERLAP,
        default=DEFAULT_OVERLAP,
    ),
    answer=FullWebhook,
    statuses=CREATED,
)
TEST_WEBHOOK = change_endpoint(
    "/auth/webhooks/test",
    "sends an event of the type `webhook.test`",
    ID,
    answer=Delivery,
    statuses=CREATED,
)
REMOVE_WEBHOOK = removal_endpoints(
    "/auth/webhooks/remove", "removes a webhook and drops its waiting deliveries"
)
DELIVERIES = read_endpoint(
    "/auth/webhooks/deliveries",
    "lists what was sent, and what waits",
    list_of("deliveries", Delivery),
    structs.replace(
        ID, name="webhook_id", description="only deliveries to this webhook", required=False
    ),
    *PAGE,
)
REPLAY = change_endpoint(
    "/auth/webhooks/replay",
    "sends a delivery again, under the same id",
    ID,
    answer=Delivery,
)


async def get(request: Request, call: UserCall) -> Response:
    """GET /auth/webhooks/get"""
    account, _, page = read_listing(call, WEBHOOKS.declared)
    stored = await _webhooks(request).page(account, *page)
    return list_response("webhooks", [webhook(item) for item in stored.items], stored.total)


async def add(request: Request, call: UserCall) -> Response:
    """POST /auth/webhooks/add"""
    account, fields = read_change(call, ADD_WEBHOOK.declared)
    name, url = fields.required_own_text("name"), fields.required_own_text("url")
    new = await _webhooks(request).add(account, name, url, webhook_format(fields))
    return json_response(full_webhook(new), 201)


async def update(request: Request, call: UserCall) -> Response:
    """POST /auth/webhooks/update"""
    account, fields = read_change(call, UPDATE_WEBHOOK.declared)
    webhook_id = fields.required_own_text("id")
    changed = changes(
        fields,
        {
            "name": lambda: fields.required_own_text("name"),
            "url": lambda: fields.required_own_text("url"),
            "format": lambda: webhook_format(fields),
            "enabled": lambda: fields.flag("enabled"),
        },
    )
    return json_response(webhook(await _webhooks(request).update(account, webhook_id, changed)))


async def rotate(request: Request, call: UserCall) -> Response:
    """POST /auth/webhooks/rotate"""
    account, fields = read_change(call, ROTATE_SECRET.declared)
    webhook_id = fields.required_own_text("id")
    overlap = timedelta(seconds=fields.integer("overlap_seconds"))
    new = await _webhooks(request).rotate(account, webhook_id, overlap)
    return json_response(full_webhook(new), 201)


async def test(request: Request, call: UserCall) -> Response:
    """POST /auth/webhooks/test"""
    account, fields = read_change(call, TEST_WEBHOOK.declared)
    webhook_id = fields.required_own_text("id")
    return json_response(delivery(await _webhooks(request).test(account, webhook_id)), 201)


async def remove(request: Request, call: UserCall) -> Response:
    """POST or DELETE /auth/webhooks/remove"""
    account, webhook_id = read_id(request, call)
    await _webhooks(request).remove(account, webhook_id)
    return changed_response(1)


async def deliveries(request: Request, call: UserCall) -> Response:
    """GET /auth/webhooks/deliveries"""
    account, parameters, page = read_listing(call, DELIVERIES.declared)
    stored = await _webhooks(request).deliveries(account, parameters.text("webhook_id"), *page)
    return list_response("deliveries", [delivery(item) for item in stored.items], stored.total)


async def replay(request: Request, call: UserCall) -> Response:
    """POST /auth/webhooks/replay"""
    account, fields = read_change(call, REPLAY.declared)
    delivery_id = fields.required_own_text("id")
    return json_response(delivery(await _webhooks(request).replay(account, delivery_id)))


def webhook(item: StoredUserItem[StoredWebhook]) -> Webhook:
    """Convert a stored webhook, without its secrets."""
    content = item.content
    return Webhook(
        id=item.id,
        name=content.name,
        url=content.url,
        enabled=content.enabled,
        created_at=item.created_at,
        failures=content.failures,
        failing_since=content.failing_since,
        disabled_because=content.disabled_because,
        format=UNSET if content.format == "standard" else content.format,
    )


def webhook_format(fields: Parameters) -> WebhookFormat:
    """Return the format of a webhook's bodies."""
    return fields.exact_choice("format", FORMATS) if "format" in fields else "standard"


def full_webhook(new: NewWebhook) -> FullWebhook:
    """Convert a webhook with its newly made secret."""
    return FullWebhook(**structs.asdict(webhook(new.stored)), secret=new.secret)


def delivery(stored: StoredDelivery) -> Delivery:
    """Convert a stored delivery, with its attempts."""
    return Delivery(
        id=stored.id,
        webhook_id=stored.webhook,
        type=stored.content.type,
        state=stored.state,
        created_at=stored.created_at,
        next_try_at=stored.due if stored.state == "waiting" else None,
        attempts=[_attempt(attempt) for attempt in stored.content.attempts],
        body=stored.content.body,
    )


def _attempt(attempt: Attempt) -> Try:
    return Try(attempt.at, attempt.status, attempt.error)


def _webhooks(request: Request) -> Webhooks:
    return Webhooks(service(request).engine, service(request).settings)


ENDPOINTS = (
    UserEndpoint(get, (WEBHOOKS,)),
    UserEndpoint(add, (ADD_WEBHOOK,)),
    UserEndpoint(update, (UPDATE_WEBHOOK,)),
    UserEndpoint(rotate, (ROTATE_SECRET,)),
    UserEndpoint(test, (TEST_WEBHOOK,)),
    UserEndpoint(remove, REMOVE_WEBHOOK),
    UserEndpoint(deliveries, (DELIVERIES,)),
    UserEndpoint(replay, (REPLAY,)),
)
