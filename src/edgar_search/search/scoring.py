"""What documents score where the query itself does not: clauses that stand beside the filter.

Words with forms: a word counts full and each of its forms half, and only the best of them counts,
never a sum. Phrases with several of the commonest words: to count how often they occur is to read
all places of words that stand everywhere, so their other words score for them. The clauses follow
the tree, AND and OR as they add up in one `query_string`.
"""

from collections.abc import Sequence

from edgar_search.search.clauses import Clause, distinct, document_clause
from edgar_search.search.language import And, Leaf, Node, Or, Wildcard, Word, leaves
from edgar_search.search.proximity import STOP_WORDS
from edgar_search.text.rules import tokens

FORM_BOOST = 0.5
# Of the commonest words, in a phrase that scores by its other ones.
_COMMON = 2


def scores_apart(node: Node) -> bool:
    """Whether a query is a filter with clauses beside it that score."""
    return any(_has_forms(leaf) or scoring_words(leaf) for leaf in leaves(node))


def scoring_words(leaf: Leaf) -> Sequence[str]:
    """Return the words that score for a phrase; none where it scores by itself."""
    if isinstance(leaf, Wildcard) or _has_forms(leaf):
        return ()
    words = tokens(leaf.text)
    if sum(word in STOP_WORDS for word in words) < _COMMON:
        return ()
    distinct_words = dict.fromkeys(words)
    return [word for word in distinct_words if word not in STOP_WORDS] or list(distinct_words)


def scoring_clauses(node: Node, field: str = "text") -> list[Clause]:
    """Return the clauses whose scores add up to that of a document which the tree matches."""
    if isinstance(node, And):
        return distinct(_sure_clause(operand, field) for operand in node.positive)
    return [_sure_clause(node, field)]


def operand_clauses(node: And, field: str = "text") -> list[Clause]:
    """Return the clauses whose scores add up where a document may lack some of the operands."""
    return distinct(_clause(operand, field) for operand in node.positive)


def _sure_clause(node: Node, field: str) -> Clause:
    """What is known to match needs no look at where its words stand."""
    if not isinstance(node, And | Or) and (words := scoring_words(node)):
        return _sum(words, field)
    return _clause(node, field)


def _clause(node: Node, field: str) -> Clause:
    if isinstance(node, Or):
        should = distinct(_clause(operand, field) for operand in node.operands)
        return {"bool": {"should": should, "minimum_should_match": 1}}
    if not isinstance(node, And):
        return _leaf_clause(node, field)
    unwanted = [document_clause(operand, field) for operand in node.negative]
    return {"bool": {"must": operand_clauses(node, field), "must_not": unwanted}}


def _leaf_clause(leaf: Leaf, field: str) -> Clause:
    if words := scoring_words(leaf):
        return {"bool": {"filter": [document_clause(leaf, field)], "must": [_sum(words, field)]}}
    if not (isinstance(leaf, Word) and leaf.forms):
        return document_clause(leaf, field)
    (word,) = tokens(leaf.text)
    forms = [_term(form, FORM_BOOST, field) for form in leaf.forms]
    return {"dis_max": {"queries": [_term(word, 1.0, field), *forms]}}


def _sum(words: Sequence[str], field: str) -> Clause:
    return {"bool": {"should": [_term(word, 1.0, field) for word in words]}}


def _term(token: str, boost: float, field: str) -> Clause:
    return {"term": {field: {"value": token, "boost": boost}}}


def _has_forms(leaf: Leaf) -> bool:
    return isinstance(leaf, Word) and bool(leaf.forms)
