"""Figures of reports: which column of which item counts, and what is left out."""

from collections.abc import Sequence
from datetime import date

import pytest

from edgar_search.engine.templates import load_templates
from edgar_search.stored.figures import CHANGES, FIGURES, ITEMS_OF_A_DAY, QUOTIENTS, SUMS
from edgar_search.stored.financials import STANDARD_ITEMS, StoredFact
from ingest.reading.figures import NO_FIGURES, Figures, figures_of
from ingest.reading.xbrl.standard_items import ITEMS

Row = tuple[str, str, str, float]
YEAR, BEFORE = "2023-01-01..2023-12-31", "2022-01-01..2022-12-31"
QUARTER, QUARTER_BEFORE = "2023-04-01..2023-06-30", "2022-04-01..2022-06-30"
HALF, HALF_BEFORE = "2023-01-01..2023-06-30", "2022-01-01..2022-06-30"


def fact(
    item: str, when: str, amount: float, unit: str = "USD", doubt: str | None = None
) -> StoredFact:
    """Return an item of a day (`2023-12-31`) or of the days from one to another (`START..END`)."""
    start, _, end = when.rpartition("..")
    return StoredFact(
        document_id="moss-2",
        number=0,
        accession_number="moss",
        cik="0009990080",
        ciks=[],
        sics=[],
        name="MOSS",
        form_type="",
        filing_date=date(2024, 2, 1),
        taxonomy="standard",
        concept=f"standard:{item}",
        local_name=item,
        words=item,
        label=item,
        unit=unit,
        end=date.fromisoformat(end),
        value=str(amount),
        amount=amount,
        start=date.fromisoformat(start) if start else None,
        doubt=doubt,
    )


def figures(
    facts: Sequence[StoredFact],
    form: str = "10-K",
    end: str = "2023-12-31",
    period: str | None = None,
) -> Figures:
    return figures_of(facts, form, date.fromisoformat(end), period)


def test_names_are_those_of_the_items_and_of_the_template() -> None:
    template = load_templates("")["documents"]
    fields = template["template"]["mappings"]["properties"]
    sheet = {each.name for each in ITEMS if each.statements == ("balance_sheet",)}

    assert tuple(fields["figures"]["properties"]) == FIGURES
    assert tuple(fields["quotients"]["properties"]) == (*QUOTIENTS, *SUMS, *CHANGES)
    assert ITEMS_OF_A_DAY >= sheet
    assert set(STANDARD_ITEMS) >= ITEMS_OF_A_DAY


@pytest.mark.parametrize("form", ["10-K", "10-K/A", "10-K405", "10-KSB", "20-F", "40-F", "40-F/A"])
def test_an_annual_report_has_its_year_and_the_year_before(form: str) -> None:
    rows = [
        fact("revenue", YEAR, 90),
        fact("revenue", BEFORE, 100),
        fact("revenue", "2021-01-01..2021-12-31", 110),
        fact("revenue", "2023-10-01..2023-12-31", 25),
        fact("equity", "2023-12-31", 7),
        fact("equity", "2022-12-31", 6),
        fact("equity", "2021-12-31", 5),
        fact("shares_outstanding", "2024-01-20", 1000, "shares"),
        fact("eps_basic", YEAR, 0.09, "USD/shares"),
    ]

    found = figures(rows, form)
    assert found.currency == "USD"
    assert found.values == {
        "revenue": 90,
        "revenue_previous": 100,
        "equity": 7,
        "equity_previous": 6,
        "shares_outstanding": 1000,
        "eps_basic": 0.09,
    }
    assert found.quotients == {
        "revenue_to_previous": 0.9,
        "equity_to_previous": 7 / 6,
        "revenue_change": -0.1,
        "equity_change": 1 / 6,
        "equity_to_revenue": 7 / 90,
        "revenue_to_equity": 90 / 7,
    }


