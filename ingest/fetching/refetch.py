"""Outdated submissions as entries of a fetch, for an installation without an archive."""

from collections.abc import AsyncIterator
from datetime import date, datetime

from msgspec import Struct

from edgar_search.edgar.identifiers import submission_path
from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import SourceHit
from ingest.loading.retry import Retry
from ingest.loading.update import Order, outdated_batches
from ingest.sources.paths import FilingFilter


class OutdatedFiling(Struct, frozen=True):
    """An outdated submission, and its address at EDGAR."""

    accession_number: str
    form_type: str
    filing_date: date
    file_name: str
    accepted_at: datetime | None = None


class _Filing(Struct):
    accession_number: str
    form_type: str
    filing_date: date
    ciks: list[str] = []


async def outdated_filings(
    engine: Engine, retry: Retry, wanted: FilingFilter, order: Order
) -> AsyncIterator[OutdatedFiling]:
    """Yield the outdated submissions that pass a filter and have a filer."""
    async for batch in outdated_batches(engine, retry, wanted, order):
        body = {
            "query": {"terms": {"accession_number": [hit.id for hit in batch]}},
            "size": len(batch),
            "track_total_hits": False,
            "_source": list(_Filing.__struct_fields__),
        }
        for hit in (await retry(engine.search, "filings", body, SourceHit[_Filing])).hits.hits:
            entry = hit.source
            if entry.ciks and (wanted.ciks is None or not wanted.ciks.isdisjoint(entry.ciks)):
                path = submission_path(entry.ciks[0], entry.accession_number)
                yield OutdatedFiling(
                    entry.accession_number, entry.form_type, entry.filing_date, path
                )
