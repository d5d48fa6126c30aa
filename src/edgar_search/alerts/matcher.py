"""The matcher of arrivals and triggers: one process at a time, until it is stopped.

Every step may be repeated: the id of a notification follows from trigger and document, and an
arrival is marked only after all its notifications are acknowledged.
"""

import asyncio
import logging
import os
import secrets
import socket
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct

from edgar_search.access.accounts import find_accounts
from edgar_search.alerts.arrivals import Arrival, Arrivals
from edgar_search.alerts.notifications import (
    Notice,
    Notifications,
    document_notice,
    notification_id,
)
from edgar_search.alerts.triggers import AlertTriggers, TriggerEntry, document_criteria
from edgar_search.engine.bulk_lines import chunks
from edgar_search.engine.engine import Engine
from edgar_search.engine.lease import Lease, LeaseLost
from edgar_search.errors import BadRequest, EdgarSearchError
from edgar_search.search.criteria import DocumentCriteria
from edgar_search.search.language import WordForms
from edgar_search.search.results import DocumentHit, relevance
from edgar_search.search.reverse_search import MAX_QUERIES, TriggerMatch, match_documents
from edgar_search.search.snippets.passages import QueryHits, snippets_of_many
from edgar_search.search.tickers import Tickers
from edgar_search.settings import Settings
from edgar_search.stored.installation import LedgerEntry, StoredLease
from edgar_search.stored.user_items import (
    DocumentMatch,
    LogPosition,
    StoredAlertTrigger,
    StoredArrival,
    StoredNotification,
    TriggerFilters,
)
from edgar_search.user_data.items import source

# Snippets asked for in one request.
_SEARCHES = 50
_PAGE = 100


async def document_matches(
    engine: Engine, criteria: Sequence[DocumentCriteria], pairs: Sequence[TriggerMatch]
) -> list[DocumentMatch]:
    """Make the content of a notification for each match, with its snippet."""
    by_place: dict[int, list[DocumentHit]] = {}
    for pair in pairs:
        by_place.setdefault(pair.place, []).append(pair.hit)
    pages = [(place, page) for place, hits in by_place.items() for page in chunks(hits, _PAGE)]
    made: dict[tuple[int, str], DocumentMatch] = {}
    for some in chunks(pages, _SEARCHES):
        searches = [QueryHits(criteria[place].query, hits) for place, hits in some]
        rows = await snippets_of_many(engine, searches)
        for (place, hits), row in zip(some, rows, strict=True):
            for hit, snippet in zip(hits, row, strict=True):
                made[place, hit.document_id] = document_match(criteria[place], hit, snippet)
    return [made[pair.place, pair.hit.document_id] for pair in pairs]


def document_match(criteria: DocumentCriteria, hit: DocumentHit, snippet: str) -> DocumentMatch:
    """Make the content of a notification; without a query the score is 1."""
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

# Notifications that are made between two checks of the lease.
_NOTICES = 500
# To parse a query takes a tenth of a millisecond, and every batch has the same triggers.
_REMEMBERED = 20_000
REFUSED = "the search engine refuses its query as too expensive"


class Counts(NamedTuple):
    """Numbers of arrivals matched and postponed, and of new notifications."""

    matched: int = 0
    postponed: int = 0
    notifications: int = 0

    def plus(self, other: "Counts") -> "Counts":
        """Add other counts."""
        return Counts(*(one + two for one, two in zip(self, other, strict=True)))


class _ReadableTrigger(NamedTuple):
    """A trigger and its criteria."""

    trigger: TriggerEntry
    criteria: DocumentCriteria


