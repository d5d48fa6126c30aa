"""Numbers in sentences: what they are said to be, and what is left unchecked."""

import time
from datetime import date
from decimal import Decimal

import pytest

from edgar_search.financials.number_claims import (
    company_and_part,
    number_claims,
    read_amount,
    read_item,
)
from edgar_search.search.reading.stated_periods import AskedPeriod, read_period

Q2 = AskedPeriod(2024, 2, 3)
FISCAL = AskedPeriod(2009, 0, 12, None, True)


@pytest.mark.parametrize(
    ("text", "company", "item", "amount", "period", "change"),
    [
        (
            "Tesla's revenue of $25.5 billion in the second quarter of 2024.",
            *("Tesla", "revenue", "25500000000 USD", Q2, ""),
        ),
        (
            "In Q2 2024, Tesla, Inc. reported a net loss of about $1,250 million.",
            *("Tesla, Inc", "net_income", "-1250000000 USD", Q2, ""),
        ),
        ("Ford’s net sales fell 12 % in Q2 2024.", "Ford", "revenue", "12 percent", Q2, "fall"),
        (
            "Bank of America had diluted EPS of $1.33 for fiscal 2009, a record.",
            *("Bank of America", "eps_diluted", "1.33 USD/shares", FISCAL, ""),
        ),
        (
            "Apple had total assets of $48 billion as of September 26, 2009.",
            *("Apple", "total_assets", "48000000000 USD"),
            *(AskedPeriod(day=date(2009, 9, 26)), ""),
        ),
        (
            "For the six months ended 2009-03-28, the operating income of Apple was £2bn.",
            *("Apple", "operating_income", "2000000000 GBP"),
            *(AskedPeriod(months=6, day=date(2009, 3, 28)), ""),
        ),
        (
            "Apple's revenue rose to $8.3 billion from the prior year in fiscal 2009.",
            *("Apple", "revenue", "8300000000 USD", FISCAL, ""),
        ),
        (
            "Apple's gross profit margin rose to about 40.1% in fiscal 2009.",
            *("Apple", "gross_margin", "40.1 percent", FISCAL, ""),
        ),
        (
            "Apple's revenue was up 14% in fiscal 2009.",
            *("Apple", "revenue", "14 percent", FISCAL, "rise"),
        ),
        (
            "Apple reported a decrease of 14% in revenue for fiscal 2009.",
            *("Apple", "revenue", "14 percent", FISCAL, "fall"),
        ),
    ],
)
def test_what_a_number_is_said_to_be(
    text: str, company: str, item: str, amount: str, period: AskedPeriod, change: str
) -> None:
    (claim,) = number_claims(text)
    assert claim.problem == ""
    assert (claim.company, claim.item, claim.period, claim.change) == (
        company,
        item,
        period,
        change,
    )
    assert f"{claim.amount.value:f} {claim.amount.unit}" == amount


def test_several_numbers_of_a_sentence() -> None:
    text = (
        "Before. In fiscal 2009, Apple Inc. had revenue of $36.5 billion and net income of"
        " $5.7 billion. Its cash was low. Apple's revenue rose 12% to $36.5 billion in fiscal 2009."
    )
    claims = list(number_claims(text))
    assert [text[claim.start : claim.end] for claim in claims] == [
        "$36.5 billion",
        "$5.7 billion",
        "12%",
        "$36.5 billion",
    ]
    assert [claim.item for claim in claims] == ["revenue", "net_income", "revenue", "revenue"]
    assert {claim.problem for claim in claims} == {""}


@pytest.mark.parametrize(
    "text",
    [
        "Apple's revenue was $8 billion.",
        "The company's revenue was $8 billion in 2009.",
        "Apple's revenue was $8 billion in 2009 and 2008.",
        "Apple's net income excluding charges was $3 billion in 2009.",
        "Apple's net income was $3 billion in 2009, adjusted for charges.",
        "Apple's revenue was not $8 billion in 2009.",
        "Apple's segment in Europe had revenue of $8 billion in 2009.",
        "Apple's segment revenue was $8 billion in 2009.",
        "Apple's revenue of all segments in Europe was $8 billion in 2009.",
        "Apple's gross margin in Europe was 8% in 2009.",
        "Apple's total debt in Europe was $8 billion in 2009.",
        "Apple's revenue was more than $8 billion in 2009.",
        "Apple expects revenue of $8 billion in 2009.",
        "Apple's revenue was 8% in 2009.",
        "Apple's net loss rose 8% in 2009.",
        "Apple's revenue was $8 billion or $9 billion in 2009.",
        "Revenue was $8 billion in 2009.",
    ],
)
def test_a_number_that_is_not_certain_is_unchecked(text: str) -> None:
    claims = list(number_claims(text))
    assert claims
    assert all(claim.problem and claim.period is None for claim in claims)


