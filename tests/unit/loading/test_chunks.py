"""Many things in parts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgar_search.engine.bulk_lines import chunks


@pytest.mark.parametrize(
    ("items", "most", "expected"),
    [([], 2, []), ([1], 2, [[1]]), ([1, 2], 2, [[1, 2]]), ([1, 2, 3], 2, [[1, 2], [3]])],
)
def test_list_has_so_many_at_most(items: list[int], most: int, expected: list[list[int]]) -> None:
    assert list(chunks(items, most)) == expected


def test_sizes_of_a_list_add_up_to_so_much_at_most() -> None:
    words = ["aa", "bb", "c", "d", "ee"]
    assert list(chunks(words, size=len, most_size=4)) == [["aa", "bb"], ["c", "d", "ee"]]


def test_item_that_is_too_large_is_alone() -> None:
    words = ["a", "bbbbb", "c"]
    assert list(chunks(words, size=len, most_size=4)) == [["a"], ["bbbbb"], ["c"]]


@given(st.lists(st.integers(0, 9)), st.integers(1, 4), st.integers(0, 20))
def test_nothing_is_lost_and_both_bounds_hold(items: list[int], most: int, most_size: int) -> None:
    made = list(chunks(items, most, size=lambda item: item, most_size=most_size))
    assert [item for chunk in made for item in chunk] == items
    assert all(1 <= len(chunk) <= most for chunk in made)
    assert all(sum(chunk) <= most_size or len(chunk) == 1 for chunk in made)
