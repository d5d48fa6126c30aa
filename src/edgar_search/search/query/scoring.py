"""Clauses that score a query's words; pure.

Words with forms: a word counts full and each of its forms half, and only the best of them counts,
never a sum. A form in fewer documents than the word counts less than half, so that rarity gives it
no more than the word gets; so does a related word or phrase. Phrases with several of the most
common words are scored by their other words, because counting the phrases means reading all
positions of words that are everywhere. The clauses follow the tree, AND and OR as they add up in
one `query_string`.

For a wildcard that matches many words, Elasticsearch would have to count each in every document,
and beyond a number that depends on its memory it fails.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import islice
from math import log1p

from msgspec import structs

from edgar_search.search.language import And, Leaf, Node, Or, Wildcard, Word, leaves
from edgar_search.search.query.common_words import STOP_WORDS
from edgar_search.search.query.matching import Clause, distinct, document_clause, positive_leaves
from edgar_search.text.words import tokens

FORM_BOOST = 0.5
# This many of the most common words make a phrase score by its other words.
_COMMON = 2


def scores_apart(node: Node) -> bool:
    """Return True if a query matches as a filter and separate clauses score it."""
    return any(_has_forms(leaf) or scoring_words(leaf) for leaf in leaves(node))


def scoring_words(leaf: Leaf) -> Sequence[str]:
    """Return the words that score for a phrase; none if the phrase scores itself."""
    if isinstance(leaf, Wildcard) or _has_forms(leaf):
        return ()
    words = tokens(leaf.text)
    if sum(word in STOP_WORDS for word in words) < _COMMON:
        return ()
    distinct_words = dict.fromkeys(words)
    return [word for word in distinct_words if word not in STOP_WORDS] or list(distinct_words)


def scoring_clauses(node: Node) -> list[Clause]:
    """Return clauses whose scores add up to a matching document's score."""
    if isinstance(node, And):
        return distinct(_sure_clause(operand) for operand in node.positive)
    return [_sure_clause(node)]


def _sure_clause(node: Node) -> Clause:
    """Score a node that is known to match, without checking word positions."""
    if not isinstance(node, And | Or) and (words := scoring_words(node)):
        return _sum(words)
    return operand_clause(node)


def operand_clause(node: Node) -> Clause:
    """Match a node and score it, whatever else the document contains."""
    if isinstance(node, Or):
        should = distinct(operand_clause(operand) for operand in node.operands)
        return {"bool": {"should": should, "minimum_should_match": 1}}
    if not isinstance(node, And):
        return _leaf_clause(node)
    unwanted = [document_clause(operand) for operand in node.negative]
    must = distinct(operand_clause(operand) for operand in node.positive)
    return {"bool": {"must": must, "must_not": unwanted}}


def _leaf_clause(leaf: Leaf) -> Clause:
    if words := scoring_words(leaf):
        return {"bool": {"filter": [document_clause(leaf)], "must": [_sum(words)]}}
    if not (isinstance(leaf, Word) and leaf.alternatives):
        return document_clause(leaf)
    (word,) = tokens(leaf.text)
    weights = leaf.weights or [FORM_BOOST] * len(leaf.alternatives)
    others = [_term(*weighted) for weighted in zip(leaf.alternatives, weights, strict=True)]
    return {"dis_max": {"queries": [_term(word, 1.0), *others]}}


def _sum(words: Sequence[str]) -> Clause:
    return {"bool": {"should": [_term(word, 1.0) for word in words]}}


def _term(text: str, boost: float) -> Clause:
    """Score a token, or consecutive tokens."""
    if " " in text:
        return {"match_phrase": {"text": {"query": text, "boost": boost}}}
    return {"term": {"text": {"value": text, "boost": boost}}}


def form_weights(node: Node, counts: Mapping[str, int], documents: int) -> list[float]:
    """Return the weights of all forms and related words of a query, in order.

    Each counts at most half as much as its word: otherwise a rare form would decide the order by
    its rarity. `counts` gives how many of `documents` contain each token.
    """

    def rarity(text: str) -> float:
        frequencies = (min(counts[token], documents) for token in tokens(text))
        return sum(log1p((documents - count + 0.5) / (count + 0.5)) for count in frequencies)

    return [
        round(FORM_BOOST * min(1.0, rarity(leaf.text) / rarity(other)), 3)
        for leaf in leaves_with_forms(node)
        for other in leaf.alternatives
    ]


def leaves_with_forms(node: Node) -> list[Word]:
    """Return the words of a query that have forms or related words, in order."""
    return [leaf for leaf in leaves(node) if isinstance(leaf, Word) and leaf.alternatives]


def weigh_forms(node: Node, weights: Iterator[float]) -> Node:
    """Set the weights of the forms of a query, in order."""
    if isinstance(node, And):
        positive = tuple(weigh_forms(child, weights) for child in node.positive)
        return And(positive, tuple(weigh_forms(child, weights) for child in node.negative))
    if isinstance(node, Or):
        return Or(tuple(weigh_forms(operand, weights) for operand in node.operands))
    if isinstance(node, Word) and node.alternatives:
        return structs.replace(node, weights=tuple(islice(weights, len(node.alternatives))))
    return node


def _has_forms(leaf: Leaf) -> bool:
    return isinstance(leaf, Word) and bool(leaf.alternatives)


# The default limit of Lucene's intervals. Words that people search for have 3 to 20 forms in an
# index of filings, including misspellings; five such wildcards are far below what the smallest
# Elasticsearch allows in a query.
MAX_WORDS = 128


def patterns(node: Node) -> list[str]:
    """Return the distinct wildcards that are not excluded."""
    wildcards = [leaf.pattern for leaf in positive_leaves(node) if isinstance(leaf, Wildcard)]
    return list(dict.fromkeys(wildcards))


def scoring_clauses_with_wildcards(node: Node, broad: Collection[str]) -> list[Clause]:
    """Return a clause for each wildcard, except `broad` ones, that scores its words."""
    rewrite = f"top_terms_{MAX_WORDS}"
    return [
        rewritten_wildcard(pattern, rewrite) for pattern in patterns(node) if pattern not in broad
    ]


def rewritten_wildcard(pattern: str, rewrite: str) -> Clause:
    value = pattern.replace("\\", "\\\\")
    return {"wildcard": {"text": {"value": value, "rewrite": rewrite}}}


def add_scores(query: Clause, scores: list[Clause]) -> Clause:
    """Return a clause that matches like `query` and adds these scores."""
    return {"bool": {"must": [query], "should": scores}} if scores else query
