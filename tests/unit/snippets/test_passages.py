"""Bodies for passages and sections, whole."""

from edgar_search.search.filings import sections_body
from edgar_search.search.language import Word
from edgar_search.search.query.matching import document_clause
from edgar_search.search.snippets.openings import beginnings_body, openings_body
from edgar_search.search.snippets.passages import (
    counted_passages_body,
    passages_body,
    top_passages_body,
)


def test_body_for_passages() -> None:
    clause = document_clause(Word("goodwill", 1))
    matching = {"bool": {"should": [clause], "minimum_should_match": 1}}
    preferred = {"constant_score": {"filter": clause, "boost": 2}}
    assert passages_body([clause], ["x-1", "x-2"], [preferred]) == {
        "query": {
            "bool": {
                "filter": [{"terms": {"document_id": ["x-1", "x-2"]}}],
                "must": [matching],
                "should": [preferred],
            }
        },
        "collapse": {"field": "document_id"},
        "size": 2,
        "sort": [{"_score": "desc"}, {"number": "asc"}],
        "track_total_hits": False,
        "_source": False,
        "docvalue_fields": ["document_id", "number"],
        "highlight": {
            "type": "unified",
            "number_of_fragments": 0,
            "pre_tags": ["\ufdd0"],
            "post_tags": ["\ufdd1"],
            "fields": {"text": {}},
            "highlight_query": matching,
        },
    }


def test_body_for_several_passages_of_each_document() -> None:
    body = passages_body([document_clause(Word("goodwill", 1))], ["x-1", "x-2"])
    several = top_passages_body(body, 3)
    assert several == {
        **{name: value for name, value in body.items() if name != "highlight"},
        "collapse": {
            "field": "document_id",
            "inner_hits": {
                "name": "several",
                "size": 3,
                "sort": [{"_score": "desc"}, {"number": "asc"}],
                "version": True,
                "_source": False,
                "docvalue_fields": ["document_id", "number", "start"],
                "highlight": body["highlight"],
            },
        },
    }


def test_body_for_the_best_passage_of_each_document_and_their_numbers() -> None:
    body = passages_body([document_clause(Word("goodwill", 1))], ["x-1", "x-2"])
    numbers = {"field": "document_id", "size": 2, "execution_hint": "map"}
    assert counted_passages_body(body) == {
        **body,
        "version": True,
        "docvalue_fields": ["document_id", "number", "start"],
        "aggs": {"counts": {"terms": numbers}},
    }


def test_beginnings_are_the_first_passages() -> None:
    assert beginnings_body({"0000320193-24-000001-1": 1, "0000320193-24-000001-2": 2}) == {
        "query": {
            "ids": {
                "values": [
                    "0000320193-24-000001-1#0",
                    "0000320193-24-000001-2#0",
                    "0000320193-24-000001-2#1",
                ]
            }
        },
        "size": 3,
        "sort": ["_doc"],
        "track_total_hits": False,
    }


def test_openings_are_the_first_passages_and_those_that_name_an_item() -> None:
    assert openings_body(["0000320193-24-000001-1"], ["5.02"]) == {
        "query": {
            "bool": {
                "should": [
                    {"ids": {"values": ["0000320193-24-000001-1#0"]}},
                    {
                        "bool": {
                            "filter": [{"terms": {"document_id": ["0000320193-24-000001-1"]}}],
                            "should": [
                                {"match_phrase": {"text": "item 5.02"}},
                                {"match_phrase": {"text": "items 5.02"}},
                            ],
                            "minimum_should_match": 1,
                        }
                    },
                ]
            }
        },
        "size": 7,
        "sort": [{"number": "asc"}],
        "track_total_hits": False,
    }


def test_openings_without_items_are_the_first_passages() -> None:
    assert openings_body(["0000320193-24-000001-1"], []) == {
        "query": {"ids": {"values": ["0000320193-24-000001-1#0"]}},
        "size": 1,
        "sort": ["_doc"],
        "track_total_hits": False,
    }


def test_body_for_sections() -> None:
    assert sections_body("document_id", "0000320193-24-000001-1") == {
        "query": {"bool": {"filter": [{"term": {"document_id": "0000320193-24-000001-1"}}]}},
        "size": 1_000,
        "sort": [{"document_id": "asc"}, {"number": "asc"}],
        "track_total_hits": False,
    }
