"""The deliverer: sends notifications to webhooks and by mail, at least once, always under one id.

It reads the event log with its own position and lease, so nothing is matched twice. It stores new
deliveries, then its position, and then attempts the deliveries that are due. A receiver gets one
request at a time, and is paused after a failure, which delays only its own deliveries. Few mails
are attempted at once, and none for a while if the mail server is unavailable, so that mails do not
delay webhooks.
"""

import asyncio
import logging
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from msgspec import Struct, structs
from standardwebhooks import Webhook as Signer

from edgar_search.alerts.chat_messages import chat_body
from edgar_search.alerts.mail_deliveries import MailDeliveries
from edgar_search.alerts.mail_server import CONNECTIONS, MailUnavailable
from edgar_search.alerts.notifications import AREA, Notice, Notifications
from edgar_search.alerts.webhooks import (
    OF_MAIL,
    Webhooks,
    delivery_id,
    delivery_key,
    event_body,
    is_mail,
)
from edgar_search.edgar.identifiers import document_address
from edgar_search.engine.engine import Engine, Stored
from edgar_search.engine.lease import Lease, LeaseLost
from edgar_search.errors import (
    BadRequest,
    Conflict,
    EdgarSearchError,
    FetchFailed,
    NotFound,
    PositionGone,
)
from edgar_search.events.log import Event, EventLog
from edgar_search.events.readers import LogReader
from edgar_search.http_client import HttpClient, public_or_loopback_socket, public_socket
from edgar_search.settings import Settings
from edgar_search.stored.events import ALERT, StoredEvent, alert_event_id
from edgar_search.stored.installation import StoredLease
from edgar_search.stored.user_items import (
    Attempt,
    SentEvent,
    StoredDelivery,
    StoredNotification,
    StoredUserItem,
    StoredWebhook,
    item_key,
)

_log = logging.getLogger(__name__)

# The name of the deliverer's lease, and of its position in the log.
DELIVERIES = "deliveries"
MATCHED_EVENT, MESSAGE_EVENT = "alert.matched", "alert.message"
# Seconds to wait after each failed attempt except the last: ten attempts within three days.
WAITS = (5, 60, 300, 1_800, 7_200, 18_000, 36_000, 64_800, 86_400)
# A receiver is disabled after failing this long without a success.
_DISABLED_AFTER = timedelta(days=5)
_GONE = 410
# Concurrent requests, in total and for one account.
_AT_ONCE, _OF_AN_ACCOUNT = 32, 2
_REQUEST_SECONDS = 15.0
_ANSWER_BYTES = 65_536
# Seconds that a receiver is paused after a failure; doubled after each further one, up to the
# longest.
_PAUSE, _LONGEST_PAUSE = 1.0, 60.0
_EVENTS_READ = 200
# The position is stored at least once in this many events, even if none is an alert.
_SILENT_EVENTS = 1_000
# How many company names an event includes, and their length: a filing may have hundreds.
_NAMES, _NAME_CHARS = 10, 200
_SNIPPET_CHARS, _MESSAGE_CHARS = 4_000, 2_000
# Bodies stay smaller, as Standard Webhooks advises: the snippet is cut to fit.
_BODY_BYTES = 20_000
_BROKEN_OFF = re.compile("(?:<[^>]*|&[^;]*)$")
_WAIT_AFTER_FAILURE = 5.0
_PRUNE_INTERVAL = 3_600.0
_RELEASE_SECONDS = 2.0
# Seconds between two checks for arrivals, which are two small reads, and the seconds after which
# another process takes over from one that hangs: longer than a full collection of garbage takes.
INTERVAL, LEASE_SECONDS = 1.0, 30.0
# Longer than all waits for a receiver that does not answer.
_KEPT = timedelta(days=30)
_USER_AGENT = "edgar-search"


class Outcome(NamedTuple):
    """The result of an attempt: the HTTP status, or the error if no answer came."""

    status: int | None = None
    error: str | None = None

    @property
    def delivered(self) -> bool:
        """True if the receiver accepted it."""
        return self.status is not None and 200 <= self.status < 300


