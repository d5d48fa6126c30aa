"""Matching documents that have any operand of a query, or belong to a company that it names.

Pure.
"""

from collections.abc import Collection, Sequence

from edgar_search.search.language import And, Node, Or, is_cheap
from edgar_search.search.language.tree import query_text
from edgar_search.search.query.boosts import person_clause
from edgar_search.search.query.matching import Clause, compile_tree, document_clause
from edgar_search.search.query.scoring import operand_clause
from edgar_search.search.reading.question import Boosts

_NOTHING_NAMED = Boosts()
# The fewest and the most operands of which each document may lack one.
_FEWEST, _MOST = 3, 8


def any_operands(node: Node | None) -> Sequence[Node]:
    """Return the distinct operands of which a document needs one.

    Empty without a query, or if its phrases are too expensive: they would be searched twice, once
    among the operands and once where all are required.
    """
    if node is None or not is_cheap(node):
        return ()
    # A capitalized word is the same word.
    return tuple({compile_tree(operand).lower(): operand for operand in _operands(node)}.values())


def _operands(node: Node) -> Sequence[Node]:
    return node.positive if isinstance(node, And) else (node,)


def match_any(node: Node | None, named: Boosts = _NOTHING_NAMED) -> Clause | None:
    """Match documents that have any operand, or belong to a company that the question names.

    Each operand is named by its index, so that a hit shows which ones it has. None if that matches
    nothing beyond the documents with all operands.
    """
    operands = any_operands(node)
    others: list[Clause] = [person_clause(person) for person in named.persons]
    if named.ciks:
        others.append({"terms": {"ciks": list(named.ciks)}})
    if not operands or len(operands) + len(others) < 2:
        return None
    clauses = [_with_name(operand_clause(operand), str(at)) for at, operand in enumerate(operands)]
    # It is scored elsewhere.
    candidates = [{"constant_score": {"filter": other, "boost": 0.0}} for other in others]
    matching: Clause = {"should": [*clauses, *candidates], "minimum_should_match": 1}
    if isinstance(node, And) and node.negative:
        matching["must_not"] = list(map(document_clause, node.negative))
    return {"bool": matching}


def missing_operands(operands: Sequence[Node], matched: Collection[str]) -> tuple[str, ...]:
    """Return the operands that a hit lacks, as written, given the names that it matched."""
    return tuple(_text(operand) for at, operand in enumerate(operands) if str(at) not in matched)


def lacking_one(node: Node) -> Node:
    """Return the query that also matches documents lacking one of three or more operands."""
    operands = any_operands(node)
    if not isinstance(node, And) or not _FEWEST <= len(operands) <= _MOST:
        return node
    others = [(*operands[:at], *operands[at + 1 :]) for at in range(len(operands))]
    some = Or(tuple(And(other) for other in others))
    return And((some,), node.negative) if node.negative else some


def _with_name(clause: Clause, name: str) -> Clause:
    ((kind, body),) = clause.items()
    return {kind: {**body, "_name": name}}


def _text(operand: Node) -> str:
    return f"({query_text(operand)})" if isinstance(operand, And | Or) else query_text(operand)
