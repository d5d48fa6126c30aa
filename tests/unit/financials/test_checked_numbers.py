"""A stated number against made facts of one item."""

from datetime import date, timedelta

import pytest
from msgspec import structs

from edgar_search.financials.checked_numbers import (
    check_margin,
    check_number,
    check_part,
    check_sum,
)
from edgar_search.financials.number_claims import Change, read_amount
from edgar_search.search.reading.periods import YearEnd
from edgar_search.search.reading.stated_periods import read_period
from edgar_search.stored.financials import StoredFact

SEPTEMBER = YearEnd(9, 30)


def fact(value: int, end: str, days: int | None, filed: str = "2009-11-01") -> StoredFact:
    """Return the revenue of the days up to an end, in millions; None for an amount of a day."""
    last = date.fromisoformat(end)
    return StoredFact(
        document_id=f"{filed}-1",
        number=0,
        accession_number=filed,
        cik="0009990080",
        ciks=["0009990080"],
        sics=[],
        name="A",
        form_type="10-K",
        filing_date=date.fromisoformat(filed),
        taxonomy="standard",
        concept="standard:revenue",
        local_name="revenue",
        words="revenue",
        label="revenue",
        unit="USD",
        start=None if days is None else last - timedelta(days=days - 1),
        end=last,
        value=f"{value}000000",
        amount=float(value),
        decimals=-6,
        fiscal_period="FY" if days and days > 300 else "Q",
    )


ROWS = [
    fact(36_537, "2009-09-26", 364),
    fact(32_479, "2008-09-27", 364),
    fact(24_006, "2007-09-29", 364, "2007-11-15"),
    fact(24_578, "2007-09-29", 364),
    fact(25_670, "2009-06-27", 273),
    fact(8_337, "2009-06-27", 91),
    fact(7_464, "2008-06-28", 91),
    fact(8_163, "2009-03-28", 91),
]


@pytest.mark.parametrize(
    ("value", "period", "verdict"),
    [
        ("$36.5 billion", "fiscal 2009", "supported"),
        ("$36,537 million", "2009", "supported"),
        ("$37 billion", "2009", "supported"),
        ("$36.6 billion", "2009", "contradicted"),
        ("$36.5 million", "2009", "contradicted"),
        ("$36.5 billion", "2008", "contradicted"),
        ("$32.5 billion", "year ended September 30, 2008", "supported"),
        ("$36,537.2 million", "2009", "ambiguous"),
        ("$40 billion", "2009", "contradicted"),
        # Rounded to one digit, which many numbers would be.
        ("$0.04 trillion", "2009", "ambiguous"),
        # As it was filed first.
        ("$24.0 billion", "2007", "ambiguous"),
        ("$24.6 billion", "2007", "supported"),
        ("$8.34 billion", "Q3 2009", "supported"),
        # The calendar's second quarter is the company's third.
        ("$8.34 billion", "Q2 2009", "ambiguous"),
        ("$8.34 billion", "fiscal Q2 2009", "contradicted"),
        ("$8.16 billion", "Q2 2009", "supported"),
        # The year without nine months.
        ("$10,867 million", "Q4 2009", "supported"),
        ("$25.67 billion", "nine months ended June 27, 2009", "supported"),
        ("$25.67 billion", "June 27, 2009", "not_found"),
        ("$36.5 billion", "2012", "not_found"),
        ("€36.5 billion", "2009", "not_found"),
    ],
)
def test_values(value: str, period: str, verdict: str) -> None:
    amount, asked = read_amount(value), read_period(period)
    assert amount is not None
    assert asked is not None
    assert check_number(ROWS, amount, asked, year_end=SEPTEMBER).verdict == verdict


@pytest.mark.parametrize(
    ("value", "change", "period", "verdict"),
    [
        ("12%", "rise", "2009", "supported"),
        ("12.5 percent", "rise", "2009", "supported"),
        ("12%", "fall", "2009", "contradicted"),
        ("13%", "rise", "2009", "contradicted"),
        ("12%", "rise", "Q3 2009", "supported"),
        # It may be from the quarter before.
        ("2%", "rise", "Q3 2009", "ambiguous"),
        # The year before was restated.
        ("35%", "rise", "2008", "ambiguous"),
        ("12%", "rise", "2007", "not_found"),
    ],
)
def test_changes(value: str, change: Change, period: str, verdict: str) -> None:
    amount, asked = read_amount(value), read_period(period)
    assert amount is not None
    assert asked is not None
    assert check_number(ROWS, amount, asked, change, SEPTEMBER).verdict == verdict


def test_rough_words_allow_zeros_at_the_end() -> None:
    amount, period = read_amount("$32,500 million"), read_period("2008")
    assert amount is not None
    assert period is not None
    assert check_number(ROWS, amount, period).verdict == "contradicted"
    assert check_number(ROWS, amount._replace(rough=True), period).verdict == "supported"


def test_a_number_in_doubt_is_not_supported() -> None:
    amount, period = read_amount("$36,537 million"), read_period("2009")
    assert amount is not None
    assert period is not None
    rows = [structs.replace(row, doubt="its column is not certain") for row in ROWS]
    checked = check_number(rows, amount, period)
    assert (checked.verdict, checked.reason) == ("ambiguous", "its column is not certain")


def test_a_year_that_ends_in_january_has_the_number_that_its_report_gives_it() -> None:
    amount, period = read_amount("$50 million"), read_period("fiscal 2023")
    assert amount is not None
    assert period is not None
    rows = [fact(50, "2024-01-28", 364), fact(40, "2023-01-29", 364)]
    unnamed = check_number(rows, amount, period)
    assert (unnamed.verdict, len(unnamed.candidates)) == ("ambiguous", 2)
    named = [structs.replace(row, fiscal_year=2023) for row in rows]
    assert check_number(named, amount, period).verdict == "supported"


