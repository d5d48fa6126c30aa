"""Batches of prepared submissions into the indices, in an order that shows nothing by half."""

import asyncio
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from functools import partial
from typing import NamedTuple

from edgar_search.archive.archive import open_archive
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import PARTITIONED, Kind
from edgar_search.errors import EngineFault, EngineRefuses
from edgar_search.metrics.spans import span
from edgar_search.settings import Settings
from edgar_search.stored.filings import passage_id
from edgar_search.stored.installation import LedgerEntry
from edgar_search.stored.user_items import WAITING, StoredArrival
from ingest.indices.indices import Indices
from ingest.indices.rebuild_records import describe_write_blocks
from ingest.loading.bulk import BulkWriter, Refusal
from ingest.loading.disks import Disks
from ingest.loading.entities import EntityWriter
from ingest.loading.ledger import Claim, Ledger
from ingest.loading.ledger_entries import (
    first_loaded_at,
    loaded_entry,
    moved_entry,
    refused_entry,
    withdrawn_entry,
)
from ingest.loading.owner import Owner
from ingest.loading.retry import Retry
from ingest.reading.operations import deletion, guarded_operation
from ingest.reading.tasks import PreparedSubmission, RefusedFile


def remaining_deletions(prefix: str, held: Claim) -> Iterator[bytes]:
    """Deletions of the parts that an earlier version had and this one has not."""
    entry, prepared = held.entry.source, held.prepared
    if entry is not None:
        partition, epoch = prepared.partition, prepared.epoch
        yield from part_deletions(prefix, partition, entry.parts, prepared.parts, epoch)
        for key in sorted({*entry.sections} - {*prepared.sections}):
            yield deletion("sections", prefix, partition, key, epoch)


def whole_deletions(prefix: str, held: Claim) -> Iterator[bytes]:
    """Deletions of everything that may be there of a submission, where its entry says it is."""
    entry = held.entry.source
    if entry is not None and entry.partition is not None:
        number, epoch = held.prepared.accession_number, held.prepared.epoch
        yield deletion("filings", prefix, entry.partition, number, epoch)
        yield from entry_deletions(prefix, entry, epoch)


def entry_deletions(prefix: str, entry: LedgerEntry, epoch: int) -> Iterator[bytes]:
    """Deletions of all parts that an entry names; where it has no partition there are none."""
    if entry.partition is not None:
        yield from part_deletions(prefix, entry.partition, entry.parts, {}, epoch)
        for key in entry.sections:
            yield deletion("sections", prefix, entry.partition, key, epoch)


def part_deletions(
    prefix: str,
    partition: str,
    parts: Mapping[str, int],
    kept: Mapping[str, int],
    epoch: int,
) -> Iterator[bytes]:
    """Deletions of `parts`, documents with their number of passages, that are not `kept`."""
    for document_id, passages in parts.items():
        if document_id not in kept:
            yield deletion("documents", prefix, partition, document_id, epoch)
        for number in range(kept.get(document_id, 0), passages):
            key = passage_id(document_id, number)
            yield deletion("passages", prefix, partition, key, epoch)


# How often a load looks whether another one is done with a submission.
_CLAIM_INTERVAL = 0.5
# What searches look into: filings are found by names of their entities too.
_SEARCHED: tuple[Kind, ...] = (*PARTITIONED, "entities")


class Result(NamedTuple):
    """What became of one submission; `reason` says why it was refused."""

    prepared: PreparedSubmission
    outcome: str
    reason: str = ""