class Matcher:
    """A matcher of batches; it checks the lease before every write."""

    def __init__(self, engine: Engine, tickers: Tickers, lease: Lease) -> None:
        self._engine = engine
        self._tickers = tickers
        self._lease = lease
        self._arrivals = Arrivals(engine)
        self._triggers = AlertTriggers(engine)
        self._notifications = Notifications(engine)

    async def match(self, batch: Sequence[Arrival], most: int = MAX_QUERIES) -> Counts:
        """Make all notifications of these arrivals, then mark the arrivals.

        Raises LeaseLost if another process matches now, and EngineUnavailable.
        """
        # After the arrivals: so every trigger that existed when they came is read.
        triggers = await self._with_active_account(await self._triggers.enabled())
        readable = await self._readable_triggers(triggers)
        if not readable:
            await self._mark(batch)
            return Counts(matched=len(batch))
        for kind in ("documents", "passages"):
            await self._engine.refresh(kind)
        ids = [_arrived(arrival).document_id for arrival in batch]
        found = await match_documents(
            self._engine,
            [each.criteria for each in readable],
            ids,
            await self._tickers.table(),
            most,
        )
        for place in found.refused:
            await self._give_up(readable[place].trigger, REFUSED)
        new = await self._notify(readable, found.pairs, batch)
        absent = [each for each in batch if _arrived(each).document_id not in found.present]
        postponed = {each.id for each in await self._pending_arrivals(absent)}
        done = [each for each in batch if each.id not in postponed]
        await self._mark(done)
        return Counts(len(done), len(postponed), new)

    async def _with_active_account(self, triggers: list[TriggerEntry]) -> list[TriggerEntry]:
        """Leave out triggers of suspended accounts: they get no notification of these arrivals."""
        if not triggers:
            return triggers
        suspended = {each.id for each in await find_accounts(self._engine, suspended=True)}
        return [trigger for trigger in triggers if source(trigger).account not in suspended]

    async def _readable_triggers(self, triggers: Sequence[TriggerEntry]) -> list[_ReadableTrigger]:
        """Return the triggers that can be read; disable the others, and notify their users."""
        readable = []
        for trigger in triggers:
            content: StoredAlertTrigger = source(trigger).content
            try:
                criteria = _criteria(content.query, content.word_forms, content.filters)
                readable.append(_ReadableTrigger(trigger, criteria))
            except BadRequest as error:
                await self._give_up(trigger, str(error))
        return readable

    async def _give_up(self, trigger: TriggerEntry, reason: str) -> None:
        """Disable a trigger that cannot be matched any more, and notify its user."""
        item = source(trigger)
        _log.warning("alert trigger %s is disabled: it cannot be matched any more", item.id)
        # The same version of a trigger makes the same notification, however often it is tried.
        notice_id = notification_id(item.id, f"disabled {item.content.watching_since.isoformat()}")
        message = f"this trigger was disabled, because it cannot be matched any more: {reason}"
        content = StoredNotification(item.id, message=message)
        await self._lease.hold()
        await self._notifications.notify([Notice(item.account, notice_id, content)])
        await self._triggers.disable(trigger)

    async def _notify(
        self,
        readable: Sequence[_ReadableTrigger],
        pairs: Sequence[TriggerMatch],
        batch: Sequence[Arrival],
    ) -> int:
        """Make the notifications of these matches; return the number of new ones."""
        pairs = await self._arrived_later(readable, pairs, batch)
        if not pairs:
            return 0
        standing = await self._unchanged_triggers(readable, pairs)
        pairs = [pair for pair in pairs if pair.place in standing]
        criteria = [each.criteria for each in readable]
        new = 0
        for chunk in chunks(pairs, _NOTICES):
            documents = await document_matches(self._engine, criteria, chunk)
            notices = [
                document_notice(item.account, item.id, document)
                for pair, document in zip(chunk, documents, strict=True)
                for item in [source(readable[pair.place].trigger)]
            ]
            await self._lease.hold()
            new += await self._notifications.notify(notices)
        await self._note_matched(standing, pairs, batch)
        return new

    async def _arrived_later(
        self,
        readable: Sequence[_ReadableTrigger],
        pairs: Sequence[TriggerMatch],
        batch: Sequence[Arrival],
    ) -> list[TriggerMatch]:
        """Keep the matches whose document arrived after its trigger began to watch."""
        index = await self._arrivals.index_id()
        places = {_arrived(each).document_id: LogPosition(index, each.seq_no) for each in batch}
        return [
            pair
            for pair in pairs
            if source(readable[pair.place].trigger).content.covers(places[pair.hit.document_id])
        ]

    async def _unchanged_triggers(
        self, readable: Sequence[_ReadableTrigger], pairs: Sequence[TriggerMatch]
    ) -> dict[int, TriggerEntry]:
        """Return the triggers of these matches by position, as stored now, without changed ones."""
        places = list(dict.fromkeys(pair.place for pair in pairs))
        now = await self._triggers.unchanged([readable[place].trigger for place in places])
        return {
            place: stored for place, stored in zip(places, now, strict=True) if stored is not None
        }

    async def _note_matched(
        self,
        standing: Mapping[int, TriggerEntry],
        pairs: Sequence[TriggerMatch],
        batch: Sequence[Arrival],
    ) -> None:
        arrived = {_arrived(each).document_id: _arrived(each).arrived_at for each in batch}
        newest: dict[int, datetime] = {}
        for pair in pairs:
            at = arrived[pair.hit.document_id]
            newest[pair.place] = max(at, newest.get(pair.place, at))
        await self._triggers.matched([(standing[place], at) for place, at in newest.items()])
        await self._engine.refresh("user_items")

    async def _pending_arrivals(self, absent: Sequence[Arrival]) -> list[Arrival]:
        """Return the arrivals without a document whose document may come back.

        A load under way may have removed a document to write it to another index.
        """
        numbers = list(dict.fromkeys(_arrived(each).accession_number for each in absent))
        found = await self._engine.multi_get("ledger", numbers, LedgerEntry)
        entries = {entry.id: entry.source for entry in found}
        return [each for each in absent if _may_return(each, entries)]

    async def _mark(self, arrivals: Sequence[Arrival]) -> None:
        await self._lease.hold()
        await self._arrivals.matched(arrivals, datetime.now(UTC))


@lru_cache(_REMEMBERED)
def _criteria(
    query: str | None, word_forms: WordForms, filters: TriggerFilters
) -> DocumentCriteria:
    content = StoredAlertTrigger("", datetime.min, query, filters, word_forms=word_forms)
    return document_criteria(content)


