"""Documents with all operands of an AND but one, for a query that few documents have whole; pure.

They follow the documents with all operands, whatever their scores are; so that scores fall along
the pages, those of the first are put into the upper half of the range and theirs into the lower.
"""

from collections.abc import Sequence

from edgar_search.search.clauses import Clause, document_clause
from edgar_search.search.criteria import Window
from edgar_search.search.hits import SCORE_HALF, DocumentHit
from edgar_search.search.language import And, Node, Or, is_cheap
from edgar_search.search.query_string import compiled
from edgar_search.search.scoring import operand_clauses, scores_apart

# Fewer documents with all operands than half a page are few.
FEW = 10
_LEAST_OPERANDS = 3


def loosened(node: Node | None) -> And | None:
    """Return the AND of which one operand may be absent, each operand once.

    None where the query is none, or has too few operands, or phrases that are too dear: they are
    looked for once with the others, once among those that need not all be there, once to exclude.
    """
    if not isinstance(node, And) or not is_cheap(node):
        return None
    # In what case a word is written does not make another of it.
    distinct = {compiled(operand).lower(): operand for operand in node.positive}
    if len(distinct) < _LEAST_OPERANDS:
        return None
    return And(tuple(distinct.values()), node.negative)


def all_but_one(node: And) -> Clause:
    """Return the clause that matches documents which lack exactly one operand."""
    some = document_clause(Or(node.positive))
    some["query_string"]["minimum_should_match"] = len(node.positive) - 1
    unwanted = [document_clause(each) for each in (And(node.positive), *node.negative)]
    if not scores_apart(node):
        return {"bool": {"must": [some], "must_not": unwanted}}
    return {"bool": {"filter": [some], "should": operand_clauses(node), "must_not": unwanted}}


def window_after(window: Window, rows: int) -> Window:
    """Return which rows of the others a window shows, where `rows` come before them."""
    return Window(max(0, window.start - rows), max(0, window.end - rows))


def part_scores(whole: Sequence[DocumentHit], others: Sequence[DocumentHit]) -> None:
    """Move the scores of hits so that each of `whole` is answered above each of the others.

    With r the relevance of a hit's score, it becomes (1 + r) / 2, or r / 2.
    """
    for hit in whole:
        hit.score = 2 * hit.score + SCORE_HALF
    for hit in others:
        hit.score = hit.score * SCORE_HALF / (hit.score + 2 * SCORE_HALF)


def warning(node: And, whole: int, others: int) -> str:
    """Return what is said where documents with all operands but one follow."""
    return (
        f"operands: {_documents(whole)} all {len(node.positive)} operands of the query;"
        f" {_documents(others)} all but one, and come after"
    )


def _documents(count: int) -> str:
    return f"{count:,} document has" if count == 1 else f"{count:,} documents have"
