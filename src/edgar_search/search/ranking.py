"""Documents in their order: by their words and, if few match, by proximity too.

To look at all places of words takes as long as there are documents that match. So it is not done
if more match than a setting says; the total alone decides, so that all pages are in one order.
"""

import asyncio
from collections.abc import Callable, Collection, Sequence
from time import monotonic
from typing import Any, Generic, NamedTuple, TypeVar

from cachetools import FIFOCache, TTLCache
from msgspec import json, structs

from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import SearchReply
from edgar_search.search.counts import count_matches
from edgar_search.search.criteria import DocumentCriteria, DocumentSearch
from edgar_search.search.language import Node
from edgar_search.search.query.body import CikLists, ScoredQuery, document_query, page_body
from edgar_search.search.query.matching import Clause
from edgar_search.search.query.operands import RelaxedQuery, at_least, choose_level, levels, relax
from edgar_search.search.query.scoring import (
    MAX_WORDS,
    form_weights,
    leaves_with_forms,
    patterns,
    rewritten_wildcard,
    weigh_forms,
)
from edgar_search.text.words import tokens

H = TypeVar("H")

_MOST_REMEMBERED = 10_000
_LIFETIME = 60.0  # seconds


class Ranked(NamedTuple, Generic[H]):
    """A window of hits in their order; `total` counts all that match."""

    total: int
    hits: list[H]


class Ranking:
    """The ranking of a worker: up to `few` matches score by proximity too.

    It remembers queries with more, and broad wildcards, to ask less.
    """

    def __init__(self, few: int) -> None:
        self.few = few
        self._widths = WildcardWidths()
        self._weights: TTLCache[Node, list[float]] = TTLCache(_MOST_REMEMBERED, _LIFETIME)
        # Hashes of queries with many matches; a wrong one costs only a request.
        self._many: FIFOCache[int, None] = FIFOCache(_MOST_REMEMBERED)

    async def find_broad_wildcards(self, engine: Engine, node: Node | None) -> frozenset[str]:
        """Find the wildcards of a query that match too many words to score by them."""
        if node is None or not (wildcards := patterns(node)):
            return frozenset()
        return await self._widths.find_broad(engine, wildcards)

    async def find_weights(self, engine: Engine, node: Node | None) -> list[float]:
        """Find how much each form of the words of a query counts, by how rare it is.

        One engine request for a query with forms that nobody asked within a minute.
        """
        words = leaves_with_forms(node) if node else []
        if node is None or not words:
            return []
        known = self._weights.get(node)
        if known is None:
            texts = (text for word in words for text in (word.text, *word.alternatives))
            found = dict.fromkeys(token for text in texts for token in tokens(text))
            terms: list[Clause] = [{"term": {"text": token}} for token in found]
            clauses = [{"match_all": {}}, *terms]
            documents, *counts = await count_matches(engine, "documents", clauses)
            known = form_weights(node, dict(zip(found, counts, strict=True)), documents)
            self._weights[node] = known
        return known

    async def find_page(
        self,
        engine: Engine,
        scored: ScoredQuery,
        search: DocumentSearch,
        fields: Sequence[Any],
        hit: type[H],
    ) -> Ranked[H]:
        """The window of a search.

        One engine request; two if it turns out that more match than `few`, or no longer do.
        """

        def body(query: Clause) -> Clause:
            return page_body(query, search, fields)

        reply, _ = await self.rank(engine, scored, body, hit)
        return Ranked(reply.total, reply.hits.hits)

    async def rank(
        self,
        engine: Engine,
        scored: ScoredQuery,
        body: Callable[[Clause], Clause],
        hit: type[H],
        close: bool | None = None,
    ) -> tuple[SearchReply[H], bool]:
        """Rank the matches; return the reply, and True if proximity scores.

        `close` says so if it was decided before; None decides it by the total, which the body
        must ask for.
        """

        async def ask(query: Clause, **more: int) -> SearchReply[H]:
            return await engine.search("documents", body(query) | more, hit)

        if scored.proximity is None or not self.few or not body(scored.query)["size"]:
            return await ask(scored.query), False
        if close is not None:
            return await ask(scored.clause(close)), close
        mark = hash(json.encode(scored.query))
        if mark in self._many:
            plain = await ask(scored.query)
            if plain.total > self.few:
                return plain, False
            self._many.pop(mark, None)
        # It costs as much as this many documents, however many match.
        few = await ask(scored.clause(True), terminate_after=self.few + 1)
        if not few.terminated_early and few.total <= self.few:
            return few, True
        self._many[mark] = None
        return await ask(scored.query), False


class WildcardWidths:
    """Answers to whether a wildcard is too wide, remembered for a minute."""

    def __init__(self, timer: Callable[[], float] = monotonic) -> None:
        self._known: TTLCache[str, bool] = TTLCache(_MOST_REMEMBERED, _LIFETIME, timer)

    async def find_broad(self, engine: Engine, wildcards: Collection[str]) -> frozenset[str]:
        """Return those that stand for more than MAX_WORDS words in some shard.

        One engine request for each that is not known.
        """
        known = {each: self._known.get(each) for each in wildcards}
        unknown = [each for each, broad in known.items() if broad is None]
        broad = await asyncio.gather(*(_is_broad(engine, pattern) for pattern in unknown))
        answers = dict(zip(unknown, broad, strict=True))
        self._known.update(answers)
        return frozenset(each for each, broad in (known | answers).items() if broad)


async def _is_broad(engine: Engine, pattern: str) -> bool:
    clause = rewritten_wildcard(pattern, f"top_terms_{MAX_WORDS + 1}")
    # Words have no blanks: Elasticsearch names each that the wildcard stands for, `text:` before.
    return any(
        len(text.split()) > MAX_WORDS for text in await engine.rewrite_query("documents", clause)
    )


async def relax_search(
    engine: Engine, criteria: DocumentCriteria, ciks: CikLists
) -> RelaxedQuery | None:
    """Find how many operands documents may lack so that ten have the others, if ten do.

    One engine request for a query of three operands or more; None for one that is not relaxed.
    """
    node = relax(criteria.query)
    if node is None:
        return None
    numbers = levels(node)
    if len(numbers) == 1:
        return RelaxedQuery(node, numbers[0])
    among = structs.replace(criteria, query=None, all_documents=True)
    clauses = [at_least(node, number) for number in numbers]
    counts = await count_matches(engine, "documents", clauses, document_query(among, ciks))
    return RelaxedQuery(node, choose_level(numbers, counts))


def weigh_search(search: DocumentSearch, weights: Sequence[float]) -> DocumentSearch:
    """Return the search whose query has these weights of its forms, in its order."""
    node = search.criteria.query
    if node is None or not weights:
        return search
    criteria = structs.replace(search.criteria, query=weigh_forms(node, iter(weights)))
    return structs.replace(search, criteria=criteria)
