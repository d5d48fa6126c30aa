"""Requests to Elasticsearch about values and words, whole."""

from edgar_search.search.counts import matches_body, values_body
from edgar_search.search.warnings.words import similar_words_body


def test_values_of_a_field() -> None:
    assert values_body("form_type") == {
        "size": 0,
        "track_total_hits": False,
        "aggs": {"values": {"terms": {"field": "form_type", "size": 5_000}}},
    }


def test_values_among_some() -> None:
    among = ["0000000001", "0000000002"]
    assert values_body("ciks", among) == {
        "query": {"terms": {"ciks": among}},
        "size": 0,
        "track_total_hits": False,
        "aggs": {"values": {"terms": {"field": "ciks", "size": 2, "include": among}}},
    }


def test_matches() -> None:
    clauses = [{"term": {"text": "a"}}, {"term": {"text": "b"}}]
    assert matches_body(clauses) == {
        "size": 0,
        "track_total_hits": False,
        "aggs": {"matches": {"filters": {"filters": clauses}}},
    }


def test_similar_words() -> None:
    term = {
        "field": "text",
        "analyzer": "keyword",
        "size": 10,
        "max_edits": 2,
        "prefix_length": 1,
        "min_word_length": 4,
    }
    assert similar_words_body(["goodwil", "swpa"]) == {
        "size": 0,
        "track_total_hits": False,
        "suggest": {"0": {"text": "goodwil", "term": term}, "1": {"text": "swpa", "term": term}},
    }
