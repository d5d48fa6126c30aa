"""Values of an entry, and how the answers of two indices are compared."""

import pytest

from ingest.upkeep.sampling import Scores, in_other_order, largest_difference, values_at


def test_values_are_those_of_all_objects_on_the_way() -> None:
    entry = {"form": "8-K", "names": [{"name": ["A", "B"]}, {}, {"name": None}, {"name": "C"}]}
    assert values_at(entry, "form") == ["8-K"]
    assert values_at(entry, "names.name") == ["A", "B", "C"]
    assert values_at(entry, "day") == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({"a": 2.0, "b": 1.0}, {"a": 3.0, "b": 1.5}, False),
        ({"a": 2.0, "b": 1.0}, {"b": 2.0, "a": 1.0}, True),
        # Ties, and sums of floats in another order, are in no order.
        ({"a": 1.0, "b": 1.0}, {"b": 1.0, "a": 1.0}, False),
        ({"a": 1.0, "b": 1.0}, {"b": 1.0000001, "a": 1.0}, False),
        ({"a": 1.0000001, "b": 1.0}, {"b": 2.0, "a": 1.0}, False),
        # One that is first here only was before all that are first there only.
        ({"a": 3.0, "b": 2.0, "c": 1.0}, {"d": 3.0, "b": 2.0, "c": 1.0}, True),
        ({"a": 3.0, "b": 1.0}, {"a": 3.0, "c": 1.0}, False),
    ],
)
def test_order_is_that_of_scores_without_ties(old: Scores, new: Scores, expected: bool) -> None:
    assert in_other_order(old, new) == expected


def test_largest_difference_is_a_part_of_the_score() -> None:
    assert (
        largest_difference({"a": 2.0, "b": 1.0, "c": 9.0}, {"a": 1.5, "b": 1.0, "d": 1.0}) == 0.25
    )
    assert largest_difference({}, {"a": 1.0}) == 0.0
