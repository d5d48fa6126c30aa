"""The ledger in Elasticsearch: guarded writes, and claims that assign a submission to one load."""

import time
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from typing import Literal, NamedTuple

from edgar_search.engine.bulk_lines import bodies
from edgar_search.engine.changes import change_many
from edgar_search.engine.contents import UNREAD, is_outdated
from edgar_search.engine.engine import BLOCKED, BulkItem, Engine, Stored
from edgar_search.engine.replies import IdHit
from edgar_search.errors import EngineFault, EngineRefuses
from edgar_search.stored.installation import EdgarFile, LedgerEntry
from ingest.loading.bulk import BODY_BYTES, busy_error
from ingest.loading.ledger_entries import (
    ListedFiling,
    fetched_entry,
    listed_entry,
    pending_entry,
    searchable_entry,
    superseded_entry,
)
from ingest.loading.owner import Owner
from ingest.loading.retry import Retry
from ingest.reading.operations import guarded_operation
from ingest.reading.tasks import PreparedSubmission

Decision = Literal["load", "unchanged", "superseded", "deleted"]


class Reload(NamedTuple):
    """A load that replaces loaded submissions, and which ones are due.

    Due is everything loaded before `since`; if `outdated`, only what an older version stored. With
    `any_version`, EDGAR's current file may differ from the loaded one.
    """

    since: datetime
    outdated: bool = False
    any_version: bool = False

    def is_due(self, entry: LedgerEntry | None) -> bool:
        """Return True if a submission should be reloaded, or was not loaded completely."""
        if entry is None:
            return False
        if entry.status == "pending":
            return True
        if entry.status != "loaded":
            return False
        if self.outdated:
            return is_outdated(entry.contents, entry.form_type)
        return entry.loaded_at is None or entry.loaded_at < self.since


def known_hashes(entry: LedgerEntry | None, reload: Reload | None = None) -> list[str]:
    """Return the hashes of content that need not be loaded again.

    The loaded version is excluded if it is due in a reload, or was not read completely.
    """
    if entry is None:
        return []
    if UNREAD in entry.contents if reload is None else reload.is_due(entry):
        return [digest for digest in entry.settled if digest != entry.loaded_hash]
    return entry.settled if entry.status == "loaded" else []


def decide(
    entry: LedgerEntry | None,
    prepared: PreparedSubmission,
    undelete: bool = False,
    reload: Reload | None = None,
) -> Decision:
    """Decide how to treat a submission, given the ledger's entry of its accession number.

    A submission that an operator deleted stays deleted, in every version. The feed's variant never
    replaces the archive's; otherwise the later one replaces the earlier. A reload loads only the
    submissions that are due for it.
    """
    if entry is not None and entry.status == "deleted" and not undelete:
        return "deleted"
    if reload is not None:
        return "load" if _is_version_to_reload(entry, prepared.sha256, reload) else "unchanged"
    if entry is None or entry.status != "loaded":
        return "load"
    if prepared.sha256 in known_hashes(entry):
        return "unchanged"
    if prepared.variant == "nc" and entry.variant == "txt":
        return "superseded"
    return "load"


def next_epoch(entry: LedgerEntry | None, now: int) -> int:
    """Return the epoch of a load that begins `now`, above all earlier ones."""
    return max(now, entry.epoch + 1) if entry is not None else now


def _is_version_to_reload(entry: LedgerEntry | None, sha256: str, reload: Reload) -> bool:
    """Return True if this version is loaded or pending, and due for the reload."""
    if entry is None or not reload.is_due(entry):
        return False
    return (
        reload.any_version
        or sha256 == entry.loaded_hash
        or (entry.status == "pending" and sha256 not in entry.settled)
    )


# A claim by a load of unknown state is taken over if it has not changed for this long.
LEASE_SECONDS = 60.0
# Entries marked as searchable at once.
_MARKED = 1_000