def of_item(row: StoredFact, name: str) -> StoredFact:
    """Return a row as one of another item."""
    return structs.replace(row, local_name=name, concept=f"standard:{name}")


PROFIT = of_item(fact(14_679, "2009-09-26", 364), "gross_profit")


@pytest.mark.parametrize(
    ("value", "period", "rows", "verdict"),
    [
        ("40.2%", "fiscal 2009", [PROFIT], "supported"),
        ("40%", "fiscal 2009", [PROFIT], "supported"),
        ("43.2%", "fiscal 2009", [PROFIT], "contradicted"),
        ("14.2%", "fiscal 2009", [PROFIT], "contradicted"),
        # A margin of net sales differs a little from one of all revenue.
        ("41%", "fiscal 2009", [PROFIT], "ambiguous"),
        ("40.2%", "fiscal 2008", [PROFIT], "not_found"),
        ("40.2%", "fiscal 2009", [], "not_found"),
        ("40.2%", "fiscal 2009", [structs.replace(PROFIT, doubt="a doubt")], "ambiguous"),
        ("40.2%", "fiscal 2009", [structs.replace(PROFIT, unit="EUR")], "ambiguous"),
        (
            "43.2%",
            "fiscal 2009",
            [PROFIT, of_item(fact(15_784, "2009-09-26", 364, "2009-10-01"), "gross_profit")],
            "ambiguous",
        ),
    ],
)
def test_verdicts_of_margins(value: str, period: str, rows: list[StoredFact], verdict: str) -> None:
    amount, asked = read_amount(value), read_period(period)
    assert amount is not None and asked is not None
    checked = check_margin([*ROWS, *rows], "gross_profit", amount, asked, SEPTEMBER)
    assert checked.verdict == verdict


def debt(item: str, value: int, end: str, *sources: str) -> StoredFact:
    """Return a debt of a day, in millions, that is made of these concepts."""
    row = fact(value, end, None, "2010-02-01")
    return structs.replace(row, local_name=item, concept=f"standard:{item}", sources=list(sources))


SHORT = [
    debt("short_term_debt", 30, "2009-12-31", "a"),
    debt("short_term_debt", 20, "2008-12-31", "a"),
]
LONG = [
    debt("long_term_debt", 70, "2009-12-31", "b"),
    debt("long_term_debt", 60, "2008-12-31", "b"),
]


@pytest.mark.parametrize(
    ("value", "period", "change", "verdict", "reason"),
    [
        (
            "$100 million",
            "2009",
            "",
            "supported",
            "short term debt and long term debt of 2009-12-31",
        ),
        ("$0.1 billion", "December 31, 2009", "", "supported", "short term debt and"),
        ("$100 million", "2008", "", "ambiguous", "the filed items make 80,000,000 USD, but"),
        ("$100 billion", "2009", "", "ambiguous", "the filed items make 100,000,000 USD, but"),
        ("25%", "2009", "rise", "supported", "short term debt and"),
        ("25%", "2009", "fall", "ambiguous", "the filed items make 25.0 %, but"),
        ("26%", "2009", "rise", "ambiguous", "the filed items make 25.0 %, but"),
        ("25%", "2008", "rise", "not_found", "no filing here has the numbers of the year before"),
        ("$100 million", "2007", "", "not_found", "no filing here has all numbers that it is"),
    ],
)
def test_sums_of_items(value: str, period: str, change: Change, verdict: str, reason: str) -> None:
    amount, asked = read_amount(value), read_period(period)
    assert amount is not None
    assert asked is not None
    found = check_sum([SHORT, LONG], "total_debt", amount, asked, change, YearEnd(12, 31))
    assert found.verdict == verdict
    assert found.reason.startswith(reason)
    if verdict == "supported":
        assert found.row is not None
        assert (found.row.local_name, found.row.place) == ("total_debt", None)
        assert list(found.candidates) == [SHORT[0], LONG[0]]


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (debt("long_term_debt", 70, "2009-12-31", "a"), "one filed number is in several items"),
        (structs.replace(LONG[0], unit="EUR"), "several filed numbers may be meant"),
        (debt("long_term_debt", 70, "2010-01-02", "b"), "several filed numbers may be meant"),
        (structs.replace(LONG[0], doubt="it is odd"), "it is odd"),
    ],
)
def test_a_sum_that_is_not_certain_is_ambiguous(other: StoredFact, reason: str) -> None:
    amount, asked = read_amount("100 million"), read_period("December 31, 2009")
    assert amount is not None
    assert asked is not None
    found = check_sum([SHORT, [other]], "total_debt", amount, asked)
    assert (found.verdict, found.reason) == ("ambiguous", reason)


@pytest.mark.parametrize(
    ("value", "verdict"), [("$36.5 billion", "supported"), ("$36.6 billion", "contradicted")]
)
def test_a_number_of_a_part(value: str, verdict: str) -> None:
    amount, asked = read_amount(value), read_period("fiscal 2009")
    assert amount is not None
    assert asked is not None
    mine = [structs.replace(row, dimensions=["a=b"]) for row in ROWS]
    other = [structs.replace(row, dimensions=["c=b"]) for row in ROWS]
    found = check_part(mine, amount, asked, year_end=SEPTEMBER)
    assert (found.verdict, found.row and found.row.dimensions) == (verdict, ["a=b"])
    both = check_part([*mine, *other], amount, asked, year_end=SEPTEMBER)
    assert (both.verdict, len(both.candidates)) == ("ambiguous", 2)
    assert check_part([], amount, asked).verdict == "not_found"
