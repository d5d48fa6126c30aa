"""Links facts that are filed again: each row names the next filing with the same fact.

A company's rows are linked after they are written, so that answers need only filters. Unlinked rows
are not found; if a load is stopped, the next one links them. One process links at a time, and never
overwrites a row that was loaded meanwhile.
"""

import asyncio
from collections.abc import AsyncIterator, Collection, Iterable, Iterator
from contextlib import suppress
from typing import Any

from msgspec import Struct, field, structs

from edgar_search.engine import bulk_lines
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import parse_index_name, write_alias
from edgar_search.engine.lease import Lease
from edgar_search.engine.replies import Buckets, KeyedBucket
from edgar_search.errors import EdgarSearchError
from edgar_search.stored.financials import StoredFact
from ingest.loading.bulk import BulkWriter
from ingest.loading.retry import Retry

_LEASE, _LEASE_SECONDS = "fact-links", 30.0
# Seconds between two tries to take the lease.
_LEASE_INTERVAL = 0.5
_PAGE = 2_000
# Companies found by one request; linking removes them from the next one's result.
_COMPANIES = 500
_UNLINKED: dict[str, Any] = {"bool": {"must_not": [{"term": {"linked": True}}]}}


class FactRow(Struct):
    """A row, and the index and version in which it is stored."""

    index: str = field(name="_index")
    id: str = field(name="_id")
    version: int = field(name="_version")
    fact: StoredFact = field(name="_source")
    sort: list[Any] = []


class _UnlinkedCompanies(Struct):
    ciks: Buckets[KeyedBucket]


class FactLinks:
    """Links the facts of companies; `name` identifies this process as a holder of the lease."""

    def __init__(
        self, engine: Engine, prefix: str, retry: Retry, writer: BulkWriter, name: str
    ) -> None:
        self._engine = engine
        self._prefix = prefix
        self._retry = retry
        self._writer = writer
        self._name = name

    async def link(self) -> None:
        """Link the facts of every company that has unlinked ones.

        The index must have been refreshed; it is refreshed again if something was linked. Raises
        LeaseLost if this process was stopped for long, EngineUnavailable.
        """
        if not await self._find_unlinked():
            return
        lease = Lease(self._engine, _LEASE, self._name, _LEASE_SECONDS)
        while True:
            if await self._retry(lease.take):
                break
            await asyncio.sleep(_LEASE_INTERVAL)
        try:
            linked: set[str] = set()
            while companies := [cik for cik in await self._find_unlinked() if cik not in linked]:
                for cik in companies:
                    await self._retry(lease.hold)
                    await self._link(cik)
                linked.update(companies)
                await self._retry(self._engine.refresh, "facts")
        except BaseException:
            # It expires by itself if Elasticsearch is away.
            with suppress(EdgarSearchError):
                await lease.release()
            raise
        await self._retry(lease.release)

    async def unlink_others(self, accession_numbers: Collection[str]) -> None:
        """Mark the companies of these filings, which will be deleted, for the next `link`.

        A row of another filing of each company is marked, so that nothing is forgotten if this
        process is stopped.
        """
        await self._retry(self._engine.refresh, "facts")
        of_filings = {"terms": {"accession_number": sorted(accession_numbers)}}
        for cik in await self._companies(of_filings):
            query = {
                "bool": {
                    "filter": [{"term": {"cik": cik}}, {"term": {"linked": True}}],
                    "must_not": [of_filings],
                }
            }
            body = {"query": query, "size": 1, "version": True, "track_total_hits": False}
            reply = await self._retry(self._engine.search, "facts", body, FactRow)
            await self._write(
                structs.replace(row, fact=structs.replace(row.fact, linked=False))
                for row in reply.hits.hits
            )

    async def _find_unlinked(self) -> list[str]:
        return await self._companies(_UNLINKED)

    async def _companies(self, query: dict[str, Any]) -> list[str]:
        body = {
            "query": query,
            "size": 0,
            "track_total_hits": False,
            "aggs": {"ciks": {"terms": {"field": "cik", "size": _COMPANIES}}},
        }
        reply = await self._retry(self._engine.aggregate, "facts", body, _UnlinkedCompanies)
        return [bucket.key for bucket in reply.ciks.buckets]

    async def _link(self, cik: str) -> None:
        of_concept: list[FactRow] = []
        async for row in self._rows(cik):
            if of_concept and row.fact.concept != of_concept[0].fact.concept:
                await self._write(changed_rows(of_concept))
                of_concept = []
            of_concept.append(row)
        await self._write(changed_rows(of_concept))

    async def _rows(self, cik: str) -> AsyncIterator[FactRow]:
        """Yield all rows of a company, concept by concept."""
        body: dict[str, Any] = {
            "query": {"bool": {"filter": [{"term": {"cik": cik}}]}},
            "size": _PAGE,
            "sort": ["concept", "document_id", "number"],
            "version": True,
            "track_total_hits": False,
        }
        while True:
            reply = await self._retry(self._engine.search, "facts", body, FactRow)
            for row in reply.hits.hits:
                yield row
            if len(reply.hits.hits) < _PAGE:
                return
            body["search_after"] = reply.hits.hits[-1].sort

    async def _write(self, rows: Iterable[FactRow]) -> None:
        # A row with its version is refused if a load has written it since it was read.
        await self._writer.write_all(
            bulk_lines.index(
                write_alias(
                    self._prefix, "facts", parse_index_name(self._prefix, row.index).partition
                ),
                row.id,
                row.fact,
                row.version,
            )
            for row in rows
        )


def changed_rows(rows: Iterable[FactRow]) -> Iterator[FactRow]:
    """Yield the rows of a company and concept whose links differ from what is stored."""
    same: dict[tuple[Any, ...], list[FactRow]] = {}
    for row in rows:
        fact = row.fact
        key = (fact.unit, fact.start, fact.end, *sorted(fact.dimensions))
        same.setdefault(key, []).append(row)
    for group in same.values():
        group.sort(key=_filing_order)
        followers = [*group[1:], None]
        for place, (row, following) in enumerate(zip(group, followers, strict=True)):
            linked = structs.replace(
                row.fact,
                linked=True,
                earlier=place > 0,
                superseded_by=following.fact.accession_number if following else None,
                superseded_on=following.fact.filing_date if following else None,
            )
            if linked != row.fact:
                yield structs.replace(row, fact=linked)


def _filing_order(row: FactRow) -> tuple[Any, ...]:
    fact = row.fact
    accepted = fact.accepted_at.isoformat() if fact.accepted_at else ""
    return fact.filing_date, accepted, fact.accession_number