class Deliverer:
    """The deliverer of one process; `holder` is the process's name in the lease."""

    def __init__(self, engine: Engine, settings: Settings, holder: str) -> None:
        self._engine = engine
        self._service_url = settings.service_url
        self._sends = settings.secrets_key is not None
        self._lease = Lease(engine, DELIVERIES, holder, LEASE_SECONDS)
        self._log = EventLog(engine)
        self._reader = LogReader(engine, DELIVERIES)
        self._webhooks = Webhooks(engine, settings)
        self._mail = MailDeliveries(engine, settings) if settings.sends_mail else None
        # The length of the last pause of all mails, and when it ends.
        self._mail_paused = 0.0, 0.0
        self._notifications = Notifications(engine)
        on_loopback = settings.webhooks_on_loopback
        self._http = HttpClient(
            _USER_AGENT,
            _REQUEST_SECONDS,
            public_or_loopback_socket if on_loopback else public_socket,
        )
        # Running attempts by webhook, their accounts, and receivers that are paused.
        self._under_way: dict[str, asyncio.Task[None]] = {}
        self._accounts: Counter[str] = Counter()
        self._paused: dict[str, tuple[float, float]] = {}
        self._wake = asyncio.Event()
        self._position = 0
        self._pruned = float("-inf")

    async def run_forever(self) -> None:
        """Deliver until cancelled, then free the lease for another process."""
        keeping = asyncio.create_task(self._lease.keep())
        try:
            async with self._http:
                try:
                    while True:
                        wait = await self._run_once()
                        with suppress(TimeoutError):
                            async with asyncio.timeout(wait):
                                await self._wake.wait()
                finally:
                    await self._stop([keeping, *self._under_way.values()])
                    if self._mail is not None:
                        await self._mail.close()
        finally:
            with suppress(EdgarSearchError, TimeoutError):
                async with asyncio.timeout(_RELEASE_SECONDS):
                    await self._lease.release()

    async def _stop(self, tasks: Sequence[asyncio.Task[None]]) -> None:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _run_once(self) -> float:
        """Store new deliveries and start due ones; return the seconds until the next call."""
        self._wake.clear()
        try:
            if not self._lease.held and not await self._lease.take():
                return LEASE_SECONDS / 5
            await self._lease.hold()
            await self._store_new()
            if self._sends:
                await self._begin_due()
                await self._prune()
        except LeaseLost as error:
            self._lease.forget()
            _log.warning("%s; this process waits", error)
            return LEASE_SECONDS / 5
        except EdgarSearchError as error:
            _log.warning("deliveries are paused: %s", error)
            return _WAIT_AFTER_FAILURE
        except Exception:
            # Whatever failed, late deliveries are better than none.
            _log.exception("the deliverer failed, and continues")
            return _WAIT_AFTER_FAILURE
        return INTERVAL

    async def _store_new(self) -> None:
        """Store a delivery of each new notification to each webhook, then the position."""
        state = await self._reader.read()
        more, position = True, max(state.position, self._position)
        while more:
            try:
                page = await self._log.page(position, _EVENTS_READ, kinds=(ALERT,))
            except PositionGone as gone:
                # These events were deleted before a version with deliveries first ran.
                position = gone.floor
                continue
            more, position = page.more, page.position
            await self._store(page.events)
            # Everything before this position is stored, even if it had no alert.
            if page.events or position - state.position > _SILENT_EVENTS:
                await self._lease.hold()
                state = structs.replace(state, position=position)
                try:
                    await self._reader.write(state)
                except Conflict:
                    raise LeaseLost("another process is delivering now") from None
        self._position = position

    async def _store(self, events: Sequence[Event]) -> None:
        keys = [
            item_key(account, AREA, event.content.notification_id)
            for event in events
            if (account := event.content.account)
        ]
        notifications = await self._engine.multi_get(
            "user_items", keys, StoredUserItem[StoredNotification]
        )
        now = datetime.now(UTC)
        items = [stored.source for stored in notifications if stored.source is not None]
        sent = [event_of(item, self._service_url) for item in items]
        deliveries = [
            delivery
            for item, event in zip(items, sent, strict=True)
            for delivery in webhook_deliveries(item, event, now)
        ]
        if self._mail is not None:
            deliveries += await self._mail.made(items, sent, now)
        await self._engine.create_many(
            "deliveries", [(delivery_key(each.account, each.id), each) for each in deliveries]
        )

    async def _begin_due(self) -> None:
        """Start attempts that are due: one for each receiver, and a few for each account."""
        free = _AT_ONCE - len(self._under_way)
        if free <= 0:
            return
        now = time.monotonic()
        paused = [webhook for webhook, (_, until) in self._paused.items() if until > now]
        full = [account for account, count in self._accounts.items() if count >= _OF_AN_ACCOUNT]
        mails = sum(map(is_mail, self._under_way))
        mails_full = self._mail is None or mails >= CONNECTIONS or self._mail_paused[1] > now
        busy = [*self._under_way, *paused]
        # After this list was made: results of attempts that just ended are now visible.
        await self._engine.refresh("deliveries")
        body = due_body(datetime.now(UTC), busy, full, free, without_mail=mails_full)
        response = await self._engine.search("deliveries", body, Stored[StoredDelivery])
        for stored in response.hits.hits:
            delivery = stored.source
            if delivery is None or self._accounts[delivery.account] >= _OF_AN_ACCOUNT:
                continue
            if is_mail(delivery.webhook):
                if mails >= CONNECTIONS:
                    continue
                mails += 1
            task = asyncio.create_task(self._try(stored, delivery))
            self._under_way[delivery.webhook] = task
            self._accounts[delivery.account] += 1

    async def _try(self, stored: Stored[StoredDelivery], delivery: StoredDelivery) -> None:
        """Attempt one delivery, and store the result."""
        try:
            await self._try_once(stored, delivery)
        except EdgarSearchError as error:
            # The delivery is still due: it is attempted again under the same id.
            self._pause(delivery.webhook)
            _log.warning("a delivery could not be stored: %s", error)
        except Exception:
            self._pause(delivery.webhook)
            _log.exception("a delivery failed, and is tried again")
        finally:
            del self._under_way[delivery.webhook]
            self._accounts[delivery.account] -= 1
            self._wake.set()

    async def _try_once(self, stored: Stored[StoredDelivery], delivery: StoredDelivery) -> None:
        now = datetime.now(UTC)
        if is_mail(delivery.webhook):
            await self._mail_due(delivery, now)
            return
        webhook = await self._webhooks.read(delivery.account, delivery.webhook)
        if webhook is None or not webhook.enabled:
            why = "the webhook was removed" if webhook is None else "the webhook is disabled"
            await self._store_end(stored, delivery, Attempt(now, error=why), "failed")
            return
        outcome = await self._send(webhook, delivery, now)
        await self._lease.hold()
        attempt = Attempt(now, outcome.status, outcome.error)
        if outcome.delivered:
            self._paused.pop(delivery.webhook, None)
            await self._store_end(stored, delivery, attempt, "delivered")
            if webhook.failures:
                await self._record(delivery, _recovered)
            return
        self._pause(delivery.webhook)
        tried = len(delivery.content.attempts)
        over = outcome.status == _GONE or tried >= len(WAITS)
        due = now if over else now + timedelta(seconds=WAITS[tried] * random.uniform(0.9, 1.0))
        await self._store_end(stored, delivery, attempt, "failed" if over else "waiting", due)
        await self._record(delivery, lambda old: _failed(old, outcome, now))

    async def _mail_due(self, delivery: StoredDelivery, now: datetime) -> None:
        """Send a mail, then pause its receiver; if it fails, pause all mails."""
        assert self._mail is not None
        try:
            pause = await self._mail.send(delivery, now)
        except MailUnavailable as error:
            length = min(_LONGEST_PAUSE, max(_PAUSE, self._mail_paused[0] * 2))
            self._mail_paused = length, time.monotonic() + length
            _log.warning("mails wait: %s", error)
            return
        self._mail_paused = 0.0, 0.0
        self._paused[delivery.webhook] = pause, time.monotonic() + pause

    async def _send(
        self, webhook: StoredWebhook, delivery: StoredDelivery, now: datetime
    ) -> Outcome:
        """Send one request, and read the whole answer."""
        secrets = self._webhooks.secrets_of(webhook, now)
        if not secrets:
            return Outcome(error="the secret cannot be decrypted; rotate it")
        body = chat_body(webhook.format, delivery.content.body)
        signatures = [Signer(secret).sign(delivery.id, now, body) for secret in secrets]
        headers = {
            "Content-Type": "application/json",
            "webhook-id": delivery.id,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": " ".join(signatures),
        }
        try:
            self._webhooks.check_url(webhook.url)
            reply = await self._http.post(webhook.url, body.encode(), headers, _ANSWER_BYTES)
        except (BadRequest, FetchFailed) as error:
            return Outcome(error=str(error))
        return Outcome(reply.status)

    async def _store_end(
        self,
        stored: Stored[StoredDelivery],
        delivery: StoredDelivery,
        attempt: Attempt,
        state: Any,
        due: datetime | None = None,
    ) -> None:
        attempts = (*delivery.content.attempts, attempt)
        content = structs.replace(delivery.content, attempts=attempts)
        changed = structs.replace(delivery, content=content, state=state, due=due or delivery.due)
        with suppress(Conflict):  # Its user has replayed the delivery meanwhile.
            await self._engine.replace("deliveries", stored, changed, visible=False)

    async def _record(
        self, delivery: StoredDelivery, change: Callable[[StoredWebhook], StoredWebhook]
    ) -> None:
        """Store the result in the webhook; if that disables it, notify its user."""
        webhook = await self._webhooks.read(delivery.account, delivery.webhook)
        if webhook is None:
            return
        changed = change(webhook)
        if webhook.enabled and not changed.enabled:
            # Notify first: a deliverer that is killed in between notifies again on its next
            # attempt.
            await self._report_disabled(delivery, changed)
        with suppress(NotFound):
            await self._webhooks.change(delivery.account, delivery.webhook, change)

    async def _report_disabled(self, delivery: StoredDelivery, webhook: StoredWebhook) -> None:
        """Notify the user, by mail too, that a webhook is disabled."""
        message = f"the webhook {webhook.name} was disabled: {webhook.disabled_because}"
        trigger = delivery.content.alert_trigger_id or delivery.webhook
        notice = f"{delivery.webhook}-{delivery.id}"
        content = StoredNotification(trigger, message=message, mail="at_once")
        await self._notifications.notify([Notice(delivery.account, notice, content)])
        event = StoredEvent(
            ALERT, datetime.now(UTC), account=delivery.account, notification_id=notice
        )
        key = alert_event_id(item_key(delivery.account, AREA, notice))
        await self._log.append([(key, event)])

    def _pause(self, webhook: str) -> None:
        before, _ = self._paused.get(webhook, (_PAUSE / 2, 0.0))
        pause = min(_LONGEST_PAUSE, before * 2)
        self._paused[webhook] = pause, time.monotonic() + pause

    async def _prune(self) -> None:
        """Delete old deliveries now and then, and forget pauses that ended long ago."""
        now = time.monotonic()
        if now - self._pruned <= _PRUNE_INTERVAL:
            return
        self._pruned = now
        old = (datetime.now(UTC) - _KEPT).isoformat()
        await self._engine.delete_where("deliveries", {"range": {"created_at": {"lt": old}}})
        self._paused = {
            webhook: (pause, until)
            for webhook, (pause, until) in self._paused.items()
            if until > now - _PRUNE_INTERVAL
        }


