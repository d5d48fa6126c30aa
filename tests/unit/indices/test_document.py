"""Values of a stored document."""

from hypothesis import given
from hypothesis import strategies as st

from edgar_search.stored.filings import entity_value, parse_entity_value


@given(number=st.integers(0, 9999), name=st.text())
def test_entity_is_read_as_it_was_written(number: int, name: str) -> None:
    value = entity_value(number, "0000000001", name)
    assert parse_entity_value(value) == ("0000000001", name)


def test_entities_sort_in_the_order_of_the_header() -> None:
    values = [entity_value(number, "0000000001", "x") for number in range(200)]
    assert sorted(values) == values
