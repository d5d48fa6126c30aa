"""Matching documents grouped by filing: requests and order.

Filings come in the order of their first documents in a search; within a filing the best document is
first, whatever the order. With "most" operands, proximity scores the documents of the first
filings, and so decides their order.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from msgspec import Raw, Struct, structs

from edgar_search.engine.replies import (
    Buckets,
    FieldsHit,
    KeyedBucket,
    SearchReply,
    TopHits,
    decode,
)
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import DocumentSearch, Window
from edgar_search.search.facets import FilingCount, count_filings
from edgar_search.search.filings import NumberFields
from edgar_search.search.query.body import (
    FIRST,
    CikLists,
    ScoredQuery,
    page_body,
    score_query,
    shown_fields,
)
from edgar_search.search.query.matching import Clause
from edgar_search.search.results import DocumentHit, DocumentPage, Group, tell_lacks
from edgar_search.search.snippets.passages import make_snippets

# Documents shown for each filing.
MOST_SHOWN = 5


def groups_body(query: Clause, search: DocumentSearch) -> Clause:
    """Build the request for the window of filings, in the order of their first documents."""
    return {
        **page_body(query, search, ["accession_number"]),
        "collapse": {"field": "accession_number"},
    }


def members_body(query: Clause, numbers: Sequence[str], fields: Sequence[Any]) -> Clause:
    """Build the request that counts and shows the best matching documents of these filings."""
    best = {
        "size": MOST_SHOWN,
        "sort": [{"_score": "desc"}, {"document_id": "asc"}],
        "track_scores": True,
        "stored_fields": "_none_",
        "docvalue_fields": list(fields),
    }
    among = {"field": "accession_number", "include": list(numbers), "size": len(numbers)}
    return {
        "query": {
            "bool": {
                "must": [query],
                "filter": [{"terms": {"accession_number": list(numbers)}}],
            }
        },
        "size": 0,
        "track_total_hits": False,
        "aggs": {
            "filings": {
                "terms": {**among, "shard_size": len(numbers)},
                "aggs": {"best": {"top_hits": best}},
            }
        },
    }


H = TypeVar("H")


class Members(NamedTuple):
    """The best documents of a filing, and how many match."""

    hits: Sequence[DocumentHit]
    number: int


_NONE = Members((), 0)
# By accession number.
Filings = Mapping[str, Members]


class _Filing(KeyedBucket):
    best: TopHits[Raw]


class _Aggregations(Struct):
    filings: Buckets[_Filing]


async def find_groups(
    context: SearchContext, search: DocumentSearch, ciks: CikLists
) -> DocumentPage:
    """Find a window of filings with matching documents.

    Makes four engine requests if there are any, one more for "most" operands, and one for entity
    criteria.
    """
    return await _Groups(context, search, ciks).page()


class _Groups:
    """A search for documents grouped by filing."""

    def __init__(self, context: SearchContext, search: DocumentSearch, ciks: CikLists) -> None:
        self._context = context
        self._search = search
        self._ciks = ciks
        self._fields, self._hit = shown_fields(search)

    async def page(self) -> DocumentPage:
        ranking, engine = self._context.ranking, self._context.engine
        broad = await ranking.find_broad_wildcards(engine, self._search.criteria.query)
        scored = score_query(self._search, self._ciks, broad)
        if scored.whole is not None:
            return await self._page_of_any(scored, scored.whole)
        (reply, close), filings = await asyncio.gather(
            ranking.rank(
                engine,
                scored,
                lambda query: groups_body(query, self._search),
                FieldsHit[NumberFields],
            ),
            count_filings(engine, scored.query),
        )
        numbers = _numbers(reply)
        members = await self._members(scored.clause(close), numbers)
        return await self._page(filings, [members.get(n, _NONE) for n in numbers])

    async def _page_of_any(self, scored: ScoredQuery, whole_clause: Clause) -> DocumentPage:
        """Return the window of filings with documents that match any operand."""
        engine, window = self._context.engine, self._search.window
        near = scored.is_near(window.start)
        first_window = Window(0, max(window.end, FIRST)) if near else window
        body = groups_body(scored.query, structs.replace(self._search, window=first_window))
        reply, filings, of_whole = await asyncio.gather(
            self._ask(body, FieldsHit[NumberFields]),
            count_filings(engine, scored.query),
            count_filings(engine, whole_clause),
        )
        numbers = _numbers(reply)
        first, others = (numbers[:FIRST], numbers[FIRST:]) if near else ([], numbers)
        close, far = await asyncio.gather(
            self._members(scored.clause(True), first), self._members(scored.query, others)
        )
        members = [close.get(number, _NONE) for number in first]
        members.sort(key=lambda member: -member.hits[0].score if member.hits else 0.0)
        members += [far.get(number, _NONE) for number in others]
        if near:
            members = members[window.start : window.end]
        for member in members:
            tell_lacks(member.hits, self._search.criteria.query)
        page = await self._page(filings, members)
        return page._replace(whole=of_whole.number)

    async def _members(self, query: Clause, numbers: Sequence[str]) -> Filings:
        """Find the matching documents of these filings."""
        if not numbers:
            return {}
        reply = await self._ask(members_body(query, numbers, self._fields), Struct)
        buckets = decode(bytes(reply.aggregations), _Aggregations).filings.buckets
        return {
            filing.key: Members(
                [decode(bytes(hit), self._hit) for hit in filing.best.hits.hits], filing.count
            )
            for filing in buckets
        }

    async def _page(self, filings: FilingCount, members: Sequence[Members]) -> DocumentPage:
        # A filing that was removed since the first request has no documents left.
        there = [member for member in members if member.hits]
        hits = [hit for member_hit in there for hit in member_hit.hits]
        documents = await make_snippets(self._context.engine, self._search, hits)
        groups = tuple(Group(len(member_hit.hits), member_hit.number) for member_hit in there)
        return DocumentPage(filings.number, documents, groups=groups, exact=filings.exact)

    async def _ask(self, body: Clause, hit: type[H]) -> SearchReply[H]:
        return await self._context.engine.search("documents", body, hit)


def _numbers(reply: SearchReply[FieldsHit[NumberFields]]) -> list[str]:
    return [hit.fields.accession_number[0] for hit in reply.hits.hits]
