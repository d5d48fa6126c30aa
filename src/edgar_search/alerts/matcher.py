"""The matcher of arrivals and triggers: one process at a time, until it is stopped.

It reads the event log. Each step can be repeated: the id of a notification is derived from trigger
and document, and the position advances only after all notifications are written.
"""

import asyncio
import logging
import os
import secrets
import socket
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct, structs

from edgar_search.access.accounts import find_accounts
from edgar_search.alerts.arrivals import arrivals_of, carry_over
from edgar_search.alerts.deliverer import (
    DELIVERIES,
    INTERVAL,
    LEASE_SECONDS,
    Deliverer,
    DeliveriesStatus,
    deliveries_status,
)
from edgar_search.alerts.notifications import (
    AREA,
    Notice,
    Notifications,
    document_notice,
    filing_notice,
    notification_id,
)
from edgar_search.alerts.row_triggers import match_row_triggers
from edgar_search.alerts.triggers import AlertTriggers, TriggerEntry, document_criteria
from edgar_search.engine.bulk_lines import chunks
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.engine.lease import Lease, LeaseLost
from edgar_search.errors import BadRequest, Conflict, EdgarSearchError
from edgar_search.events.log import EventLog
from edgar_search.events.readers import LogReader, add_lags, lag_percentiles
from edgar_search.ownership.row_filters import ROWS
from edgar_search.search.criteria import DocumentCriteria
from edgar_search.search.entities import named_ciks
from edgar_search.search.query.body import CikLists
from edgar_search.search.results import DocumentHit, relevance
from edgar_search.search.reverse_search import MAX_QUERIES, TriggerMatch, match_documents
from edgar_search.search.snippets.passages import QueryHits, snippets_of_many
from edgar_search.search.tickers import Tickers
from edgar_search.settings import Settings
from edgar_search.stored.events import (
    ALERT,
    FILING_EVENTS,
    PendingArrival,
    ReaderState,
    StoredEvent,
    alert_event_id,
)
from edgar_search.stored.installation import LedgerEntry, StoredLease
from edgar_search.stored.user_items import (
    DocumentMatch,
    StoredAlertTrigger,
    StoredNotification,
    item_key,
)
from edgar_search.user_data.items import source

# Snippets fetched in one request.
_SEARCHES = 50
_PAGE = 100


async def document_matches(
    engine: Engine, criteria: Sequence[DocumentCriteria], pairs: Sequence[TriggerMatch]
) -> list[DocumentMatch]:
    """Build the content of a notification for each match, including its snippet."""
    by_place: dict[int, list[DocumentHit]] = {}
    for pair in pairs:
        by_place.setdefault(pair.place, []).append(pair.hit)
    pages = [(index, page) for index, hits in by_place.items() for page in chunks(hits, _PAGE)]
    contents: dict[tuple[int, str], DocumentMatch] = {}
    for some in chunks(pages, _SEARCHES):
        searches = [QueryHits(criteria[index], hits) for index, hits in some]
        rows = await snippets_of_many(engine, searches)
        for (index, hits), row in zip(some, rows, strict=True):
            for hit, snippet in zip(hits, row, strict=True):
                contents[index, hit.document_id] = document_match(criteria[index], hit, snippet)
    return [contents[pair.place, pair.hit.document_id] for pair in pairs]


def document_match(criteria: DocumentCriteria, hit: DocumentHit, snippet: str) -> DocumentMatch:
    """Build the content of a notification; its score is 1 if the trigger has no query."""
    fields = hit.fields
    return DocumentMatch(
        related_company_names=[name for _, name in hit.entities],
        ciks=[cik for cik, _ in hit.entities],
        accnum=fields.accession_number[0],
        filename=fields.file_name[0],
        filing_date=fields.filing_date[0],
        form_type=fields.form_type[0],
        snippet=snippet,
        score=1.0 if criteria.query is None else relevance(hit.score),
        document_id=hit.document_id,
    )


_log = logging.getLogger(__name__)

# Notifications created before the lease is checked again.
_NOTICES = 500
# Parsed queries that are cached: parsing takes a tenth of a millisecond, and every batch has the
# same triggers.
_REMEMBERED = 20_000
REFUSED = "the search engine refuses its query as too expensive"


