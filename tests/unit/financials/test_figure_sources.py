"""Facts after figures: of several with one value, the one of the figure's period."""

from datetime import date

import pytest

from edgar_search.financials.figure_sources import FigureFact, ReportFigure, fact_of

YEAR_END, QUARTER = date(2023, 6, 30), date(2023, 4, 1)


def fact(start: date | None, end: date, amount: float, item: str = "revenue") -> FigureFact:
    return FigureFact("1", item, end, "USD", f"{amount:.0f}", amount, start)


OWN = fact(QUARTER, YEAR_END, 5)
HALF = fact(date(2023, 1, 1), YEAR_END, 5)
BEFORE = fact(date(2022, 4, 1), date(2022, 6, 30), 5)
HALF_BEFORE = fact(date(2022, 1, 1), date(2022, 6, 30), 5)
OTHERS = [fact(QUARTER, YEAR_END, 5, "net_income"), fact(QUARTER, YEAR_END, 7)]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("revenue", OWN),
        ("revenue_previous", BEFORE),
        ("revenue_year_to_date", HALF),
        ("revenue_year_to_date_previous", HALF_BEFORE),
        ("net_income", OTHERS[0]),
    ],
)
def test_figure_of_equal_amounts_is_the_one_of_its_period(name: str, expected: FigureFact) -> None:
    facts = [HALF_BEFORE, BEFORE, HALF, OWN, *OTHERS]
    assert fact_of(ReportFigure("1", name, 5), facts) == expected


def test_figure_without_an_equal_fact_has_none() -> None:
    assert fact_of(ReportFigure("1", "revenue", 6), [OWN, *OTHERS]) is None
