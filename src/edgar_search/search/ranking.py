"""The order of documents: by their words and, if few match, by proximity too.

Visiting all positions of words takes time in proportion to the matching documents, so proximity is
left out if more match than a setting allows; the total alone decides, so that all pages share one
order. Documents with any operand of a query are many, so only the first ones are scored by it.
"""

import asyncio
from collections.abc import Callable, Collection, Sequence
from time import monotonic
from typing import Any, Generic, NamedTuple, TypeVar

from cachetools import FIFOCache, TTLCache
from msgspec import Struct, field, json, structs

from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import Bucket, SearchReply, decode
from edgar_search.search.counts import count_matches
from edgar_search.search.criteria import DocumentSearch, Window
from edgar_search.search.language import Node
from edgar_search.search.query.body import FIRST, ScoredQuery, page_body
from edgar_search.search.query.matching import Clause
from edgar_search.search.query.scoring import (
    MAX_WORDS,
    form_weights,
    leaves_with_forms,
    patterns,
    rewritten_wildcard,
    weigh_forms,
)
from edgar_search.search.results import DocumentHit
from edgar_search.text.words import tokens

H = TypeVar("H")
D = TypeVar("D", bound=DocumentHit)

_MOST_REMEMBERED = 10_000
_LIFETIME = 60.0  # seconds
# The name under which a reply counts the documents with all operands.
_WHOLE = "whole"


class Ranked(NamedTuple, Generic[H]):
    """A window of ordered hits; `total` counts all matches.

    `whole` counts the hits with all operands, if others match too; `close` is true if proximity
    scored.
    """

    total: int
    hits: list[H]
    whole: int | None = None
    close: bool = False


class _Id(Struct):
    document_id: list[str]


class _Closeness(Struct):
    """A document, and how close together the words of a query are in it."""

    fields: _Id
    score: float = field(name="_score")


