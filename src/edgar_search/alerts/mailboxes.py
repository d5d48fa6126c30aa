"""Mailboxes: the address to which an account's alerts are mailed, once it is confirmed.

An unconfirmed address gets only confirmations: their text is fixed, and an address gets at most one
a day, whoever asks for it. No one can make the service send a stranger more than that.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Callable, Collection
from datetime import UTC, datetime, timedelta
from typing import Literal, TypeVar
from zoneinfo import ZoneInfo

import msgspec
from joserfc import jws
from joserfc.errors import JoseError
from joserfc.jwk import OctKey
from msgspec import Struct, structs

from edgar_search.alerts.webhooks import MAIL, delivery_key
from edgar_search.engine.changes import change
from edgar_search.engine.engine import Engine
from edgar_search.errors import BadRequest, Forbidden, NotFound
from edgar_search.settings import Settings
from edgar_search.stored.user_items import (
    Area,
    MailRate,
    SentEvent,
    StoredDelivery,
    StoredMailAddress,
    StoredMailbox,
    StoredUserItem,
    item_key,
)
from edgar_search.user_data.items import TRIES

C = TypeVar("C")

MAILBOXES: Literal["mailboxes"] = "mailboxes"
_ADDRESSES: Literal["mail_addresses"] = "mail_addresses"
# The id of an account's mailbox; there is only one.
_MAILBOX = "mailbox"
# Prefixes of receivers, for digests and for confirmations.
_DIGEST, _CONFIRMATION = f"{MAIL} ", f"{MAIL}-confirm "
CONFIRM_EVENT = "mail.confirm"
DEFAULT_HOUR, DEFAULT_ZONE = 7, "America/New_York"
CONFIRM_WITHIN = timedelta(days=3)
_ASKED_AGAIN = timedelta(days=1)
# Confirmations that an account may request in a day.
_MOST_ASKED = 3
# After this many permanent refusals in a row, an address gets no more mail.
_MOST_REFUSALS = 3
_UNSUBSCRIBED = "it was unsubscribed by the link in a mail"
_REFUSED = f"the mail server refused it {_MOST_REFUSALS} times"
_BLOCKED = "the operator has taken it out"
_SIGNED = {"alg": "HS256"}
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_ADDRESS = re.compile(
    rf"[A-Za-z0-9.!#$%&'*+/=?^_`{{|}}~-]{{1,64}}@{_LABEL}(?:\.{_LABEL})+", re.ASCII
)
_MAX_ADDRESS = 254


class Confirmation(Struct):
    """The contents of a confirmation mail: the address, and the token of its link."""

    address: str
    token: str


class _Claim(Struct, omit_defaults=True):
    """A link in a mail: its purpose, its account, and the address that the mail went to."""

    does: Literal["confirm", "end"]
    account: str
    address: str
    until: datetime | None = None


def digest_receiver(account: str) -> str:
    """Return the receiver of an account's digests."""
    return f"{_DIGEST}{account}"


def is_confirmation(receiver: str) -> bool:
    """Return True if deliveries to this receiver are confirmations."""
    return receiver.startswith(_CONFIRMATION)


