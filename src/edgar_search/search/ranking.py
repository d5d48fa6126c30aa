"""Documents in their order: by what matches, and where few match also by what stands close.

To look at all places of words takes as long as there are documents that match. So it is not done
where more match than a setting says; the total alone decides, so that all pages are in one order.
"""

from collections.abc import Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from msgspec import json

from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import SearchReply
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

        async def ask(query: Clause, **more: int) -> SearchReply[H]:
            body = page_body(query, search, fields) | more
            return await engine.search("documents", body, hit, account=account)

        if question.closeness is None or not self.few or not search.window.size:
            return _ranked(await ask(question.query))
        mark = hash(json.encode(question.query))
        if mark in self._many:
            plain = await ask(question.query)
            if plain.total > self.few:
                return _ranked(plain)
            self._many.pop(mark, None)
        # It costs no more than so many documents do, however many match.
        close = await ask(_closer(question), terminate_after=self.few + 1)
        if not close.terminated_early and close.total <= self.few:
            return _ranked(close)
        self._remember(mark)
        return _ranked(await ask(question.query))

    def _remember(self, mark: int) -> None:
        """Remember a query that many match; to be wrong about it costs a request, no more."""
        if len(self._many) >= _MOST_REMEMBERED:
            del self._many[next(iter(self._many))]
        self._many[mark] = None


def _ranked(reply: SearchReply[H]) -> Ranked[H]:
    return Ranked(reply.total, reply.hits.hits)


def _closer(question: Question) -> Clause:
    return {"bool": {"must": [question.query], "should": [question.closeness]}}
