"""Reports of a manager for a quarter: their order, what they repeat, and their totals."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from edgar_search.ownership.portfolios import (
    ReportStatus,
    effective_reports,
    total_difference,
    with_warnings,
)
from edgar_search.stored.ownership import MOST_MARKS, StoredManagerReport, UnitBasis

DAY = date(2025, 5, 14)


def report(number: str, form_type: str = "13F-HR", hour: int | None = None, **more: Any) -> Any:
    """Return a report of that day; its accession number ends with the number."""
    accession = f"0009990021-25-{number:>06}"
    return StoredManagerReport(
        f"{accession}-1",
        accession,
        0,
        form_type,
        DAY,
        "0009990021",
        "HERON",
        "2025Q1",
        UnitBasis("dollars", "filing_date"),
        "xml",
        accepted_at=None if hour is None else datetime(2025, 5, 14, hour, tzinfo=UTC),
        **more,
    )


def statuses(*reports: StoredManagerReport) -> dict[str, str]:
    return {
        each.report.accession_number[-1]: each.status for each in effective_reports(list(reports))
    }


def warnings(decided: list[ReportStatus]) -> list[str]:
    return [str(each) for report in with_warnings(decided) for each in report.warnings]


def marks(*numbers: int) -> list[str]:
    return [f"{number:016x}" for number in sorted(numbers)]


def test_reports_of_one_day_go_by_their_acceptance() -> None:
    later = report("1", "13F-HR/A", 15, amendment="restatement")
    earlier = report("2", "13F-HR", 10)
    assert statuses(earlier, later) == {"1": "in_effect", "2": "replaced"}
    # A second report that amends nothing replaces the first, whatever their numbers say.
    assert statuses(report("1", hour=15), report("2", hour=10))["1"] == "in_effect"


@pytest.mark.parametrize("hour", [None, 10])
def test_of_reports_accepted_at_once_an_amendment_is_later(hour: int | None) -> None:
    restated = report("1", "13F-HR/A", hour, amendment="restatement", amendment_number="2")
    before = report("3", "13F-HR/A", hour, amendment="restatement", amendment_number="1")
    first = report("2", "13F-HR", hour)
    assert statuses(restated, before, first) == {"1": "in_effect", "2": "replaced", "3": "replaced"}


def test_addition_that_repeats_the_table_is_counted_once_and_said() -> None:
    first = report("1", hour=10, marks=marks(1, 2))
    added = report("2", "13F-HR/A", 11, amendment="new_holdings", marks=marks(1, 2, 3))
    decided = effective_reports([first, added])
    assert [each.status for each in decided] == ["replaced", "in_effect"]
    assert warnings(decided) == [
        "0009990021-25-000002 says that it adds holdings, but repeats the table of"
        " 0009990021-25-000001; the rows are counted once"
    ]


def test_addition_with_nothing_new_is_not_counted() -> None:
    first = report("1", hour=10, marks=marks(1, 2, 3))
    added = report("2", "13F-HR/A", 11, amendment="new_holdings", marks=marks(1, 2))
    decided = effective_reports([first, added])
    assert [each.status for each in decided] == ["in_effect", "replaced"]
    (said,) = warnings(decided)
    assert said.endswith("has only rows that 0009990021-25-000001 has; they are counted once")


def test_addition_that_repeats_a_part_counts_and_says_so() -> None:
    first = report("1", hour=10, marks=marks(1, 2, 3, 4))
    added = report("2", "13F-HR/A", 11, amendment="new_holdings", marks=marks(4, 5))
    decided = effective_reports([first, added])
    assert [each.status for each in decided] == ["in_effect", "in_effect"]
    (said,) = warnings(decided)
    assert "repeats 25 percent of the rows" in said


def test_addition_of_other_holdings_adds_and_nothing_is_said() -> None:
    first = report("1", hour=10, marks=marks(*range(MOST_MARKS)))
    # Of a table with more rows than marks, the least marks decide.
    added = report("2", "13F-HR/A", 11, amendment="new_holdings", marks=marks(10_000, 10_001))
    decided = effective_reports([first, added])
    assert [each.status for each in decided] == ["in_effect", "in_effect"]
    assert warnings(decided) == []


def test_last_report_has_the_warning_about_several() -> None:
    decided = effective_reports([report("1", hour=10), report("2", hour=15)])
    said = "2 reports are not amendments; the last one replaces the others"
    assert [list(map(str, report.warnings)) for report in with_warnings(decided)] == [[], [said]]


@pytest.mark.parametrize(
    ("filed", "read", "difference"),
    [(100, 100, None), (100, 101, None), (100, 102, 2), (100, 90, -10), (None, 5, None)],
)
def test_totals_differ_by_more_than_rounding(
    filed: int | None, read: int, difference: int | None
) -> None:
    cover = None if filed is None else Decimal(filed)
    made = report("1", total_filed=cover, total_read=Decimal(read), entries=Decimal(2), rows=2)
    assert total_difference(made) == difference
    said = warnings(effective_reports([made]))
    assert bool(said) == (difference is not None)
    if difference:
        assert f"{difference:+} from the 100 of its cover" in said[0]
