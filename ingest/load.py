"""Batches of prepared submissions into the indices, in an order that shows nothing by half."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from edgar_search.engine import Engine, Stored
from edgar_search.errors import EngineFault
from edgar_search.index_names import WHOLE
from edgar_search.settings import Settings
from edgar_search.stored.entity import StoredEntity
from edgar_search.stored.ledger import LedgerEntry
from edgar_search.stored.passage import passage_id
from ingest.bulk import BulkWriter
from ingest.entities import merge
from ingest.indices import Indices
from ingest.ledger import (
    decide,
    loaded_entry,
    read_entries,
    refused_entry,
    superseded_entry,
    withdrawn_entry,
)
from ingest.operations import Revision, deletion, guarded_operation, operation
from ingest.prepare import Prepared, Refused

# An entity that other loaders change at the same time is read and merged again this often.
_ENTITY_TRIES = 20


class Result(NamedTuple):
    """What became of one submission; `reason` says why it was refused."""

    prepared: Prepared
    outcome: str
    reason: str = ""


class Loader:
    """Writes batches: passages and sections, documents, filings, entities, then the ledger.

    A bulk request is split by shard and run in parallel, so order inside it means nothing: each
    stage is acknowledged before the next is sent. What an earlier version of a submission left
    over is deleted before the ledger says that the new one is loaded.
    """

    def __init__(self, engine: Engine, settings: Settings, indices: Indices) -> None:
        self._engine = engine
        self._prefix = settings.prefix
        self._indices = indices
        self._writer = BulkWriter(engine)

    async def load(self, batch: list[Prepared]) -> list[Result]:
        """Write a batch in which no accession number occurs twice."""
        entries = await read_entries(self._engine, [p.accession_number for p in batch])
        decisions = [(p, decide(entries.get(p.accession_number), p)) for p in batch]
        results = await self._write([p for p, d in decisions if d == "load"], entries)
        superseded = [p for p, decision in decisions if decision == "superseded"]
        await self._write_ledger(
            {
                p.accession_number: superseded_entry(entries[p.accession_number], p)
                for p in superseded
            }
        )
        return results + [Result(p, decision) for p, decision in decisions if decision != "load"]

    async def refuse(self, refused: Refused) -> None:
        """Record a refusal under the accession number, or the hash where there is none."""
        key = refused.accession_number or refused.sha256
        entries = await read_entries(self._engine, [key])
        await self._write_ledger({key: refused_entry(entries.get(key), refused)})

    async def _write(self, batch: list[Prepared], entries: dict[str, LedgerEntry]) -> list[Result]:
        for partition in {prepared.partition for prepared in batch}:
            await self._indices.ensure_partition(partition)
        await self._writer.write_all(self._moved_away(batch, entries))
        reasons = await self._writer.write(c for p in batch for c in p.passages)
        reasons |= await self._writer.write(c for p in batch for c in p.sections)
        whole = _without(batch, reasons)
        reasons |= await self._writer.write(c for p in whole for c in p.documents)
        whole = _without(whole, reasons)
        reasons |= await self._writer.write(p.filing for p in whole)
        whole = _without(whole, reasons)
        await self._write_entities(facts for p in whole for facts in p.facts)
        await self._writer.write_all(self._left_over(whole, entries))
        await self._write_ledger(
            {p.accession_number: loaded_entry(entries.get(p.accession_number), p) for p in whole}
        )
        loaded = [Result(p, "loaded") for p in whole]
        return loaded + await self._withdraw(batch, entries, reasons)

    async def _withdraw(
        self, batch: list[Prepared], entries: dict[str, LedgerEntry], reasons: dict[str, str]
    ) -> list[Result]:
        """Take back what Elasticsearch refused a part of, with the version that it replaces.

        Their parts have the same ids, so that version is not whole any more either.
        """
        why = {_accession(key): reason for key, reason in reasons.items()}
        refused = [(p, entries.get(p.accession_number)) for p in batch if p.accession_number in why]
        await self._writer.write_all(c for p, entry in refused for c in self._withdrawal(p, entry))
        await self._write_ledger(
            {
                p.accession_number: withdrawn_entry(entry, p, why[p.accession_number])
                for p, entry in refused
            }
        )
        return [Result(p, "refused", why[p.accession_number]) for p, _ in refused]

    def _withdrawal(self, p: Prepared, entry: LedgerEntry | None) -> Iterator[bytes]:
        yield deletion("filings", self._prefix, p.partition, p.accession_number)
        yield from self._deletions(p.partition, p.parts, {})
        yield from self._deletions(p.partition, entry.parts if entry else {}, p.parts)
        earlier = entry.sections if entry else []
        yield from self._section_deletions(p.partition, {*p.section_ids, *earlier})

    def _moved_away(
        self, batch: list[Prepared], entries: dict[str, LedgerEntry]
    ) -> Iterator[bytes]:
        """Deletions of everything that stands in another partition than it belongs to now."""
        for p in batch:
            entry = entries.get(p.accession_number)
            if entry is not None and entry.partition not in (None, p.partition):
                yield deletion("filings", self._prefix, entry.partition, p.accession_number)
                yield from self._deletions(entry.partition, entry.parts, {})
                yield from self._section_deletions(entry.partition, entry.sections)

    def _left_over(self, batch: list[Prepared], entries: dict[str, LedgerEntry]) -> Iterator[bytes]:
        """Deletions of the documents, passages and sections that the new version has no more."""
        for p in batch:
            entry = entries.get(p.accession_number)
            if entry is not None and entry.partition == p.partition:
                yield from self._deletions(p.partition, entry.parts, p.parts)
                surplus = set(entry.sections) - set(p.section_ids)
                yield from self._section_deletions(p.partition, surplus)

    def _deletions(
        self, partition: str, parts: dict[str, int], kept: dict[str, int]
    ) -> Iterator[bytes]:
        for document_id, passages in parts.items():
            if document_id not in kept:
                yield deletion("documents", self._prefix, partition, document_id)
            for number in range(kept.get(document_id, 0), passages):
                key = passage_id(document_id, number)
                yield deletion("passages", self._prefix, partition, key)

    def _section_deletions(self, partition: str, keys: Iterable[str]) -> Iterator[bytes]:
        for key in sorted(keys):
            yield deletion("sections", self._prefix, partition, key)

    async def _write_entities(self, facts: Iterable[StoredEntity]) -> None:
        """Join facts with what is stored; whoever else writes an entity meanwhile loses nothing."""
        pending: dict[str, StoredEntity] = {}
        for fact in facts:
            pending[fact.cik] = merge(pending.get(fact.cik), fact)
        for _ in range(_ENTITY_TRIES):
            if not pending:
                break
            stored = await self._engine.multi_get("entities", list(pending), StoredEntity)
            merged = [(s, merge(s.source, pending[s.id])) for s in stored]
            refusals = await self._writer.write(
                self._entity_operation(s, entity) for s, entity in merged if entity is not s.source
            )
            pending = {cik: facts for cik, facts in pending.items() if cik in refusals}
        if pending:
            raise EngineFault(f"entities could not be written: {', '.join(list(pending)[:3])}")

    def _entity_operation(self, stored: Stored[StoredEntity], entity: StoredEntity) -> bytes:
        revision = Revision(stored.seq_no, stored.primary_term) if stored.found else None
        return guarded_operation("entities", self._prefix, entity.cik, entity, revision)

    async def _write_ledger(self, entries: dict[str, LedgerEntry]) -> None:
        await self._writer.write_all(
            operation("ledger", self._prefix, WHOLE, key, entry) for key, entry in entries.items()
        )


def _accession(key: str) -> str:
    """The accession number that begins the id of a filing and of all its parts."""
    return key[:20]


def _without(batch: list[Prepared], reasons: dict[str, str]) -> list[Prepared]:
    refused = {_accession(key) for key in reasons}
    return [p for p in batch if p.accession_number not in refused]
