"""The days and the calendar of the page of coverage."""

from datetime import date

import pytest

from edgar_search.api.coverage import Day, day_reply
from edgar_search.search.coverage import FormDay, Lags
from edgar_search.web.pages.coverage import (
    CoveredDay,
    FormCell,
    cells,
    covered_days,
    form_days,
    months,
)

NONE = Lags(None, None, None)


def form_day(day: str, form: str, known: int, searchable: int, median: float | None) -> Day:
    lags = Lags(median, None, None)
    return day_reply(FormDay(day, form, known, 0, searchable, 0, 0, lags, NONE))


def test_forms_of_a_day_are_added_and_days_are_newest_first() -> None:
    found = [
        form_day("2024-01-30", "4", 1, 1, None),
        form_day("2024-01-31", "10-K", 3, 2, 5.0),
        form_day("2024-01-31", "8-K", 2, 2, 9.0),
    ]
    assert covered_days(found) == [
        CoveredDay(date(2024, 1, 31), 5, 4, 0, 0, 1, 9.0),
        CoveredDay(date(2024, 1, 30), 1, 1, 0, 0, 0, None),
    ]


@pytest.mark.parametrize(
    ("known", "waiting", "step"), [(0, 0, 0), (4, 4, 1), (4, 3, 1), (4, 2, 2), (4, 1, 3), (4, 0, 4)]
)
def test_step_says_how_complete_a_day_is(known: int, waiting: int, step: int) -> None:
    day = CoveredDay(date(2024, 1, 31), known, known - waiting, 0, 0, waiting, None)
    assert day.step == step


def test_calendar_has_a_column_for_each_week() -> None:
    days = [CoveredDay(date(2024, 1, 29), 2, 2, 0, 0, 0, None)]
    assert cells(days, date(2024, 1, 28), date(2024, 1, 29)) == [
        (0, 6, 0, "January 28, 2024: nothing known"),
        (1, 0, 4, "January 29, 2024: 2 of 2 searchable"),
    ]


def test_months_are_named_above_their_first_weeks_if_there_is_room() -> None:
    assert months(date(2024, 11, 20), date(2025, 2, 3)) == [
        (0, "Nov 2024"),
        (6, "Jan 2025"),
        (10, "Feb"),
    ]


def test_days_by_form_have_the_commonest_forms() -> None:
    found = [
        form_day("2024-01-30", "4", 3, 3, None),
        form_day("2024-01-31", "10-K", 4, 2, None),
        *(form_day("2024-01-31", f"rare {number}", 1, 1, None) for number in range(8)),
    ]
    page = form_days("/coverage", found)
    assert page.forms == ["10-K", "4", *(f"rare {number}" for number in range(6))]
    assert page.left == 2
    (newer, first), (older, second) = page.days
    assert (newer, older) == (date(2024, 1, 31), date(2024, 1, 30))
    address = "/coverage?from_date=2024-01-31&to_date=2024-01-31&form_type=10-K"
    assert first[:2] == [FormCell(4, 2, 2, address), None]
    assert second[0] is None
