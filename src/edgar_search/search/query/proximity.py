"""Clauses that score operands of a query that are close together in a text; pure.

An `intervals` clause looks at all places of all its words in a document, so it is asked of few.
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

# The number of other words between all of them: a sentence or two, or some rows of a table.
MAX_GAPS = 50
# Fewer are a sentence, which counts each time that it occurs; the more often, the less each time.
_SENTENCE_GAPS, _SENTENCE_BOOST = 15, 3.0
# A document's gain by it, however often they are close: in a long one that happens by chance too.
CLOSE_BOOST = 4.0
MAX_LEAVES = 8
# The most that a document can gain if two operands that follow each other in the query are
# neighbours in it, in this order: `interest rate swap` is meant so, if not written as a phrase.
NEIGHBOURS_BOOST = 3.0


def proximity_clause(node: Node, broad: Collection[str] = ()) -> Clause | None:
    """Return the clause that scores documents in which all operands of an AND are close together.

    It also scores how often two that follow each other in the query do so in the text. None if the
    query is not an AND, or if fewer than two of its operands can be looked for so: words that are
    beside anything are left out, and so are `broad` wildcards, and groups other than an OR of
    leaves. None also for more than MAX_LEAVES leaves, and for expensive phrases: all their places
    would be looked at once more.
    """
    if not isinstance(node, And) or not is_cheap(node):
        return None
    operands = [each for each in node.positive if _is_sought(each, broad)]
    sources = distinct(map(_source, operands))
    if len(sources) < 2 or sum(1 for each in operands for _ in leaves(each)) > MAX_LEAVES:
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
        if all(_is_sought(each, broad) for each in pair):
            beside = {"intervals": [*map(_source, pair)], "ordered": True, "max_gaps": 0}
            yield {"intervals": {"text": {"all_of": beside, "boost": NEIGHBOURS_BOOST}}}


def _is_sought(operand: Node, broad: Collection[str]) -> bool:
    if isinstance(operand, And):
        return False
    if isinstance(operand, Or):
        # An alternative that is not looked for would be one that is never close.
        return all(
            not isinstance(each, And | Or) and _is_sought(each, broad) for each in operand.operands
        )
    if isinstance(operand, Wildcard):
        return operand.pattern not in broad
    return lower(operand.text) not in STOP_WORDS


def _source(operand: Node) -> Clause:
    alternatives = operand.operands if isinstance(operand, Or) else (operand,)
    return _any_of([source for each in alternatives for source in leaf_sources(_own(each))])


def _own(leaf: Node) -> Node:
    """Return the leaf without related words: a document close to what is asked has the words."""
    return structs.replace(leaf, related=()) if isinstance(leaf, Word) and leaf.related else leaf


def leaf_sources(leaf: Leaf | Node) -> Iterator[Clause]:
    """Yield the sources that find a leaf in a text."""
    if isinstance(leaf, Wildcard):
        yield {"wildcard": {"pattern": leaf.pattern.replace("\\", "\\\\")}}
    elif isinstance(leaf, Phrase):
        # Two moves let neighbours change places.
        yield _match(leaf.text, ordered=leaf.slop < 2, max_gaps=leaf.slop)
    elif isinstance(leaf, Word):
        yield from (_match(lower(text)) for text in (leaf.text, *leaf.alternatives))


def _match(text: str, *, ordered: bool = True, max_gaps: int = 0) -> Clause:
    return {"match": {"query": text, "ordered": ordered, "max_gaps": max_gaps}}


def _any_of(sources: list[Clause]) -> Clause:
    return sources[0] if len(sources) == 1 else {"any_of": {"intervals": sources}}
