"""Writes batches of submissions, in an order that never shows a part of a filing."""

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

from edgar_search.archive.archive import open_archive
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.errors import EngineFault, EngineRefuses
from edgar_search.metrics.spans import span
from edgar_search.settings import Settings
from edgar_search.settings.values import PARTITIONED
from edgar_search.stored.events import StoredEvent, filing_event_id
from edgar_search.stored.filings import passage_id
from edgar_search.stored.installation import LedgerEntry
from edgar_search.stored.ownership import row_id
from ingest.indices.indices import Indices
from ingest.indices.rebuild_records import describe_write_blocks
from ingest.loading.bulk import BulkWriter, Refusal
from ingest.loading.disks import Disks
from ingest.loading.entities import EntityWriter
from ingest.loading.fact_links import FactLinks
from ingest.loading.ledger import Claim, Entry, Ledger, Reload
from ingest.loading.ledger_entries import (
    first_loaded_at,
    is_news,
    loaded_entry,
    moved_entry,
    refused_entry,
    withdrawn_entry,
)
from ingest.loading.owner import Owner
from ingest.loading.retry import Retry
from ingest.reading.operations import deletion, guarded_operation, parse_rows_key
from ingest.reading.tasks import PreparedSubmission, RefusedFile


def remaining_deletions(prefix: str, held: Claim) -> Iterator[bytes]:
    """Yield deletions of the parts that only an earlier version had."""
    entry, prepared = held.entry.source, held.prepared
    if entry is not None:
        partition, epoch = prepared.partition, prepared.epoch
        yield from part_deletions(prefix, partition, entry.parts, prepared.parts, epoch)
        for key in sorted({*entry.sections} - {*prepared.sections}):
            yield deletion("sections", prefix, partition, key, epoch)
        yield from row_deletions(prefix, partition, entry.rows, prepared.rows, epoch)


def whole_deletions(prefix: str, held: Claim) -> Iterator[bytes]:
    """Yield deletions of a whole submission, in the partition of its entry."""
    entry = held.entry.source
    if entry is not None and entry.partition is not None:
        number, epoch = held.prepared.accession_number, held.prepared.epoch
        yield deletion("filings", prefix, entry.partition, number, epoch)
        yield from entry_deletions(prefix, entry, epoch)


def entry_deletions(prefix: str, entry: LedgerEntry, epoch: int) -> Iterator[bytes]:
    """Yield deletions of all parts that an entry names; none if it has no partition."""
    if entry.partition is not None:
        yield from part_deletions(prefix, entry.partition, entry.parts, {}, epoch)
        for key in entry.sections:
            yield deletion("sections", prefix, entry.partition, key, epoch)
        yield from row_deletions(prefix, entry.partition, entry.rows, {}, epoch)


def part_deletions(
    prefix: str,
    partition: str,
    parts: Mapping[str, int],
    kept: Mapping[str, int],
    epoch: int,
) -> Iterator[bytes]:
    """Yield deletions of `parts`, documents with their number of passages, that are not `kept`."""
    for document_id, passages in parts.items():
        if document_id not in kept:
            yield deletion("documents", prefix, partition, document_id, epoch)
        for number in range(kept.get(document_id, 0), passages):
            key = passage_id(document_id, number)
            yield deletion("passages", prefix, partition, key, epoch)


def row_deletions(
    prefix: str, partition: str, rows: Mapping[str, int], kept: Mapping[str, int], epoch: int
) -> Iterator[bytes]:
    """Yield deletions of `rows`, numbers of rows by kind and document, that are not `kept`."""
    for key, number in rows.items():
        kind, document_id = parse_rows_key(key)
        for place in range(kept.get(key, 0), number):
            yield deletion(kind, prefix, partition, row_id(document_id, place), epoch)


# Seconds between two checks whether another load has finished with a submission.
_CLAIM_INTERVAL = 0.5
_ACCESSION_LENGTH = len("0001234567-24-000001")
# The kinds that searches read: filings are also found by names of their entities.
_SEARCHED: tuple[Kind, ...] = (*PARTITIONED, "entities")


class Result(NamedTuple):
    """The result of one submission; `reason` says why it was refused."""

    prepared: PreparedSubmission
    outcome: str
    reason: str = ""


