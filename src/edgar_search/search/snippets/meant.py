"""Parts of a query that a snippet should show: those that tell something about the hit; pure.

The filer's own name is all over its documents, so it makes no passage better than another. It is
known by a capital letter, by being there whole, or as the company or ticker of a question.

`US` and `May` of a question are not the small words that are written alike, which are everywhere:
they make no passage good, and the small words are not marked.
"""

from collections.abc import Sequence
from functools import lru_cache

from edgar_search.search.criteria import DocumentCriteria
from edgar_search.search.language import Leaf, Node, Phrase, Wildcard, Word
from edgar_search.search.query.matching import positive_leaves
from edgar_search.search.query.scoring import distinctive_leaves
from edgar_search.search.reading.names import core_of_name
from edgar_search.search.reading.words import SAYS_NOTHING
from edgar_search.search.results import DocumentHit
from edgar_search.text.words import tokens

Leaves = tuple[Leaf, ...]
# The number of names, and of queries with the names of a hit, that are remembered.
_MOST_NAMES, _MOST_QUERIES = 10_000, 2_000
# Words that say nothing unless they are the month and the country.
_SMALL = SAYS_NOTHING | {"may", "us"}


def meant_leaves(criteria: DocumentCriteria, hit: DocumentHit) -> Leaves:
    """Return the leaves to show of a hit: all but its filers' names, if anything else is asked.

    The criteria must have a query.
    """
    boosts = criteria.reading.boosts if criteria.reading else None
    named = boosts.words if boosts and not set(boosts.ciks).isdisjoint(hit.ciks) else ()
    assert criteria.query is not None
    query = criteria.query
    small = small_words(query) if boosts else frozenset[str]()
    return _find_meant(query, named, tuple(name for _, name in hit.entities), small)


@lru_cache(_MOST_QUERIES)
def small_words(query: Node) -> frozenset[str]:
    """Return the small words that are written as a word of the question but for its capitals.

    A word in quotes is asked for as it is.
    """
    leaves = list(positive_leaves(query))
    quoted = {word for leaf in leaves if isinstance(leaf, Phrase) for word in _words(leaf)}
    capital = {
        leaf.text.lower() for leaf in leaves if isinstance(leaf, Word) and leaf.text[:1].isupper()
    }
    return frozenset(capital & _SMALL - quoted)


@lru_cache(_MOST_QUERIES)
def _find_meant(
    query: Node, named: Sequence[str], names: Sequence[str], small: frozenset[str]
) -> Leaves:
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

    said = tuple(leaf for leaf in leaves if not _words(leaf) or not _words(leaf) <= small)
    return tuple(leaf for leaf in said if not is_own(leaf)) or said or leaves


def _words(leaf: Leaf) -> set[str]:
    return set() if isinstance(leaf, Wildcard) else set(tokens(leaf.text))


@lru_cache(_MOST_NAMES)
def _words_of_name(name: str) -> tuple[frozenset[str], frozenset[str]]:
    """All words of a name, and those without its legal form."""
    return frozenset(tokens(name)), frozenset(core_of_name(name))
