"""Deliveries by mail: one for each notification; a mail includes all that are due.

A mail has the id of its oldest delivery. That delivery is marked last, so that a mail that is sent
again after a kill has the same id.
"""

import hashlib
import logging
from collections.abc import AsyncIterator, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
from msgspec import Struct, structs

from edgar_search.alerts.mail_messages import (
    Addresses,
    MailHit,
    Section,
    confirmation,
    digest,
    shown_day,
    shown_snippet,
)
from edgar_search.alerts.mail_server import MailDelayed, MailRefused, MailServer
from edgar_search.alerts.mailboxes import (
    CONFIRM_WITHIN,
    Confirmation,
    Mailboxes,
    digest_receiver,
    due_of,
    is_confirmation,
)
from edgar_search.alerts.triggers import AlertTriggers
from edgar_search.alerts.webhooks import delivery_id
from edgar_search.engine.engine import Engine, Stored
from edgar_search.settings import Settings
from edgar_search.stored.user_items import (
    Attempt,
    DeliveryState,
    DocumentMatch,
    SentEvent,
    StoredDelivery,
    StoredNotification,
    StoredUserItem,
)

_log = logging.getLogger(__name__)

# Events shown in a mail, and deliveries read and marked in one request.
SHOWN, _MARKED = 50, 500
# A mail is abandoned if the server has not accepted it for this long.
_GIVEN_UP_AFTER = timedelta(days=3)
# Seconds between two mails to an account. After a failure the pause doubles, up to the longest.
MAIL_PAUSE, _LONGEST_PAUSE = 60.0, 1_800.0
_NO_MAILBOX = "the address was taken out"
_REMOVED, _MESSAGES = "a removed alert", "about your alerts"
_NO_COMPANY = "no company named"


class _Data(Struct):
    alert_trigger_id: str
    message: str | None = None
    document: DocumentMatch | None = None
    links: dict[str, str] = {}


class _Event(Struct):
    data: _Data


class _Items(Struct):
    document_id: str
    items: list[str] = []


