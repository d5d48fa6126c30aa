"""EDGAR's calendar: the days on which it accepts filings and publishes an index of them."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

# EDGAR's first index covers the first quarter of 1993.
FIRST_INDEX = date(1993, 1, 1)
_DAY = timedelta(days=1)
_CLOCK = ZoneInfo("America/New_York")
_MONDAY, _THURSDAY, _SATURDAY, _SUNDAY = 0, 3, 5, 6
_JUNETEENTH_SINCE = 2021
# Closed in addition to the holidays: the President closed the departments by the executive order of
# this number or date, and the SEC treats such a day as a holiday. Days on which only the SEC's
# offices were closed do not count: 29 and 30 October 2012 (Hurricane Sandy), snow days, and lapses
# of appropriations.
_CLOSED = frozenset(
    {
        date(1994, 4, 27),  # 12910, mourning for President Nixon
        date(1997, 12, 26),  # 13068
        date(2001, 12, 24),  # 13238
        date(2003, 12, 26),  # 13320
        date(2004, 6, 11),  # 13343, mourning for President Reagan
        date(2007, 1, 2),  # 13421, mourning for President Ford
        date(2007, 12, 24),  # 13453
        date(2008, 12, 26),  # 13482
        date(2012, 12, 24),  # 13633
        date(2014, 12, 26),  # 13682
        date(2018, 12, 5),  # 13852, mourning for President Bush
        date(2018, 12, 24),  # 13854
        date(2019, 12, 24),  # 13900
        date(2020, 12, 24),  # 13965
        date(2024, 12, 24),  # of December 2024
        date(2025, 1, 9),  # of 30 December 2024, mourning for President Carter
        date(2025, 12, 24),  # of 18 December 2025
        date(2025, 12, 26),  # of 18 December 2025
    }
)


def today() -> date:
    """Return today's date at the SEC."""
    return datetime.now(_CLOCK).date()


def is_business_day(day: date) -> bool:
    """Return True if EDGAR accepts filings on that day.

    Columbus Day and Veterans Day are holidays for EDGAR. Inauguration Day is not: filings are dated
    to it in 2005, 2009, 2017 and 2021.
    """
    return day.weekday() < _SATURDAY and day not in _CLOSED and day not in _holidays(day.year)


def business_days(first: date, last: date) -> Iterator[date]:
    """Yield the days from `first` to `last`, both included, on which EDGAR accepts filings."""
    for number in range((last - first).days + 1):
        day = first + number * _DAY
        if is_business_day(day):
            yield day


def last_published(now: datetime) -> date:
    """Return the last day whose index EDGAR has had time to publish.

    EDGAR writes a day's index late in the evening, Washington time.
    """
    return now.astimezone(_CLOCK).date() - _DAY


def last_filing_date(now: datetime) -> date:
    """Return the last date that a filing can have by now: the next business day.

    EDGAR gives it to filings accepted in the evening, Washington time.
    """
    day = now.astimezone(_CLOCK).date() + _DAY
    while not is_business_day(day):
        day += _DAY
    return day


@lru_cache(maxsize=64)
def _holidays(year: int) -> frozenset[date]:
    """Return the days on which a year's federal holidays are observed."""
    fixed = [date(year, 1, 1), date(year, 7, 4), date(year, 11, 11), date(year, 12, 25)]
    if year >= _JUNETEENTH_SINCE:
        fixed.append(date(year, 6, 19))
    if year < date.max.year:
        # New Year's Day on a Saturday is observed in the previous year.
        fixed.append(date(year + 1, 1, 1))
    return frozenset(
        {
            *map(_observed_date, fixed),
            _nth(year, 1, _MONDAY, 3),  # Birthday of Martin Luther King, Jr.
            _nth(year, 2, _MONDAY, 3),  # Washington's Birthday
            _nth(year, 6, _MONDAY, 1) - 7 * _DAY,  # Memorial Day: the last Monday of May
            _nth(year, 9, _MONDAY, 1),  # Labor Day
            _nth(year, 10, _MONDAY, 2),  # Columbus Day
            _nth(year, 11, _THURSDAY, 4),  # Thanksgiving Day
        }
    )


def _observed_date(day: date) -> date:
    """Return the weekday on which a holiday with a fixed date is observed."""
    if day == date.min or day == date.max:
        return day
    return day + {_SATURDAY: -_DAY, _SUNDAY: _DAY}.get(day.weekday(), 0 * _DAY)


def _nth(year: int, month: int, weekday: int, number: int) -> date:
    """Return the first, second, ... Monday, or other weekday, of a month."""
    first = date(year, month, 1)
    return first + ((weekday - first.weekday()) % 7 + 7 * (number - 1)) * _DAY
