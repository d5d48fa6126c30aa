"""Parts of a query that a snippet should show: those that tell something about the hit; pure.

The filer's own name is all over its documents, so it makes no passage better than another. It is
known by a capital letter, by being there whole, or as the company or ticker of a question.
"""

from collections.abc import Sequence
from functools import lru_cache

from edgar_search.search.criteria import DocumentCriteria
from edgar_search.search.language import Leaf, Node, Wildcard
from edgar_search.search.query.matching import positive_leaves
from edgar_search.search.query.scoring import distinctive_leaves
from edgar_search.search.reading.names import core_of_name
from edgar_search.search.results import DocumentHit
from edgar_search.text.words import tokens

Leaves = tuple[Leaf, ...]
# The number of names, and of queries with the names of a hit, that are remembered.
_MOST_NAMES, _MOST_QUERIES = 10_000, 2_000


def meant_leaves(criteria: DocumentCriteria, hit: DocumentHit) -> Leaves:
    """Return the leaves to show of a hit: all but its filers' names, if anything else is asked.

    The criteria must have a query.
    """
    boosts = criteria.reading.boosts if criteria.reading else None
    named = boosts.words if boosts and not set(boosts.ciks).isdisjoint(hit.ciks) else ()
    assert criteria.query is not None
    return _find_meant(criteria.query, named, tuple(name for _, name in hit.entities))


@lru_cache(_MOST_QUERIES)
def _find_meant(query: Node, named: Sequence[str], names: Sequence[str]) -> Leaves:
    leaves = tuple(distinctive_leaves(positive_leaves(query)))
    asked = {word for leaf in leaves for word in _words(leaf)}
    whole = {*named}
    parts: set[str] = set()
    for name in names:
        words, core = _words_of_name(name)
        parts |= words
        if core <= asked:
            whole |= core

    def is_own(leaf: Leaf) -> bool:
        words = _words(leaf)
        capital = not isinstance(leaf, Wildcard) and leaf.text[:1].isupper()
        return bool(words) and (words <= whole or (capital and words <= parts))

    return tuple(leaf for leaf in leaves if not is_own(leaf)) or leaves


def _words(leaf: Leaf) -> set[str]:
    return set() if isinstance(leaf, Wildcard) else set(tokens(leaf.text))


@lru_cache(_MOST_NAMES)
def _words_of_name(name: str) -> tuple[frozenset[str], frozenset[str]]:
    """All words of a name, and those without its legal form."""
    return frozenset(tokens(name)), frozenset(core_of_name(name))