class Counts(NamedTuple):
    """Arrivals matched and postponed, and new notifications."""

    matched: int = 0
    postponed: int = 0
    notifications: int = 0

    def plus(self, other: "Counts") -> "Counts":
        """Return the sums of these counts and others."""
        return Counts(*(one + two for one, two in zip(self, other, strict=True)))


class _ReadableTrigger(NamedTuple):
    """A trigger, its criteria, and the entities that its tickers and company name mean now."""

    trigger: TriggerEntry
    criteria: DocumentCriteria
    ciks: CikLists


class Matcher:
    """Matches arrivals in batches; checks the lease before every write."""

    def __init__(self, engine: Engine, tickers: Tickers, lease: Lease) -> None:
        self._engine = engine
        self._tickers = tickers
        self._lease = lease
        self._log = EventLog(engine)
        self._triggers = AlertTriggers(engine)
        self._notifications = Notifications(engine)

    async def match(
        self, batch: Sequence[PendingArrival], most: int = MAX_QUERIES
    ) -> tuple[list[PendingArrival], int]:
        """Create all notifications for these arrivals.

        Returns the arrivals to retry, and how many notifications are new. A document is retried if
        a load has removed it for a moment.

        Raises LeaseLost if another process is matching now, and EngineUnavailable.
        """
        # Triggers are read after the arrivals, so that none that existed when they came is missed.
        triggers = await self._drop_suspended(await self._triggers.enabled())
        if not triggers:
            return [], 0
        watched = {source(trigger).content.rows for trigger in triggers}
        # Rows first: if a document is visible, so are its rows.
        kinds: list[Kind] = [rows.kind for name, rows in ROWS.items() if name in watched]
        kinds += ["documents", "passages"]
        if any(source(trigger).content.filters.company for trigger in triggers):
            # An arrival may be the first filing of a company that a trigger names.
            kinds += ["entities", "filings"]
        for kind in kinds:
            await self._engine.refresh(kind)
        of_rows = [trigger for trigger in triggers if source(trigger).content.rows]
        readable = await self._readable_triggers(
            [trigger for trigger in triggers if not source(trigger).content.rows]
        )
        if not readable and not of_rows:
            return [], 0
        ids = [arrival.document_id for arrival in batch]
        matches = await match_documents(
            self._engine,
            [item.criteria for item in readable],
            ids,
            [item.ciks for item in readable],
            most,
        )
        rows = await match_row_triggers(
            self._engine, await self._tickers.table(), of_rows, ids, most
        )
        of_documents = [item.trigger for item in readable]
        for trigger in (
            *(of_documents[place] for place in matches.refused),
            *(of_rows[place] for place in rows.refused),
        ):
            await self._give_up(trigger, REFUSED)
        criteria = [item.criteria for item in readable]

        async def document_contents(pairs: Sequence[TriggerMatch]) -> list[DocumentMatch]:
            return await document_matches(self._engine, criteria, pairs)

        async def row_contents(pairs: Sequence[TriggerMatch]) -> list[DocumentMatch]:
            return [
                document_match(DocumentCriteria(None), hit, rows.snippets[place, hit.document_id])
                for place, hit in pairs
            ]

        new = await self._notify(
            of_documents, matches.pairs, batch, document_contents, document_notice
        )
        new += await self._notify(of_rows, rows.pairs, batch, row_contents, filing_notice)
        present = matches.present & rows.present
        missing = [item for item in batch if item.document_id not in present]
        return await self._pending_arrivals(missing), new

    async def _drop_suspended(self, triggers: list[TriggerEntry]) -> list[TriggerEntry]:
        """Drop triggers of suspended accounts, which get no notifications of these arrivals."""
        if not triggers:
            return triggers
        suspended = {account.id for account in await find_accounts(self._engine, suspended=True)}
        return [trigger for trigger in triggers if source(trigger).account not in suspended]

    async def _readable_triggers(self, triggers: Sequence[TriggerEntry]) -> list[_ReadableTrigger]:
        """Return the triggers that can be read; disable the others, and notify their users."""
        readable = []
        ciks_by_fields: dict[tuple[object, ...], CikLists] = {}
        for trigger in triggers:
            content: StoredAlertTrigger = source(trigger).content
            names = content.filters.ticker, content.filters.company
            try:
                criteria = _remembered_criteria(_reset_unwatched_fields(content))
                if names not in ciks_by_fields:
                    found = await named_ciks(self._engine, self._tickers, criteria.filings)
                    ciks_by_fields[names] = found
                readable.append(_ReadableTrigger(trigger, criteria, ciks_by_fields[names]))
            except BadRequest as error:
                await self._give_up(trigger, str(error))
        return readable

    async def _give_up(self, trigger: TriggerEntry, reason: str) -> None:
        """Disable a trigger that can no longer be matched, and notify its user."""
        item = source(trigger)
        _log.warning("alert trigger %s is disabled: it can no longer be matched", item.id)
        # One version of a trigger gives one notification, however often this is repeated.
        notice_id = notification_id(item.id, f"disabled {item.content.watching_since.isoformat()}")
        message = f"this trigger was disabled, because it can no longer be matched: {reason}"
        content = _apply_delivery_settings(
            StoredNotification(item.id, message=message), item.content
        )
        await self._lease.hold()
        await self._notify_accounts([Notice(item.account, notice_id, content)])
        await self._triggers.disable(trigger)

    async def _notify(
        self,
        triggers: Sequence[TriggerEntry],
        pairs: Sequence[TriggerMatch],
        batch: Sequence[PendingArrival],
        contents: Callable[[Sequence[TriggerMatch]], Awaitable[list[DocumentMatch]]],
        notice: Callable[[str, str, DocumentMatch], Notice],
    ) -> int:
        """Create the notifications of these matches; return how many are new."""
        pairs = self._keep_later_arrivals(triggers, pairs, batch)
        if not pairs:
            return 0
        unchanged = await self._unchanged_triggers(triggers, pairs)
        pairs = [pair for pair in pairs if pair.place in unchanged]
        new = 0
        for chunk in chunks(pairs, _NOTICES):
            notices: dict[str, Notice] = {}
            for pair, document in zip(chunk, await contents(chunk), strict=True):
                item = source(unchanged[pair.place])
                made = notice(item.account, item.id, document)
                content = _apply_delivery_settings(made.content, item.content)
                notices.setdefault(made.id, made._replace(content=content))
            await self._lease.hold()
            new += await self._notify_accounts(list(notices.values()))
        await self._record_matched(unchanged, pairs, batch)
        return new

    async def _notify_accounts(self, notices: Sequence[Notice]) -> int:
        """Create notifications, and append each to its account's log; return how many are new.

        However often this is repeated, the log has each alert once.
        """
        new = await self._notifications.notify(notices)
        now = datetime.now(UTC)
        await self._log.append(
            [
                (
                    alert_event_id(item_key(notice.account, AREA, notice.id)),
                    StoredEvent(ALERT, now, account=notice.account, notification_id=notice.id),
                )
                for notice in notices
            ]
        )
        return new

    def _keep_later_arrivals(
        self,
        triggers: Sequence[TriggerEntry],
        pairs: Sequence[TriggerMatch],
        batch: Sequence[PendingArrival],
    ) -> list[TriggerMatch]:
        """Keep the matches whose document arrived after its trigger was created or changed."""
        positions = {arrival.document_id: arrival.arrived for arrival in batch}
        return [
            pair
            for pair in pairs
            if source(triggers[pair.place]).content.covers(positions[pair.hit.document_id])
        ]

    async def _unchanged_triggers(
        self, triggers: Sequence[TriggerEntry], pairs: Sequence[TriggerMatch]
    ) -> dict[int, TriggerEntry]:
        """Return the triggers of these matches by index, as stored now; none that has changed."""
        indices = list(dict.fromkeys(pair.place for pair in pairs))
        now = await self._triggers.unchanged([triggers[index] for index in indices])
        return {
            index: stored for index, stored in zip(indices, now, strict=True) if stored is not None
        }

    async def _record_matched(
        self,
        unchanged: Mapping[int, TriggerEntry],
        pairs: Sequence[TriggerMatch],
        batch: Sequence[PendingArrival],
    ) -> None:
        arrived = {arrival.document_id: arrival.at for arrival in batch}
        newest: dict[int, datetime] = {}
        for pair in pairs:
            at = arrived[pair.hit.document_id]
            newest[pair.place] = max(at, newest.get(pair.place, at))
        await self._triggers.matched([(unchanged[index], at) for index, at in newest.items()])
        await self._engine.refresh("user_items")

    async def _pending_arrivals(self, absent: Sequence[PendingArrival]) -> list[PendingArrival]:
        """Return the arrivals whose document is missing now but may come back.

        A load under way may have removed it to write it to another index.
        """
        numbers = list(dict.fromkeys(arrival.accession_number for arrival in absent))
        stored = await self._engine.multi_get("ledger", numbers, LedgerEntry)
        entries = {entry.id: entry.source for entry in stored}
        return [arrival for arrival in absent if _may_return(arrival, entries)]