class Ranking:
    """The ranking of a worker: up to `few` matches are scored by proximity too.

    It caches broad wildcards, and which queries have more matches, to make fewer requests.
    """

    def __init__(self, few: int) -> None:
        self.few = few
        self._widths = WildcardWidths()
        self._weights: TTLCache[Node, list[float]] = TTLCache(_MOST_REMEMBERED, _LIFETIME)
        # Hashes of queries with many matches; a collision costs only a request.
        self._many: FIFOCache[int, None] = FIFOCache(_MOST_REMEMBERED)

    async def find_broad_wildcards(self, engine: Engine, node: Node | None) -> frozenset[str]:
        """Find the wildcards of a query that match too many words to be scored by them."""
        if node is None or not (wildcards := patterns(node)):
            return frozenset()
        return await self._widths.find_broad(engine, wildcards)

    async def find_weights(self, engine: Engine, node: Node | None) -> list[float]:
        """Find how much each form of a query's words counts, by its rarity.

        Makes one engine request for a query with forms that was not asked within a minute.
        """
        words = leaves_with_forms(node) if node else []
        if node is None or not words:
            return []
        known = self._weights.get(node)
        if known is None:
            texts = (text for word in words for text in (word.text, *word.alternatives))
            distinct = dict.fromkeys(token for text in texts for token in tokens(text))
            terms: list[Clause] = [{"term": {"text": token}} for token in distinct]
            clauses = [{"match_all": {}}, *terms]
            documents, *counts = await count_matches(engine, "documents", clauses)
            known = form_weights(node, dict(zip(distinct, counts, strict=True)), documents)
            self._weights[node] = known
        return known

    async def find_page(
        self,
        engine: Engine,
        scored: ScoredQuery,
        search: DocumentSearch,
        fields: Sequence[Any],
        hit: type[D],
    ) -> Ranked[D]:
        """Find the window of a search.

        Makes one engine request; two if the number of matches turns out to be on the other side of
        `few`, or for the first documents with any operand.
        """

        def body(query: Clause, window: Window) -> Clause:
            return page_body(query, structs.replace(search, window=window), fields)

        if scored.whole is not None:
            return await self.find_any(
                engine, scored, body, search.window, hit, scored.is_near(search.window.start)
            )
        reply, close = await self.rank(
            engine, scored, lambda query: body(query, search.window), hit
        )
        return Ranked(reply.total, reply.hits.hits, close=close)

    async def find_any(
        self,
        engine: Engine,
        scored: ScoredQuery,
        body: Callable[[Clause, Window], Clause],
        window: Window,
        hit: type[D],
        near: bool,
    ) -> Ranked[D]:
        """Find a window of the documents with any operand; `body` builds the request for a query.

        `near` is true if the window begins among the first ones (`ScoredQuery.is_near`), which are
        ordered and scored by proximity. They keep their earlier sort values, by which the documents
        after the last of them are found.
        """
        first_window = Window(0, max(window.end, FIRST)) if near else window
        # All are always counted: otherwise Lucene skips some, and adds up the scores of the others
        # in another order, so that the last digit differs.
        counted = {"track_total_hits": True, "aggs": {_WHOLE: {"filter": scored.whole}}}
        request = body(scored.query, first_window) | counted
        reply = await engine.search("documents", request, hit)
        hits = reply.hits.hits
        if near and scored.proximity is not None:
            hits = [*await _closest(engine, scored.proximity, hits[:FIRST]), *hits[FIRST:]]
            hits = hits[window.start : window.end]
        whole_number = decode(bytes(reply.aggregations), dict[str, Bucket])[_WHOLE].count
        return Ranked(reply.total, hits, whole_number, near)

    async def rank(
        self,
        engine: Engine,
        scored: ScoredQuery,
        body: Callable[[Clause], Clause],
        hit: type[H],
        close: bool | None = None,
    ) -> tuple[SearchReply[H], bool]:
        """Rank the matches; return the reply, and True if proximity scored.

        `close` is the decision made for an earlier page; None decides by the total, which the body
        must request.
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
    """Finds out whether wildcards are too wide, and caches the answers for a minute."""

    def __init__(self, timer: Callable[[], float] = monotonic) -> None:
        self._known: TTLCache[str, bool] = TTLCache(_MOST_REMEMBERED, _LIFETIME, timer)

    async def find_broad(self, engine: Engine, wildcards: Collection[str]) -> frozenset[str]:
        """Return the wildcards that match more than MAX_WORDS words in some shard.

        Makes one engine request for each that is not cached.
        """
        known = {wildcard: self._known.get(wildcard) for wildcard in wildcards}
        unknown = [text for text, broad in known.items() if broad is None]
        broad = await asyncio.gather(*(_is_broad(engine, pattern) for pattern in unknown))
        answers = dict(zip(unknown, broad, strict=True))
        self._known.update(answers)
        return frozenset(text for text, broad in (known | answers).items() if broad)


async def _is_broad(engine: Engine, pattern: str) -> bool:
    clause = rewritten_wildcard(pattern, f"top_terms_{MAX_WORDS + 1}")
    # Words contain no blanks: Elasticsearch lists each word that the wildcard matches, after
    # `text:`.
    return any(
        len(text.split()) > MAX_WORDS for text in await engine.rewrite_query("documents", clause)
    )


async def _closest(engine: Engine, proximity: Clause, hits: Sequence[D]) -> list[D]:
    """Order the hits by their scores, raised by proximity."""
    if len(hits) < 2:
        return list(hits)
    ids = [hit.document_id for hit in hits]
    body = {
        "query": {"bool": {"filter": [{"terms": {"document_id": ids}}], "should": [proximity]}},
        "size": len(ids),
        "track_total_hits": False,
        "stored_fields": "_none_",
        "docvalue_fields": ["document_id"],
    }
    filed = [hit.filed for hit in hits]
    # Proximity scores do not depend on the rarity of words.
    reply = await engine.search("documents", body, _Closeness, filed=filed, per_partition=True)
    gains = {scored.fields.document_id[0]: scored.score for scored in reply.hits.hits}
    for hit in hits:
        hit.score += gains.get(hit.document_id, 0.0)
    sorts = [hit.sort for hit in hits]
    closest = sorted(hits, key=lambda hit: -hit.score)
    for hit, sort in zip(closest, sorts, strict=True):
        hit.sort = sort
    return closest


def weigh_search(search: DocumentSearch, weights: Sequence[float]) -> DocumentSearch:
    """Set the weights of the word forms in the query of a search, in order."""
    node = search.criteria.query
    if node is None or not weights:
        return search
    criteria = structs.replace(search.criteria, query=weigh_forms(node, iter(weights)))
    return structs.replace(search, criteria=criteria)
