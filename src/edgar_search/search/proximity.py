"""What of a query stands close together in a text, as a clause that scores and matches nothing new.

An `intervals` clause looks at all places of all its words in a document, so it is asked of few.
"""

from collections.abc import Collection, Iterator
from itertools import pairwise

from edgar_search.search.clauses import Clause, distinct
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
from edgar_search.text.rules import lower

# All of them within so many other words: a sentence or two, or some rows of a table.
MAX_GAPS = 50
# What a document gains by it, however often they do: a long one has them close by chance as well.
CLOSE_BOOST = 4.0
MAX_LEAVES = 8
# The most that a document can gain where two operands that follow each other in the query are
# neighbours in it, in this order: `interest rate swap` is meant so, if not written as a phrase.
NEIGHBOURS_BOOST = 3.0
# English words that stand beside anything: Lucene's `EnglishAnalyzer.ENGLISH_STOP_WORDS_SET`, which
# is Elasticsearch's `_english_`. How common a word is in an index would not be the same tomorrow.
STOP_WORDS = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then"
    " there these they this to was will with".split()
)


def proximity_clause(node: Node, too_wide: Collection[str] = ()) -> Clause | None:
    """Return the clause that scores whether all operands of an AND stand close together.

    And how often two that follow each other in the query do so in the text. None where the query
    is no AND, or fewer than two of its operands can be looked for so: words that stand beside
    anything are left out, and so are wildcards that are `too_wide`, and groups other than an OR of
    leaves. None also for more than MAX_LEAVES leaves, and for dear phrases: all their places would
    be looked at once more.
    """
    if not isinstance(node, And) or not is_cheap(node):
        return None
    operands = [each for each in node.positive if _sought(each, too_wide)]
    sources = distinct(map(_source, operands))
    if len(sources) < 2 or sum(1 for each in operands for _ in leaves(each)) > MAX_LEAVES:
        return None
    return {"bool": {"should": [_close(sources), *_neighbours(node, too_wide)]}}


def all_but_one_clause(node: And, too_wide: Collection[str] = ()) -> Clause | None:
    """Return the clause that scores whether all operands but one stand close together.

    For documents of which each lacks one operand. None as `proximity_clause`.
    """
    without_one = [
        proximity_clause(And((*node.positive[:place], *node.positive[place + 1 :])), too_wide)
        for place in range(len(node.positive))
    ]
    clauses = [clause for clause in without_one if clause is not None]
    return {"dis_max": {"queries": clauses}} if clauses else None


def _close(sources: list[Clause]) -> Clause:
    together = {"intervals": sources, "ordered": False, "max_gaps": MAX_GAPS}
    query = {"intervals": {"text": {"all_of": together}}}
    return {"constant_score": {"filter": query, "boost": CLOSE_BOOST}}


def _neighbours(node: And, too_wide: Collection[str]) -> Iterator[Clause]:
    for pair in pairwise(node.positive):
        if all(_sought(each, too_wide) for each in pair):
            beside = {"intervals": [*map(_source, pair)], "ordered": True, "max_gaps": 0}
            yield {"intervals": {"text": {"all_of": beside, "boost": NEIGHBOURS_BOOST}}}


def _sought(operand: Node, too_wide: Collection[str]) -> bool:
    if isinstance(operand, And):
        return False
    if isinstance(operand, Or):
        # An alternative that is not looked for would be one that never stands close.
        return all(
            not isinstance(each, And | Or) and _sought(each, too_wide) for each in operand.operands
        )
    if isinstance(operand, Wildcard):
        return operand.pattern not in too_wide
    return lower(operand.text) not in STOP_WORDS


def _source(operand: Node) -> Clause:
    if isinstance(operand, Or):
        return _any_of([source for each in operand.operands for source in leaf_sources(each)])
    return _any_of(list(leaf_sources(operand)))


def leaf_sources(leaf: Leaf | Node) -> Iterator[Clause]:
    """The ways in which a leaf may stand in a text."""
    if isinstance(leaf, Wildcard):
        yield {"wildcard": {"pattern": leaf.pattern.replace("\\", "\\\\")}}
    elif isinstance(leaf, Phrase):
        # Two moves let neighbours change places.
        yield _match(leaf.text, ordered=leaf.slop < 2, max_gaps=leaf.slop)
    elif isinstance(leaf, Word):
        yield from (_match(lower(text)) for text in (leaf.text, *leaf.forms))


def _match(text: str, *, ordered: bool = True, max_gaps: int = 0) -> Clause:
    return {"match": {"query": text, "ordered": ordered, "max_gaps": max_gaps}}


def _any_of(sources: list[Clause]) -> Clause:
    return sources[0] if len(sources) == 1 else {"any_of": {"intervals": sources}}