class SubmissionWriter:
    """Writes batches: claims, passages, documents, filings, entities, arrivals, then the ledger.

    A bulk request is split by shard and run in parallel, so order inside it means nothing: each
    stage is acknowledged before the next is sent. The claim names every part that may be there from
    then on, so that whoever comes after a crash can remove them. What an earlier version left over
    is deleted before the ledger says that the new one is loaded. Without `alerts` nothing arrives:
    users are not told of what is loaded. `again` is since when everything is being loaded again, if
    it is: what was loaded before keeps the time of that.
    """

    def __init__(
        self,
        engine: Engine,
        settings: Settings,
        owner: Owner,
        undelete: bool = False,
        alerts: bool = True,
        reload_since: datetime | None = None,
    ) -> None:
        self._engine = engine
        # Opened first: an archive that cannot be used ends the load before it begins.
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
        self.ledger = Ledger(engine, settings.prefix, self._retry, owner, undelete, reload_since)

    async def set_up(self) -> None:
        """Put templates that differ and make the indices that are missing; raises DiskFull."""
        await self._disks.look()
        await self._retry(self._indices.set_up)

    async def write(self, batch: list[PreparedSubmission]) -> list[Result]:
        """Write a batch in which no accession number occurs twice.

        Raises DiskFull where a disk has too little room for it.
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
                    await asyncio.to_thread(self._forget, prepared)
                results.append(Result(prepared, decision))
            written, lost = await self._write_claimed(claims.held)
            results += written
            batch = lost + claims.busy
            if batch:
                await asyncio.sleep(_CLAIM_INTERVAL)
        return results

    async def refuse(self, refused: RefusedFile) -> None:
        """Record a refusal under the accession number, or the hash where there is none."""
        key = refused.accession_number or refused.sha256
        now = datetime.now(UTC)
        entries = await self.ledger.read([key])
        await self.ledger.change(
            entries, lambda entry: _changed(entry.source, refused_entry(entry.source, refused, now))
        )

    async def make_searchable(self) -> None:
        """Make all that is loaded visible to searches, and record since when it is."""
        before = datetime.now(UTC)
        with span("load.make_searchable"):
            await asyncio.gather(*(self._retry(self._engine.refresh, kind) for kind in _SEARCHED))
            await self.ledger.mark_searchable(before)

    async def _write_claimed(
        self, held: list[Claim]
    ) -> tuple[list[Result], list[PreparedSubmission]]:
        """Write what is held: the results, and what another load has taken over meanwhile."""
        for partition in {h.prepared.partition for h in held}:
            await self._retry(self._indices.ensure_partition, partition)
        held, lost = await self._move(held)
        held = [
            h._replace(prepared=h.prepared.with_load_times(self._loaded_before(h))) for h in held
        ]
        whole, refusals = await self._write_parts(held)
        with span("load.entities"):
            await self._entities.write(facts for h in whole for facts in h.prepared.facts)
        with span("load.remove"):
            await self._writer.write_all(
                line for h in whole for line in remaining_deletions(self._prefix, h)
            )
        if self._alerts:
            with span("load.announce"):
                await self._announce(whole)
        # Were it before, for a clock that was set back, it would be loaded again without end.
        now = max(datetime.now(UTC), self.ledger.reload_since or datetime.min.replace(tzinfo=UTC))
        with span("load.settle"):
            whole, late = await self.ledger.settle(whole, lambda e, p: loaded_entry(e, p, now))
        lost += late + [h for h in held if _refused(refusals, h, conflict=True)]
        await self._writer.write_all(
            line for h in lost for line in whole_deletions(self._prefix, h)
        )
        withdrawn = [h for h in held if _refused(refusals, h, conflict=False)]
        results = [Result(h.prepared, "loaded") for h in whole]
        return results + await self._withdraw(withdrawn, refusals), [h.prepared for h in lost]

    async def _write_parts(self, held: list[Claim]) -> tuple[list[Claim], dict[str, Refusal]]:
        """What was written whole, and the refusals by accession number."""
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
                number = _accession(key)
                # That another load came first explains everything else.
                if refusal.conflict or number not in refusals:
                    refusals[number] = refusal
            held = [h for h in held if h.prepared.accession_number not in refusals]
        return held, refusals

    async def _announce(self, held: list[Claim]) -> None:
        """Let every document arrive that never was loaded before; one that has arrived stays."""
        refused = await self._writer.write(
            guarded_operation("arrivals", self._prefix, arrival.document_id, arrival, None)
            for arrival in _arrivals(held, datetime.now(UTC))
        )
        failed = [refusal.reason for refusal in refused.values() if not refusal.conflict]
        if failed:
            raise EngineFault(f"arrivals could not be written: {failed[0]}")

    async def _move(self, held: list[Claim]) -> tuple[list[Claim], list[Claim]]:
        """Delete everything that stands in another partition than it belongs to now.

        Returns what is still held, and what another load has taken over meanwhile.
        """
        moved = [h for h in held if _partition(h) != h.prepared.partition]
        if not moved:
            return held, []
        await self._writer.write_all(
            line for h in moved for line in whole_deletions(self._prefix, h)
        )
        kept, lost = await self.ledger.settle(moved, moved_entry)
        return [h for h in held if _partition(h) == h.prepared.partition] + kept, lost

    async def _withdraw(self, held: list[Claim], refusals: dict[str, Refusal]) -> list[Result]:
        """Take back what Elasticsearch refused a part of, with the version that it replaces.

        Their parts have the same ids, so that version is not whole any more either.
        """
        await self._writer.write_all(
            line for h in held for line in whole_deletions(self._prefix, h)
        )
        reasons = {h.prepared.accession_number: "" for h in held}
        reasons |= {key: refusals[key].reason for key in reasons}
        await self.ledger.settle(
            held, lambda e, p: withdrawn_entry(e, p, reasons[p.accession_number])
        )
        return [Result(h.prepared, "refused", reasons[h.prepared.accession_number]) for h in held]

    def _loaded_before(self, held: Claim) -> dict[str, datetime]:
        """When the documents were loaded first, and the filing if all are being loaded again."""
        entry = held.entry.source
        times = dict(_announced(held))
        if self.ledger.reload_since is not None and entry and (first := first_loaded_at(entry)):
            times[held.prepared.accession_number] = first
        return times

    def _forget(self, prepared: PreparedSubmission) -> None:
        """Take out of the archive what was put there before its tombstone was seen."""
        if prepared.archived is not None and self._archive is not None:
            self._archive.delete_all(prepared.archived)


def _changed(before: LedgerEntry | None, after: LedgerEntry) -> LedgerEntry | None:
    """`after`, None where it is what stands there already."""
    return None if before == after else after


def _announced(held: Claim) -> dict[str, datetime]:
    return held.entry.source.announced if held.entry.source else {}


def _arrivals(held: list[Claim], now: datetime) -> Iterator[StoredArrival]:
    for h in held:
        for document_id in h.prepared.parts:
            if document_id not in _announced(h):
                yield StoredArrival(
                    state=WAITING,
                    arrived_at=now,
                    document_id=document_id,
                    accession_number=h.prepared.accession_number,
                    first=document_id == h.prepared.first,
                )


def _partition(held: Claim) -> str | None:
    return held.entry.source.partition if held.entry.source else None


def _refused(refusals: dict[str, Refusal], held: Claim, *, conflict: bool) -> bool:
    refusal = refusals.get(held.prepared.accession_number)
    return refusal is not None and refusal.conflict is conflict


def _accession(key: str) -> str:
    """The accession number that begins the id of a filing and of all its parts."""
    return key[:20]
