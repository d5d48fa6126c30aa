"""Calendar months in UTC: what quotas and the history are kept by."""

from datetime import UTC, datetime
from typing import NamedTuple

from edgar_search.engine.index_names import month_of


class Month(NamedTuple):
    """A calendar month; `end` is the first moment that is not in it any more."""

    name: str
    start: datetime
    end: datetime


def month_at(moment: datetime) -> Month:
    """The month of a moment."""
    start = moment.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    year, number = (start.year + 1, 1) if start.month == 12 else (start.year, start.month + 1)
    return Month(month_of(start.date()), start, start.replace(year=year, month=number))


def seconds_until(moment: datetime, now: datetime) -> int:
    """Whole seconds until a moment, at least one."""
    return max(1, -int((now - moment).total_seconds() // 1))


def months_before(month: str, count: int) -> str:
    """The month this many before a month; after it where `count` is negative."""
    total = int(month[:4]) * 12 + int(month[5:]) - 1 - count
    return f"{total // 12:04d}-{total % 12 + 1:02d}"


def month_after(month: str) -> str:
    """The next month."""
    return months_before(month, -1)


def month_named(name: str) -> Month:
    """The inverse of a month's name."""
    return month_at(datetime(int(name[:4]), int(name[5:]), 1, tzinfo=UTC))
