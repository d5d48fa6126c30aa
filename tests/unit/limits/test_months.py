"""Calendar months in UTC."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from edgar_search.access.quota import month_at, seconds_until

EAST, WEST = timezone(timedelta(hours=14)), timezone(timedelta(hours=-12))


@pytest.mark.parametrize(
    ("moment", "name", "days"),
    [
        (datetime(2026, 11, 1, tzinfo=UTC), "2026-11", 30),
        (datetime(2026, 11, 30, 23, 59, 59, 999_999, tzinfo=UTC), "2026-11", 30),
        (datetime(2026, 12, 31, 23, 59, 59, tzinfo=UTC), "2026-12", 31),
        (datetime(2027, 1, 1, tzinfo=UTC), "2027-01", 31),
        (datetime(2027, 2, 28, tzinfo=UTC), "2027-02", 28),
        (datetime(2028, 2, 29, tzinfo=UTC), "2028-02", 29),
        (datetime(2026, 12, 1, 13, 59, tzinfo=EAST), "2026-11", 30),
        (datetime(2026, 11, 30, 12, tzinfo=WEST), "2026-12", 31),
    ],
)
def test_114_month_is_the_calendars(moment: datetime, name: str, days: int) -> None:
    month = month_at(moment)
    assert (month.name, month.end - month.start) == (name, timedelta(days=days))
    assert month.start <= moment < month.end


@pytest.mark.parametrize(
    ("left", "seconds"), [(10.0, 10), (9.2, 10), (1.0, 1), (0.1, 1), (0.0, 1), (-5.0, 1)]
)
def test_121_wait_is_whole_seconds_and_never_too_short(left: float, seconds: int) -> None:
    now = datetime(2026, 11, 20, tzinfo=UTC)
    assert seconds_until(now + timedelta(seconds=left), now) == seconds
