"""Deletion of submissions: everything but a tombstone in the ledger."""

import asyncio
import time
from datetime import UTC, datetime
from functools import partial
from typing import Any, NamedTuple

from msgspec import Struct, field

from edgar_search.archive import archive
from edgar_search.archive.archive import open_archive
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind, parse_index_name
from edgar_search.settings import Settings
from edgar_search.settings.values import PARTITIONED
from edgar_search.stored.installation import LedgerEntry
from ingest.indices.indices import Indices
from ingest.indices.rebuild_records import describe_write_blocks
from ingest.loading.bulk import BulkWriter
from ingest.loading.fact_links import FactLinks
from ingest.loading.ledger import Entry, Ledger, next_epoch
from ingest.loading.ledger_entries import deleted_entry, deleting_entry
from ingest.loading.owner import Owner
from ingest.loading.retry import Retry
from ingest.reading.operations import deletion

# Seconds between checks whether another load has finished with a submission.
_CLAIM_INTERVAL = 0.5
_PAGE = 1_000


class DeletionCounts(NamedTuple):
    """The numbers of entries deleted for a submission; all zeros if there were none."""

    accession_number: str
    filings: int
    documents: int
    passages: int
    archive_files: int


class _Hit(Struct):
    index: str = field(name="_index")
    id: str = field(name="_id")


class Deleter:
    """Deletes submissions, one after the other, waiting for loads that hold one."""

    def __init__(self, engine: Engine, settings: Settings, owner: Owner) -> None:
        self._engine = engine
        self._settings = settings
        self._archive = open_archive(settings.archive_place)
        self._retry = Retry(
            settings.load_patience, describe_blocks=partial(describe_write_blocks, engine)
        )
        self._writer = BulkWriter(engine, self._retry)
        self._links = FactLinks(engine, settings.prefix, self._retry, self._writer, owner.name)
        self._ledger = Ledger(engine, settings.prefix, self._retry, owner)

    async def set_up(self) -> None:
        """Create missing indices."""
        await self._retry(Indices(self._engine, self._settings).set_up)

    async def delete(self, accession_number: str) -> DeletionCounts:
        """Delete everything of a submission, found by searches and not only by the ledger.

        Raises EngineUnavailable if Elasticsearch stays away, ArchiveUnavailable if the archive's
        object store does; a second call finishes the work.
        """
        claim = await self._claim(accession_number)
        assert claim.source is not None
        await self._links.unlink_others([accession_number])
        counts = {
            kind: await self._delete_all(kind, accession_number, claim.source.epoch)
            for kind in PARTITIONED
        }
        await self._retry(self._engine.refresh, "facts")
        await self._links.link()
        files = await asyncio.to_thread(archive.remove_all, self._archive, accession_number)
        now = datetime.now(UTC)
        epoch = claim.source.epoch

        def tombstone(entry: Entry) -> LedgerEntry | None:
            at = entry.source
            return deleted_entry(at, now) if at and at.owner and at.epoch == epoch else None

        await self._ledger.change([claim], tombstone)
        return DeletionCounts(
            accession_number, counts["filings"], counts["documents"], counts["passages"], files
        )

    async def _claim(self, accession_number: str) -> Entry:
        while True:
            free = False

            def change(entry: Entry) -> LedgerEntry | None:
                nonlocal free
                free = self._ledger.is_free(entry)
                now = datetime.now(UTC)
                epoch = next_epoch(entry.source, time.time_ns() // 1_000_000)
                name = self._ledger.owner.name
                return deleting_entry(entry.source, name, epoch, now) if free else None

            written = await self._ledger.change(await self._ledger.read([accession_number]), change)
            if free:
                return written[0]
            await asyncio.sleep(_CLAIM_INTERVAL)

    async def _delete_all(self, kind: Kind, accession_number: str, epoch: int) -> int:
        """Delete everything that a search finds below the accession number; return the number."""
        body = {"query": submission_query(kind, accession_number), "size": _PAGE, "_source": False}
        deleted = 0
        while True:
            await self._retry(self._engine.refresh, kind)
            reply = await self._retry(self._engine.search, kind, body, _Hit)
            hits = reply.hits.hits
            if not hits:
                return deleted
            prefix = self._settings.prefix
            await self._writer.write_all(
                deletion(kind, prefix, parse_index_name(prefix, hit.index).partition, hit.id, epoch)
                for hit in hits
            )
            deleted += len(hits)


def submission_query(kind: Kind, accession_number: str) -> dict[str, Any]:
    """Return the query for all entries of a kind that belong to a submission."""
    if kind in ("filings", "documents"):
        return {"term": {"accession_number": accession_number}}
    return {"prefix": {"document_id": f"{accession_number}-"}}
