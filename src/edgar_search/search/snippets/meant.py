"""Chooses the parts of a query that a snippet should show; pure.

The filer's own name occurs all over its documents, so it does not make a passage better. It is
recognised by a capital letter, by occurring as a whole, or as the company or ticker of a question.

`US` and `May` in a question are not the lower-case words with the same spelling, which are
everywhere: these make no passage better, and are not marked. Words that say little (`first`,
`many`, a person's given name) only improve a passage that also shows other words of the question.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from edgar_search.search.criteria import DocumentCriteria
from edgar_search.search.language import Leaf, Node, Phrase, Wildcard, Word
from edgar_search.search.query.common_words import distinctive_leaves
from edgar_search.search.query.matching import positive_leaves
from edgar_search.search.reading.names import core_of_name
from edgar_search.search.reading.question import Boosts, Reading
from edgar_search.search.reading.words import SAYS_LITTLE, SAYS_NOTHING
from edgar_search.search.results import DocumentHit
from edgar_search.text.words import tokens

Leaves = tuple[Leaf, ...]
# How many names, and queries with the names of a hit, are cached.
_MOST_NAMES, _MOST_QUERIES = 10_000, 2_000
# Words that mean something only as the month and the country.
_SMALL = SAYS_NOTHING | {"may", "us"}
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")


def meant_leaves(criteria: DocumentCriteria, hit: DocumentHit) -> Leaves:
    """Return a hit's leaves to show: all but its filers' names, unless there are no others.

    The criteria must include a query.
    """
    assert criteria.query is not None
    boosts = criteria.reading.boosts if criteria.reading else None
    ciks = tuple(hit.ciks) if boosts and boosts.names else ()
    return _find_meant(criteria.query, boosts, ciks, tuple(name for _, name in hit.entities))


@lru_cache(_MOST_QUERIES)
def small_words(query: Node) -> frozenset[str]:
    """Return the lower-case words that equal a word of the question except for its capitals.

    A word in quotes is searched as it is.
    """
    leaves = list(positive_leaves(query))
    quoted = {word for leaf in leaves if isinstance(leaf, Phrase) for word in _words(leaf)}
    capital = {
        leaf.text.lower() for leaf in leaves if isinstance(leaf, Word) and leaf.text[:1].isupper()
    }
    return frozenset(capital & _SMALL - quoted)


@lru_cache(_MOST_QUERIES)
def little_words(query: Node, boosts: Boosts) -> frozenset[Leaf]:
    """Return the words of a question that say little without other words of it."""
    little = SAYS_LITTLE.union(*(person.given for person in boosts.persons))
    words = (leaf for leaf in positive_leaves(query) if isinstance(leaf, Word))
    return frozenset(leaf for leaf in words if _words(leaf) <= little)


def asked_years(reading: Reading) -> frozenset[str]:
    """Return the years of a question's periods."""
    periods = (
        recognition.text for recognition in reading.recognised if recognition.kind == "period"
    )
    return frozenset(year for text in periods for year in _YEAR.findall(text))


@lru_cache(_MOST_QUERIES)
def _find_meant(
    query: Node, boosts: Boosts | None, ciks: Sequence[str], names: Sequence[str]
) -> Leaves:
    leaves = tuple(distinctive_leaves(positive_leaves(query)))
    query_words = {word for leaf in leaves for word in _words(leaf)}
    small = small_words(query) if boosts else frozenset[str]()
    own = (name for name in (boosts.names if boosts else ()) if not set(ciks).isdisjoint(name.ciks))
    name_words = {word for name in own for word in name.words}
    parts: set[str] = set()
    for name in names:
        words, core = _words_of_name(name)
        parts |= words
        if core <= query_words:
            name_words |= core

    def is_own(leaf: Leaf) -> bool:
        words = _words(leaf)
        capital = not isinstance(leaf, Wildcard) and leaf.text[:1].isupper()
        return bool(words) and (words <= name_words or (capital and words <= parts))

    meant = tuple(leaf for leaf in leaves if not _words(leaf) or not _words(leaf) <= small)
    return tuple(leaf for leaf in meant if not is_own(leaf)) or meant or leaves


def _words(leaf: Leaf) -> set[str]:
    return set() if isinstance(leaf, Wildcard) else set(tokens(leaf.text))


@lru_cache(_MOST_NAMES)
def _words_of_name(name: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return all words of a name, and the words without its legal form."""
    return frozenset(tokens(name)), frozenset(core_of_name(name))