def test_a_quarterly_report_has_its_quarter_and_the_year_to_date() -> None:
    rows = [
        fact("revenue", QUARTER, 30),
        fact("revenue", QUARTER_BEFORE, 20),
        fact("revenue", HALF, 55),
        fact("revenue", HALF_BEFORE, 45),
        fact("revenue", "2022-07-01..2023-06-30", 99),
        fact("cash_from_operations", HALF, 5),
        fact("cash_from_operations", HALF_BEFORE, 4),
        fact("cash", "2023-06-30", 3),
        fact("cash", "2022-12-31", 2),
        fact("cash", "2022-06-30", 1),
    ]
    expected = {
        "revenue": 30,
        "revenue_previous": 20,
        "revenue_year_to_date": 55,
        "revenue_year_to_date_previous": 45,
        "cash_from_operations_year_to_date": 5,
        "cash_from_operations_year_to_date_previous": 4,
        "cash": 3,
        "cash_previous": 2,
    }

    assert figures(rows, "10-Q", "2023-06-30", "Q2").values == expected
    assert figures(rows, "10-Q", "2023-06-30").values == expected


def test_a_year_of_weeks_and_an_end_that_is_named_some_days_off() -> None:
    rows = [
        fact("revenue", "2022-12-31..2023-12-29", 9),
        fact("revenue", "2021-12-25..2022-12-30", 8),
        fact("equity", "2023-12-29", 7),
        fact("equity", "2022-12-30", 6),
    ]

    assert figures(rows).values == {
        "revenue": 9,
        "revenue_previous": 8,
        "equity": 7,
        "equity_previous": 6,
    }


def test_quarters_of_12_and_of_16_weeks_are_quarters() -> None:
    first = [
        fact("revenue", "2023-01-02..2023-04-23", 9),
        fact("revenue", "2022-01-03..2022-04-24", 8),
    ]
    second = [fact("revenue", "2023-04-24..2023-07-16", 7)]

    assert figures(first, "10-Q", "2023-04-23").values["revenue_previous"] == 8
    assert figures(second, "10-Q", "2023-07-16").values["revenue"] == 7


@pytest.mark.parametrize(
    "rows",
    [
        [fact("revenue", YEAR, 9, doubt="no scale")],
        [fact("revenue", YEAR, float("inf"))],
        [fact("revenue", "2021-01-01..2021-12-31", 9)],
        # Two columns of other lengths, of which none is a year.
        [
            fact("revenue", "2023-03-01..2023-12-31", 9),
            fact("revenue", "2023-10-01..2023-12-31", 1),
        ],
        [fact("revenue", YEAR, 9), fact("revenue", YEAR, 8)],
        # As many values in one currency as in another.
        [fact("revenue", YEAR, 9, "CNY"), fact("revenue", YEAR, 1, "USD")],
        [],
    ],
)
def test_what_is_not_decided_is_absent(rows: list[StoredFact]) -> None:
    assert figures(rows) == NO_FIGURES


@pytest.mark.parametrize(("form", "end"), [("8-K", "2023-12-31"), ("S-1", "2023-12-31")])
def test_other_forms_have_none(form: str, end: str) -> None:
    assert figures([fact("revenue", YEAR, 9)], form, end) == NO_FIGURES


def test_the_currency_is_the_one_of_most_values() -> None:
    rows = [
        fact("revenue", YEAR, 70, "CNY"),
        fact("revenue", BEFORE, 60, "CNY"),
        fact("revenue", YEAR, 10, "USD"),
    ]

    assert figures(rows, "20-F")[:2] == ({"revenue": 70, "revenue_previous": 60}, "CNY")


def test_zero_has_no_sign() -> None:
    assert str(figures([fact("revenue", YEAR, -0.0)]).values["revenue"]) == "0.0"


def test_quotients_of_sums_need_all_parts_and_a_divisor_that_is_not_zero() -> None:
    end = "2023-12-31"
    parts = [
        fact("short_term_debt", end, 1),
        fact("long_term_debt", end, 2),
        fact("current_assets", end, 9),
        fact("inventory", end, 4),
        fact("current_liabilities", end, 2),
        fact("operating_income", YEAR, 5),
        fact("interest_expense", YEAR, 0),
    ]

    assert "debt_to_equity" not in figures(parts).quotients
    found = figures([*parts, fact("equity", end, -2)]).quotients
    assert (found["debt_to_equity"], found["quick_ratio"]) == (-1.5, 2.5)
    assert "interest_coverage" not in found
    assert (
        "revenue_to_equity"
        not in figures([fact("revenue", YEAR, 1e300), fact("equity", end, 1e-300)]).quotients
    )
