"""The clauses of a tree, whole."""

from typing import Any

import pytest

from edgar_search.search.language import And, Word, parse
from edgar_search.search.query.matching import document_clause, snippet_clauses, word_clauses


def text(clauses: list[dict[str, Any]]) -> str:
    """Return the one text that the clauses hold."""
    assert clauses == [query_string(clauses[0]["query_string"]["query"])]
    query: str = clauses[0]["query_string"]["query"]
    return query


def query_string(query: str, field: str = "text") -> dict[str, Any]:
    return {
        "query_string": {
            "query": query,
            "fields": [field],
            "default_operator": "OR",
            "allow_leading_wildcard": False,
            "analyze_wildcard": False,
            "auto_generate_synonyms_phrase_query": False,
            "lenient": False,
            "rewrite": "constant_score_blended",
        }
    }


def test_document_clause_is_one_query_string() -> None:
    clause = document_clause(parse('("interest rate" OR swap*) NOT libor'))
    assert clause == query_string('+("interest rate" swap*) -"libor"')


def test_field_is_the_callers() -> None:
    text = '(+"a" -"bcd") "c"'
    assert document_clause(parse("a NOT bcd OR c"), "body") == query_string(text, "body")


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("a", '"a"'),
        ('b "c d"~2 abc* a', '"b" "c d"~2 abc* "a"'),
        ("a b a (b OR c)", '"a" "b" "c"'),
        ('a "a" "a"~1', '"a" "a"~1'),
        ("a NOT (b OR c) d", '"a" "d"'),
        ("a NOT (b NOT c)", '"a"'),
        ("a OR (b NOT c)", '"a" "b"'),
    ],
)
def test_snippet_clauses(query: str, expected: str) -> None:
    assert text(snippet_clauses(parse(query))) == expected


def test_forms_are_shown_like_their_word() -> None:
    query = And((Word("swaps,", 1, ("swap",)), Word("10-K", 7)), (Word("loan", 9, ("loans",)),))
    assert text(snippet_clauses(query)) == '("swaps," "swap") "10-K"'
    assert text(word_clauses(query)) == '("swaps," "swap") "10" "k"'


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("Apple", '"apple"'),
        ('"Material Weakness in"', '"material" "weakness" "in"'),
        ('10-K/A "a k"', '"10" "k" "a"'),
        ('abc* "a b"', 'abc* "a" "b"'),
        ('a NOT "b c"', '"a"'),
    ],
)
def test_word_clauses(query: str, expected: str) -> None:
    assert text(word_clauses(parse(query))) == expected