def _arrived(arrival: Arrival) -> StoredArrival:
    assert arrival.source is not None
    return arrival.source


def _may_return(arrival: Arrival, entries: Mapping[str, LedgerEntry | None]) -> bool:
    arrived = _arrived(arrival)
    entry = entries.get(arrived.accession_number)
    return entry is not None and (entry.owner is not None or arrived.document_id in entry.parts)


LEASE = "alerts"
BATCH = 1_000
# Waits after failures double up to this many seconds.
MAX_WAIT = 30.0
# Documents that a load has removed for a moment are looked for again after this many seconds.
POSTPONED_WAIT = 5.0
PRUNE_INTERVAL = 3_600.0
# The time that a stop may take to release the lease.
_RELEASE_SECONDS = 2.0


class Alerts:
    """The matcher of one process."""

    def __init__(self, engine: Engine, settings: Settings, tickers: Tickers) -> None:
        self._interval = settings.alerts_interval
        self._lease_seconds = settings.alerts_lease
        self._lease = Lease(engine, LEASE, _holder(), settings.alerts_lease)
        self._arrivals = Arrivals(engine)
        self._matcher = Matcher(engine, tickers, self._lease)
        self._most = MAX_QUERIES
        self._failures = 0
        self._pruned = float("-inf")

    async def run_forever(self) -> None:
        """Match arrivals until this is cancelled; then another process may begin at once."""
        async with self._keep_lease():
            while True:
                wait = await self._turn()
                await asyncio.sleep(wait)

    async def once(self) -> Counts:
        """Match all arrivals that wait now; waits while another process matches.

        Raises EngineUnavailable if Elasticsearch is away, and LeaseLost.
        """
        async with self._keep_lease():
            while True:
                if await self._lease.take():
                    await self._arrivals.refresh()
                    return await self._match_waiting()
                await asyncio.sleep(self._waiting_interval())

    async def _turn(self) -> float:
        """Match the arrivals that wait; return the seconds until the next turn."""
        try:
            if not self._lease.held and not await self._lease.take():
                return self._waiting_interval()
            counts = await self._match_waiting()
            await self._prune(counts)
        except LeaseLost as error:
            self._lease.forget()
            _log.warning("%s; this process waits", error)
            return self._waiting_interval()
        except EdgarSearchError as error:
            return self._wait_after(error)
        except Exception as error:
            # In any case, late notifications are better than none.
            _log.exception("the matcher met a fault, and goes on")
            return self._wait_after(error)
        self._failures, self._most = 0, min(MAX_QUERIES, self._most * 2)
        return max(self._interval, POSTPONED_WAIT) if counts.postponed else self._interval

    async def _match_waiting(self) -> Counts:
        """Match everything that waits, batch by batch."""
        counts = Counts()
        last = None
        while batch := await self._arrivals.waiting(BATCH, last):
            counts = counts.plus(await self._matcher.match(batch, self._most))
            last = batch[-1]
        return counts

    async def _prune(self, counts: Counts) -> None:
        """Delete old arrivals now and then, if there is nothing else to do."""
        if counts == Counts() and time.monotonic() - self._pruned > PRUNE_INTERVAL:
            await self._arrivals.prune(datetime.now(UTC))
            self._pruned = time.monotonic()

    def _wait_after(self, error: Exception) -> float:
        if self._failures == 0:
            _log.warning("alerts wait: %s", error)
        self._failures += 1
        # If a request takes too long, the next one is smaller.
        self._most = max(1, self._most // 2)
        return float(min(MAX_WAIT, self._interval * 2 ** min(self._failures, 10)))

    def _waiting_interval(self) -> float:
        return min(MAX_WAIT, self._lease_seconds / 5)

    @asynccontextmanager
    async def _keep_lease(self) -> AsyncIterator[None]:
        """Renew the lease while this is open, and release it at the end."""
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
    """Return a unique name that tells people which process this is."""
    return f"{socket.gethostname()} {os.getpid()} {secrets.token_hex(4)}"


class Status(Struct):
    """Arrivals that wait, those matched in the last 24 hours, and the process that matches.

    Percentiles are of the lag from searchable to notified, in seconds.
    """

    waiting: int
    oldest_waiting: datetime | None
    matched_last_24_hours: int
    lag_seconds: dict[str, float | None]
    holder: str | None
    epoch: int
    renewed_at: datetime | None


async def status(engine: Engine) -> Status:
    """Read the state of alerts."""
    lag = await Arrivals(engine).lag(datetime.now(UTC))
    stored = await engine.get("leases", LEASE, StoredLease)
    lease = stored.source if stored is not None else None
    return Status(
        waiting=lag.waiting,
        oldest_waiting=lag.oldest,
        matched_last_24_hours=lag.matched,
        lag_seconds={_name(percent): value for percent, value in lag.percentiles.items()},
        holder=lease.holder or None if lease else None,
        epoch=lease.epoch if lease else 0,
        renewed_at=lease.renewed_at if lease else None,
    )


def _name(percent: str) -> str:
    return "max" if percent == "100.0" else f"p{float(percent):g}"
