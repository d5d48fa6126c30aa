"""The requests that a page takes, by the number of matches."""

from typing import Any, cast

import pytest

from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import Hits, SearchReply, ShardCounts, Total
from edgar_search.search import ranking
from edgar_search.search.criteria import DocumentCriteria, DocumentSearch, Window
from edgar_search.search.query.body import ScoredQuery
from edgar_search.search.ranking import Ranking
from edgar_search.search.results import DocumentHit

pytestmark = pytest.mark.anyio
SEARCH = DocumentSearch(DocumentCriteria(None), Window(0, 20))
QUERY: dict[str, Any] = {"match_all": {}}
CLOSENESS: dict[str, Any] = {"match_none": {}}


class Counting:
    """An engine in which this many match; it says by which requests it was asked."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.asked: list[str] = []

    async def search(self, kind: str, body: dict[str, Any], *_: Any, **__: Any) -> Any:
        most = body.get("terminate_after")
        self.asked.append("plain" if most is None else f"close {most}")
        early = most is not None and self.total > most
        found: Hits[Any] = Hits([], Total(self.total, "gte" if early else "eq"))
        return SearchReply(False, ShardCounts(1, 0), found, terminated_early=early)


async def asked(
    engine: Counting, ranks: Ranking, question: ScoredQuery, rows: int = 20
) -> list[str]:
    """Return the requests of one page."""
    engine.asked.clear()
    search = DocumentSearch(SEARCH.criteria, Window(0, rows))
    page = await ranks.find_page(cast(Engine, engine), question, search, [], DocumentHit)
    assert page.total == engine.total
    return list(engine.asked)


@pytest.mark.parametrize(
    ("total", "expected"),
    [
        (0, ["close 11"]),
        (10, ["close 11"]),
        (11, ["close 11", "plain"]),
        (500, ["close 11", "plain"]),
    ],
)
async def test_requests_by_the_total(total: int, expected: list[str]) -> None:
    assert await asked(Counting(total), Ranking(10), ScoredQuery(QUERY, CLOSENESS)) == expected


async def test_that_many_match_is_remembered_until_they_do_not() -> None:
    engine, ranks, question = Counting(11), Ranking(10), ScoredQuery(QUERY, CLOSENESS)
    await asked(engine, ranks, question)
    assert await asked(engine, ranks, question) == ["plain"]
    engine.total = 10
    assert await asked(engine, ranks, question) == ["plain", "close 11"]
    assert await asked(engine, ranks, question) == ["close 11"]


@pytest.mark.parametrize(
    ("few", "question", "rows"),
    [
        (0, ScoredQuery(QUERY, CLOSENESS), 20),
        (10, ScoredQuery(QUERY), 20),
        (10, ScoredQuery(QUERY, CLOSENESS), 0),
    ],
)
async def test_nothing_is_looked_for_close(few: int, question: ScoredQuery, rows: int) -> None:
    assert await asked(Counting(3), Ranking(few), question, rows) == ["plain"]


async def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "_MOST_REMEMBERED", 2)
    engine, ranks = Counting(11), Ranking(10)
    for number in range(5):
        await asked(engine, ranks, ScoredQuery({"match": {"text": str(number)}}, CLOSENESS))
    assert len(ranks._many) == 2
