"""The most common English words, and the leaves of a query without them; pure."""

from collections.abc import Iterable

from edgar_search.search.language import Leaf, Phrase, Wildcard
from edgar_search.text.words import tokens

# English words that occur everywhere: Lucene's `EnglishAnalyzer.ENGLISH_STOP_WORDS_SET`, which is
# Elasticsearch's `_english_`. Word frequencies in an index would change from day to day.
STOP_WORDS = frozenset(
    "a an and are as at be but by for if in into is it no not of on or such that the their then"
    " there these they this to was will with".split()
)


def distinctive_leaves(leaves: Iterable[Leaf]) -> list[Leaf]:
    """Return the distinct leaves, without the most common words unless there are no others."""
    distinct = list({_meaning(leaf): leaf for leaf in leaves}.values())
    return [leaf for leaf in distinct if _meaning(leaf) not in STOP_WORDS] or distinct


def _meaning(leaf: Leaf) -> str:
    if isinstance(leaf, Wildcard):
        return leaf.pattern
    text = " ".join(tokens(leaf.text))
    return f"{text} ~{leaf.slop}" if isinstance(leaf, Phrase) and leaf.slop else text