def _recovered(webhook: StoredWebhook) -> StoredWebhook:
    return structs.replace(webhook, failures=0, failing_since=None)


def _failed(webhook: StoredWebhook, outcome: Outcome, now: datetime) -> StoredWebhook:
    since = webhook.failing_since or now
    failed = structs.replace(webhook, failures=webhook.failures + 1, failing_since=since)
    if outcome.status == _GONE:
        why = "its receiver answered 410 Gone"
    elif now - since >= _DISABLED_AFTER:
        why = f"it has failed for {_DISABLED_AFTER.days} days"
    else:
        return failed
    return structs.replace(failed, enabled=False, disabled_because=why)


def due_body(
    now: datetime,
    webhooks: Sequence[str],
    accounts: Sequence[str],
    size: int,
    *,
    without_mail: bool,
) -> dict[str, Any]:
    """Build the search for the oldest due delivery of each receiver except these."""
    return {
        "query": {
            "bool": {
                "filter": [
                    {"term": {"state": "waiting"}},
                    {"range": {"due": {"lte": now.isoformat(timespec="milliseconds")}}},
                ],
                "must_not": [
                    {"terms": {"webhook": list(webhooks)}},
                    {"terms": {"account": list(accounts)}},
                    *([OF_MAIL] if without_mail else []),
                ],
            }
        },
        "collapse": {"field": "webhook"},
        "sort": [{"due": "asc"}, {"id": "asc"}],
        "size": size,
        "track_total_hits": False,
        "seq_no_primary_term": True,
    }


