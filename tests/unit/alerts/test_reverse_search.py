"""Many queries in one request."""

from edgar_search.search.language import Word, parse
from edgar_search.search.reverse_search import MAX_LEAVES, MAX_QUERIES, groups, leaf_count


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


def test_forms_of_a_word_count_as_often_as_they_are_sent() -> None:
    assert leaf_count(Word("swap", 1, ("swaps", "swapped"))) == 5
