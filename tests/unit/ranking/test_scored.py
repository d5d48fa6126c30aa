"""Searches that need the counts of all shards, and others."""

from typing import Any

import pytest

from edgar_search.engine.targets import SearchLimits, is_scored

WORD = {"query_string": {"query": "moss"}}
FILTER = {"bool": {"filter": [WORD]}}


@pytest.mark.parametrize(
    ("body", "scored"),
    [
        ({"query": WORD}, True),
        ({"query": {"bool": {"must": [FILTER, WORD]}}}, True),
        ({"query": {"bool": {"must": WORD}}}, True),
        ({"query": {"bool": {"should": [WORD], "filter": []}}, "sort": [{"_score": "asc"}]}, True),
        ({"query": WORD, "sort": ["_doc"], "track_scores": True}, True),
        ({"query": WORD, "size": 0, "aggs": {"a": {"aggs": {"b": {"top_hits": {}}}}}}, True),
        ({"query": WORD, "size": 0, "aggs": {"a": {"terms": {}}}}, False),
        ({"query": WORD, "size": 0}, False),
        ({"query": WORD, "sort": [{"number": "asc"}], "track_scores": False}, False),
        ({"query": FILTER}, False),
        ({"query": {"bool": {"must": [{"match_all": {}}], "must_not": [WORD]}}}, False),
        ({"query": {"terms": {"document_id": ["a"]}}}, False),
        ({"suggest": {}, "size": 0}, False),
    ],
)
def test_scores_matter_where_the_answer_shows_them_or_goes_by_them(
    body: dict[str, Any], scored: bool
) -> None:
    assert is_scored(body) is scored


def test_scores_that_are_apart_need_no_counts_of_other_partitions() -> None:
    def asks_twice(partitions: dict[str, int], *, per_partition: bool) -> bool:
        limits = SearchLimits(sum(partitions.values()), 10_000, partitions=partitions)
        return "search_type" in limits.options("", per_partition=per_partition)

    assert asks_twice({"2020": 1, "2021": 1}, per_partition=False)
    assert not asks_twice({"2020": 1, "2021": 1}, per_partition=True)
    assert asks_twice({"2020": 1, "2021": 2}, per_partition=True)
    assert asks_twice({"all": 3}, per_partition=True)