class SubmissionWriter:
    """Writes batches: claims, passages, documents, filings, entities, events, then the ledger.

    A bulk request is split by shard and run in parallel, so order within it means nothing: each
    stage is acknowledged before the next is sent. The claim names every part that may exist from
    then on, so that the next load after a crash can remove them. Leftovers of an earlier version
    are deleted before the ledger says that the new one is loaded. Without `alerts` no events are
    written, so no one is notified. In a `reload`, submissions keep their first loading time.
    """

    def __init__(
        self,
        engine: Engine,
        settings: Settings,
        owner: Owner,
        undelete: bool = False,
        alerts: bool = True,
        reload: Reload | None = None,
    ) -> None:
        self._engine = engine
        # Opened first, so that a load with an unusable archive fails before it begins.
        self._archive = open_archive(settings.archive_place) if settings.archive else None
        self._settings = settings
        self._prefix = settings.prefix
        self._alerts = alerts
        self._disks = Disks(engine, settings)
        self._retry = Retry(
            settings.load_patience,
            look=self._disks.check,
            describe_blocks=partial(describe_write_blocks, engine),
        )
        self._indices = Indices(engine, settings)
        self._writer = BulkWriter(engine, self._retry)
        self._entities = EntityWriter(engine, settings.prefix, self._retry)
        self._links = FactLinks(engine, settings.prefix, self._retry, self._writer, owner.name)
        self.ledger = Ledger(engine, settings.prefix, self._retry, owner, undelete, reload)

    async def set_up(self) -> None:
        """Put templates that differ and create missing indices; raises DiskFull."""
        await self._disks.look()
        await self._retry(self._indices.set_up)

    async def write(self, batch: list[PreparedSubmission]) -> list[Result]:
        """Write a batch in which no accession number occurs twice.

        Raises DiskFull if a disk has too little room for it.
        """
        await self._disks.check()
        try:
            with span("load.batch", {"edgar_search.submissions": len(batch)}):
                return await self._write(batch)
        except EngineRefuses as error:
            raise await self._disks.explain(error) from None

    async def _write(self, batch: list[PreparedSubmission]) -> list[Result]:
        results: list[Result] = []
        while batch:
            with span("load.claim"):
                claims = await self.ledger.claim(batch)
            for prepared, decision in claims.decided:
                if decision == "deleted":
                    await asyncio.to_thread(self._delete_archived, prepared)
                results.append(Result(prepared, decision))
            written, lost = await self._write_claimed(claims.held)
            results += written
            batch = lost + claims.busy
            if batch:
                await asyncio.sleep(_CLAIM_INTERVAL)
        return results

    async def refuse(self, refused: RefusedFile) -> None:
        """Record a refusal under the accession number, or the hash if there is none."""
        key = refused.accession_number or refused.sha256
        now = datetime.now(UTC)
        entries = await self.ledger.read([key])

        def change(entry: Entry) -> LedgerEntry | None:
            after = refused_entry(entry.source, refused, now)
            return None if after == entry.source else after

        await self.ledger.change(entries, change)

    async def make_searchable(self) -> None:
        """Make everything loaded visible to searches, and record the time."""
        before = datetime.now(UTC)
        with span("load.make_searchable"):
            await asyncio.gather(*(self._retry(self._engine.refresh, kind) for kind in _SEARCHED))
            await self._links.link()
            await self.ledger.mark_searchable(before)

    async def _write_claimed(
        self, held: list[Claim]
    ) -> tuple[list[Result], list[PreparedSubmission]]:
        """Write the batch; return the results, and submissions that another load has taken over."""
        for partition in {h.prepared.partition for h in held}:
            await self._retry(self._indices.ensure_partition, partition)
        held, lost = await self._move(held)
        held = [
            h._replace(prepared=h.prepared.with_load_times(self._loaded_before(h))) for h in held
        ]
        complete, refusals = await self._write_parts(held)
        with span("load.entities"):
            await self._entities.write(facts for h in complete for facts in h.prepared.facts)
        with span("load.remove"):
            await self._unlink_others(h for h in complete if not _has_facts(h.prepared.rows))
            await self._writer.write_all(
                line for h in complete for line in remaining_deletions(self._prefix, h)
            )
        if self._alerts:
            with span("load.announce"):
                await self._announce(complete)
        # Never before the reload began: after a clock was set back it would be loaded again
        # forever.
        now = max(
            datetime.now(UTC),
            self.ledger.reload.since if self.ledger.reload else datetime.min.replace(tzinfo=UTC),
        )
        with span("load.settle"):
            complete, late = await self.ledger.settle(
                complete, lambda e, p: loaded_entry(e, p, now)
            )
        lost += late + [h for h in held if _is_refused(refusals, h, conflict=True)]
        await self._writer.write_all(
            line for h in lost for line in whole_deletions(self._prefix, h)
        )
        withdrawn = [h for h in held if _is_refused(refusals, h, conflict=False)]
        results = [Result(h.prepared, "loaded") for h in complete]
        return results + await self._withdraw(withdrawn, refusals), [h.prepared for h in lost]

    async def _write_parts(self, held: list[Claim]) -> tuple[list[Claim], dict[str, Refusal]]:
        """Write the parts.

        Returns submissions written completely, and refusals by accession number.
        """
        refusals: dict[str, Refusal] = {}
        stages: dict[str, Callable[[PreparedSubmission], Iterable[bytes]]] = {
            "passages": lambda p: p.passages,
            "documents": lambda p: p.documents,
            "filings": lambda p: [p.filing],
        }
        for stage, pieces in stages.items():
            with span(f"load.{stage}"):
                refused = await self._writer.write(c for h in held for c in pieces(h.prepared))
            for key, refusal in refused.items():
                # The id of a filing and of all its parts begins with the accession number.
                number = key[:_ACCESSION_LENGTH]
                # A conflict means that another load came first, which explains the other refusals.
                if refusal.conflict or number not in refusals:
                    refusals[number] = refusal
            held = [h for h in held if h.prepared.accession_number not in refusals]
        return held, refusals

    async def _announce(self, held: list[Claim]) -> None:
        """Append the event of each new filing to the log, unless the log has it."""
        now = datetime.now(UTC)
        refused = await self._writer.write(
            guarded_operation("events", self._prefix, key, event, None)
            for key, event in (filing_event(h, now) for h in held)
            if event is not None
        )
        failed = [refusal.reason for refusal in refused.values() if not refusal.conflict]
        if failed:
            raise EngineFault(f"events could not be written: {failed[0]}")

    async def _move(self, held: list[Claim]) -> tuple[list[Claim], list[Claim]]:
        """Delete everything that is now in another partition.

        Returns the submissions still in the batch, and those that another load has taken over.
        """
        moved = [h for h in held if _partition(h) != h.prepared.partition]
        if not moved:
            return held, []
        await self._unlink_others(moved)
        await self._writer.write_all(
            line for h in moved for line in whole_deletions(self._prefix, h)
        )
        kept, lost = await self.ledger.settle(moved, moved_entry)
        return [h for h in held if _partition(h) == h.prepared.partition] + kept, lost

    async def _withdraw(self, held: list[Claim], refusals: dict[str, Refusal]) -> list[Result]:
        """Delete submissions with a refused part, and the versions that they replace.

        Their parts have the same ids, so the earlier version is no longer complete either.
        """
        await self._unlink_others(held)
        await self._writer.write_all(
            line for h in held for line in whole_deletions(self._prefix, h)
        )
        reasons = {h.prepared.accession_number: "" for h in held}
        reasons |= {key: refusals[key].reason for key in reasons}
        await self.ledger.settle(
            held, lambda e, p: withdrawn_entry(e, p, reasons[p.accession_number])
        )
        return [Result(h.prepared, "refused", reasons[h.prepared.accession_number]) for h in held]

    async def _unlink_others(self, held: Iterable[Claim]) -> None:
        """Mark facts that others filed again to be relinked, if these submissions had facts."""
        gone = [
            h.prepared.accession_number
            for h in held
            if h.entry.source is not None and _has_facts(h.entry.source.rows)
        ]
        if gone:
            await self._links.unlink_others(gone)

    def _loaded_before(self, held: Claim) -> dict[str, datetime]:
        """Return when the documents, and in a reload the filing, were first loaded."""
        entry = held.entry.source
        times = dict(_announcements(held))
        if self.ledger.reload is not None and entry and (first := first_loaded_at(entry)):
            times[held.prepared.accession_number] = first
        return times

    def _delete_archived(self, prepared: PreparedSubmission) -> None:
        """Delete the files that were archived before the tombstone was seen."""
        if prepared.archived is not None and self._archive is not None:
            self._archive.delete_all(prepared.archived)