def cut_snippet(snippet: str, most: int) -> str:
    """Cut a snippet to about `most` characters, never inside a reference or a mark."""
    if len(snippet) <= most:
        return snippet
    cut = _BROKEN_OFF.sub("", snippet[:most])
    return f"{cut}{'</mark>' if cut.count('<mark>') > cut.count('</mark>') else ''}..."


class _Subject(Struct, omit_defaults=True):
    """An event's document: the fields of its notification, with links."""

    notification_id: str
    alert_trigger_id: str
    created_at: datetime
    message: str | None = None
    document: dict[str, Any] | None = None
    links: dict[str, str] | None = None


def event_of(item: StoredUserItem[StoredNotification], service_url: str | None) -> SentEvent:
    """Build the event of a notification, the same for every receiver."""
    kind = MESSAGE_EVENT if item.content.document is None else MATCHED_EVENT
    chars = _SNIPPET_CHARS
    while True:
        body = event_body(kind, item.created_at, _subject(item, service_url, chars))
        if len(body.encode()) < _BODY_BYTES:
            return SentEvent(kind, body, item.content.alert_trigger_id)
        assert chars, "a body without its snippet is small"
        chars //= 2


def webhook_deliveries(
    item: StoredUserItem[StoredNotification], event: SentEvent, now: datetime
) -> list[StoredDelivery]:
    """Create deliveries of a notification, one for each of its webhooks."""
    return [
        StoredDelivery(
            item.account, webhook, delivery_id(item.id, webhook), now, now, "waiting", event
        )
        for webhook in item.content.webhooks
    ]


