"""Sums of insiders' trades: what is amended, joint, a derivative or debt counts once, or apart."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import pytest

from edgar_search.ownership.insider_trades import (
    QuarterOfTrades,
    amended_rows,
    counted_trades,
    sum_by_quarter,
)
from edgar_search.stored.ownership import StoredInsiderTrade

DAY = date(2025, 3, 3)


def trade(form: str, number: int = 0, **more: Any) -> StoredInsiderTrade:
    """Return a sale of 100 shares for 10 dollars each by one owner."""
    given: dict[str, Any] = {
        "code": "S",
        "shares": 100,
        "price": 10,
        "security": "Common Stock",
        "trade_date": DAY,
        "shares_after": 900,
        "direct": True,
        "owner_ciks": ["1"],
        "filing_date": DAY + timedelta(days=2),
        "form_type": "4",
        "derivative": False,
        "issuer_cik": "7",
    } | more
    for name in ("shares", "price", "shares_after"):
        given[name] = None if given[name] is None else Decimal(given[name])
    given.setdefault("value", given["shares"] * given["price"])
    return StoredInsiderTrade(
        document_id=f"{form}-1", accession_number=form, number=number, trade=True, **given
    )


def amending(form: str, number: int = 0, **more: Any) -> StoredInsiderTrade:
    """Return a row of a form that amends those of two days after the trade."""
    amends = {"form_type": "4/A", "filing_date": DAY + timedelta(days=7)}
    return trade(form, number, **{**amends, "amends": DAY + timedelta(days=2), **more})


def kept(*rows: StoredInsiderTrade) -> list[tuple[str, int]]:
    return sorted((row.accession_number, row.number) for row in counted_trades(rows))


@pytest.mark.parametrize(
    "change", [{"price": 11}, {"shares": 90}, {"code": "F"}, {"trade_date": date(2025, 3, 4)}]
)
def test_amended_row_is_replaced_whatever_one_value_changes(change: dict[str, Any]) -> None:
    rows = [trade("a"), amending("b", **change)]
    assert amended_rows(rows) == {("a", 0): "b"}
    assert kept(*rows) == [("b", 0)]


def test_form_that_amends_one_row_leaves_the_others() -> None:
    other = {"shares": 50, "shares_after": 850}
    rows = [trade("a"), trade("a", 1, **other), amending("b", price=9, **other)]
    assert amended_rows(rows) == {("a", 1): "b"}
    assert kept(*rows) == [("a", 0), ("b", 0)]


def test_row_that_a_form_adds_replaces_none() -> None:
    rows = [trade("a"), amending("b", code="P", shares=7, shares_after=907)]
    assert amended_rows(rows) == {}
    assert kept(*rows) == [("a", 0), ("b", 0)]


def test_second_amendment_replaces_the_first() -> None:
    later = amending("c", filing_date=DAY + timedelta(days=9), price=12)
    rows = [trade("a"), amending("b", price=11), later]
    assert amended_rows(rows) == {("a", 0): "b", ("b", 0): "c"}
    assert kept(*rows) == [("c", 0)]


@pytest.mark.parametrize(
    "other",
    [
        {"owner_ciks": ["2"]},
        {"issuer_cik": "8"},
        {"filing_date": DAY + timedelta(days=60)},
        {"security": "Class B Stock"},
        {"derivative": True},
    ],
)
def test_other_forms_are_not_amended(other: dict[str, Any]) -> None:
    rows = [trade("a", **other), amending("b", filing_date=DAY + timedelta(days=90))]
    assert amended_rows(rows) == {}


def test_more_than_ten_joint_owners_count_once() -> None:
    first = trade("a", owner_ciks=[str(each) for each in range(10)])
    assert kept(first, trade("b", owner_ciks=["11", "12"])) == [("a", 0)]


def test_owners_who_hold_through_each_other_count_once_and_others_do_not() -> None:
    fund, adviser = trade("a"), trade("b", owner_ciks=["2"], direct=False)
    assert kept(fund, adviser) == [("a", 0)]
    # Two directors who trade alike are two.
    assert kept(fund, trade("b", owner_ciks=["2"])) == [("a", 0), ("b", 0)]
    assert kept(fund, trade("b", owner_ciks=["2"], direct=False, shares_after=5)) == [
        ("a", 0),
        ("b", 0),
    ]


def test_equal_rows_of_one_form_are_as_many_trades() -> None:
    twice = [trade("a", 0, direct=False), trade("a", 1, direct=False)]
    assert kept(*twice, trade("b", owner_ciks=["2"], direct=False)) == [("a", 0), ("a", 1)]


def test_derivatives_and_debt_stand_apart() -> None:
    rows = [
        trade("a", code="P"),
        trade("b", code="P", derivative=True, security="Convertible Note", price=5_000_000),
        trade("c", code="P", security="5.5% Senior Notes due 2027", shares=1_000_000),
        trade("d", code="S", security="Common Stock (see notes)", shares_after=1),
        trade("e", code="A", shares_after=2),
    ]
    assert sum_by_quarter(rows) == [
        QuarterOfTrades(date(2025, 1, 1), 1, Decimal(1000), 1, Decimal(1000), 2)
    ]


def test_quarters_are_those_of_the_trades() -> None:
    rows = [
        trade(str(month), trade_date=date(2024, month, 28), shares_after=month)
        for month in (1, 3, 4, 12)
    ]
    found = [(str(each.first_day), each.sales) for each in sum_by_quarter(rows)]
    assert found == [("2024-01-01", 2), ("2024-04-01", 1), ("2024-10-01", 1)]
