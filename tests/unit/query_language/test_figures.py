"""Conditions on figures: how they are read, what is refused and where."""

from decimal import Decimal

import pytest

from edgar_search.errors import BadRequest
from edgar_search.search.figures import (
    LONGEST_CONDITION,
    MAX_CONDITIONS,
    RATIOS,
    Compared,
    Condition,
    Related,
    figures_clause,
    read_condition,
    read_conditions,
)
from edgar_search.stored.figures import QUOTIENTS, SUMS

REVENUE = "figures.revenue"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("net_income<0", Compared("figures.net_income", "<", Decimal(0))),
        (" Revenue >= 1e9 ", Compared(REVENUE, ">=", Decimal(10**9))),
        ("revenue>1.5bn", Compared(REVENUE, ">", Decimal(1_500_000_000))),
        ("revenue>250m", Compared(REVENUE, ">", Decimal(250_000_000))),
        ("revenue=-3k", Compared(REVENUE, "=", Decimal(-3000))),
        ("revenue!=.5", Compared(REVENUE, "!=", Decimal("0.5"))),
        ("revenue_previous>1", Compared("figures.revenue_previous", ">", Decimal(1))),
        ("revenue_year_to_date>1", Compared("figures.revenue_year_to_date", ">", Decimal(1))),
        ("net_margin<10%", Compared("quotients.net_income_to_revenue", "<", Decimal("0.1"))),
        ("debt_to_equity>2", Compared("quotients.debt_to_equity", ">", Decimal(2))),
        (
            "current_assets/current_liabilities<1",
            Compared("quotients.current_assets_to_current_liabilities", "<", Decimal(1)),
        ),
        (
            "revenue<previous*0.9",
            Related("revenue", "revenue_previous", "revenue_to_previous", "<", Decimal("0.9")),
        ),
        (
            "revenue < 90% * previous",
            Related("revenue", "revenue_previous", "revenue_to_previous", "<", Decimal("0.9")),
        ),
        (
            "revenue<revenue_previous",
            Related("revenue", "revenue_previous", "revenue_to_previous", "<", Decimal(1)),
        ),
        (
            "goodwill>equity",
            Related("goodwill", "equity", "goodwill_to_equity", ">", Decimal(1)),
        ),
        ("equity<goodwill", Related("goodwill", "equity", "goodwill_to_equity", ">", Decimal(1))),
        ("revenue_change<-10%", Compared("quotients.revenue_change", "<", Decimal("-0.1"))),
    ],
)
def test_conditions_are_read(text: str, expected: Condition) -> None:
    assert read_condition(text) == expected


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("revenu<1", "no figure has this name; the nearest are `revenue`"),
        ("revenu<1", "at character 1 (`revenu<1`) of `revenu<1`"),
        (
            "revenue<1<2",
            "one comparison; write two conditions with a comma between them at charact",
        ),
        ("revenue<1<2", "at character 10 (`<2`)"),
        ("revenue", "a comparison is missing, such as `<` or `>=` at its end"),
        ("revenue<", "a number or a figure is missing at its end"),
        ("<1", "the name of a figure is missing at character 1"),
        ("1<revenue", "the figure comes first"),
        ("revenue<1e400", "the number is too large at character 9"),
        ("revenue<1e999999999999", "the number is too large at character 9"),
        ("revenue<9e307m", "the number is too large"),
        ("revenue<5 m", "after the comparison write a number, a figure, or"),
        ("revenue<5x", "`x` is no unit of numbers"),
        ("revenue==1", "comparisons are `<`, `<=`"),
        ("revenue<1&2", "a name, a number or a comparison is expected at character 10"),
        ("revenue/equity/cash<1", "a quotient is of two figures at character 15"),
        ("revenue/goodwill<1", "amounts may be divided by `revenue`, `total_assets`"),
        ("revenue*2<1", "only `/` and another figure may be before"),
        ("revenue/<1", "the name of a figure is missing"),
        ("net_margin<previous", "is compared with a number"),
        ("revenue<net_margin", "a figure is expected, and this is a ratio"),
        ("previous<1", "`previous` goes after the comparison"),
        ("shares_outstanding<previous", "`shares_outstanding` has no previous value"),
        ("goodwill>inventory", "compared with `previous` or with `revenue`"),
        ("revenue<previous*previous", "a figure `*` a number at character 18"),
        ("revenue<previous/2", "a figure `*` a number"),
        ("revenue<ünits", "a name, a number or a comparison is expected at character 9"),
        ("revenue<" + "9" * LONGEST_CONDITION, f"at most {LONGEST_CONDITION}"),
    ],
)
def test_refusals_say_what_is_wrong_and_where(text: str, said: str) -> None:
    with pytest.raises(BadRequest) as refused:
        read_condition(text)
    assert said in str(refused.value)


def test_there_are_at_most_so_many_conditions() -> None:
    with pytest.raises(BadRequest, match="at most 20 items, not 21"):
        read_conditions([f"revenue>{number}" for number in range(MAX_CONDITIONS + 1)])


def test_each_ratio_is_a_stored_quotient() -> None:
    assert set(RATIOS.values()) <= {*QUOTIENTS, *SUMS}
    assert len(RATIOS) == 11


def test_the_clause_compares_fields_with_numbers_in_the_currency() -> None:
    low = {"range": {"figures.net_income": {"lt": 0.0}}}
    assert figures_clause(["net_income<-0"], None) == {
        "bool": {"filter": [low, {"term": {"currency": "USD"}}]}
    }
    assert figures_clause(["net_income<0"], "ANY") == {"bool": {"filter": [low]}}
    assert figures_clause([], "EUR") == {"bool": {"filter": [{"term": {"currency": "EUR"}}]}}


def test_a_comparison_with_the_previous_value_minds_its_sign() -> None:
    before, quotient = "figures.revenue_previous", "quotients.revenue_to_previous"
    (clause,) = figures_clause(["revenue<previous*0.9"], "ANY")["bool"]["filter"]
    assert [each["bool"]["filter"] for each in clause["bool"]["should"]] == [
        [{"range": {before: {"gt": 0.0}}}, {"range": {quotient: {"lt": 0.9}}}],
        [{"range": {before: {"lt": 0.0}}}, {"range": {quotient: {"gt": 0.9}}}],
        [{"range": {before: {"gte": 0.0, "lte": 0.0}}}, {"range": {REVENUE: {"lt": 0.0}}}],
    ]
