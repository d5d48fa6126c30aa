"""Numbers of fiscal years, by their last days; pure."""

from datetime import date, timedelta

# A year of 52 or 53 weeks may end some days after the calendar year that it is named after.
_LATE = timedelta(days=7)
# A year that ends up to this day is named after the new year or the previous one.
_LAST_OF_EITHER = (2, 7)


def fiscal_year_of(end: date) -> int:
    """Return the number of the fiscal year that ends on this day."""
    return (end - _LATE).year


def ends_of_fiscal_year(year: int) -> tuple[date, date]:
    """Return the first and last day on which a fiscal year with this number can end."""
    return date(year, 1, 1) + _LATE, date(year + 1, *_LAST_OF_EITHER)
