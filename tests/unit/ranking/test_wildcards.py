"""Wildcards that are scored as words, and the memory of them."""

from collections.abc import Mapping
from typing import Any, cast

import pytest

from edgar_search.engine.engine import Engine
from edgar_search.search import ranking
from edgar_search.search.language import parse
from edgar_search.search.query.scoring import MAX_WORDS, patterns, scoring_clauses_with_wildcards
from edgar_search.search.ranking import WildcardWidths

pytestmark = pytest.mark.anyio


class Explaining:
    """An engine that says what each pattern stands for in each of its shards."""

    def __init__(self, shards: Mapping[str, list[int]]) -> None:
        self._shards = shards
        self.asked: list[str] = []

    async def rewrite_query(self, kind: str, query: dict[str, Any]) -> list[str]:
        pattern = query["wildcard"]["text"]["value"]
        self.asked.append(pattern)
        return [" ".join(["text:word"] * count) for count in self._shards[pattern]]


async def test_wide_is_more_words_than_the_bound_in_some_shard() -> None:
    counts = {"a*": [MAX_WORDS, MAX_WORDS], "b*": [3, MAX_WORDS + 1], "c*": [0]}
    engine = cast(Engine, Explaining(counts))
    assert await WildcardWidths().find_broad(engine, list(counts)) == {"b*"}


async def test_nothing_is_asked_without_wildcards() -> None:
    engine = Explaining({})
    assert await WildcardWidths().find_broad(cast(Engine, engine), []) == frozenset()
    assert engine.asked == []


async def test_answer_is_remembered_for_a_minute() -> None:
    now = 0.0
    engine, widths = Explaining({"abc*": [1], "abd*": [1]}), WildcardWidths(lambda: now)
    for later, pattern in ((1.0, "abc*"), (49.0, "abc*"), (0.0, "abd*"), (12.0, "abc*")):
        now += later
        await widths.find_broad(cast(Engine, engine), [pattern])
    assert engine.asked == ["abc*", "abd*", "abc*"]


async def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "_MOST_REMEMBERED", 2)
    engine, widths = Explaining({f"a{n}b*": [1] for n in range(9)}), WildcardWidths()
    for number in range(9):
        await widths.find_broad(cast(Engine, engine), [f"a{number}b*"])
        assert len(widths._known) <= 2


def test_wildcards_that_are_wanted_each_once() -> None:
    assert patterns(parse("abc* (x1 OR abd*) abc* NOT abe*")) == ["abc*", "abd*"]


def test_scores_of_those_that_are_not_too_wide() -> None:
    value = {"value": "abd*", "rewrite": "top_terms_128"}
    assert scoring_clauses_with_wildcards(parse("abc* abd*"), {"abc*"}) == [
        {"wildcard": {"text": value}}
    ]
