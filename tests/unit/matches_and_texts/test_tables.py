"""Tables of a text: found, named, and read as numbers."""

import pytest

from edgar_search.document.tables import (
    TablePlace,
    amount_of,
    table_cells,
    table_naming,
    table_places,
    text_lines,
)

TEXT = """The results follow.

BALANCE SHEETS

(In millions, except per share)

\t2024\t2023
Cash\t$1,234\t$(56)
Margin\t12.5%\t

Other text."""
PLAIN = """
BALANCE SHEET
                               1995       1994
(In thousands)
Cash .................... $   1,234  $     987
Loss                          (56)        (7)
"""


def only(text: str) -> TablePlace:
    (place,) = table_places(text_lines(text))
    return place


def test_table_has_its_place_heading_unit_and_amounts() -> None:
    place = only(TEXT)
    assert TEXT[place.start : place.end].startswith("\t2024")
    assert table_naming(place) == ("BALANCE SHEETS", "In millions, except per share", 1_000_000)
    rows, amounts = table_cells(place)
    assert rows[1:] == [["Cash", "$1,234", "$(56)"], ["Margin", "12.5%", ""]]
    assert [str(each and each.value) for each in amounts[1]] == ["None", "1234", "-56"]


def test_figures_of_plain_text_are_below_their_heads() -> None:
    rows, _ = table_cells(only(PLAIN))
    assert ["", "1995", "1994"] in rows
    assert ["Cash", "$1,234", "$987"] in [[c.replace(" ", "") for c in row] for row in rows]
    assert ["Loss", "(56)", "(7)"] in rows


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("(1,234)", "-1234", None),
        ("$ (1.50)", "-1.50", "$"),
        ("12.5%", "12.5", "%"),
        ("(6)%", "-6", "%"),
        ("\u20ac7", "7", "\u20ac"),
        ("\u22123", "-3", None),
    ],
)
def test_amounts_keep_sign_and_unit_apart(text: str, value: str, unit: str | None) -> None:
    found = amount_of(text)
    assert found is not None
    assert (str(found.value), found.unit) == (value, unit)


@pytest.mark.parametrize(
    "text", ["", "-", "\u2014", "025816109", "4,5", "(1", "3.1.2", "=1+1", "1" * 41]
)
def test_no_number_is_guessed(text: str) -> None:
    assert amount_of(text) is None


def test_names_with_leading_zeros_are_texts_in_the_whole_column() -> None:
    _, amounts = table_cells(only("A\t025816109\nB\t167250109\nC\t5\n"))
    assert [row[1] is None for row in amounts] == [True, True, False]