def _subject(
    item: StoredUserItem[StoredNotification], service_url: str | None, snippet_chars: int
) -> _Subject:
    content, document = item.content, item.content.document
    message = content.message and content.message[:_MESSAGE_CHARS]
    subject = _Subject(item.id, content.alert_trigger_id, item.created_at, message)
    if document is None:
        return subject
    cik = document.ciks[0] if document.ciks else None
    links = {"filed": document_address(document.accnum, cik, document.filename)}
    if service_url is not None:
        links["document"] = f"{service_url}/document/{document.document_id}"
    fields = structs.asdict(document) | {
        "related_company_names": [
            name[:_NAME_CHARS] for name in document.related_company_names[:_NAMES]
        ],
        "ciks": document.ciks[:_NAMES],
        "snippet": cut_snippet(document.snippet, snippet_chars),
    }
    return structs.replace(subject, document=fields, links=links)


class DeliveriesStatus(Struct):
    """Deliveries that are late, and the process that sends them.

    `oldest_unread` is the time of the oldest notification that the deliverer has not read;
    `overdue` is how many deliveries should have been tried, the first at `oldest_overdue`.
    """

    oldest_unread: datetime | None
    overdue: int
    oldest_overdue: datetime | None
    holder: str | None

    @property
    def oldest(self) -> datetime | None:
        """The time of the oldest event or delivery that waits; None if nothing waits."""
        times = [time for time in (self.oldest_unread, self.oldest_overdue) if time]
        return min(times, default=None)


async def deliveries_status(engine: Engine) -> DeliveriesStatus:
    """Read the state of deliveries from the engine."""
    position = (await LogReader(engine, DELIVERIES).read()).position
    try:
        unread = (await EventLog(engine).page(position, 1, kinds=(ALERT,))).events
    except PositionGone:
        unread = []  # A deliverer that has never run will begin with the oldest event that is kept.
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    clauses = [{"term": {"state": "waiting"}}, {"range": {"due": {"lte": now}}}]
    body = {
        "query": {"bool": {"filter": clauses}},
        "size": 1,
        "sort": [{"due": "asc"}],
        "track_total_hits": True,
    }
    await engine.refresh("deliveries")
    due = await engine.search("deliveries", body, Stored[StoredDelivery])
    first = due.hits.hits[0].source if due.hits.hits else None
    stored = await engine.get("leases", DELIVERIES, StoredLease)
    lease = stored.source if stored is not None else None
    return DeliveriesStatus(
        oldest_unread=unread[0].content.at if unread else None,
        overdue=due.total,
        oldest_overdue=first.due if first else None,
        holder=lease.holder or None if lease else None,
    )
