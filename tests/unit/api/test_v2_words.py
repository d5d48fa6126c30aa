"""The three kinds of queries."""

import re

import pytest

from edgar_search.search.language import And, Phrase, QueryError, Word, parse
from edgar_search.web.v2.search import query_tree


def test_match_wants_all_words_and_knows_no_operators() -> None:
    words = ("net", "AND", "10-K", '"sales"', "acqui*")
    assert query_tree('net AND -- 10-K "sales" acqui*', "match") == And(
        tuple(Word(word, 1) for word in words)
    )


def test_match_of_one_word_is_that_word() -> None:
    assert query_tree("net", "match") == Word("net", 1)


def test_match_phrase_is_one_phrase() -> None:
    assert query_tree(' net  "AND" sales', "match_phrase") == Phrase('net "AND" sales', 0, 1)


@pytest.mark.parametrize(
    ("query", "same"),
    [
        ("+net sales", "net sales"),
        ("net -sales", "net NOT sales"),
        ("-sales net", "NOT sales net"),
        ('net -"gross sales"', 'net NOT "gross sales"'),
        ("net -(gross OR sales)", "net NOT (gross OR sales)"),
        ("+(gross OR sales) -net", "(gross OR sales) NOT net"),
        ("net - sales", "net sales"),
        ("net + sales", "net sales"),
        ("10-K net-of-tax", "10-K net-of-tax"),
        ("net --sales", "net NOT sales"),
        ("(-net sales)", "(NOT net sales)"),
    ],
)
def test_signs_mean_operators(query: str, same: str) -> None:
    assert without_positions(query_tree(query, "query_string")) == without_positions(parse(same))


@pytest.mark.parametrize("query", ["-net", "net OR -sales", "(-net) sales", "NOT -net"])
def test_nothing_wanted_is_refused_as_with_not(query: str) -> None:
    with pytest.raises(QueryError, match="NOT"):
        query_tree(query, "query_string")


@pytest.mark.parametrize("kind", ["match", "match_phrase"])
def test_too_long_a_query_is_refused(kind: str) -> None:
    with pytest.raises(QueryError, match="query: longer than 1,000 characters"):
        query_tree("a" * 1_001, kind)


def without_positions(node: object) -> str:
    return re.sub(r"position=\d+", "", repr(node))
