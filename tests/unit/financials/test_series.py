"""Series of a company's page: labels, gaps, breaks, and numbers of another order."""

from datetime import date

import pytest
from msgspec import structs

from edgar_search.api.statements import Column, ReportedStatement
from edgar_search.search.filings import FormYears
from edgar_search.stored.financials import StoredFact
from edgar_search.web.pages.series import Series, gap_at_the_end, item_series
from tests.unit.financials.test_history import fact

_NO_FIGURES = "no figures after 2000: the later annual reports here"


def year(end: int, item: str, value: str, *sources: str) -> StoredFact:
    """An item of the fiscal year that ends with a calendar year, of a filing for each year."""
    return structs.replace(
        fact(f"k{end}", "FY", f"{end}-12-31"),
        local_name=item,
        concept=f"standard:{item}",
        value=value,
        sources=list(sources),
    )


def revenue(*years: StoredFact) -> Series:
    return item_series(years, "years")[0]


def test_a_filing_in_another_unit_is_doubtful_and_not_drawn() -> None:
    rows = [year(2018 + at, "revenue", f"{5_000_000 + at}") for at in range(4)]
    rows += [year(2017, "revenue", "4900"), year(2017, "net_income", "300")]
    rows += [year(2018, "net_income", "2")]
    sales, income = item_series(rows, "years")
    assert [bool(point.doubt) for point in sales.points] == [False] * 4 + [True]
    assert len(sales.bars) == 4
    assert [label.text for label in sales.labels] == ["?", "’18", "’19", "’20", "’21"]
    # A small profit is none; one of the doubtful filing is.
    assert [bool(point.doubt) for point in income.points] == [False, True]
    assert (income.newest.text, income.when) == ("2", "2018")


def test_headline_is_the_newest_number_without_a_doubt() -> None:
    rows = [year(2010 + at, "revenue", "7000000") for at in range(3)]
    shown = revenue(*rows, year(2013, "revenue", "7"))
    assert (shown.newest.text, shown.when) == ("7", "2012")


@pytest.mark.parametrize(
    ("years", "notes", "labels"),
    [
        ((1998, 1999, 2000), [], ["’98", "’99", "’00"]),
        (
            (2000, 2009),
            ["no figures 2001 to 2008: filings had no XBRL then"],
            ["’00", "…", "’09"],
        ),
        ((2015, 2019, 2020), ["no figures 2016 to 2018 here"], ["’15", "…", "’19", "’20"]),
        ((2015, 2017), ["no figures 2016 here"], ["’15", "’17"]),
    ],
)
def test_gaps_are_said(years: tuple[int, ...], notes: list[str], labels: list[str]) -> None:
    shown = revenue(*(year(each, "revenue", "1000000") for each in years))
    assert shown.notes == notes
    assert [label.text for label in shown.labels] == labels


def test_another_concept_is_a_break() -> None:
    shown = revenue(
        year(2017, "revenue", "5", "us-gaap:SalesRevenueNet"),
        year(2018, "revenue", "6", "us-gaap:Revenues"),
        year(2019, "revenue", "7", "us-gaap:Revenues"),
    )
    first, second, _ = (bar.x for bar in shown.bars)
    assert len(shown.breaks) == 1
    assert first + shown.bar_width < shown.breaks[0] < second
    assert shown.notes == ["another concept up to 2017"]


def test_picture_holds_the_newest_periods() -> None:
    shown = revenue(*(year(each, "revenue", "5") for each in range(2000, 2026)))
    assert [label.text for label in shown.labels] == [f"’{each}" for each in range(14, 26)]
    assert min(bar.x for bar in shown.bars) >= 0
    assert max(bar.x for bar in shown.bars) + shown.bar_width <= shown.width


def test_columns_of_one_length_are_side_by_side() -> None:
    def column(months: int, end_year: int) -> Column:
        return Column(date(end_year, 10 - months, 1), date(end_year, 9, 30))

    filed = [column(3, 2025), column(9, 2025), column(3, 2024), column(9, 2024)]
    statement = ReportedStatement("income_statement", "", "", filed, [], [], "")
    assert statement.by_length == [0, 2, 1, 3]


@pytest.mark.parametrize(
    ("form", "filed", "note"),
    [
        ("10-K", 2009, f"{_NO_FIGURES}, up to 2009, have none"),
        ("10-K405", 2002, f"{_NO_FIGURES}, up to 2002, have none"),
        ("10-K", 2001, None),
        ("8-K", 2009, None),
    ],
)
def test_annual_reports_after_the_newest_figures_are_said(
    form: str, filed: int, note: str | None
) -> None:
    series = revenue(year(2000, "revenue", "22956"))
    assert gap_at_the_end([series], [FormYears(form, {2000: 1, filed: 1})]) == note


def test_a_number_of_a_schedule_leads_to_the_schedule() -> None:
    filed = revenue(
        year(2009, "revenue", "7", "us-gaap:Revenues"),
        year(1999, "revenue", "5", "ex-27:TOTAL-REVENUES"),
    )
    assert [point.source for point in filed.points] == [
        "/filing/k2009#statements",
        f"/document/{year(1999, 'revenue', '5').document_id}",
    ]
