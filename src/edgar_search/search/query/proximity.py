"""Clauses that score operands of a query that are close together in a text; pure.

An `intervals` clause visits all positions of all its words in a document, so few documents are
scored by it.
"""

from collections.abc import Collection, Iterator
from itertools import pairwise

from msgspec import structs

from edgar_search.search.language import (
    And,
    Leaf,
    Node,
    Or,
    Phrase,
    Wildcard,
    Word,
    is_cheap,
    leaves,
)
from edgar_search.search.query.common_words import STOP_WORDS
from edgar_search.search.query.matching import Clause, constant_score, distinct
from edgar_search.text.words import lower

# The most other words between them: a sentence or two, or some rows of a table.
MAX_GAPS = 50
# A gap within a sentence counts each time it occurs, slightly less each time.
_SENTENCE_GAPS, _SENTENCE_BOOST = 15, 3.0
# A document's gain, however often they are close: in a long document that happens by chance.
CLOSE_BOOST = 4.0
MAX_LEAVES = 8
# The largest gain if two consecutive operands of the query are adjacent in a document, in this
# order: `interest rate swap` is meant as a phrase even if not written as one.
NEIGHBOURS_BOOST = 3.0


def proximity_clause(node: Node, broad: Collection[str] = ()) -> Clause | None:
    """Score documents in which all operands of an AND are close together.

    It also scores how often two consecutive operands of the query are adjacent in the text. None if
    the query is not an AND, or if fewer than two of its operands can be scored: the most common
    words are left out, and so are `broad` wildcards, and groups other than an OR of leaves. None
    also for more than MAX_LEAVES leaves, and for expensive phrases, whose positions would all be
    visited again.
    """
    if not isinstance(node, And) or not is_cheap(node):
        return None
    operands = [child for child in node.positive if _is_sought(child, broad)]
    sources = distinct(map(_source, operands))
    if len(sources) < 2 or sum(1 for operand in operands for _ in leaves(operand)) > MAX_LEAVES:
        return None
    return {"bool": {"should": [*_close(sources), *_neighbours(node, broad)]}}


def _close(sources: list[Clause]) -> list[Clause]:
    together = {"intervals": sources, "ordered": False, "max_gaps": MAX_GAPS}
    sentence = {**together, "max_gaps": _SENTENCE_GAPS}
    return [
        constant_score({"intervals": {"text": {"all_of": together}}}, CLOSE_BOOST),
        {"intervals": {"text": {"all_of": sentence, "boost": _SENTENCE_BOOST}}},
    ]


def _neighbours(node: And, broad: Collection[str]) -> Iterator[Clause]:
    for pair in pairwise(node.positive):
        if all(_is_sought(operand, broad) for operand in pair):
            beside = {"intervals": [*map(_source, pair)], "ordered": True, "max_gaps": 0}
            yield {"intervals": {"text": {"all_of": beside, "boost": NEIGHBOURS_BOOST}}}


def _is_sought(operand: Node, broad: Collection[str]) -> bool:
    if isinstance(operand, And):
        return False
    if isinstance(operand, Or):
        # An alternative without a source would never be close.
        return all(
            not isinstance(alternative, And | Or) and _is_sought(alternative, broad)
            for alternative in operand.operands
        )
    if isinstance(operand, Wildcard):
        return operand.pattern not in broad
    return lower(operand.text) not in STOP_WORDS


def _source(operand: Node) -> Clause:
    alternatives = operand.operands if isinstance(operand, Or) else (operand,)
    return _any_of(
        [source for alternative in alternatives for source in leaf_sources(_own(alternative))]
    )


def _own(leaf: Node) -> Node:
    """Return the leaf without related words, which do not count as close."""
    return structs.replace(leaf, related=()) if isinstance(leaf, Word) and leaf.related else leaf


def leaf_sources(leaf: Leaf | Node) -> Iterator[Clause]:
    """Yield the interval sources of a leaf."""
    if isinstance(leaf, Wildcard):
        yield {"wildcard": {"pattern": leaf.pattern.replace("\\", "\\\\")}}
    elif isinstance(leaf, Phrase):
        # Two moves swap neighbours.
        yield _match(leaf.text, ordered=leaf.slop < 2, max_gaps=leaf.slop)
    elif isinstance(leaf, Word):
        yield from (_match(lower(text)) for text in (leaf.text, *leaf.alternatives))


def _match(text: str, *, ordered: bool = True, max_gaps: int = 0) -> Clause:
    return {"match": {"query": text, "ordered": ordered, "max_gaps": max_gaps}}


def _any_of(sources: list[Clause]) -> Clause:
    return sources[0] if len(sources) == 1 else {"any_of": {"intervals": sources}}
