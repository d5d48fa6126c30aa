"""Made queries over the real corpus: one `query_string` against structured clauses.

Clauses that only score are beside either: scores are compared without them, totals with them too.
"""

import asyncio
import os
from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, given, seed
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.engine.replies import Hits
from edgar_search.search.language import Node, QueryError, parse
from edgar_search.search.query import matching
from edgar_search.search.query.proximity import proximity_clause
from edgar_search.search.query.scoring import patterns, scoring_clauses_with_wildcards
from edgar_search.search.ranking import WildcardWidths
from edgar_search.search.snippets.passages import passages_body
from edgar_search.settings import Settings
from tests.oracle.queries import trees
from tests.oracle.texts import Texts
from tests.oracle.tree import Tree, query_text
from tests.support import structured_clauses

SEED = int(os.environ.get("EDGAR_SEARCH_TEST_SEED", "20261120"))
PAGE = 20
WITH_SNIPPETS = 5
BATCH = 25
PARTS, PART = 10, 1_000
_SNIPPETS = (
    (matching.snippet_clauses, structured_clauses.snippet_clauses),
    (matching.word_clauses, structured_clauses.word_clauses),
)

Body = dict[str, Any]


def made_queries(texts: Texts, count: int) -> dict[str, Node]:
    """Return this many queries, each once, and their trees."""
    made: dict[str, Node] = {}

    @seed(SEED)
    @hypothesis_settings(
        # Some are made twice; some are too long or have too many wildcards.
        max_examples=2 * count,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(trees(texts), st.booleans())
    def make(tree: Tree, implied: bool) -> None:
        if len(made) == count:
            return
        query = query_text(tree, implied)
        try:
            made[query] = parse(query)
        except QueryError:
            return

    make()
    assert len(made) == count
    return made


def check(settings: Settings, queries: Sequence[tuple[str, Node]]) -> None:
    """Compare the pages and the best passages of these queries."""
    print(f"EDGAR_SEARCH_TEST_SEED={SEED}")
    asyncio.run(_compare(settings, queries))


@pytest.fixture(scope="module")
def ten_thousand(texts: Texts) -> list[tuple[str, Node]]:
    """Ten thousand made queries."""
    return list(made_queries(texts, PARTS * PART).items())


def test_query_string_answers_as_structured_clauses_do(settings: Settings, texts: Texts) -> None:
    check(settings, list(made_queries(texts, 80).items()))


# In parts, since one test of them all takes longer on a busy machine than any test may.
@pytest.mark.long
@pytest.mark.parametrize("part", range(PARTS))
def test_ten_thousand_query_strings_answer_as_structured_clauses_do(
    settings: Settings, ten_thousand: list[tuple[str, Node]], part: int
) -> None:
    check(settings, ten_thousand[part * PART : (part + 1) * PART])


async def _compare(settings: Settings, queries: Sequence[tuple[str, Node]]) -> None:
    engine = Engine.from_settings(msgspec.structs.replace(settings, es_timeout=60.0))
    try:
        for start in range(0, len(queries), BATCH):
            await _compare_batch(engine, queries[start : start + BATCH])
    finally:
        await engine.close()


async def _compare_batch(engine: Engine, batch: Sequence[tuple[str, Node]]) -> None:
    """Totals, and all that is answered of a page and of its first best passages."""
    ours = [_page_body(matching.document_clause(tree)) for _, tree in batch]
    reference = [_page_body(structured_clauses.document_clause(tree)) for _, tree in batch]
    names = [query for query, _ in batch]
    pages = await _same_answers(engine, "documents", names, ours, reference)
    await _same_totals_with_what_scores(engine, batch, pages)
    for making, reference_making in _SNIPPETS:
        shown = [
            (query, tree, [hit["fields"]["document_id"][0] for hit in page.hits[:WITH_SNIPPETS]])
            for (query, tree), page in zip(batch, pages, strict=True)
            if page.hits
        ]
        ours = [passages_body(making(tree), ids) for _, tree, ids in shown]
        reference = [passages_body(reference_making(tree), ids) for _, tree, ids in shown]
        names = [query for query, _, _ in shown]
        await _same_answers(engine, "passages", names, ours, reference)


async def _same_totals_with_what_scores(
    engine: Engine, batch: Sequence[tuple[str, Node]], pages: Sequence[Hits[Any]]
) -> None:
    """Closeness and the words of wildcards change no total; wide ones are not errors."""
    widths = WildcardWidths()
    bodies = []
    for _, tree in batch:
        broad = await widths.find_broad(engine, patterns(tree))
        closeness = proximity_clause(tree, broad)
        should = [*scoring_clauses_with_wildcards(tree, broad), *([closeness] if closeness else [])]
        scored = {"bool": {"must": [matching.document_clause(tree)], "should": should}}
        bodies.append(_page_body(scored))
    replies = await engine.search_many("documents", bodies, dict)
    for (query, _), page, reply in zip(batch, pages, replies, strict=True):
        assert reply.hits.total == page.total, query


async def _same_answers(
    engine: Engine, kind: Kind, queries: list[str], ours: list[Body], reference: list[Body]
) -> list[Hits[Any]]:
    found = [reply.hits for reply in await engine.search_many(kind, ours, dict)]
    wanted = [reply.hits for reply in await engine.search_many(kind, reference, dict)]
    for query, one, other in zip(queries, found, wanted, strict=True):
        assert one == other, query
    return found


def _page_body(clause: Body) -> Body:
    return {
        "query": {"bool": {"must": [clause]}},
        "size": PAGE,
        "sort": [{"_score": "desc"}, {"document_id": "asc"}],
        "track_total_hits": True,
        "stored_fields": "_none_",
        "docvalue_fields": ["document_id"],
    }
