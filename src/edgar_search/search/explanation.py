"""What a query means: its tree with the hits of each part, within the filters of a search."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec import structs

from edgar_search.search.clauses import document_clause
from edgar_search.search.criteria import DocumentCriteria
from edgar_search.search.entities import Directory, cik_lists
from edgar_search.search.filters import document_query
from edgar_search.search.language import And, Node, Or, cost_of
from edgar_search.search.language.cost import MAX_COST
from edgar_search.search.stored_versions import require_for_criteria
from edgar_search.search.warnings.known_values import match_counts

# Parts whose hits are counted, those nearest to the whole first, and what all of them may cost: as
# much as two queries, so that the whole and its own operands never cost too much.
MAX_PARTS, MAX_PARTS_COST = 50, 2 * MAX_COST


class Explanation(NamedTuple):
    """A query with the number of documents that each part of it matches, as far as counted."""

    query: Node
    hits: Mapping[Node, int]
    warnings: tuple[str, ...] = ()

    @property
    def total(self) -> int:
        """How many documents the whole matches."""
        return self.hits[self.query]


async def explain(directory: Directory, query: Node, criteria: DocumentCriteria) -> Explanation:
    """The explanation of a query among the documents that the criteria match.

    One engine request, and one for criteria of entities.
    """
    await require_for_criteria(directory.engine, criteria)
    among = structs.replace(criteria, query=None, all_documents=True)
    filters = document_query(among, await cik_lists(directory, criteria.filings))
    parts = list(_counted(query))
    clauses = [document_clause(part) for part in parts]
    counts = await match_counts(directory.engine, "documents", clauses, filters)
    return Explanation(query, dict(zip(parts, counts, strict=True)))


def _counted(query: Node) -> Iterator[Node]:
    """The parts whose hits are counted."""
    parts, cost, counted = [query], 0, 0
    for part in parts:
        if counted < MAX_PARTS and cost + cost_of(part) <= MAX_PARTS_COST:
            counted, cost = counted + 1, cost + cost_of(part)
            yield part
        parts += operands(part)


def operands(node: Node) -> tuple[Node, ...]:
    """The operands of an AND, those that it excludes too, or of an OR; a leaf has none."""
    if isinstance(node, And):
        return (*node.positive, *node.negative)
    return node.operands if isinstance(node, Or) else ()