class MailDeliveries:
    """The mails of all accounts; the settings must name a mail server."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        assert settings.service_url is not None
        self._engine = engine
        self._service = settings.service_url
        self._server = MailServer(settings)
        self._mailboxes = Mailboxes(engine, settings)
        self._triggers = AlertTriggers(engine)
        # The last pause of each receiver after a failure.
        self._pauses: dict[str, float] = {}

    async def close(self) -> None:
        """Close the connections to the mail server."""
        await self._server.close()

    async def made(
        self,
        items: Sequence[StoredUserItem[StoredNotification]],
        events: Sequence[SentEvent],
        now: datetime,
    ) -> list[StoredDelivery]:
        """Create deliveries by mail of these notifications; their events are in the same order.

        None for accounts without a confirmed address.
        """
        mailed = {item.account for item in items if item.content.mail}
        mailboxes = await self._mailboxes.of_accounts(sorted(mailed)) if mailed else {}
        deliveries = []
        for item, event in zip(items, events, strict=True):
            mailbox, rate = mailboxes.get(item.account), item.content.mail
            if mailbox is None or mailbox.confirmed_at is None or rate is None:
                continue
            receiver = digest_receiver(item.account)
            deliveries.append(
                StoredDelivery(
                    item.account,
                    receiver,
                    delivery_id(item.id, receiver),
                    now,
                    due_of(rate, mailbox, now),
                    "waiting",
                    event,
                )
            )
        return deliveries

    async def send(self, delivery: StoredDelivery, now: datetime) -> float:
        """Send everything due for a delivery's receiver; return the seconds until its next mail.

        Raises MailUnavailable if the mail server is unavailable; then everything stays pending.
        """
        receiver = delivery.webhook
        body = _due_body(receiver, now, SHOWN)
        response = await self._engine.search("deliveries", body, Stored[StoredDelivery])
        due = [hit.source for hit in response.hits.hits if hit.source is not None]
        if not due:
            return 0.0
        mailbox = await self._mailboxes.read(delivery.account)
        address = "" if mailbox is None else mailbox.address
        if is_confirmation(receiver):
            requested = msgspec.json.decode(due[-1].content.body, type=Confirmation)
            is_current = mailbox is not None and requested.address == address
        else:
            is_current = mailbox is not None and mailbox.confirmed_at is not None
        if not is_current or await self._mailboxes.blocked(address):
            await self._mark(receiver, now, Attempt(now, error=_NO_MAILBOX), "failed")
            return 0.0
        addresses = Addresses(self._server.sender, address, self._service)
        message_id = f"{due[0].id}.{_short(receiver)}"
        if is_confirmation(receiver):
            message = confirmation(addresses, message_id, requested.token, CONFIRM_WITHIN.days)
        else:
            token = self._mailboxes.unsubscribe_token(delivery.account, address)
            sections = await self._sections(delivery.account, due)
            message = digest(addresses, message_id, sections, response.total, token)
        try:
            await self._server.send(message, address)
        except MailDelayed as error:
            if now - max(due[0].due, due[0].created_at) > _GIVEN_UP_AFTER:
                await self._mark(receiver, now, Attempt(now, error=str(error)), "failed")
            pause = min(_LONGEST_PAUSE, self._pauses.get(receiver, MAIL_PAUSE / 2) * 2)
            self._pauses[receiver] = pause
            return pause
        except MailRefused as error:
            # Counted first, so that a deliverer that is killed before the mark has counted it.
            reason = await self._mailboxes.refused(address)
            if reason is not None:
                _log.warning("an address of the account %s is ended: %s", delivery.account, reason)
                await self._mailboxes.end(delivery.account, address, reason)
            await self._mark(receiver, now, Attempt(now, error=str(error)), "failed")
            return MAIL_PAUSE
        self._pauses.pop(receiver, None)
        await self._mailboxes.accepted(address)
        await self._mark(receiver, now, Attempt(now), "delivered")
        return MAIL_PAUSE

    async def _mark(
        self, receiver: str, now: datetime, attempt: Attempt, state: DeliveryState
    ) -> None:
        """Store the result of a mail in all its deliveries, the oldest last."""
        last: list[tuple[Stored[Any], StoredDelivery]] = []
        shown = SHOWN
        async for page in self._due(receiver, now):
            finished = []
            for stored in page:
                assert stored.source is not None
                content = structs.replace(stored.source.content, attempts=(attempt,))
                if shown <= 0:
                    content = structs.replace(content, body="")
                shown -= 1
                changed = structs.replace(stored.source, state=state, content=content)
                finished.append((stored, changed))
            if not last:
                last.append(finished.pop(0))
            await self._engine.replace_many("deliveries", finished)
        await self._engine.replace_many("deliveries", last)

    async def _due(
        self, receiver: str, now: datetime
    ) -> AsyncIterator[Sequence[Stored[StoredDelivery]]]:
        body = _due_body(receiver, now, _MARKED)
        while True:
            response = await self._engine.search("deliveries", body, Stored[StoredDelivery])
            hits = response.hits.hits
            if not hits:
                return
            last = hits[-1].source
            assert last is not None
            # Everything is read before anything is marked, so that concurrent changes do not shift
            # the pages.
            body = {
                **body,
                "search_after": [last.created_at.isoformat(timespec="milliseconds"), last.id],
            }
            yield hits

    async def _sections(self, account: str, due: Sequence[StoredDelivery]) -> list[Section]:
        """Group the events by alert, in the order of each alert's first event."""
        events = [msgspec.json.decode(delivery.content.body, type=_Event).data for delivery in due]
        names = await self._triggers.names(account, [event.alert_trigger_id for event in events])
        items = await self._items([event.document for event in events if event.document])
        sections: dict[str, list[MailHit]] = {}
        for event in events:
            nameless = _REMOVED if event.document else _MESSAGES
            name = names.get(event.alert_trigger_id, nameless)
            sections.setdefault(name, []).append(_hit(event, items))
        return [Section(name, hits) for name, hits in sections.items()]

    async def _items(self, documents: Sequence[DocumentMatch]) -> dict[str, list[str]]:
        """Return the 8-K items of each document that has them."""
        ids = sorted({document.document_id for document in documents})
        if not ids:
            return {}
        body = {
            "query": {"bool": {"filter": [{"terms": {"document_id": ids}}]}},
            "size": len(ids),
            "sort": ["_doc"],
            "track_total_hits": False,
            "_source": ["document_id", "items"],
        }
        response = await self._engine.search("documents", body, Stored[_Items])
        sources = [hit.source for hit in response.hits.hits if hit.source is not None]
        return {source.document_id: source.items for source in sources}


def _due_body(receiver: str, now: datetime, size: int) -> dict[str, Any]:
    """Build the search for deliveries due for a receiver, oldest first."""
    due = {"lte": now.isoformat(timespec="milliseconds")}
    clauses = [{"term": {"webhook": receiver}}, {"term": {"state": "waiting"}}]
    return {
        "query": {"bool": {"filter": [*clauses, {"range": {"due": due}}]}},
        "size": size,
        "sort": [{"created_at": "asc"}, {"id": "asc"}],
        "track_total_hits": True,
        "seq_no_primary_term": True,
    }


def _hit(event: _Data, items: dict[str, list[str]]) -> MailHit:
    document = event.document
    if document is None:
        return MailHit(event.message or "")
    numbers = items.get(document.document_id, [])
    words = f"item{'s' if len(numbers) > 1 else ''} {', '.join(numbers)}" if numbers else ""
    return MailHit(
        company=(document.related_company_names or [_NO_COMPANY])[0],
        form=document.form_type,
        items=words,
        filed=shown_day(document.filing_date),
        snippet=shown_snippet(document.snippet),
        link=event.links.get("document", ""),
    )


def _short(receiver: str) -> str:
    return hashlib.sha256(receiver.encode()).hexdigest()[:8]
