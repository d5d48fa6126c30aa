"""Values that were met."""

from edgar_search.search.warnings.known_values import Remembered


def test_what_came_first_is_forgotten_first() -> None:
    values = Remembered[str](3)
    values.add("abc")
    assert [value for value in "abcd" if value in values] == ["a", "b", "c"]
    values.add("de")
    assert [value for value in "abcde" if value in values] == ["c", "d", "e"]


def test_more_at_once_than_are_remembered() -> None:
    values = Remembered[int](2)
    values.add(range(5))
    assert [value for value in range(5) if value in values] == [3, 4]
