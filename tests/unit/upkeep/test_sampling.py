"""Values of an entry, and how the answers of two indices are compared."""

import pytest

from ingest.upkeep.sampling import Scores, largest_difference, values_at


def test_values_are_those_of_all_objects_on_the_way() -> None:
    entry = {"form": "8-K", "names": [{"name": ["A", "B"]}, {}, {"name": None}, {"name": "C"}]}
    assert values_at(entry, "form") == ["8-K"]
    assert values_at(entry, "names.name") == ["A", "B", "C"]
    assert values_at(entry, "day") == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ({}, {}, 0.0),
        ({"a": 2.0, "b": 1.0}, {"a": 1.5, "b": 1.0}, 0.25),
        # Another order of the same scores gives each entry another one.
        ({"a": 2.0, "b": 1.0}, {"b": 2.0, "a": 1.0}, 0.5),
        # Of entries with equal scores either may be the last of the first ones.
        ({"a": 2.0, "b": 1.0}, {"a": 2.0, "c": 1.0}, 0.0),
        # One that comes before them has a higher score than the last.
        ({"a": 3.0, "b": 2.0}, {"d": 4.0, "a": 3.0}, 0.5),
    ],
)
def test_largest_difference_is_a_part_of_the_score_of_an_entry(
    old: Scores, new: Scores, expected: float
) -> None:
    assert largest_difference(old, new) == expected
