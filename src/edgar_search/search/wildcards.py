"""Wildcards that stand for few enough words to score by them, and the clauses that do it.

Of a wildcard with many words Elasticsearch would have to count each in every document, and beyond
a number that depends on its memory it answers with an error.
"""

import asyncio
from collections.abc import Collection
from time import monotonic

from edgar_search.engine.engine import Engine
from edgar_search.search.clauses import Clause, wanted_leaves
from edgar_search.search.language import Node, Wildcard

# What Lucene's intervals take by themselves. The words that people look for have 3 to 20 forms in
# an index of filings, misspelt ones among them; five such wildcards are far below what a query may
# have in the smallest Elasticsearch.
MAX_WORDS = 128
_LIFETIME = 60.0  # seconds
_MOST_REMEMBERED = 10_000


def patterns(node: Node) -> list[str]:
    """Return the wildcards of what is not excluded, each once."""
    found = [leaf.pattern for leaf in wanted_leaves(node) if isinstance(leaf, Wildcard)]
    return list(dict.fromkeys(found))


def scoring_clauses(node: Node, too_wide: Collection[str]) -> list[Clause]:
    """Return a clause for each wildcard but `too_wide` ones that scores what it stands for."""
    rewrite = f"top_terms_{MAX_WORDS}"
    return [_rewritten(each, rewrite) for each in patterns(node) if each not in too_wide]


def scored_also(query: Clause, scores: list[Clause]) -> Clause:
    """Return the clause that matches what `query` does and adds these scores."""
    return {"bool": {"must": [query], "should": scores}} if scores else query


class WildcardWidths:
    """Which wildcards are too wide, remembered for a minute."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[bool, float]] = {}

    async def too_wide(self, engine: Engine, wildcards: Collection[str]) -> frozenset[str]:
        """Return those that stand for more than MAX_WORDS words in some shard.

        One engine request for each that is not known.
        """
        now = monotonic()
        unknown = [each for each in wildcards if now - self._asked(each) > _LIFETIME]
        wide = await asyncio.gather(*(_is_too_wide(engine, pattern) for pattern in unknown))
        if len(self._known) > _MOST_REMEMBERED:
            self._known.clear()
        for pattern, answer in zip(unknown, wide, strict=True):
            self._known[pattern] = answer, now
        return frozenset(each for each in wildcards if self._known[each][0])

    def _asked(self, pattern: str) -> float:
        return self._known[pattern][1] if pattern in self._known else float("-inf")


async def _is_too_wide(engine: Engine, pattern: str) -> bool:
    clause = _rewritten(pattern, f"top_terms_{MAX_WORDS + 1}")
    # Words have no blanks: Elasticsearch names each that the wildcard stands for, `text:` before.
    return any(
        len(text.split()) > MAX_WORDS for text in await engine.explained("documents", clause)
    )


def _rewritten(pattern: str, rewrite: str) -> Clause:
    value = pattern.replace("\\", "\\\\")
    return {"wildcard": {"text": {"value": value, "rewrite": rewrite}}}
