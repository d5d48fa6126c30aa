"""Calendar frames of facts."""

from datetime import date

import pytest

from edgar_search.errors import BadRequest
from edgar_search.financials.frames import frame_of, read_frame


@pytest.mark.parametrize(
    ("start", "end", "frame"),
    [
        ("2019-01-01", "2019-12-31", "CY2019"),
        ("2018-09-30", "2019-09-28", "CY2019"),
        ("2019-07-01", "2020-06-30", "CY2019"),
        ("2018-09-30", "2018-12-29", "CY2018Q4"),
        ("2019-01-01", "2019-03-31", "CY2019Q1"),
        # 12 and 16 weeks.
        ("2019-02-17", "2019-05-11", "CY2019Q1"),
        ("2019-01-01", "2019-06-30", None),
        ("2019-01-01", "2019-01-31", None),
        (None, "2019-09-28", "CY2019Q3I"),
        (None, "2020-01-31", "CY2019Q4I"),
        (None, "2019-12-31", "CY2019Q4I"),
        (None, "2019-02-28", "CY2019Q1I"),
    ],
)
def test_frame_of_a_period(start: str | None, end: str, frame: str | None) -> None:
    first = date.fromisoformat(start) if start else None
    assert frame_of(first, date.fromisoformat(end)) == frame


@pytest.mark.parametrize(
    "period",
    [
        (date(2018, 9, 30), date(2019, 9, 28)),
        (date(2019, 7, 1), date(2020, 6, 30)),
        (date(2018, 11, 25), date(2019, 2, 23)),
        (None, date(2020, 1, 31)),
        (None, date(2019, 11, 30)),
    ],
    ids=str,
)
def test_days_of_a_frame_hold_its_periods(period: tuple[date | None, date]) -> None:
    name = frame_of(*period)
    assert name is not None
    frame = read_frame(name)
    assert frame.first_end <= period[1] <= frame.last_end
    assert frame.instant == (period[0] is None)


@pytest.mark.parametrize("name", ["", "2019", "CY2019Q5", "CY2019I", "CY0000", "CY2019Q1I "])
def test_other_texts_are_no_frames(name: str) -> None:
    with pytest.raises(BadRequest):
        read_frame(name)
