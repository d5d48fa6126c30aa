"""Amounts, periods and series of financial data as pages show them."""

from datetime import date
from decimal import Decimal

import pytest

from edgar_search.api.statements import Column, ReportedLine
from edgar_search.stored.financials import StoredPlace
from edgar_search.web.pages.statements import format_scaled, period_name, place_address


@pytest.mark.parametrize(
    ("value", "unit", "scale", "text"),
    [
        ("1234567", "USD", 1_000, "1,234.567"),
        ("-1234000", "USD", 1_000, "(1,234)"),
        ("1200000", "shares", 1_000_000, "1.2"),
        ("1.25", "USD/shares", 1_000_000, "1.25"),
        ("-0.05", "pure", 1_000, "(0.05)"),
        ("0", "USD", 1_000_000, "0"),
        ("1E+40", "USD", 1_000_000, f"{10**34:,}"),
        ("1E-40", "USD", 1_000_000, "0"),
        ("123456789012345678901234567890123456", "USD", 1, f"{int('1234567890' * 3 + '123456'):,}"),
    ],
)
def test_amounts_are_shown_in_their_scale(value: str, unit: str, scale: int, text: str) -> None:
    assert format_scaled(Decimal(value), unit, scale) == text


@pytest.mark.parametrize(
    ("start", "end", "name"),
    [
        (None, date(2024, 12, 31), "December 31, 2024"),
        (date(2024, 1, 1), date(2024, 12, 31), "12 months to December 31, 2024"),
        (date(2024, 10, 1), date(2024, 12, 31), "3 months to December 31, 2024"),
        (date(2024, 12, 1), date(2024, 12, 31), "31 days to December 31, 2024"),
    ],
)
def test_columns_are_named_by_their_periods(start: date | None, end: date, name: str) -> None:
    assert period_name(Column(start, end)) == name


def test_place_is_an_address_that_marks_it() -> None:
    place = StoredPlace("0009990101-25-000004-1", "ab" * 32, 10, 14)
    assert place_address(place) == (
        f"/document/0009990101-25-000004-1?cited=10&length=4&text_sha256={'ab' * 32}#at"
    )
    assert place_address(None) is None


@pytest.mark.parametrize(
    ("label", "title"),
    [
        ("Assets [Abstract]", "Assets"),
        ("Total assets", "Total assets"),
        ("[Abstract]", "[Abstract]"),
    ],
)
def test_heading_is_shown_without_the_word_of_its_tag(label: str, title: str) -> None:
    line = ReportedLine("Concept", label, 0, False, False, [], [], True, False)
    assert line.title == title