def filing_event(held: Claim, now: datetime) -> tuple[str, StoredEvent | None]:
    """Return the event of a written filing, and its id; None if it is not news.

    A load that is repeated after a kill makes an event with the same id, which is skipped.
    """
    prepared, entry = held.prepared, held.entry.source
    if entry is None or not is_news(entry, prepared):
        return "", None
    arrived = sorted(prepared.parts.keys() - entry.announced.keys())
    event = StoredEvent(
        "changed" if entry.announced or entry.told_hash else "loaded",
        now,
        prepared.accession_number,
        documents=sorted(prepared.parts),
        arrived=arrived,
        arrivals=len(arrived),
    )
    digest = hashlib.sha256(" ".join(arrived).encode()).hexdigest()[:16]
    return filing_event_id(prepared.accession_number, entry.told + 1, digest), event


def _announcements(held: Claim) -> dict[str, datetime]:
    return held.entry.source.announced if held.entry.source else {}


def _has_facts(rows: Iterable[str]) -> bool:
    return any(parse_rows_key(key)[0] == "facts" for key in rows)


def _partition(held: Claim) -> str | None:
    return held.entry.source.partition if held.entry.source else None


def _is_refused(refusals: dict[str, Refusal], held: Claim, *, conflict: bool) -> bool:
    refusal = refusals.get(held.prepared.accession_number)
    return refusal is not None and refusal.conflict is conflict
