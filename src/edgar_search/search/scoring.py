"""What documents score where words have forms: clauses that stand beside the filter.

They follow the tree, AND and OR as they add up in one `query_string`. A word counts full and each
of its forms half, and only the best of them counts: never a sum.
"""

from edgar_search.search.clauses import Clause, distinct, document_clause
from edgar_search.search.language import And, Leaf, Node, Or, Word, leaves
from edgar_search.text.rules import tokens

FORM_BOOST = 0.5


def has_forms(node: Node) -> bool:
    """Whether any word of the tree has forms."""
    return any(isinstance(leaf, Word) and leaf.forms for leaf in leaves(node))


def scoring_clauses(node: Node, field: str = "text") -> list[Clause]:
    """Return the clauses whose scores add up to that of a document which the tree matches."""
    if isinstance(node, And):
        return distinct(_clause(operand, field) for operand in node.positive)
    return [_clause(node, field)]


def _clause(node: Node, field: str) -> Clause:
    if isinstance(node, Or):
        should = distinct(_clause(operand, field) for operand in node.operands)
        return {"bool": {"should": should, "minimum_should_match": 1}}
    if not isinstance(node, And):
        return _leaf_clause(node, field)
    unwanted = [document_clause(operand, field) for operand in node.negative]
    return {"bool": {"must": scoring_clauses(node, field), "must_not": unwanted}}


def _leaf_clause(leaf: Leaf, field: str) -> Clause:
    if not (isinstance(leaf, Word) and leaf.forms):
        return document_clause(leaf, field)
    (word,) = tokens(leaf.text)
    forms = [_term(form, FORM_BOOST, field) for form in leaf.forms]
    return {"dis_max": {"queries": [_term(word, 1.0, field), *forms]}}


def _term(token: str, boost: float, field: str) -> Clause:
    return {"term": {field: {"value": token, "boost": boost}}}
