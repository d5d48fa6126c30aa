"""Mailboxes: the address to which each account's alerts are mailed, confirmed before use.

An unconfirmed address only gets confirmations: their text is fixed, and an address gets one a day,
whoever asks for it. So no one can make the service send a stranger more than that.
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
# An account has one mailbox.
_MAILBOX = "mailbox"
# How the receivers of digests and of confirmations begin.
_DIGEST, _CONFIRMATION = f"{MAIL} ", f"{MAIL}-confirm "
CONFIRM_EVENT = "mail.confirm"
DEFAULT_HOUR, DEFAULT_ZONE = 7, "America/New_York"
CONFIRM_WITHIN = timedelta(days=3)
_ASKED_AGAIN = timedelta(days=1)
# Confirmations that an account may ask for in a day.
_MOST_ASKED = 3
# Permanent refusals by the mail server, one after the other, that end an address.
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
    """The content of a confirmation mail: the address, and the token of its link."""

    address: str
    token: str


class _Claim(Struct, omit_defaults=True):
    """The purpose of a link in a mail, with the account and the address that it was sent to."""

    does: Literal["confirm", "end"]
    account: str
    address: str
    until: datetime | None = None


def digest_receiver(account: str) -> str:
    """Return the receiver of an account's digests."""
    return f"{_DIGEST}{account}"


def is_confirmation(receiver: str) -> bool:
    """Return True if a delivery to this receiver is a confirmation."""
    return receiver.startswith(_CONFIRMATION)


