"""Documents that match, by their filings: requests, and their order.

Filings come in the order of their first documents in a search; inside a filing the best document is
the first, whatever the order. With "most" operands filings without a document that has all operands
follow, and inside a filing the documents that lack one.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from msgspec import Raw, Struct, field, structs

from edgar_search.engine.replies import Hits, SearchReply, decode
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import DocumentSearch, Window
from edgar_search.search.facets import FilingCount, count_filings
from edgar_search.search.query.body import (
    CikLists,
    ScoredQuery,
    page_body,
    score_query,
    score_relaxed_query,
    shown_fields,
)
from edgar_search.search.query.matching import Clause
from edgar_search.search.query.operands import (
    FEW,
    RelaxedQuery,
    relaxed_warning,
    shift_window,
)
from edgar_search.search.ranking import relax_search
from edgar_search.search.results import DocumentHit, DocumentPage, Group, rank_below
from edgar_search.search.snippets.passages import make_snippets

# Documents of a filing that are shown.
MOST_SHOWN = 5


def groups_body(query: Clause, search: DocumentSearch) -> Clause:
    """The window of filings by the first of their documents in the order of a search."""
    return {
        **page_body(query, search, ["accession_number"]),
        "collapse": {"field": "accession_number"},
    }


def members_body(query: Clause, numbers: Sequence[str], fields: Sequence[Any]) -> Clause:
    """Count and show the best documents that match of the filings of these accession numbers."""
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


def numbers_body(query: Clause, size: int) -> Clause:
    """The accession numbers of the documents that match, which are `size` at most."""
    return {
        "query": query,
        "size": size,
        "sort": ["_doc"],
        "track_total_hits": False,
        "stored_fields": "_none_",
        "docvalue_fields": ["accession_number"],
    }


class NumberFields(Struct):
    accession_number: list[str]


class NumberHit(Struct):
    """A document as the accession number of its filing."""

    fields: NumberFields


H = TypeVar("H")


class Members(NamedTuple):
    """The best documents of a filing, and how many of it match."""

    hits: Sequence[DocumentHit]
    number: int


_NONE = Members((), 0)
# By accession number.
Filings = Mapping[str, Members]


class Part(NamedTuple):
    """The filings of a window, by accession number.

    `filings` is the number of all of them, `documents` that of all documents that match, `close`
    says whether proximity scored.
    """

    numbers: list[str]
    filings: FilingCount
    documents: int
    close: bool


class _Best(Struct):
    hits: Hits[Raw]


class _Filing(Struct):
    key: str
    number: int = field(name="doc_count")
    best: _Best


class _Filings(Struct):
    buckets: list[_Filing]


class _Aggregations(Struct):
    filings: _Filings


async def find_groups(
    context: SearchContext, search: DocumentSearch, ciks: CikLists
) -> DocumentPage:
    """A window of the filings of the documents that match.

    Four engine requests if it has any, and one for criteria of entities; up to seven more for
    "most" operands if few documents have all.
    """
    return await _Groups(context, search, ciks).page()


class _Groups:
    """One search for filings of documents."""

    def __init__(self, context: SearchContext, search: DocumentSearch, ciks: CikLists) -> None:
        self._context = context
        self._search = search
        self._ciks = ciks
        self._fields, self._hit = shown_fields(search)

    async def page(self) -> DocumentPage:
        node = self._search.criteria.query
        broad = await self._context.ranking.find_broad_wildcards(self._context.engine, node)
        scored = score_query(self._search.criteria, self._ciks, broad)
        whole = await self._part(scored, self._search.window)
        query = scored.clause(whole.close)
        if self._search.operands == "most" and whole.documents < FEW:
            criteria = self._search.criteria
            relaxed = await relax_search(self._context.engine, criteria, self._ciks)
            page = await self._with_others(whole, query, relaxed) if relaxed else None
            if page is not None:
                return page
        members = await self._members(query, whole.numbers)
        return await self._page(whole.filings, [members.get(n, _NONE) for n in whole.numbers])

    async def _with_others(
        self, whole: Part, query: Clause, relaxed: RelaxedQuery
    ) -> DocumentPage | None:
        """Make the window in which filings that lack an operand follow; None if none does."""
        broad = await self._context.ranking.find_broad_wildcards(self._context.engine, relaxed.node)
        scored = score_relaxed_query(self._search.criteria, self._ciks, relaxed, broad)
        # Of all such documents, as in a search for documents, whatever of them this window shows.
        reply, close = await self._find(scored, Window(0, 1))
        if not reply.total:
            return None
        met = await self._numbers(query)
        window = shift_window(self._search.window, len(met))
        others = await self._part(_without(scored, met), window, close)
        numbers = [*whole.numbers, *others.numbers]
        first, second = await asyncio.gather(
            self._members(query, whole.numbers),
            self._members(scored.clause(close), numbers),
        )
        rank_below(_hits(first), _hits(second), relaxed.node)
        members = [_join(first.get(n, _NONE), second.get(n, _NONE)) for n in numbers]
        filings = FilingCount(len(met) + others.filings.number, others.filings.exact)
        page = await self._page(filings, members)
        said = relaxed_warning(relaxed, whole.documents, reply.total)
        return page._replace(warnings=(said,), whole=whole.documents)

    async def _part(self, scored: ScoredQuery, window: Window, close: bool | None = None) -> Part:
        """The filings of a window, without their documents; `close` if it is decided already."""
        (reply, close), filings = await asyncio.gather(
            self._find(scored, window, close),
            count_filings(self._context.engine, scored.query),
        )
        numbers = [hit.fields.accession_number[0] for hit in reply.hits.hits]
        return Part(numbers, filings, reply.total, close)

    async def _find(
        self, scored: ScoredQuery, window: Window, close: bool | None = None
    ) -> tuple[SearchReply[NumberHit], bool]:
        """The first documents of the filings of a window, and whether proximity scores."""
        search = structs.replace(self._search, window=window)
        return await self._context.ranking.rank(
            self._context.engine,
            scored,
            lambda query: groups_body(query, search),
            NumberHit,
            close,
        )

    async def _numbers(self, query: Clause) -> list[str]:
        """The accession numbers of few documents, each once."""
        found = await self._ask(numbers_body(query, FEW), NumberHit)
        return list(dict.fromkeys(hit.fields.accession_number[0] for hit in found.hits.hits))

    async def _members(self, query: Clause, numbers: Sequence[str]) -> Filings:
        """The documents of these filings."""
        if not numbers:
            return {}
        found = await self._ask(members_body(query, numbers, self._fields), Struct)
        buckets = decode(bytes(found.aggregations), _Aggregations).filings.buckets
        return {
            filing.key: Members(
                [decode(bytes(hit), self._hit) for hit in filing.best.hits.hits], filing.number
            )
            for filing in buckets
        }

    async def _page(self, filings: FilingCount, members: Sequence[Members]) -> DocumentPage:
        # A filing that was removed since it was found has no documents any more.
        there = [each for each in members if each.hits]
        hits = [hit for each in there for hit in each.hits]
        shown = await make_snippets(self._context.engine, self._search, hits)
        groups = tuple(Group(len(each.hits), each.number) for each in there)
        return DocumentPage(
            filings.number,
            hits,
            shown.snippets,
            placed=shown.placed,
            groups=groups,
            exact=filings.exact,
            passages=shown.passages,
        )

    async def _ask(self, body: Clause, hit: type[H]) -> SearchReply[H]:
        return await self._context.engine.search("documents", body, hit)


def _without(scored: ScoredQuery, numbers: Sequence[str]) -> ScoredQuery:
    """The same query without these filings."""
    known = {"terms": {"accession_number": list(numbers)}}
    query = {"bool": {"must": [scored.query], "must_not": [known]}}
    return scored._replace(query=query)


def _hits(filings: Filings) -> list[DocumentHit]:
    return [hit for members in filings.values() for hit in members.hits]


def _join(whole: Members, others: Members) -> Members:
    """The documents of a filing, those first that have all operands."""
    hits = [*whole.hits, *others.hits]
    return Members(hits[:MOST_SHOWN], whole.number + others.number)
