"""Matching of filing events against streams: many streams, the same events, few requests.

Streams that follow new events share their requests to the engine, and streams with the same
criteria share the result. Queries are matched against each document of a filing, as for alerts.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple

from msgspec import Struct, field

from edgar_search.engine.bulk_lines import chunks
from edgar_search.engine.index_names import Kind
from edgar_search.engine.replies import SortedHit
from edgar_search.errors import BadRequest
from edgar_search.events.log import Event
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import ANY_FILING, DocumentCriteria, FilingCriteria
from edgar_search.search.entities import cik_lists
from edgar_search.search.filings import (
    ListedFiling,
    NumberFields,
    known_filings_body,
    of_reports,
    report_query,
)
from edgar_search.search.language import Node
from edgar_search.search.query.body import filing_query
from edgar_search.search.query.matching import Clause
from edgar_search.search.reverse_search import MAX_QUERIES, match_documents
from edgar_search.stored.installation import LedgerEntry

# Streams that wake within this many seconds of each other share a request.
_TOGETHER_SECONDS = 0.01
# Documents in one request.
_DOCUMENTS = 1_000
# How often a filing that a load is moving is looked up, and the seconds between attempts.
_LOOKS, _LOOK_SECONDS = 20, 0.5
REFUSED = "query: the search engine refuses it as too expensive"


class MatchedEvent(NamedTuple):
    """An event with its filing, and the documents that match the query; None without a query."""

    event: Event
    filing: ListedFiling
    documents: list[str] | None


class _NamedHit(Struct):
    fields: NumberFields
    matched: list[str] = field(name="matched_queries", default_factory=list)


class _Batch:
    """Streams that wait for the same events."""

    def __init__(self) -> None:
        self.asked: list[DocumentCriteria] = []
        self.work: asyncio.Task[dict[int, list[MatchedEvent] | BadRequest]] | None = None

    def add(self, criteria: DocumentCriteria) -> int:
        """Add criteria to the batch and return their index."""
        if criteria not in self.asked:
            self.asked.append(criteria)
        return self.asked.index(criteria)


class EventMatcher:
    """Matches events against criteria, for all streams of one worker."""

    def __init__(self, context: SearchContext) -> None:
        self._context = context
        self._engine = context.engine
        self._batches: dict[tuple[int, ...], _Batch] = {}
        # One request at a time, so that streams leave capacity for searches.
        self._turn = asyncio.Semaphore(1)

    async def match(
        self, criteria: DocumentCriteria, events: Sequence[Event]
    ) -> list[MatchedEvent]:
        """Return the events whose filing matches, in order, unless the filing no longer exists.

        Raises BadRequest if the engine refuses the query.
        """
        key = tuple(event.position for event in events)
        batch = self._batches.get(key)
        if batch is None:
            batch = self._batches[key] = _Batch()
            batch.work = asyncio.create_task(self._run(key, batch, events))
        number = batch.add(criteria)
        assert batch.work is not None
        # Other streams wait for the same result.
        matched = (await asyncio.shield(batch.work))[number]
        if isinstance(matched, BadRequest):
            raise matched
        return matched

    async def match_alone(
        self, criteria: DocumentCriteria, events: Sequence[Event]
    ) -> list[MatchedEvent]:
        """Match past events, which no other stream waits for; otherwise the same as `match`.

        The caller holds a slot, so streams of new events never wait for this.
        """
        matched = (await self._match([criteria], events))[0]
        if isinstance(matched, BadRequest):
            raise matched
        return matched

    async def _run(
        self, key: tuple[int, ...], batch: _Batch, events: Sequence[Event]
    ) -> dict[int, list[MatchedEvent] | BadRequest]:
        await asyncio.sleep(_TOGETHER_SECONDS)
        try:
            async with self._turn:
                del self._batches[key]
                return await self._match(batch.asked, events)
        finally:
            if self._batches.get(key) is batch:
                del self._batches[key]

    async def _match(
        self, asked: Sequence[DocumentCriteria], events: Sequence[Event]
    ) -> dict[int, list[MatchedEvent] | BadRequest]:
        filings = await self._filings(events)
        passed = await self._filings_matched(
            [one_criteria.filings for one_criteria in asked], sorted(filings)
        )
        # Streams with the same query and different filters share the matching of the query.
        queries: list[Node] = []
        for criteria in asked:
            if criteria.query is not None and criteria.query not in queries:
                queries.append(criteria.query)
        hits, refused = await self._hits(queries, events)
        results: dict[int, list[MatchedEvent] | BadRequest] = {}
        for number, criteria in enumerate(asked):
            matched = []
            place = queries.index(criteria.query) if criteria.query is not None else None
            if place in refused:
                results[number] = BadRequest(REFUSED)
                continue
            for event in events:
                key = event.content.accession_number
                if key not in filings or key not in passed[number]:
                    continue
                documents = None
                if place is not None:
                    of_query = hits[place]
                    documents = [
                        document for document in event.content.documents if document in of_query
                    ]
                    if not documents:
                        continue
                matched.append(MatchedEvent(event, filings[key], documents))
            results[number] = matched
        return results

    async def _filings(self, events: Sequence[Event]) -> dict[str, ListedFiling]:
        """Read the filings, waiting for one that a load is moving, but not for a deleted one."""
        wanted = list(dict.fromkeys(event.content.accession_number for event in events))
        filings: dict[str, ListedFiling] = {}
        for _ in range(_LOOKS):
            for kind in ("filings", "documents", "passages"):
                await self._engine.refresh(kind)
            reply = await self._engine.search(
                "filings", known_filings_body(wanted), SortedHit[ListedFiling]
            )
            filings |= {hit.source.accession_number: hit.source for hit in reply.hits.hits}
            absent = [number for number in wanted if number not in filings]
            entries = await self._engine.multi_get("ledger", absent, LedgerEntry)
            wanted = [
                entry.id
                for entry in entries
                if entry.source and (entry.source.owner or entry.source.partition)
            ]
            if not wanted:
                break
            await asyncio.sleep(_LOOK_SECONDS)
        return filings

    async def _filings_matched(
        self, criteria: Sequence[FilingCriteria], numbers: Sequence[str]
    ) -> list[set[str]]:
        """Return the filings that match, for each of the criteria."""
        passed = [set(numbers) if filters == ANY_FILING else set() for filters in criteria]
        filtered = [place for place, filters in enumerate(criteria) if filters != ANY_FILING]
        if not numbers:
            return passed
        reports = [place for place in filtered if of_reports(criteria[place])]
        for places in chunks(reports, MAX_QUERIES):
            clauses = [
                report_query(criteria[place], await cik_lists(self._context, criteria[place]))
                for place in places
            ]
            await self._pass("documents", clauses, numbers, places, passed)
        for places in chunks([place for place in filtered if place not in reports], MAX_QUERIES):
            clauses = [
                filing_query(criteria[place], await cik_lists(self._context, criteria[place]))
                for place in places
            ]
            await self._pass("filings", clauses, numbers, places, passed)
        return passed

    async def _pass(
        self,
        kind: Kind,
        clauses: Sequence[Clause],
        numbers: Sequence[str],
        places: Sequence[int],
        passed: list[set[str]],
    ) -> None:
        """Add the filings that match each clause to the set at its position."""
        body = passed_body(clauses, numbers, first=kind == "documents")
        for hit in (await self._engine.search(kind, body, _NamedHit)).hits.hits:
            for name in hit.matched:
                passed[places[int(name)]].add(hit.fields.accession_number[0])

    async def _hits(
        self, queries: Sequence[Node], events: Sequence[Event]
    ) -> tuple[list[set[str]], set[int | None]]:
        """Return the documents that match each query, and the indices of refused queries."""
        # The filings were already matched against the filters.
        criteria = [DocumentCriteria(query) for query in queries]
        hits: list[set[str]] = [set() for _ in queries]
        refused: set[int | None] = set()
        documents = dict.fromkeys(
            document for event in events for document in event.content.documents
        )
        if queries:
            for some in chunks(documents, _DOCUMENTS):
                matches = await match_documents(self._engine, criteria, some)
                refused.update(matches.refused)
                for pair in matches.pairs:
                    hits[pair.place].add(pair.hit.document_id)
        return hits, refused


def passed_body(
    clauses: Sequence[Clause], numbers: Sequence[str], *, first: bool = False
) -> dict[str, Any]:
    """Build the search for these filings that names the clauses matching each.

    With `first`, it searches for their main documents.
    """
    among: list[Clause] = [{"terms": {"accession_number": list(numbers)}}]
    if first:
        among.append({"term": {"first": True}})
    named_clauses = [
        {"bool": {**clause["bool"], "_name": str(number)}} for number, clause in enumerate(clauses)
    ]
    return {
        "query": {
            "bool": {
                "filter": among,
                "should": named_clauses,
                "minimum_should_match": 0,
            }
        },
        "size": len(numbers),
        "sort": ["_doc"],
        "track_total_hits": False,
        "stored_fields": "_none_",
        "docvalue_fields": ["accession_number"],
    }
