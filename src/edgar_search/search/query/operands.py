"""Documents that lack operands of a query: what matches, how it scores, what it lacks; pure.

They follow the documents with all operands, whatever their scores are; so that scores fall along
the pages, those of the first are put into the upper half of the range and theirs into the lower.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from edgar_search.search.criteria import Window
from edgar_search.search.language import And, Node, Or, is_cheap
from edgar_search.search.language.tree import query_text
from edgar_search.search.query.matching import Clause, compile_tree, document_clause
from edgar_search.search.query.scoring import operand_clause

# Fewer documents than half a page are few.
FEW = 10
# A query has few operands as a rule; of one with many not each number of them is counted.
_MAX_LEVELS = 8
# Operands of which one may be absent for each document by itself.
_FEWEST = 3


class RelaxedQuery(NamedTuple):
    """The AND of a query with distinct operands, of which a document has `least` but not all."""

    node: And
    least: int


def relax(node: Node | None) -> And | None:
    """Return the AND whose operands may be absent, each operand once.

    None without a query, and for one with a single operand or too expensive phrases: they are
    looked for once with the others, once among those that need not all be there, and once to
    exclude.
    """
    if not isinstance(node, And) or not is_cheap(node):
        return None
    # A word in capitals is the same word.
    distinct = {compile_tree(operand).lower(): operand for operand in node.positive}
    return And(tuple(distinct.values()), node.negative) if len(distinct) > 1 else None


def lacking_one(node: Node) -> Node:
    """Return the query that a document also matches if it lacks one of three or more operands.

    It asks of each document by itself, where a search looks at how many have all operands.
    """
    whole = relax(node)
    if whole is None or not _FEWEST <= len(whole.positive) <= _MAX_LEVELS:
        return node
    operands = whole.positive
    others = [(*operands[:place], *operands[place + 1 :]) for place in range(len(operands))]
    some = Or(tuple(And(each) for each in others))
    return And((some,), whole.negative) if whole.negative else some


def levels(node: And) -> list[int]:
    """Return the numbers of operands to try, from all but one down to any."""
    most = len(node.positive) - 1
    return [*range(most, 1, -1)][: _MAX_LEVELS - 1] + [1]


def at_least(node: And, least: int) -> Clause:
    """Return the clause that matches documents with at least this number of operands."""
    some = document_clause(Or(node.positive))
    some["query_string"]["minimum_should_match"] = least
    return {"bool": {"must": [some], "must_not": list(map(document_clause, node.negative))}}


def choose_level(numbers: Sequence[int], counts: Sequence[int]) -> int:
    """Return the largest number of operands that at least FEW documents have, else the last."""
    enough = (number for number, count in zip(numbers, counts, strict=True) if count >= FEW)
    return next(enough, numbers[-1])


def match_relaxed(relaxed: RelaxedQuery) -> Clause:
    """Return the clause that matches and scores documents of a relaxed query.

    It names each operand by its place, so that a hit tells which it has.
    """
    node = relaxed.node
    operands = enumerate(map(operand_clause, node.positive))
    unwanted = [document_clause(each) for each in (And(node.positive), *node.negative)]
    return {
        "bool": {
            "should": [_with_name(clause, str(place)) for place, clause in operands],
            "minimum_should_match": relaxed.least,
            "must_not": unwanted,
        }
    }


def missing_operands(node: And, matched: Collection[str]) -> tuple[str, ...]:
    """Return the operands that a hit lacks, as they are written, by the names that it matched."""
    operands = enumerate(node.positive)
    return tuple(_text(operand) for place, operand in operands if str(place) not in matched)


def shift_window(window: Window, rows: int) -> Window:
    """Return the window over the others, before which `rows` come."""
    return Window(max(0, window.start - rows), max(0, window.end - rows))


def relaxed_warning(relaxed: RelaxedQuery, whole: int, others: int) -> str:
    """Return the warning for documents with fewer operands that follow those with all."""
    number = len(relaxed.node.positive)
    every = f"all {number}" if number > 2 else "both"
    fewer = "all but one" if relaxed.least == number - 1 else f"at least {relaxed.least}, not all"
    return (
        f"operands: {_documents(whole)} {every} operands of the query;"
        f" {_documents(others)} {fewer}, and come after"
    )


def _with_name(clause: Clause, name: str) -> Clause:
    ((kind, body),) = clause.items()
    return {kind: {**body, "_name": name}}


def _text(operand: Node) -> str:
    return f"({query_text(operand)})" if isinstance(operand, And | Or) else query_text(operand)


def _documents(count: int) -> str:
    return f"{count:,} document has" if count == 1 else f"{count:,} documents have"
