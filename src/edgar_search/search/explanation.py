"""The meaning of a query: its tree with each part's hits, within the filters of a search."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct, structs

from edgar_search.search.context import SearchContext
from edgar_search.search.counts import count_matches
from edgar_search.search.criteria import DocumentCriteria, DocumentSearch, FilingCriteria
from edgar_search.search.entities import cik_lists
from edgar_search.search.index_versions import require_for_criteria
from edgar_search.search.language import And, Node, Or, cost_of
from edgar_search.search.language.tree import MAX_COST
from edgar_search.search.query.body import CikLists, document_query, matching_query
from edgar_search.search.query.matching import Clause, document_clause
from edgar_search.search.warnings.filter_values import Found
from edgar_search.search.warnings.nearest import SearchWarning
from edgar_search.search.warnings.query_text import find_query_warnings
from edgar_search.search.warnings.warnings import or_default, search_warnings
from edgar_search.search.warnings.words import find_weak_words


def count_body(query: Clause) -> Clause:
    """Build a request for the number of matching documents."""
    return {"query": query, "size": 0, "track_total_hits": True}


async def count_documents(context: SearchContext, searches: Sequence[DocumentSearch]) -> list[int]:
    """Return the total of each search, in order.

    Makes one engine request for all of them, and one for each distinct set of entity criteria.
    """
    known: dict[FilingCriteria, CikLists] = {}
    bodies = []
    for search in searches:
        entities = _of_entities(search.criteria.filings)
        if entities not in known:
            known[entities] = await cik_lists(context, entities)
        bodies.append(count_body(matching_query(search, known[entities])))
    replies = await context.engine.search_many("documents", bodies, Struct)
    return [reply.total for reply in replies]


def _of_entities(filings: FilingCriteria) -> FilingCriteria:
    """Keep only the criteria that select entities; all of them if there are events."""
    entities = structs.replace(
        FilingCriteria(),
        ticker=filings.ticker,
        company=filings.company,
        entities=filings.entities,
    )
    # All filters are needed to find the filings near an event.
    return filings if filings.events else entities


# How many parts are counted, those closest to the root first, and their total cost: as much as two
# queries, so that the whole query and its operands are always counted.
MAX_PARTS, MAX_PARTS_COST = 50, 2 * MAX_COST


class Explanation(NamedTuple):
    """A query with the number of documents that each part matches, if counted."""

    query: Node
    hits: Mapping[Node, int]
    warnings: tuple[SearchWarning, ...] = ()

    @property
    def total(self) -> int:
        """The number of documents that the whole query matches."""
        return self.hits[self.query]


async def explain(context: SearchContext, criteria: DocumentCriteria) -> Explanation:
    """Explain the query of the criteria, among the documents that they match.

    Warns, beyond the warnings of a search, about words that no document or nearly every document
    contains, and about parts of the query that were probably meant otherwise. Makes two engine
    requests, one for entity criteria, and those of the warnings.
    """
    query = criteria.query
    assert query is not None
    await require_for_criteria(context.engine, criteria)
    ciks = await cik_lists(context, criteria.filings)
    hits = await _count_parts(context, query, criteria, ciks)
    query_warnings = find_query_warnings(query)
    skipped = [warning.position for warning in query_warnings]
    whole_query = Found(hits[query], frozenset(), frozenset())
    warned, words = await asyncio.gather(
        search_warnings(context, criteria, whole_query, ciks),
        or_default([], find_weak_words, context.engine, query, skipped),
    )
    warnings = [*(warning.warning for warning in query_warnings), *words, *warned.warnings]
    return Explanation(query, hits, tuple(dict.fromkeys(warnings)))


async def _count_parts(
    context: SearchContext, query: Node, criteria: DocumentCriteria, ciks: CikLists
) -> dict[Node, int]:
    """Count the documents that each part of a query matches, in one engine request."""
    among = structs.replace(criteria, query=None, all_documents=True)
    filters = document_query(among, ciks)
    parts = list(_counted_parts(query))
    clauses = [document_clause(part) for part in parts]
    counts = await count_matches(context.engine, "documents", clauses, filters)
    return dict(zip(parts, counts, strict=True))


def _counted_parts(query: Node) -> Iterator[Node]:
    """Yield the parts whose hits are counted."""
    parts, cost, counted = [query], 0, 0
    for part in parts:
        if counted < MAX_PARTS and cost + cost_of(part) <= MAX_PARTS_COST:
            counted, cost = counted + 1, cost + cost_of(part)
            yield part
        parts += operands(part)


def operands(node: Node) -> tuple[Node, ...]:
    """Return the operands of an AND, including excluded ones, or of an OR; a leaf has none."""
    if isinstance(node, And):
        return (*node.positive, *node.negative)
    return node.operands if isinstance(node, Or) else ()
