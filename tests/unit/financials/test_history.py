"""Series of made facts: fiscal years among other periods of twelve months."""

from datetime import date, timedelta

import pytest

from edgar_search.financials.history import HISTORY_PERIODS, HistoryPeriods, series
from edgar_search.stored.financials import StoredFact
from edgar_search.web.pages.series import concept_series, item_series

YEAR = 364


def fact(filing: str, period: str | None, end: str, days: int = YEAR) -> StoredFact:
    """Net income of the days up to an end, as a filing of this fiscal period has it."""
    last = date.fromisoformat(end)
    return StoredFact(
        document_id=f"{filing}-1",
        number=0,
        accession_number=filing,
        cik="0009990080",
        ciks=["0009990080"],
        sics=[],
        name="A",
        form_type="10-K" if period == "FY" else "10-Q",
        filing_date=last,
        taxonomy="standard",
        concept="standard:net_income",
        local_name="net_income",
        words="net income",
        label="Net income",
        unit="USD",
        start=last - timedelta(days=days),
        end=last,
        value="1",
        amount=1.0,
        fiscal_period=period,
    )


# Quarterly reports that have trailing twelve months beside the quarter, as some retailers file.
TRAILING = [
    fact("q1", "Q1", "2024-03-31"),
    fact("q1", "Q1", "2024-03-31", 90),
    fact("q1", "Q1", "2023-03-31"),
    fact("q3", "Q3", "2024-09-30"),
]
WEEKS = ["2024-09-28", "2023-09-30", "2022-09-24"]


@pytest.mark.parametrize(
    ("rows", "ends"),
    [
        (
            [fact("k", "FY", "2023-12-31"), fact("k", "FY", "2022-12-31"), *TRAILING],
            ["2023-12-31", "2022-12-31"],
        ),
        (TRAILING, []),
        # The weeks of a year are 52 or 53, and a later 10-Q may restate a year.
        ([fact("k", "FY", WEEKS[1]), fact("q", "Q1", WEEKS[0]), fact("k", "FY", WEEKS[2])], WEEKS),
        # Another fiscal year: a year counts that ends as those of its time did.
        (
            [
                fact("k2", "FY", "2024-12-31"),
                fact("q2", "Q2", "2024-06-30"),
                fact("k1", "FY", "2022-06-30"),
                fact("k1", "FY", "2021-06-30"),
            ],
            ["2024-12-31", "2022-06-30", "2021-06-30"],
        ),
        # A yearly report with twelve months that end with a quarter.
        (
            [fact("k", "FY", "2023-12-31"), fact("k", "FY", "2023-06-30")],
            ["2023-12-31"],
        ),
        # Registration statements name no period.
        (
            [fact("s", None, "2020-12-31"), fact("s", None, "2019-12-31")],
            ["2020-12-31", "2019-12-31"],
        ),
    ],
)
def test_years_are_fiscal_years(rows: list[StoredFact], ends: list[str]) -> None:
    of_api = [row.end.isoformat() for row in series(rows, "year")]
    shown = [
        [point.end.isoformat() for each in found for point in each.points]
        for found in (item_series(rows, "years"), concept_series(rows, "years"))
    ]
    assert [of_api, *shown] == [ends] * 3


@pytest.mark.parametrize(
    ("periods", "count"), [("shortest", 3), ("all", 4), ("quarter", 1), ("instant", 0)]
)
def test_other_periods_have_all_that_was_filed(periods: HistoryPeriods, count: int) -> None:
    assert len(series(TRAILING, periods)) == count


@pytest.mark.parametrize(
    ("weeks", "periods"),
    [(12, "quarter"), (16, "quarter"), (17, "quarter"), (24, "ytd"), (28, "ytd"), (40, "ytd")],
)
def test_weeks_of_a_quarter_are_12_to_17(weeks: int, periods: HistoryPeriods) -> None:
    row = fact("q", "Q1", "2026-04-19", 7 * weeks - 1)
    found = {each for each in HISTORY_PERIODS[1:4] if series([row], each)}
    assert found == {periods}
    shown = item_series([row], "quarters")
    assert len(shown) == (periods == "quarter")
