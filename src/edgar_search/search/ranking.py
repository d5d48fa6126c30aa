"""Documents in their order: by what matches, and where few match also by what stands close.

To look at all places of words takes as long as there are documents that match. So it is not done
where more match than a setting says; the total alone decides, so that all pages are in one order.
"""

from collections.abc import Callable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from cachetools import FIFOCache
from msgspec import json

from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import SearchReply
from edgar_search.search.criteria import DocumentSearch
from edgar_search.search.query.body import page_body
from edgar_search.search.query.matching import Clause
from edgar_search.search.query.scoring import WildcardWidths

H = TypeVar("H")

_MOST_REMEMBERED = 10_000


class Question(NamedTuple):
    """What matches and scores, and what scores once more where few match."""

    query: Clause
    closeness: Clause | None = None


class Ranked(NamedTuple, Generic[H]):
    """A window of hits in their order; `total` counts all that match."""

    total: int
    hits: list[H]


class Ranking:
    """How a worker ranks: up to `few` matches by closeness, and what it remembers to ask less."""

    def __init__(self, few: int) -> None:
        self.few = few
        self.widths = WildcardWidths()
        # Hashes of queries that many match; to be wrong about one costs a request, no more.
        self._many: FIFOCache[int, None] = FIFOCache(_MOST_REMEMBERED)

    async def page(
        self,
        engine: Engine,
        question: Question,
        search: DocumentSearch,
        fields: Sequence[Any],
        hit: type[H],
        account: str,
    ) -> Ranked[H]:
        """The window of a search.

        One engine request; two where it turns out that more match than `few`, or no longer do.
        """

        def body(query: Clause) -> Clause:
            return page_body(query, search, fields)

        reply, _ = await self.decided(engine, question, body, hit, account)
        return Ranked(reply.total, reply.hits.hits)

    async def decided(
        self,
        engine: Engine,
        question: Question,
        body: Callable[[Clause], Clause],
        hit: type[H],
        account: str,
        close: bool | None = None,
    ) -> tuple[SearchReply[H], bool]:
        """The reply to the body of what matches and scores, and whether closeness scores.

        `close` says so where it was decided before; None decides it by the total, which the body
        must ask for.
        """

        async def ask(query: Clause, **more: int) -> SearchReply[H]:
            return await engine.search("documents", body(query) | more, hit, account=account)

        if question.closeness is None or not self.few or not body(question.query)["size"]:
            return await ask(question.query), False
        if close is not None:
            return await ask(scored_query(question, close)), close
        mark = hash(json.encode(question.query))
        if mark in self._many:
            plain = await ask(question.query)
            if plain.total > self.few:
                return plain, False
            self._many.pop(mark, None)
        # It costs no more than so many documents do, however many match.
        few = await ask(scored_query(question, True), terminate_after=self.few + 1)
        if not few.terminated_early and few.total <= self.few:
            return few, True
        self._many[mark] = None
        return await ask(question.query), False


def scored_query(question: Question, close: bool) -> Clause:
    """What matches and scores, with closeness where it was decided so."""
    if not close:
        return question.query
    return {"bool": {"must": [question.query], "should": [question.closeness]}}
