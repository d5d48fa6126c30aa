"""A query's tree as clauses for Elasticsearch; pure."""

from typing import Any

from edgar_search import text
from edgar_search.query.language import And, Node, Or, Phrase, Wildcard, Word

Clause = dict[str, Any]


def document_clause(node: Node, field: str = "text") -> Clause:
    """The clause that matches what the tree means."""
    if isinstance(node, And):
        must = [document_clause(operand, field) for operand in node.positive]
        must_not = [document_clause(operand, field) for operand in node.negative]
        return {"bool": {"must": must, **({"must_not": must_not} if must_not else {})}}
    if isinstance(node, Or):
        should = [document_clause(operand, field) for operand in node.operands]
        return {"bool": {"should": should, "minimum_should_match": 1}}
    return _leaf(node, field)


def snippet_clauses(node: Node, field: str = "text") -> list[Clause]:
    out = []
    for leaf in _positive(node):
        clause = _leaf(leaf, field)
        if clause not in out:
            out.append(clause)
    return out


def word_clauses(node: Node, field: str = "text") -> list[Clause]:
    out = []
    for leaf in _positive(node):
        cs = [_leaf(leaf, field)] if isinstance(leaf, Wildcard) else [{"match_phrase": {field: {"query": t}}} for t in text.tokens(leaf.text)]
        out += [c for c in cs if c not in out]
    return out


def _positive(node: Node) -> list[Any]:
    if isinstance(node, And):
        return [leaf for operand in node.positive for leaf in _positive(operand)]
    if isinstance(node, Or):
        return [leaf for operand in node.operands for leaf in _positive(operand)]
    return [node]


def _leaf(node: Any, field: str) -> Clause:
    if isinstance(node, Wildcard):
        return {"wildcard": {field: {"value": node.pattern}}}
    if isinstance(node, Phrase) and node.slop:
        return {"match_phrase": {field: {"query": node.text, "slop": node.slop}}}
    return {"match_phrase": {field: {"query": node.text}}}