def _reset_unwatched_fields(content: StoredAlertTrigger) -> StoredAlertTrigger:
    """Return the trigger without fields that do not affect its matches."""
    return structs.replace(
        content,
        name="",
        watching_since=datetime.min,
        enabled=True,
        last_matched_at=None,
        after=None,
        webhooks=(),
        mail=None,
    )


def _apply_delivery_settings(
    content: StoredNotification, trigger: StoredAlertTrigger
) -> StoredNotification:
    """Return the notification with the current delivery settings of its trigger."""
    return structs.replace(content, webhooks=trigger.webhooks, mail=trigger.mail)


_remembered_criteria = lru_cache(_REMEMBERED)(document_criteria)


def _may_return(arrival: PendingArrival, entries: Mapping[str, LedgerEntry | None]) -> bool:
    entry = entries.get(arrival.accession_number)
    return entry is not None and (entry.owner is not None or arrival.document_id in entry.parts)


LEASE = "alerts"
READER = "alerts"
# Documents in one request, and events read at once.
BATCH, EVENTS_READ = 1_000, 200
# Waits after failures double up to this many seconds.
MAX_WAIT = 30.0
# Seconds until documents are checked again that a load has removed for a moment.
POSTPONED_WAIT = 5.0
PRUNE_INTERVAL = 3_600.0
# Loads by an earlier version may still write to the old index of arrivals.
CARRY_INTERVAL = 60.0
# How long, in seconds, stopping may take to release the lease.
_RELEASE_SECONDS = 2.0