class Mailboxes:
    """The mailboxes of all accounts, and the state of their addresses."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        self._engine = engine
        self._key = settings.secrets_key
        self.on = settings.sends_mail

    async def read(self, account: str) -> StoredMailbox | None:
        """Read the mailbox of an account in real time; None if it does not exist."""
        return (await self.of_accounts([account])).get(account)

    async def of_accounts(self, accounts: Collection[str]) -> dict[str, StoredMailbox]:
        """Read the mailboxes of these accounts that exist, in real time."""
        keys = [item_key(account, MAILBOXES, _MAILBOX) for account in accounts]
        found = await self._engine.multi_get("user_items", keys, StoredUserItem[StoredMailbox])
        items = [stored.source for stored in found if stored.source is not None]
        return {item.account: item.content for item in items}

    async def set(self, account: str, address: str, hour: int, time_zone: str) -> None:
        """Set an account's address, and send a confirmation if it is not confirmed yet.

        Raises Forbidden if the service sends no mail, and BadRequest if the address cannot get mail
        or the account has requested too many confirmations.
        """
        if not self.on:
            raise Forbidden(
                "this service sends no mail: its operator has not set EDGAR_SEARCH_SMTP_HOST"
            )
        if len(address) > _MAX_ADDRESS or not _ADDRESS.fullmatch(address):
            raise BadRequest("`address` must be a mail address such as me@example.com, in ASCII")
        reason = await self.blocked(address)
        if reason is not None:
            raise BadRequest(f"`address`: {address} gets no mail, because {reason}")
        now = datetime.now(UTC)
        asks = False

        def changed(old: StoredMailbox | None) -> StoredMailbox:
            nonlocal asks
            new = StoredMailbox(address, hour, time_zone)
            if old is not None and old.address == address and old.confirmed_at is not None:
                asks = False
                return structs.replace(new, confirmed_at=old.confirmed_at)
            asks = True
            requests = tuple(at for at in (old.asked if old else ()) if now - at < _ASKED_AGAIN)
            if len(requests) >= _MOST_ASKED:
                raise BadRequest(
                    f"`address` was changed {_MOST_ASKED} times in a day; try again tomorrow"
                )
            return structs.replace(new, asked=(*requests, now))

        await self._change(account, MAILBOXES, _MAILBOX, StoredMailbox, changed)
        if asks and await self._may_ask(address, now):
            await self._ask(account, address, now)

    async def confirm(self, account: str, token: str) -> None:
        """Confirm an account's address by the token of its mail; BadRequest if it is wrong."""
        claim = self._read(token, "confirm")
        now = datetime.now(UTC)
        if claim is None or claim.account != account or claim.until is None or claim.until < now:
            raise BadRequest(
                "this link confirms no address of yours: it is incomplete, older than"
                f" {CONFIRM_WITHIN.days} days, or was sent to another user"
            )

        def confirmed(old: StoredMailbox | None) -> StoredMailbox:
            if old is None or old.address != claim.address:
                raise BadRequest("this link is about an address that is not yours any more")
            return structs.replace(
                old, confirmed_at=old.confirmed_at or now, asked=(), ended_because=None
            )

        await self._change(account, MAILBOXES, _MAILBOX, StoredMailbox, confirmed)

    async def remove(self, account: str) -> None:
        """Remove an account's mailbox and drop its pending deliveries."""
        key = item_key(account, MAILBOXES, _MAILBOX)
        stored = await self._engine.get("user_items", key, StoredUserItem[StoredMailbox])
        if stored is not None:
            await self._engine.delete("user_items", stored)

    def unsubscribe_token(self, account: str, address: str) -> str:
        """Create the token of a link that unsubscribes this address from an account's mails."""
        return self._sign(_Claim("end", account, address))

    async def unsubscribe(self, token: str) -> str:
        """Unsubscribe the address that a link's token names; return it.

        Raises NotFound for a token that this service did not create.
        """
        claim = self._read(token, "end")
        if claim is None:
            raise NotFound("this link ends no mail of this service; it may be incomplete")
        await self.end(claim.account, claim.address, _UNSUBSCRIBED)
        return claim.address

    async def end(self, account: str, address: str, reason: str) -> None:
        """Stop an account's mail to this address until it is confirmed again."""

        def ended(old: StoredMailbox | None) -> StoredMailbox | None:
            if old is None or old.address != address:
                return old
            return structs.replace(old, confirmed_at=None, ended_because=reason)

        await self._change(account, MAILBOXES, _MAILBOX, StoredMailbox, ended)

    async def blocked(self, address: str) -> str | None:
        """Return why no account may send mail to an address; None if they may."""
        record = await self._known(address)
        return record.blocked if record is not None else None

    async def block(self, address: str) -> None:
        """Block mail from all accounts to this address."""
        await self._record(address, lambda old: structs.replace(old, blocked=_BLOCKED))

    async def allow(self, address: str) -> None:
        """Allow mail to an address again that was blocked or refused."""
        await self._record(address, lambda old: structs.replace(old, blocked=None, refusals=0))

    async def accepted(self, address: str) -> None:
        """Record that the mail server has accepted a mail to this address."""
        record = await self._known(address)
        # Most addresses have no refusals, so that accepting a mail costs no write.
        if record is not None and record.refusals:
            await self._record(address, lambda old: structs.replace(old, refusals=0))

    async def refused(self, address: str) -> str | None:
        """Record a permanent refusal; return the reason if the address gets no more mail."""

        def refused(old: StoredMailAddress) -> StoredMailAddress:
            count = old.refusals + 1
            blocked = _REFUSED if count >= _MOST_REFUSALS else old.blocked
            return structs.replace(old, refusals=count, blocked=blocked)

        return (await self._record(address, refused)).blocked

    async def _may_ask(self, address: str, now: datetime) -> bool:
        """Record a confirmation to this address; return False if one was sent within a day."""
        may = False

        def asked(old: StoredMailAddress) -> StoredMailAddress:
            nonlocal may
            may = old.asked_at is None or now - old.asked_at >= _ASKED_AGAIN
            return structs.replace(old, asked_at=now) if may else old

        await self._record(address, asked)
        return may

    async def _ask(self, account: str, address: str, now: datetime) -> None:
        token = self._sign(_Claim("confirm", account, address, now + CONFIRM_WITHIN))
        body = msgspec.json.encode(Confirmation(address, token)).decode()
        delivery = StoredDelivery(
            account,
            f"{_CONFIRMATION}{account}",
            secrets.token_hex(12),
            now,
            now,
            "waiting",
            SentEvent(CONFIRM_EVENT, body),
        )
        await self._engine.create("deliveries", delivery_key(account, delivery.id), delivery)

    async def _known(self, address: str) -> StoredMailAddress | None:
        key = item_key("", _ADDRESSES, _hashed(address))
        stored = await self._engine.get("user_items", key, StoredUserItem[StoredMailAddress])
        return stored.source.content if stored is not None and stored.source is not None else None

    async def _record(
        self, address: str, noted: Callable[[StoredMailAddress], StoredMailAddress]
    ) -> StoredMailAddress:
        record = await self._change(
            "",
            _ADDRESSES,
            _hashed(address),
            StoredMailAddress,
            lambda old: noted(old or StoredMailAddress()),
        )
        assert record is not None
        return record

    async def _change(
        self,
        account: str,
        area: Area,
        item_id: str,
        kind: type[C],
        changed: Callable[[C | None], C | None],
    ) -> C | None:
        """Change the content of an item, or create the item."""
        item = StoredUserItem[kind]  # type: ignore[valid-type]

        def content(old: StoredUserItem[C] | None) -> StoredUserItem[C] | None:
            new = changed(None if old is None else old.content)
            if new is None:
                return None
            result = old or StoredUserItem(account, area, item_id, datetime.now(UTC), new)
            return structs.replace(result, content=new)

        key = item_key(account, area, item_id)
        result = await change(self._engine, "user_items", key, item, content, TRIES)
        return None if result.after is None else result.after.content

    def _sign(self, claim: _Claim) -> str:
        assert self._key is not None, "mail is sent with a key only"
        return jws.serialize_compact(_SIGNED, msgspec.json.encode(claim), _derived(self._key))

    def _read(self, token: str, does: str) -> _Claim | None:
        """Return the claim of a token for this purpose; None unless this service signed it."""
        if self._key is None:
            return None
        try:
            signed = jws.deserialize_compact(
                token, _derived(self._key), algorithms=[_SIGNED["alg"]]
            )
            claim = msgspec.json.decode(signed.payload, type=_Claim)
        except (JoseError, ValueError, msgspec.MsgspecError):
            return None
        return claim if claim.does == does else None


def due_of(rate: MailRate, mailbox: StoredMailbox, now: datetime) -> datetime:
    """Return when the next mail of this frequency is due: now, or at a later full hour.

    Weekly mails are due on Mondays. When clocks change, a mail may be an hour late.
    """
    if rate == "at_once":
        return now
    if rate == "hourly":
        return now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)
    local = now.astimezone(ZoneInfo(mailbox.time_zone))
    due = local.replace(hour=mailbox.hour, minute=0, second=0, microsecond=0)
    if rate == "weekly":
        due += timedelta(days=-due.weekday() % 7)
    if due <= local:
        due += timedelta(days=7 if rate == "weekly" else 1)
    return due.astimezone(UTC)


def _hashed(address: str) -> str:
    return hashlib.sha256(address.lower().encode()).hexdigest()[:32]


def _derived(key: str) -> OctKey:
    return OctKey.import_key(hmac.digest(key.encode(), b"mail", "sha256"))
