"""What a search for documents asks: what matches, and what scores beside it."""

from collections.abc import Collection

from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import DocumentCriteria
from edgar_search.search.language import And, Node
from edgar_search.search.query.body import CikLists, document_query
from edgar_search.search.query.scoring import (
    all_but_one,
    all_but_one_clause,
    patterns,
    proximity_clause,
    scored_also,
    scoring_clauses_with_wildcards,
)
from edgar_search.search.ranking import Question


async def wide_patterns(context: SearchContext, node: Node | None) -> frozenset[str]:
    """The query's wildcards that stand for too many words to score by them."""
    if node is None:
        return frozenset()
    return await context.ranking.widths.too_wide(context.engine, patterns(node))


def whole_question(criteria: DocumentCriteria, ciks: CikLists, wide: Collection[str]) -> Question:
    """Documents that match; words with wildcards score as words where they are not too wide."""
    query = document_query(criteria, ciks)
    node = criteria.query
    if node is None:
        return Question(query)
    return Question(
        scored_also(query, scoring_clauses_with_wildcards(node, wide)), proximity_clause(node, wide)
    )


def others_question(
    criteria: DocumentCriteria, ciks: CikLists, node: And, wide: Collection[str]
) -> Question:
    """Documents with all operands of `node` but one."""
    query = document_query(criteria, ciks, all_but_one(node))
    scores = scoring_clauses_with_wildcards(node, wide)
    return Question(scored_also(query, scores), all_but_one_clause(node, wide))
