"""Webhooks: users' addresses for notifications, and the log of deliveries.

Its secrets are encrypted with a key from the settings, which Elasticsearch never gets.
"""

import base64
import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from typing import Any, Literal, NamedTuple

import msgspec
from joserfc import jwe
from joserfc.errors import JoseError
from joserfc.jwk import OctKey
from msgspec import structs

from edgar_search.engine.changes import change
from edgar_search.engine.engine import Engine, Stored
from edgar_search.errors import BadRequest, Forbidden, NotFound
from edgar_search.http_client import is_public
from edgar_search.settings import Settings
from edgar_search.stored.user_items import (
    SentEvent,
    StoredDelivery,
    StoredUserItem,
    StoredWebhook,
    WebhookFormat,
    WebhookSecret,
)
from edgar_search.user_data.addresses import split_address
from edgar_search.user_data.items import TRIES, Items, UserItems

AREA: Literal["webhooks"] = "webhooks"
MAX_WEBHOOKS = 20
TEST_EVENT = "webhook.test"
SECRET_PREFIX = "whsec_"
# The prefix of receivers of mails; no webhook id begins with it.
MAIL = "mail"
_SECRET_BYTES = 32
# The encryption of secrets (RFC 7516).
_SEALED = {"alg": "dir", "enc": "A256GCM"}
# Secrets that a webhook may have: the newest, and older ones that still sign.
_MAX_SECRETS = 3
_DELIVERY_ID = re.compile(r"[0-9a-f]{24}", re.ASCII)
_NO_DELIVERY = "no delivery has this id"

Webhook = StoredUserItem[StoredWebhook]


class NewWebhook(NamedTuple):
    """A webhook with its newest secret, which is shown only this once."""

    stored: Webhook
    secret: str


class Deliveries(NamedTuple):
    """A page of deliveries, newest first; `total` counts all."""

    total: int
    items: list[StoredDelivery]