@pytest.mark.parametrize(
    "text",
    [
        "Total loans rose 12 %.",
        "Apple has 8 stores in 2009.",
        "Sales in 2009.",
        "revenue " * 99,
        "",
    ],
)
def test_other_sentences_have_no_numbers(text: str) -> None:
    assert list(number_claims(text)) == []


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("Q2 2024", Q2),
        ("2Q24", Q2),
        ("fiscal Q3 2009", AskedPeriod(2009, 3, 3, None, True)),
        ("third quarter of fiscal 2009", AskedPeriod(2009, 3, 3, None, True)),
        ("FY09", FISCAL),
        ("2009", AskedPeriod(2009, 0, 12)),
        ("26 weeks", None),
        ("year ended June 31, 2009", None),
        ("quarter ended Jun. 30, 2009", AskedPeriod(months=3, day=date(2009, 6, 30))),
    ],
)
def test_periods(text: str, period: AskedPeriod | None) -> None:
    assert read_period(text) == period


def test_amounts_have_a_unit_and_the_step_of_their_last_digit() -> None:
    amount = read_amount("$25.50 billion")
    assert amount is not None
    assert (amount.value, amount.step) == (Decimal(25_500_000_000), Decimal(10_000_000))
    assert amount.unit == "USD"
    assert read_amount("25") is None
    assert read_amount("25 and more") is None


def test_items() -> None:
    assert read_item("Cost of sales") == ("cost_of_revenue", 1)
    assert read_item("net  loss") == ("net_income", -1)
    assert read_item("profits") is None


@pytest.mark.parametrize(
    "piece",
    [
        "Apple's revenue was $8 billion in 2009. ",
        "$8 billion revenue ",
        "$8, ",
        "in 2009 ",
        "revenue\n",
        "cash flows from ",
        "1,111",
        "A. ",
        "a",
        "\n\n ",
    ],
)
def test_hostile_texts_take_time_that_grows_with_their_length(piece: str) -> None:
    def seconds(length: int) -> float:
        text = (piece * length)[:length]
        began = time.process_time()
        for _ in number_claims(text):
            pass
        return time.process_time() - began

    assert seconds(200_000) < 16 * max(seconds(25_000), 0.03)


@pytest.mark.parametrize(
    "text",
    [
        "Apple's revenue increased by $5 billion in fiscal 2009.",
        "Apple's revenue fell $5 billion in fiscal 2009.",
        "Apple reported an increase in revenue of $5 billion in fiscal 2009.",
        "Apple's revenue growth rose 12% in fiscal 2009.",
        "Apple's gross margin rose 2% in fiscal 2009.",
        "Apple's gross margin was $5 billion in fiscal 2009.",
    ],
)
def test_an_amount_that_is_of_another_thing_is_unchecked(text: str) -> None:
    (claim,) = number_claims(text)
    assert claim.problem != ""
    assert claim.period is None


def test_a_margin_and_the_revenue_in_one_sentence() -> None:
    text = "Apple's gross margin was 40.1% on revenue of $42.9 billion in fiscal 2009."
    found = [(claim.item, str(claim.amount.value)) for claim in number_claims(text)]
    assert found == [("gross_margin", "40.1"), ("revenue", "4.29E+10")]


@pytest.mark.parametrize(
    ("text", "company", "part"),
    [
        ("Apple's revenue in Europe was $8 billion in 2009.", "Apple", "Europe"),
        (
            "In 2009, Apple had net sales in the United States of $8 billion.",
            *("Apple", "United States"),
        ),
        (
            "Apple's net sales from Mac and iPod were $8 billion in 2009.",
            *("Apple", "Mac and iPod"),
        ),
        (
            "Apple's North America segment revenue was $8 billion in 2009.",
            *("Apple", "North America"),
        ),
        ("In 2009, Apple's Mac segment reported revenue of $8 billion.", "Apple", "Mac"),
        ("The Mac segment of Apple had revenue of $8 billion in 2009.", "Apple", "Mac"),
        ("Apple's Mac revenue was $8 billion in 2009.", "Apple's Mac", ""),
        # These are periods and companies.
        ("Apple's revenue in Q2 2009 was $8 billion.", "Apple", ""),
        ("Apple's revenue from July 1, 2008 to June 30, 2009 was $8 billion.", "", ""),
        ("Net sales in Apple's Mac segment were $8 billion in 2009.", "Apple", "Mac"),
    ],
)
def test_parts_of_companies(text: str, company: str, part: str) -> None:
    (claim,) = number_claims(text)
    assert (claim.company, claim.part) == (company, part)


@pytest.mark.parametrize(
    ("words", "split"),
    [
        ("Apple's iPhone", ("Apple", "iPhone")),
        ("Kohl\u2019s Corp", ("Kohl", "Corp")),
        ("General Motors' North America", ("General Motors", "North America")),
        ("Apple's", None),
        ("Apple", None),
        ("", None),
    ],
)
def test_a_company_and_a_part_of_it(words: str, split: tuple[str, str] | None) -> None:
    assert company_and_part(words) == split
