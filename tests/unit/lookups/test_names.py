"""Texts of names to clauses, whole."""

from typing import Any

import pytest

from edgar_search.search.query.matching import name_clause, part_of_name

BETWEEN = "[^a-zA-Z0-9\u0080-\U0010ffff]"


def part(field: str, pattern: str) -> object:
    return {"wildcard": {field: {"value": pattern, "case_insensitive": True}}}


def pattern(field: str, value: str) -> object:
    return {"regexp": {field: {"value": value, "flags": "INTERSECTION", "case_insensitive": True}}}


def having(word: str) -> str:
    return f"((.*{BETWEEN})?{word}({BETWEEN}.*)?)"


def alternatives(text: str) -> Any:
    return name_clause(text)["bool"]["should"]


def test_one_word_is_a_part_only() -> None:
    parts = [part("name", "*a\\*b*"), part("former_names.name", "*a\\*b*")]
    assert name_clause("a*b") == {
        "bool": {"should": [*parts, *alternatives("a*b")[2:]], "minimum_should_match": 1}
    }
    assert alternatives("Wolf") == [part("name", "*Wolf*"), part("former_names.name", "*Wolf*")]


def test_several_words_are_words_of_one_name_too() -> None:
    assert alternatives("Jeffrey Wolf")[2:] == [
        {"bool": {"filter": [pattern("name", having("Jeffrey")), pattern("name", having("Wolf"))]}},
        pattern("former_names.name", f"{having('Jeffrey')}&{having('Wolf')}"),
    ]


def test_what_patterns_are_made_of_is_a_letter_like_others() -> None:
    (words, _) = alternatives("l.p. fund")[2:]
    assert words["bool"]["filter"][0] == pattern("name", having("l\\.p"))


def test_former_names_are_looked_through_for_three_words_at_most() -> None:
    assert len(alternatives("a b c")) == 4
    assert len(alternatives("a b c d")) == 3


@pytest.mark.parametrize("text", ["a b c d e", "a A", "ab " * 100 + "b", "& -"])
def test_texts_that_are_parts_only(text: str) -> None:
    assert len(alternatives(text)) == 2


def test_part_that_no_name_is_long_enough_for_matches_nothing() -> None:
    assert alternatives("a" * 301) == [{"match_none": {}}, {"match_none": {}}]
    assert part_of_name("b" * 301) == {"match_none": {}}