class Webhooks:
    """The webhooks of all accounts, and their deliveries."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        self._engine = engine
        self._key = settings.secrets_key
        self._on_loopback = settings.webhooks_on_loopback
        self._items = UserItems(engine, AREA, StoredWebhook, "webhook")

    async def page(self, account: str, limit: int, offset: int) -> Items[StoredWebhook]:
        """Read a page of an account's webhooks, newest first."""
        return await self._items.page(account, limit, offset)

    async def read(self, account: str, webhook_id: str) -> StoredWebhook | None:
        """Read a webhook in real time; None if it was removed."""
        items = await self._items.existing(account, [webhook_id])
        return items[0].content if items else None

    async def require(self, account: str, ids: Sequence[str]) -> tuple[str, ...]:
        """Return these webhook ids without repetitions; BadRequest if one does not exist."""
        unique_ids = list(dict.fromkeys(ids))
        try:
            existing = {item.id for item in await self._items.existing(account, unique_ids)}
        except NotFound:
            existing = set()
        unknown = [webhook_id for webhook_id in unique_ids if webhook_id not in existing]
        if unknown:
            raise BadRequest(
                f"`webhooks`: {unknown[0]} is not the id of a webhook; see /auth/webhooks/get"
            )
        return tuple(unique_ids)

    async def add(
        self, account: str, name: str, url: str, format_: WebhookFormat = "standard"
    ) -> NewWebhook:
        """Create a webhook with a new secret, for bodies in this format.

        Raises BadRequest for a forbidden address, and Forbidden if no key to encrypt secrets is
        set.
        """
        self.check_url(url)
        secret = self._new_secret()
        content = StoredWebhook(name, url, (WebhookSecret(self._seal(secret)),), format=format_)
        return NewWebhook(await self._items.add(account, content, most=MAX_WEBHOOKS), secret)

    async def update(self, account: str, webhook_id: str, fields: dict[str, Any]) -> Webhook:
        """Change fields of a webhook; enabling it clears its failures."""
        if "url" in fields:
            self.check_url(fields["url"])

        def changed(old: StoredWebhook) -> StoredWebhook:
            new = structs.replace(old, **fields)
            if new.enabled and not old.enabled:
                return structs.replace(new, failures=0, failing_since=None, disabled_because=None)
            return new

        return await self.change(account, webhook_id, changed)

    async def change(
        self, account: str, webhook_id: str, change: Callable[[StoredWebhook], StoredWebhook]
    ) -> Webhook:
        """Change the content of a webhook; NotFound if it was removed."""
        return await self._items.change(account, webhook_id, change)

    async def rotate(self, account: str, webhook_id: str, overlap: timedelta) -> NewWebhook:
        """Give a webhook a new secret; for `overlap`, the old one signs too."""
        secret = self._new_secret()
        now = datetime.now(UTC)
        new = WebhookSecret(self._seal(secret))

        def rotated(old: StoredWebhook) -> StoredWebhook:
            older = tuple(
                structs.replace(earlier, until=min(now + overlap, earlier.until or now + overlap))
                for earlier in old.secrets
                if earlier.until is None or earlier.until > now
            )
            return structs.replace(old, secrets=(new, *older)[:_MAX_SECRETS])

        return NewWebhook(await self.change(account, webhook_id, rotated), secret)

    async def remove(self, account: str, webhook_id: str) -> None:
        """Remove a webhook and drop its pending deliveries."""
        await self._items.remove(account, webhook_id)

    async def test(self, account: str, webhook_id: str) -> StoredDelivery:
        """Send an event of type `webhook.test`; NotFound if the webhook does not exist."""
        await self._items.read(account, webhook_id)
        now = datetime.now(UTC)
        event = SentEvent(TEST_EVENT, event_body(TEST_EVENT, now, {"webhook_id": webhook_id}))
        delivery = StoredDelivery(
            account, webhook_id, secrets.token_hex(12), now, now, "waiting", event
        )
        await self._engine.create("deliveries", delivery_key(account, delivery.id), delivery)
        return delivery

    async def deliveries(
        self, account: str, webhook_id: str | None, limit: int, offset: int
    ) -> Deliveries:
        """Read a page of an account's deliveries, newest first, to one webhook or to all."""
        clauses = [{"term": {"account": account}}]
        if webhook_id is not None:
            clauses.append({"term": {"webhook": webhook_id}})
        body = {
            "query": {"bool": {"filter": clauses, "must_not": [OF_MAIL]}},
            "from": offset,
            "size": limit,
            "sort": [{"created_at": "desc"}, {"id": "asc"}],
            "track_total_hits": True,
            "seq_no_primary_term": True,
        }
        reply = await self._engine.search("deliveries", body, Stored[StoredDelivery])
        return Deliveries(reply.total, [hit.source for hit in reply.hits.hits if hit.source])

    async def replay(self, account: str, delivery_id: str) -> StoredDelivery:
        """Send a delivery again, at once and under the same id.

        Raises NotFound if it does not exist.
        """
        now = datetime.now(UTC)

        if not _DELIVERY_ID.fullmatch(delivery_id):
            raise NotFound(_NO_DELIVERY)

        def again(old: StoredDelivery | None) -> StoredDelivery:
            if old is None or is_mail(old.webhook):
                raise NotFound(_NO_DELIVERY)
            content = structs.replace(old.content, attempts=())
            return structs.replace(old, due=now, state="waiting", content=content)

        key = delivery_key(account, delivery_id)
        result = await change(self._engine, "deliveries", key, StoredDelivery, again, TRIES)
        assert result.after is not None
        return result.after

    def secrets_of(self, webhook: StoredWebhook, now: datetime) -> list[str]:
        """Return the secrets that sign now, newest first, except those under another key."""
        valid = [key for key in webhook.secrets if key.until is None or key.until > now]
        return [secret for key in valid if (secret := self._unseal(key.sealed))]

    def check_url(self, url: str) -> None:
        """Raise BadRequest for an address to which the service sends no requests.

        A host name may still resolve to such an address; that is checked on connecting.
        """
        parts = split_address(url)
        if parts is None or not url.isascii() or "@" in parts.netloc or parts.fragment:
            raise BadRequest(
                "`url` must be an https address with a host, in ASCII, without user and fragment"
            )
        host = parts.hostname or ""
        loopback = self._on_loopback and _is_loopback(host)
        if parts.scheme != "https" and not (loopback and parts.scheme == "http"):
            raise BadRequest("`url` must begin with https://")
        if not loopback and (_is_local(host) or not ("." in host or ":" in host)):
            raise BadRequest("`url` must have a host on the public internet")

    def _new_secret(self) -> str:
        return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()

    def _seal(self, secret: str) -> str:
        if self._key is None:
            raise Forbidden(
                "this service sends no webhooks: its operator has not set EDGAR_SEARCH_SECRETS_KEY"
            )
        return jwe.encrypt_compact(_SEALED, secret, _derived(self._key))

    def _unseal(self, sealed: str) -> str | None:
        if self._key is None:
            return None
        try:
            opened = jwe.decrypt_compact(sealed, _derived(self._key))
        except (JoseError, ValueError):
            return None
        return (opened.plaintext or b"").decode()


def is_mail(receiver: str) -> bool:
    """Return True if deliveries to a receiver are mails."""
    return receiver.startswith(MAIL)


# A clause that matches deliveries by mail.
OF_MAIL: dict[str, Any] = {"prefix": {"webhook": MAIL}}


def delivery_key(account: str, delivery_id: str) -> str:
    """Return the key of a stored delivery, which includes its account."""
    return f"{account} {delivery_id}"


def delivery_id(notification_id: str, webhook_id: str) -> str:
    """Return the id of a notification's delivery to a webhook, always the same."""
    return hashlib.sha256(f"{notification_id} {webhook_id}".encode()).hexdigest()[:24]


def event_body(kind: str, at: datetime, data: object) -> str:
    """Write the body of an event as Standard Webhooks defines it."""
    return msgspec.json.encode({"type": kind, "timestamp": at, "data": data}).decode()


def _derived(key: str) -> OctKey:
    return OctKey.import_key(hmac.digest(key.encode(), b"webhooks", "sha256"))


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_local(host: str) -> bool:
    try:
        return not is_public(str(ip_address(host)))
    except ValueError:
        return host.rstrip(".").endswith(("localhost", ".local", ".internal"))
