"""Trees that are remembered are those that parsing makes, and refusals stay refusals."""

import pytest

from edgar_search.search.language import (
    ALL,
    EXACT,
    QueryError,
    add_word_forms,
    parse,
    parse_query,
    with_forms,
)

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
