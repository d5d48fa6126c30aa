"""Trees that are remembered are those that parsing makes, and refusals stay refusals."""

import pytest

from edgar_search.search.language import ALL, EXACT, QueryError, formed, parse, read, with_forms

QUERY = "goodwill impairment OR charge*"


def test_tree_is_that_of_the_text_and_made_once() -> None:
    assert read(QUERY) == parse(QUERY)
    assert read(QUERY) is read(QUERY)


def test_forms_are_those_that_are_asked_for() -> None:
    tree = read(QUERY)
    assert formed(tree, EXACT) is tree
    assert formed(tree, ALL) == with_forms(parse(QUERY), ALL) != tree
    assert formed(tree, ALL) is formed(read(QUERY), ALL)


def test_words_at_other_places_are_another_tree() -> None:
    assert read("goodwill  charge") != read("goodwill charge")


def test_refusal_is_refused_again() -> None:
    for _ in range(2):
        with pytest.raises(QueryError, match="AND with nothing after it"):
            read("goodwill AND")


def test_long_query_is_not_remembered() -> None:
    long = "goodwill " * 30
    assert read(long) == read(long)
    assert read(long) is not read(long)
