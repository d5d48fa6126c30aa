"""From a query's tree to structured clauses: what `query_string` is held against.

The first form of this project's queries, by which no text is parsed by the engine.
"""

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import msgspec

from edgar_search.search.language import And, Leaf, Node, Or, Phrase, Wildcard
from edgar_search.text.words import tokens

Clause: TypeAlias = dict[str, Any]


def document_clause(node: Node, field: str = "text") -> Clause:
    """Return the clause that matches what the tree means."""
    if isinstance(node, And):
        return {"bool": _conjunction(node, field)}
    if isinstance(node, Or):
        should = _once(document_clause(operand, field) for operand in node.operands)
        return {"bool": {"should": should, "minimum_should_match": 1}}
    return _leaf_clause(node, field)


def snippet_clauses(node: Node, field: str = "text") -> list[Clause]:
    """Return a clause for each leaf that is wanted, in order, each clause once."""
    return _once(_leaf_clause(leaf, field) for leaf in _wanted_leaves(node))


def word_clauses(node: Node, field: str = "text") -> list[Clause]:
    """Return a clause for each single token that is wanted, in order, each clause once.

    For a phrase of which no passage has the whole.
    """
    return _once(clause for leaf in _wanted_leaves(node) for clause in _single(leaf, field))


def _conjunction(node: And, field: str) -> Clause:
    # A word twice asks for nothing more than once, and must not count twice in the score either.
    must = _once(document_clause(operand, field) for operand in node.positive)
    if not node.negative:
        return {"must": must}
    return {
        "must": must,
        "must_not": [document_clause(operand, field) for operand in node.negative],
    }


def _leaf_clause(leaf: Leaf, field: str) -> Clause:
    if isinstance(leaf, Wildcard):
        # No token has a backslash; were there one, it must not make the next character literal.
        return {"wildcard": {field: {"value": leaf.pattern.replace("\\", "\\\\")}}}
    if isinstance(leaf, Phrase) and leaf.slop:
        return {"match_phrase": {field: {"query": leaf.text, "slop": leaf.slop}}}
    return {"match_phrase": {field: {"query": leaf.text}}}


def _single(leaf: Leaf, field: str) -> list[Clause]:
    if isinstance(leaf, Wildcard):
        return [_leaf_clause(leaf, field)]
    return [{"term": {field: {"value": token}}} for token in tokens(leaf.text)]


def _wanted_leaves(node: Node) -> Iterator[Leaf]:
    if isinstance(node, And | Or):
        for operand in node.positive if isinstance(node, And) else node.operands:
            yield from _wanted_leaves(operand)
    else:
        yield node


def _once(clauses: Iterable[Clause]) -> list[Clause]:
    # A query has hundreds of leaves at most, but comparing each with each would still show.
    return list({msgspec.json.encode(clause): clause for clause in clauses}.values())
