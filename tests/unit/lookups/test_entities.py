"""Bodies for entities and for suggestions of companies, whole."""

from edgar_search.search.criteria import Window
from edgar_search.search.entities import (
    ciks_body,
    entities_body,
    known_entities_body,
    suggestions_body,
)


def test_body_for_entities() -> None:
    assert entities_body([{"a": 1}], Window(5, 7)) == {
        "query": {"bool": {"filter": [{"a": 1}]}},
        "from": 5,
        "size": 2,
        "sort": [{"cik": "asc"}],
        "track_total_hits": True,
    }


def test_body_for_known_entities() -> None:
    assert known_entities_body(["0000000001", "0000000002"]) == {
        "query": {"bool": {"filter": [{"terms": {"cik": ["0000000001", "0000000002"]}}]}},
        "size": 2,
        "sort": [{"cik": "asc"}],
        "track_total_hits": False,
    }


def test_body_for_the_ciks_of_a_filter() -> None:
    assert ciks_body([{"a": 1}]) == {
        "query": {"bool": {"filter": [{"a": 1}]}},
        "size": 65_001,
        "sort": ["_doc"],
        "track_total_hits": False,
        "stored_fields": "_none_",
        "docvalue_fields": ["cik"],
    }


def test_words_are_whole_but_for_the_last() -> None:
    def named(field: str) -> dict[str, object]:
        whole = {"term": {field: {"value": "apple"}}}
        return {"bool": {"filter": [whole, {"prefix": {field: {"value": "comp"}}}]}}

    def of(cik: str, boost: int) -> dict[str, object]:
        return {"constant_score": {"filter": {"terms": {"cik": [cik]}}, "boost": boost}}

    either = [
        of("0000000001", 8),
        {"constant_score": {"filter": named("name.words"), "boost": 2}},
        {"constant_score": {"filter": named("former_names.name.words")}},
    ]
    assert suggestions_body(["apple", "comp"], ["0000000001"], ["0000000002"], 8) == {
        "query": {
            "bool": {
                "must": [{"bool": {"should": either, "minimum_should_match": 1}}],
                "should": [of("0000000002", 4)],
            }
        },
        "size": 8,
        "sort": [{"_score": "desc"}, {"name": "asc"}, {"cik": "asc"}],
        "track_total_hits": True,
    }
