"""The rules by which two indices search a field otherwise."""

from typing import Any

import pytest

from ingest.upkeep.search_rules import rule_differences


def differences(
    old: dict[str, Any], new: dict[str, Any], *settings: dict[str, Any]
) -> list[tuple[str, str]]:
    mappings = [{"properties": {"text": {"type": "text", **each}}} for each in (old, new)]
    found = rule_differences(*mappings, *(settings or ({}, {})))
    return [(each.effect, str(each)) for each in found]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            {},
            {"type": "match_only_text"},
            ("finds", "type of `text` was text and is match_only_text"),
        ),
        ({}, {"type": "long"}, ("finds", "type of `text` was text and is not set")),
        ({}, {"norms": False}, ("ranks", "norms of `text` was not set and is false")),
        (
            {"similarity": "boolean"},
            {"similarity": "boolean", "analyzer": "english"},
            ("finds", "analyzer.type of `text` was default and is english"),
        ),
        (
            {},
            {"search_analyzer": "simple"},
            ("finds", "search_analyzer.type of `text` was not set and is simple"),
        ),
    ],
)
def test_difference_of_a_field_is_named_with_what_it_may_change(
    old: dict[str, Any], new: dict[str, Any], expected: tuple[str, str]
) -> None:
    assert differences(old, new) == [expected]


@pytest.mark.parametrize(
    "field",
    [{"type": "date", "index": False}, {"type": "long"}, {"type": "object", "enabled": False}],
)
def test_fields_that_are_not_searched_are_not_compared(field: dict[str, Any]) -> None:
    names = {"properties": {"name": {"type": "keyword", "fields": {"words": {"type": "text"}}}}}
    old = {"properties": {"a": field, "names": names}}
    new = {"properties": {"names": {"properties": {"name": {"type": "keyword"}}}}}
    assert [str(difference) for difference in rule_differences(old, new, {}, {})] == [
        "type of `names.name.words` was text and is not set"
    ]


def test_what_changes_no_search_is_no_difference() -> None:
    assert differences({"store": True}, {"store": False, "copy_to": ["other"]}) == []
    written = {"similarity": {"default": {"type": "BM25", "k1": "1.20"}}}
    assert differences({}, {}, {}, written) == []
    added = {"analysis": {"analyzer": {"other": {"tokenizer": "keyword"}}}}
    assert differences({}, {}, {}, added) == []


def test_parts_of_an_analyzer_count_by_what_they_do() -> None:
    def analysis(word: str) -> dict[str, Any]:
        parts = {"gone": {"type": "stop", "stopwords": [word]}}
        own = {"tokenizer": "standard", "filter": ["lowercase", "gone"]}
        return {"analysis": {"filter": parts, "analyzer": {"own": own}}}

    field = {"analyzer": "own"}
    assert differences(field, field, analysis("a"), analysis("a")) == []
    ((effect, text),) = differences(field, field, analysis("a"), analysis("b"))
    assert effect == "finds"
    assert text == (
        'analyzer.filter of `text` was ["lowercase", {"type": "stop", "stopwords": ["a"]}]'
        ' and is ["lowercase", {"type": "stop", "stopwords": ["b"]}]'
    )


def test_fields_with_the_same_difference_stand_together() -> None:
    mapping = {"properties": {"a": {"type": "text"}, "b": {"type": "text"}}}
    similarity = {"similarity": {"default": {"type": "BM25", "k1": "0.9", "b": "0.75"}}}
    (difference,) = rule_differences(mapping, mapping, {}, similarity)
    assert str(difference) == "similarity.k1 of `a`, `b` was 1.2 and is 0.9"
    assert difference.effect == "ranks"
