"""The calls of a month by day."""

from datetime import date

from edgar_search.web.pages.account import Bar, bars


def test_every_day_until_now_has_a_bar() -> None:
    made = {date(2024, 2, 1): 3, date(2024, 2, 3): 4}
    assert bars(made, date(2024, 2, 1), date(2024, 2, 4)) == [
        Bar(date(2024, 2, 1), 3, 0.75),
        Bar(date(2024, 2, 2), 0, 0.0),
        Bar(date(2024, 2, 3), 4, 1.0),
        Bar(date(2024, 2, 4), 0, 0.0),
    ]


def test_no_calls_have_no_bars() -> None:
    assert bars({}, date(2024, 2, 1), date(2024, 2, 4)) == []
