"""One batch of arrivals against all triggers.

Everything here may happen again: notifications have ids that follow from trigger and document, and
an arrival is marked only after all its notifications are acknowledged.
"""

import logging
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import NamedTuple

from edgar_search.access.accounts import find_accounts
from edgar_search.accounts.store import source
from edgar_search.alerts.arrivals import Arrival, Arrivals
from edgar_search.alerts.matching import document_matches
from edgar_search.alerts.notifications import (
    Notice,
    Notifications,
    document_notice,
    notification_id,
)
from edgar_search.alerts.triggers import AlertTriggers, TriggerEntry, document_criteria
from edgar_search.engine.chunks import chunks
from edgar_search.engine.engine import Engine
from edgar_search.engine.lease import Lease
from edgar_search.errors import BadRequest
from edgar_search.search.criteria import DocumentCriteria
from edgar_search.search.language import WordForms
from edgar_search.search.matching import MAX_QUERIES, Pair, match_documents
from edgar_search.search.tickers import Tickers
from edgar_search.stored.alert_trigger import StoredAlertTrigger, TriggerFilters
from edgar_search.stored.arrival import Place, StoredArrival
from edgar_search.stored.ledger import LedgerEntry
from edgar_search.stored.notification import StoredNotification

_log = logging.getLogger(__name__)

# Notifications made before it is looked again whether the lease holds.
_NOTICES = 500
# Reading a query takes a tenth of a millisecond, and the same triggers come with every batch.
_REMEMBERED = 20_000
REFUSED = "the search engine refuses its query, which asks for too much"


class Counts(NamedTuple):
    """What became of arrivals: matched ones, those that wait on, and new notifications."""

    matched: int = 0
    postponed: int = 0
    notifications: int = 0

    def plus(self, other: "Counts") -> "Counts":
        """Both together."""
        return Counts(*(one + two for one, two in zip(self, other, strict=True)))


class _Watching(NamedTuple):
    """A trigger and what it matches."""

    trigger: TriggerEntry
    criteria: DocumentCriteria


