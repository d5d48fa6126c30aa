"""Trees written out, said in words, and remembered."""

import pytest

from edgar_search.search.language import (
    ALL,
    EXACT,
    QueryError,
    add_word_forms,
    describe,
    parse,
    parse_query,
    query_text,
    with_forms,
)

CASES = [
    ("Goodwill", "Goodwill", "the word `goodwill`"),
    ('"goodwill"', '"goodwill"', "the word `goodwill`"),
    ("10-K", "10-K", "the phrase `10 k`"),
    ("\u201cfair  value\u201d", '"fair value"', "the phrase `fair value`"),
    ('"fair value"~1', '"fair value"~1', "the words `fair` `value` at most 1 move apart"),
    ('"fair value"~5', '"fair value"~5', "the words `fair` `value` at most 5 moves apart"),
    ('"fair"~5', '"fair"~5', "the word `fair`"),
    ("Impair*", "impair*", "a word like `impair*`"),
    ("a b", "a AND b", "the word `a` and the word `b`"),
    ("a or b", "a AND or AND b", "the word `a` and the word `or` and the word `b`"),
    ("((a)) OR (b)", "a OR b", "the word `a` or the word `b`"),
    ("a b OR c", "(a AND b) OR c", "(the word `a` and the word `b`) or the word `c`"),
    ("a (b OR c)", "a AND (b OR c)", "the word `a` and (the word `b` or the word `c`)"),
    ("a NOT b c", "a AND c NOT b", "the word `a` and the word `c`, without the word `b`"),
    ("a NOT (b c)", "a NOT (b AND c)", "the word `a`, without (the word `b` and the word `c`)"),
    ("a & b", "a AND b", "the word `a` and the word `b`"),
]


@pytest.mark.parametrize(("query", "text", "meaning"), CASES)
def test_query_is_written_out_and_said(query: str, text: str, meaning: str) -> None:
    tree = parse(query)
    assert (query_text(tree), describe(tree)) == (text, meaning)


def test_forms_of_a_word_are_said_and_not_written() -> None:
    tree = with_forms(parse("swap Swap"), ALL)
    assert query_text(tree) == "swap AND Swap"
    forms = "`swaps` `swap's` `swapped` `swapping` `swappings`"
    assert describe(tree) == f"the word `swap` or a form of it ({forms}) and the word `swap`"


QUERY = "goodwill impairment OR charge*"


def test_tree_is_that_of_the_text_and_made_once() -> None:
    assert parse_query(QUERY) == parse(QUERY)
    assert parse_query(QUERY) is parse_query(QUERY)


def test_forms_are_those_that_are_asked_for() -> None:
    tree = parse_query(QUERY)
    assert add_word_forms(tree, EXACT) is tree
    assert add_word_forms(tree, ALL) == with_forms(parse(QUERY), ALL) != tree
    assert add_word_forms(tree, ALL) is add_word_forms(parse_query(QUERY), ALL)


def test_words_at_other_places_are_another_tree() -> None:
    assert parse_query("goodwill  charge") != parse_query("goodwill charge")


def test_refusal_is_refused_again() -> None:
    for _ in range(2):
        with pytest.raises(QueryError, match="AND with nothing after it"):
            parse_query("goodwill AND")


def test_long_query_is_not_remembered() -> None:
    long = "goodwill " * 30
    assert parse_query(long) == parse_query(long)
    assert parse_query(long) is not parse_query(long)
