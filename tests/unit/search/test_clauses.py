"""The clauses of a tree, whole."""

from typing import Any

import pytest

from edgar_search.search.clauses import document_clause, snippet_clauses, word_clauses
from edgar_search.search.language import Wildcard, parse


def words(text: str, field: str = "text") -> dict[str, Any]:
    return {"match_phrase": {field: {"query": text}}}


def sloppy(text: str, slop: int) -> dict[str, Any]:
    return {"match_phrase": {"text": {"query": text, "slop": slop}}}


def wildcard(pattern: str) -> dict[str, Any]:
    return {"wildcard": {"text": {"value": pattern}}}


def term(token: str) -> dict[str, Any]:
    return {"term": {"text": {"value": token}}}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Goodwill", words("Goodwill")),
        ("10-K/A", words("10-K/A")),
        ('"material weakness"', words("material weakness")),
        ('"material weakness"~3', sloppy("material weakness", 3)),
        ("Impair*", wildcard("impair*")),
        ("wom?n*", wildcard("wom?n*")),
        ("a b", {"bool": {"must": [words("a"), words("b")]}}),
        ("a NOT b", {"bool": {"must": [words("a")], "must_not": [words("b")]}}),
        ("a OR b", {"bool": {"should": [words("a"), words("b")], "minimum_should_match": 1}}),
        (
            '("interest rate" AND swap*) NOT (libor OR x y)',
            {
                "bool": {
                    "must": [words("interest rate"), wildcard("swap*")],
                    "must_not": [
                        {
                            "bool": {
                                "should": [
                                    words("libor"),
                                    {"bool": {"must": [words("x"), words("y")]}},
                                ],
                                "minimum_should_match": 1,
                            }
                        }
                    ],
                }
            },
        ),
    ],
)
def test_document_clause(query: str, expected: dict[str, Any]) -> None:
    assert document_clause(parse(query)) == expected


def test_field_is_the_callers() -> None:
    assert document_clause(parse("a NOT bcd OR c"), "body") == {
        "bool": {
            "should": [
                {"bool": {"must": [words("a", "body")], "must_not": [words("bcd", "body")]}},
                words("c", "body"),
            ],
            "minimum_should_match": 1,
        }
    }
    assert snippet_clauses(parse("a"), "body") == [words("a", "body")]
    assert word_clauses(parse("a"), "body") == [{"term": {"body": {"value": "a"}}}]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("a", [words("a")]),
        ('b "c d"~2 abc* a', [words("b"), sloppy("c d", 2), wildcard("abc*"), words("a")]),
        ("a b a (b OR c)", [words("a"), words("b"), words("c")]),
        ('a "a" "a"~1', [words("a"), sloppy("a", 1)]),
        ("a NOT (b OR c) d", [words("a"), words("d")]),
        ("a NOT (b NOT c)", [words("a")]),
        ("a OR (b NOT c)", [words("a"), words("b")]),
    ],
)
def test_snippet_clauses(query: str, expected: list[dict[str, Any]]) -> None:
    assert snippet_clauses(parse(query)) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Apple", [term("apple")]),
        ('"Material Weakness in"', [term("material"), term("weakness"), term("in")]),
        ('10-K/A "a k"', [term("10"), term("k"), term("a")]),
        ('abc* "a b"', [wildcard("abc*"), term("a"), term("b")]),
        ('a NOT "b c"', [term("a")]),
    ],
)
def test_word_clauses(query: str, expected: list[dict[str, Any]]) -> None:
    assert word_clauses(parse(query)) == expected


def test_backslash_of_a_pattern_is_itself() -> None:
    assert document_clause(Wildcard("ab\\c*", 1)) == wildcard("ab\\\\c*")


def test_operand_that_stands_twice_counts_once() -> None:
    once = {"match_phrase": {"text": {"query": "profit"}}}
    assert document_clause(parse("profit AND profit")) == {"bool": {"must": [once]}}
    either = {"bool": {"should": [once], "minimum_should_match": 1}}
    assert document_clause(parse("profit OR profit")) == either