class Alerts:
    """The matcher of one process, with its lease and its position in the log."""

    def __init__(self, engine: Engine, settings: Settings, tickers: Tickers) -> None:
        holder = _holder()
        self._lease = Lease(engine, LEASE, holder, LEASE_SECONDS)
        self._deliverer = Deliverer(engine, settings, holder)
        self._engine = engine
        self._kept = timedelta(days=settings.events_days)
        self._log = EventLog(engine)
        self._reader = LogReader(engine, READER)
        self._matcher = Matcher(engine, tickers, self._lease)
        self._most = MAX_QUERIES
        self._failures = 0
        self._pruned = self._carried = float("-inf")
        # Nothing before it is pending; the stored position only advances with events.
        self._position = 0

    async def run_forever(self) -> None:
        """Match arrivals, and deliver their notifications, until cancelled.

        Then another process may begin at once.
        """
        delivering = asyncio.create_task(self._deliverer.run_forever())
        try:
            async with self._keep_lease():
                while True:
                    wait = await self._run_once()
                    await asyncio.sleep(wait)
        finally:
            delivering.cancel()
            await asyncio.gather(delivering, return_exceptions=True)

    async def once(self) -> Counts:
        """Match all pending arrivals; waits while another process matches.

        Raises EngineUnavailable if Elasticsearch cannot be reached, and LeaseLost.
        """
        async with self._keep_lease():
            while True:
                if await self._lease.take():
                    return await self._match_waiting()
                await asyncio.sleep(self._waiting_interval())

    async def _run_once(self) -> float:
        """Match the pending arrivals; return how many seconds to wait before the next call."""
        try:
            if not self._lease.held and not await self._lease.take():
                return self._waiting_interval()
            counts = await self._match_waiting()
            if counts == Counts():
                await self._prune()
        except LeaseLost as error:
            self._lease.forget()
            _log.warning("%s; this process waits", error)
            return self._waiting_interval()
        except EdgarSearchError as error:
            return self._wait_after(error)
        except Exception as error:
            # Whatever failed, late notifications are better than none.
            _log.exception("the matcher failed, and continues")
            return self._wait_after(error)
        self._failures, self._most = 0, min(MAX_QUERIES, self._most * 2)
        return max(INTERVAL, POSTPONED_WAIT) if counts.postponed else INTERVAL

    async def _match_waiting(self) -> Counts:
        """Match all pending arrivals in batches."""
        if time.monotonic() - self._carried > CARRY_INTERVAL:
            await carry_over(self._engine)
            self._carried = time.monotonic()
        state = await self._reader.read()
        counts = Counts()
        if state.pending:
            marked = structs.replace(state, pending=[])
            state, counts = await self._match(marked, state.pending, counts)
        more, position = True, max(state.position, self._position)
        while more:
            page = await self._log.page(position, EVENTS_READ, kinds=FILING_EVENTS)
            more, position = page.more, page.position
            if page.events:
                moved = structs.replace(state, position=page.position)
                state, counts = await self._match(moved, arrivals_of(page.events), counts)
        self._position = position
        return counts._replace(postponed=len(state.pending))

    async def _match(
        self, state: ReaderState, arrivals: Sequence[PendingArrival], counts: Counts
    ) -> tuple[ReaderState, Counts]:
        """Match these arrivals, then store the reader's state, including the arrivals to retry."""
        new, pending = 0, list(state.pending)
        for batch in chunks(arrivals, BATCH):
            retried, created = await self._matcher.match(batch, self._most)
            pending += retried
            new += created
        now = datetime.now(UTC)
        postponed = {arrival.document_id for arrival in pending}
        # The clocks of two machines may differ by more than an arrival waited.
        lags = [(now - a.at).total_seconds() for a in arrivals if a.document_id not in postponed]
        state = add_lags(structs.replace(state, pending=pending), lags, now)
        await self._lease.hold()
        try:
            await self._reader.write(state)
        except Conflict:
            raise LeaseLost("another process is matching now") from None
        return state, counts.plus(Counts(len(lags), 0, new))

    async def _prune(self) -> None:
        """Delete old events now and then, if they are matched and delivered."""
        if time.monotonic() - self._pruned > PRUNE_INTERVAL:
            until = (await self._reader.read()).position
            # A deliverer that has never run will begin with the oldest event that is kept.
            sent = (await LogReader(self._engine, DELIVERIES).read()).position or until
            await self._log.prune(datetime.now(UTC) - self._kept, min(until, sent))
            self._pruned = time.monotonic()

    def _wait_after(self, error: Exception) -> float:
        if self._failures == 0:
            _log.warning("alerts are paused: %s", error)
        self._failures += 1
        # The request took too long: make the next one smaller.
        self._most = max(1, self._most // 2)
        return float(min(MAX_WAIT, INTERVAL * 2 ** min(self._failures, 10)))

    def _waiting_interval(self) -> float:
        return min(MAX_WAIT, LEASE_SECONDS / 5)

    @asynccontextmanager
    async def _keep_lease(self) -> AsyncIterator[None]:
        """Renew the lease while the context is open, and release it at the end."""
        keeping = asyncio.create_task(self._lease.keep())
        try:
            yield
        finally:
            keeping.cancel()
            with suppress(asyncio.CancelledError):
                await keeping
            with suppress(EdgarSearchError, TimeoutError):
                async with asyncio.timeout(_RELEASE_SECONDS):
                    await self._lease.release()


def _holder() -> str:
    """Return a unique name for this process, in which people recognise its machine."""
    return f"{socket.gethostname()} {os.getpid()} {secrets.token_hex(4)}"


PERCENTS = {"p50": 50.0, "p90": 90.0, "p99": 99.0, "max": 100.0}


class Status(Struct):
    """Arrivals that are pending or were matched in 24 hours, the matching process, and deliveries.

    Percentiles are of the seconds from searchable to notified, to within 5 %.
    """

    waiting: int
    oldest_waiting: datetime | None
    matched_last_24_hours: int
    lag_seconds: dict[str, float | None]
    holder: str | None
    epoch: int
    renewed_at: datetime | None
    deliveries: DeliveriesStatus | None = None


async def status(engine: Engine) -> Status:
    """Read the state of alerts from the engine."""
    state = await LogReader(engine, READER).read()
    rest = await EventLog(engine).rest(state.position)
    stored = await engine.get("leases", LEASE, StoredLease)
    lease = stored.source if stored is not None else None
    matched, lags = lag_percentiles(state, PERCENTS, datetime.now(UTC))
    times = [time.at for time in state.pending] + ([rest.oldest] if rest.oldest else [])
    return Status(
        waiting=rest.arrivals + len(state.pending),
        oldest_waiting=min(times, default=None),
        matched_last_24_hours=matched,
        lag_seconds=lags,
        holder=lease.holder or None if lease else None,
        epoch=lease.epoch if lease else 0,
        renewed_at=lease.renewed_at if lease else None,
        deliveries=await deliveries_status(engine),
    )
