"""Many queries in one request."""

from edgar_search.search.language import parse
from edgar_search.search.matching import MAX_LEAVES, MAX_QUERIES, groups, leaf_count, matching_body
from edgar_search.search.v1_bodies import HIT_FIELDS


def test_each_clause_has_its_number_and_every_document_is_asked_for() -> None:
    one = {"bool": {"must": [{"term": {"text": "a"}}], "filter": []}}
    two = {"bool": {"filter": [{"term": {"first": True}}]}}
    assert matching_body([one, two], ["0009990101-21-000001-1", "0009990101-21-000001-2"]) == {
        "query": {
            "bool": {
                "filter": [
                    {"terms": {"document_id": ["0009990101-21-000001-1", "0009990101-21-000001-2"]}}
                ],
                "should": [
                    {"bool": {"must": [{"term": {"text": "a"}}], "filter": [], "_name": "0"}},
                    {"bool": {"filter": [{"term": {"first": True}}], "_name": "1"}},
                ],
                "minimum_should_match": 0,
            }
        },
        "size": 2,
        "sort": ["_doc"],
        "track_total_hits": False,
        "stored_fields": "_none_",
        "docvalue_fields": HIT_FIELDS,
    }


def test_groups_are_bounded_by_queries_and_by_leaves() -> None:
    assert list(groups([])) == []
    assert list(groups([1] * (MAX_QUERIES + 1))) == [
        range(MAX_QUERIES),
        range(MAX_QUERIES, MAX_QUERIES + 1),
    ]
    assert list(groups([MAX_LEAVES + 1, 1, MAX_LEAVES])) == [range(1), range(1, 2), range(2, 3)]
    assert list(groups([1, 1, 1], most=2)) == [range(2), range(2, 3)]


def test_leaves_are_counted_through_groups() -> None:
    assert leaf_count(None) == 1
    assert leaf_count(parse("a")) == 1
    assert leaf_count(parse('(a OR "b c") dog* NOT e')) == 4