class Matcher:
    """Matches batches; the lease is looked at before everything that is written."""

    def __init__(self, engine: Engine, tickers: Tickers, lease: Lease) -> None:
        self._engine = engine
        self._tickers = tickers
        self._lease = lease
        self._arrivals = Arrivals(engine)
        self._triggers = AlertTriggers(engine)
        self._notifications = Notifications(engine)

    async def match(self, batch: Sequence[Arrival], most: int = MAX_QUERIES) -> Counts:
        """Make all notifications of these arrivals, then mark the arrivals.

        Raises LeaseLost where another process matches now, and EngineUnavailable.
        """
        # After the arrivals: every trigger that was there when they came is read here.
        triggers = await self._of_active_accounts(await self._triggers.enabled())
        watching = await self._watching(triggers)
        if not watching:
            await self._mark(batch)
            return Counts(matched=len(batch))
        for kind in ("documents", "passages"):
            await self._engine.refresh(kind)
        ids = [_arrived(arrival).document_id for arrival in batch]
        found = await match_documents(
            self._engine,
            [each.criteria for each in watching],
            ids,
            await self._tickers.table(),
            most,
        )
        for place in found.refused:
            await self._give_up(watching[place].trigger, REFUSED)
        new = await self._notify(watching, found.pairs, batch)
        absent = [each for each in batch if _arrived(each).document_id not in found.present]
        postponed = {each.id for each in await self._coming(absent)}
        done = [each for each in batch if each.id not in postponed]
        await self._mark(done)
        return Counts(len(done), len(postponed), new)

    async def _of_active_accounts(self, triggers: list[TriggerEntry]) -> list[TriggerEntry]:
        """Leave out triggers of suspended accounts: what arrives meanwhile is not for them."""
        if not triggers:
            return triggers
        suspended = {each.id for each in await find_accounts(self._engine, suspended=True)}
        return [trigger for trigger in triggers if source(trigger).account not in suspended]

    async def _watching(self, triggers: Sequence[TriggerEntry]) -> list[_Watching]:
        """Triggers that can be read; the others are disabled, and their users are told."""
        watching = []
        for trigger in triggers:
            content: StoredAlertTrigger = source(trigger).content
            try:
                watching.append(_Watching(trigger, _criteria_of(content)))
            except BadRequest as error:
                await self._give_up(trigger, str(error))
        return watching

    async def _give_up(self, trigger: TriggerEntry, reason: str) -> None:
        """Disable a trigger that cannot be matched any more, and say so in a notification."""
        item = source(trigger)
        _log.warning("alert trigger %s is disabled: it cannot be matched any more", item.id)
        # The same version of a trigger makes the same notification, however often it is tried.
        notice_id = notification_id(item.id, f"disabled {item.content.watching_since.isoformat()}")
        message = f"this trigger was disabled, for it cannot be matched any more: {reason}"
        content = StoredNotification(item.id, message=message)
        await self._lease.hold()
        await self._notifications.notify([Notice(item.account, notice_id, content)])
        await self._triggers.disable(trigger)

    async def _notify(
        self, watching: Sequence[_Watching], pairs: Sequence[Pair], batch: Sequence[Arrival]
    ) -> int:
        """Make the notifications of these pairs; the number of new ones."""
        pairs = await self._seen(watching, pairs, batch)
        if not pairs:
            return 0
        standing = await self._standing(watching, pairs)
        pairs = [pair for pair in pairs if pair.place in standing]
        criteria = [each.criteria for each in watching]
        new = 0
        for chunk in chunks(pairs, _NOTICES):
            documents = await document_matches(self._engine, criteria, chunk)
            notices = [
                document_notice(item.account, item.id, document)
                for pair, document in zip(chunk, documents, strict=True)
                for item in [source(watching[pair.place].trigger)]
            ]
            await self._lease.hold()
            new += await self._notifications.notify(notices)
        await self._note_matched(standing, pairs, batch)
        return new

    async def _seen(
        self, watching: Sequence[_Watching], pairs: Sequence[Pair], batch: Sequence[Arrival]
    ) -> list[Pair]:
        """Those whose document arrived after its trigger began to watch."""
        index = await self._arrivals.index_id()
        places = {_arrived(each).document_id: Place(index, each.seq_no) for each in batch}
        return [
            pair
            for pair in pairs
            if source(watching[pair.place].trigger).content.sees(places[pair.hit.document_id])
        ]

    async def _standing(
        self, watching: Sequence[_Watching], pairs: Sequence[Pair]
    ) -> dict[int, TriggerEntry]:
        """The triggers of these pairs by place, as they stand now, but for those that changed."""
        places = list(dict.fromkeys(pair.place for pair in pairs))
        now = await self._triggers.unchanged([watching[place].trigger for place in places])
        return {
            place: stored for place, stored in zip(places, now, strict=True) if stored is not None
        }

    async def _note_matched(
        self,
        standing: Mapping[int, TriggerEntry],
        pairs: Sequence[Pair],
        batch: Sequence[Arrival],
    ) -> None:
        arrived = {_arrived(each).document_id: _arrived(each).arrived_at for each in batch}
        newest: dict[int, datetime] = {}
        for pair in pairs:
            at = arrived[pair.hit.document_id]
            newest[pair.place] = max(at, newest.get(pair.place, at))
        await self._triggers.matched([(standing[place], at) for place, at in newest.items()])
        await self._engine.refresh("user_items")

    async def _coming(self, absent: Sequence[Arrival]) -> list[Arrival]:
        """Of arrivals whose documents are not there, those whose documents may come back.

        A load that is under way may have taken a document away to write it elsewhere.
        """
        numbers = list(dict.fromkeys(_arrived(each).accession_number for each in absent))
        found = await self._engine.multi_get("ledger", numbers, LedgerEntry)
        entries = {entry.id: entry.source for entry in found}
        return [each for each in absent if _may_come(each, entries)]

    async def _mark(self, arrivals: Sequence[Arrival]) -> None:
        await self._lease.hold()
        await self._arrivals.matched(arrivals, datetime.now(UTC))


def _criteria_of(content: StoredAlertTrigger) -> DocumentCriteria:
    return _criteria(content.query, content.word_forms, content.filters)


@lru_cache(_REMEMBERED)
def _criteria(
    query: str | None, word_forms: WordForms, filters: TriggerFilters
) -> DocumentCriteria:
    content = StoredAlertTrigger("", datetime.min, query, filters, word_forms=word_forms)
    return document_criteria(content)


def _arrived(arrival: Arrival) -> StoredArrival:
    assert arrival.source is not None
    return arrival.source


def _may_come(arrival: Arrival, entries: Mapping[str, LedgerEntry | None]) -> bool:
    arrived = _arrived(arrival)
    entry = entries.get(arrived.accession_number)
    return entry is not None and (entry.owner is not None or arrived.document_id in entry.parts)