class Mailboxes:
    """The mailboxes of all accounts, and the state of their addresses."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        self._engine = engine
        self._key = settings.secrets_key
        self.on = settings.sends_mail

    async def read(self, account: str) -> StoredMailbox | None:
        """Read the mailbox of an account in real time; None if it has none."""
        return (await self.of_accounts([account])).get(account)

    async def of_accounts(self, accounts: Collection[str]) -> dict[str, StoredMailbox]:
        """Read the existing mailboxes of these accounts, in real time."""
        keys = [item_key(account, MAILBOXES, _MAILBOX) for account in accounts]
        found = await self._engine.multi_get("user_items", keys, StoredUserItem[StoredMailbox])
        items = [stored.source for stored in found if stored.source is not None]
        return {item.account: item.content for item in items}

    async def set(self, account: str, address: str, hour: int, time_zone: str) -> None:
        """Set an account's address; an unconfirmed one is sent a confirmation.

        Raises Forbidden if the service sends no mail, and BadRequest for an address that cannot get
        any, and after too many confirmations.
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
            asked = tuple(at for at in (old.asked if old else ()) if now - at < _ASKED_AGAIN)
            if len(asked) >= _MOST_ASKED:
                raise BadRequest(
                    f"`address` was changed {_MOST_ASKED} times in a day; try again tomorrow"
                )
            return structs.replace(new, asked=(*asked, now))

        await self._change(account, MAILBOXES, _MAILBOX, StoredMailbox, changed)
        if asks and await self._may_ask(address, now):
            await self._ask(account, address, now)

    async def confirm(self, account: str, token: str) -> None:
        """Confirm the address of an account by the token of its mail; BadRequest if it is wrong."""
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
        """Remove the mailbox of an account; pending deliveries are dropped."""
        key = item_key(account, MAILBOXES, _MAILBOX)
        stored = await self._engine.get("user_items", key, StoredUserItem[StoredMailbox])
        if stored is not None:
            await self._engine.delete("user_items", stored)

    def unsubscribe_token(self, account: str, address: str) -> str:
        """Create the token of a link that ends all mail to this address of an account."""
        return self._sign(_Claim("end", account, address))

    async def unsubscribe(self, token: str) -> str:
        """End the mail that the token of a link refers to; return its address.

        Raises NotFound for a token that this service did not create.
        """
        claim = self._read(token, "end")
        if claim is None:
            raise NotFound("this link ends no mail of this service; it may be incomplete")
        await self.end(claim.account, claim.address, _UNSUBSCRIBED)
        return claim.address

    async def end(self, account: str, address: str, reason: str) -> None:
        """Send no more mail to this address of an account, until it is confirmed anew."""

        def ended(old: StoredMailbox | None) -> StoredMailbox | None:
            if old is None or old.address != address:
                return old
            return structs.replace(old, confirmed_at=None, ended_because=reason)

        await self._change(account, MAILBOXES, _MAILBOX, StoredMailbox, ended)

    async def blocked(self, address: str) -> str | None:
        """Return the reason why no account may mail an address; None if they may."""
        known = await self._known(address)
        return known.blocked if known is not None else None

    async def block(self, address: str) -> None:
        """Block all mail to this address, from any account."""
        await self._note(address, lambda old: structs.replace(old, blocked=_BLOCKED))

    async def allow(self, address: str) -> None:
        """Allow an address that was blocked or refused."""
        await self._note(address, lambda old: structs.replace(old, blocked=None, refusals=0))

    async def accepted(self, address: str) -> None:
        """Record that the mail server has accepted a mail to this address."""
        known = await self._known(address)
        # Most have no refusals, and a mail then costs no write.
        if known is not None and known.refusals:
            await self._note(address, lambda old: structs.replace(old, refusals=0))

    async def refused(self, address: str) -> str | None:
        """Record a permanent refusal; return the reason if that ends the address."""

        def refused(old: StoredMailAddress) -> StoredMailAddress:
            count = old.refusals + 1
            blocked = _REFUSED if count >= _MOST_REFUSALS else old.blocked
            return structs.replace(old, refusals=count, blocked=blocked)

        return (await self._note(address, refused)).blocked

    async def _may_ask(self, address: str, now: datetime) -> bool:
        """Record a confirmation to this address; return False if it had one less than a day ago."""
        may = False

        def asked(old: StoredMailAddress) -> StoredMailAddress:
            nonlocal may
            may = old.asked_at is None or now - old.asked_at >= _ASKED_AGAIN
            return structs.replace(old, asked_at=now) if may else old

        await self._note(address, asked)
        return may

    async def _ask(self, account: str, address: str, now: datetime) -> None:
        token = self._sign(_Claim("confirm", account, address, now + CONFIRM_WITHIN))
        body = msgspec.json.encode(Confirmation(address, token)).decode()
        made = StoredDelivery(
            account,
            f"{_CONFIRMATION}{account}",
            secrets.token_hex(12),
            now,
            now,
            "waiting",
            SentEvent(CONFIRM_EVENT, body),
        )
        await self._engine.create("deliveries", delivery_key(account, made.id), made)

    async def _known(self, address: str) -> StoredMailAddress | None:
        key = item_key("", _ADDRESSES, _hashed(address))
        stored = await self._engine.get("user_items", key, StoredUserItem[StoredMailAddress])
        return stored.source.content if stored is not None and stored.source is not None else None

    async def _note(
        self, address: str, noted: Callable[[StoredMailAddress], StoredMailAddress]
    ) -> StoredMailAddress:
        after = await self._change(
            "",
            _ADDRESSES,
            _hashed(address),
            StoredMailAddress,
            lambda old: noted(old or StoredMailAddress()),
        )
        assert after is not None
        return after

    async def _change(
        self,
        account: str,
        area: Area,
        item_id: str,
        kind: type[C],
        changed: Callable[[C | None], C | None],
    ) -> C | None:
        """Change the content of an item, creating it if there is none."""
        item = StoredUserItem[kind]  # type: ignore[valid-type]

        def content(old: StoredUserItem[C] | None) -> StoredUserItem[C] | None:
            new = changed(None if old is None else old.content)
            if new is None:
                return None
            made = old or StoredUserItem(account, area, item_id, datetime.now(UTC), new)
            return structs.replace(made, content=new)

        key = item_key(account, area, item_id)
        made = await change(self._engine, "user_items", key, item, content, TRIES)
        return None if made.after is None else made.after.content

    def _sign(self, claim: _Claim) -> str:
        assert self._key is not None, "mail is sent with a key only"
        return jws.serialize_compact(_SIGNED, msgspec.json.encode(claim), _derived(self._key))

    def _read(self, token: str, does: str) -> _Claim | None:
        """Return the claim of a token for this purpose; None if this service did not sign it."""
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
    """Return the time of the next mail of a rate: now, or after now at a full hour.

    Weekly mails are sent on Mondays. A day on which clocks are changed may have it an hour later.
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