Entry = Stored[LedgerEntry]
Change = Callable[[Entry], LedgerEntry | None]


class Claim(NamedTuple):
    """A submission that only this load may write, and its pending entry as written."""

    prepared: PreparedSubmission
    entry: Entry


class ClaimedBatch(NamedTuple):
    """A claimed batch: submissions to write, decided without writing, or held by another load."""

    held: list[Claim]
    decided: list[tuple[PreparedSubmission, Decision]]
    busy: list[PreparedSubmission]


async def read_entries(engine: Engine, keys: Sequence[str]) -> dict[str, LedgerEntry]:
    """Read the existing entries of these accession numbers, in real time."""
    stored = await engine.multi_get("ledger", keys, LedgerEntry)
    return {entry.id: entry.source for entry in stored if entry.source is not None}


class Ledger:
    """The ledger for one load; it never overwrites an entry that it has not read."""

    def __init__(
        self,
        engine: Engine,
        prefix: str,
        retry: Retry,
        owner: Owner,
        undelete: bool = False,
        reload: Reload | None = None,
    ) -> None:
        self._engine = engine
        self._prefix = prefix
        self._retry = retry
        self.owner = owner
        self._undelete = undelete
        self.reload = reload
        self._watched: dict[str, tuple[int, float]] = {}

    async def read(self, keys: Iterable[str]) -> list[Entry]:
        """Read the entries of these keys in real time, including missing ones."""
        wanted = list(keys)
        return await self._retry(self._engine.multi_get, "ledger", wanted, LedgerEntry)

    async def change(self, entries: Sequence[Entry], change: Change) -> list[Entry]:
        """Replace each entry by what `change` returns; return the entries that were written.

        If a concurrent write came first, the entry is read and `change` is called again. None
        leaves an entry unchanged.
        """
        written: list[Entry] = []
        wait = self._retry.begin()

        async def write(new: Sequence[tuple[Entry, LedgerEntry]]) -> set[str]:
            busy = []
            overtaken = set()
            for (entry, changed), item in zip(new, await self._send(new), strict=True):
                if item.error is None:
                    written.append(Stored(entry.id, True, changed, item.seq_no, item.primary_term))
                    continue
                busy += [item] if _may_succeed_later(item) else []
                overtaken.add(entry.id)
            if busy:
                await wait(busy_error(busy))
            return overtaken

        await change_many(entries, change, write, self.read)
        return written

    async def claim(self, batch: list[PreparedSubmission]) -> ClaimedBatch:
        """Claim every submission that should be loaded and that no other load holds."""
        claims = ClaimedBatch([], [], [])
        by_number = {p.accession_number: p for p in batch}
        decisions: dict[str, Decision | None] = {}

        def change(entry: Entry) -> LedgerEntry | None:
            prepared = by_number[entry.id]
            decision = decide(entry.source, prepared, self._undelete, self.reload)
            decisions[entry.id] = None if self._is_anothers(entry) else decision
            if decisions[entry.id] == "load":
                epoch = next_epoch(entry.source, prepared.epoch)
                return pending_entry(entry.source, prepared, self.owner.name, epoch)
            if decisions[entry.id] == "superseded" and entry.source:
                return superseded_entry(entry.source, prepared)
            return None

        written = await self.change(await self.read(by_number), change)
        entries = {entry.id: entry for entry in written}
        for key, prepared in by_number.items():
            decision = decisions[key]
            if decision is None:
                claims.busy.append(prepared)
            elif decision == "load":
                entry = entries[key]
                assert entry.source is not None
                claims.held.append(Claim(prepared.with_epoch(entry.source.epoch), entry))
            else:
                claims.decided.append((prepared, decision))
        return claims

    async def settle(
        self, held: Sequence[Claim], final: Callable[[LedgerEntry, PreparedSubmission], LedgerEntry]
    ) -> tuple[list[Claim], list[Claim]]:
        """Write the final entries of held submissions; return the held ones and the lost ones."""
        by_number = {h.prepared.accession_number: h for h in held}
        lost: set[str] = set()
        epochs = {key: h.prepared.epoch for key, h in by_number.items()}
        written = {}

        def change(entry: Entry) -> LedgerEntry | None:
            if entry.source is None or entry.source.epoch != epochs[entry.id]:
                lost.add(entry.id)
                return None
            if entry.source.owner is None:
                return None  # Written before; only the reply was lost.
            return final(entry.source, by_number[entry.id].prepared)

        for entry in await self.change([h.entry for h in held], change):
            written[entry.id] = entry
        kept = [
            Claim(h.prepared, written.get(key, h.entry))
            for key, h in by_number.items()
            if key not in lost
        ]
        return kept, [by_number[key] for key in lost]

    async def mark_listed(self, listed: Iterable[ListedFiling]) -> int:
        """Record EDGAR's list; return how many submissions were not known as listed."""
        by_number = {filing.accession_number: filing for filing in listed}
        now = datetime.now(UTC)
        entries = await self.read(by_number)
        return len(
            await self.change(entries, lambda e: listed_entry(e.source, by_number[e.id], now))
        )

    async def mark_fetched(self, key: str, source: str, file: EdgarFile) -> None:
        """Record that a version of a submission was fetched."""
        now = datetime.now(UTC)
        entries = await self.read([key])
        await self.change(entries, lambda e: fetched_entry(e.source, source, file, now))

    async def mark_searchable(self, loaded_before: datetime) -> None:
        """Record that loads before this time are visible; the caller has refreshed the indices."""
        query = {
            "bool": {
                "filter": [
                    {"term": {"status": "loaded"}},
                    {"range": {"loaded_at": {"lt": loaded_before.isoformat()}}},
                ],
                "must_not": [{"exists": {"field": "searchable_at"}}],
            }
        }
        body = {"query": query, "size": _MARKED, "_source": False}
        now = datetime.now(UTC)
        while True:
            await self._retry(self._engine.refresh, "ledger")
            reply = await self._retry(self._engine.search, "ledger", body, IdHit)
            keys = [hit.id for hit in reply.hits.hits]
            if not keys:
                return
            await self.change(
                await self.read(keys), lambda e: e.source and searchable_entry(e.source, now)
            )

    def is_free(self, entry: Entry) -> bool:
        """Return True if no other load holds this submission."""
        return not self._is_anothers(entry)

    def _is_anothers(self, entry: Entry) -> bool:
        owner = entry.source.owner if entry.source else None
        if owner is None or owner == self.owner.name:
            return False
        running = self.owner.running(owner)
        return running == "yes" or (running == "unknown" and not self._has_expired(entry))

    def _has_expired(self, entry: Entry) -> bool:
        """Return True if this load has seen the same claim for the whole duration of a lease."""
        seq_no, since = self._watched.get(entry.id, (-1, 0.0))
        if seq_no != entry.seq_no:
            self._watched[entry.id] = (entry.seq_no, time.monotonic())
            return False
        return time.monotonic() - since > LEASE_SECONDS

    async def _send(self, new: Sequence[tuple[Entry, LedgerEntry]]) -> list[BulkItem]:
        """Send guarded writes and return the replies in order."""
        items: list[BulkItem] = []
        operations = (
            guarded_operation("ledger", self._prefix, entry.id, changed, entry)
            for entry, changed in new
        )
        for body in bodies(operations, BODY_BYTES):
            items += await self._retry(self._engine.bulk_items, body)
        return items


def _may_succeed_later(item: BulkItem) -> bool:
    """Return True if a failed write may succeed later; raises if it never can."""
    if item.blocked:
        raise EngineRefuses(BLOCKED)
    if not item.conflict and not item.busy:
        error = item.error.type if item.error else "unknown"
        raise EngineFault(f"the ledger's entry {item.id} was refused ({item.status} {error})")
    return item.busy
