"""Documents in their order: by what matches, and where few match also by what stands close.

To look at all places of words takes as long as there are documents that match. So it is not done
where more match than a setting says; the total alone decides, so that all pages are in one order.
"""

from collections.abc import Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from msgspec import json

from edgar_search.engine.engine import Engine
from edgar_search.search.bodies.documents import page_body
from edgar_search.search.clauses import Clause
from edgar_search.search.criteria import DocumentSearch
from edgar_search.search.hits import DocumentHit
from edgar_search.search.wildcards import WildcardWidths

H = TypeVar("H", bound=DocumentHit)

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
        self._many: dict[int, None] = {}

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

        async def plain() -> Ranked[H]:
            body = page_body(question.query, search, fields)
            reply = await engine.search("documents", body, hit, account=account)
            return Ranked(reply.total, reply.hits.hits)

        async def close() -> Ranked[H] | None:
            body = page_body(_closer(question), search, fields)
            # It costs no more than so many documents do, however many match.
            body["terminate_after"] = self.few + 1
            reply = await engine.search("documents", body, hit, account=account)
            if reply.terminated_early or reply.total > self.few:
                return None
            return Ranked(reply.total, reply.hits.hits)

        if question.closeness is None or not self.few or not search.window.size:
            return await plain()
        mark = hash(json.encode(question.query))
        if mark in self._many:
            found = await plain()
            if found.total > self.few:
                return found
            self._many.pop(mark, None)
        closest = await close()
        if closest is not None:
            return closest
        self._remember(mark)
        return await plain()

    def _remember(self, mark: int) -> None:
        """Remember a query that many match; to be wrong about it costs a request, no more."""
        if len(self._many) >= _MOST_REMEMBERED:
            del self._many[next(iter(self._many))]
        self._many[mark] = None


def _closer(question: Question) -> Clause:
    return {"bool": {"must": [question.query], "should": [question.closeness]}}
