"""Numbers of fiscal years, by the days on which they end; pure."""

from datetime import date, timedelta

# A year of 52 or 53 weeks may end some days after the calendar year whose number it has.
_LATE = timedelta(days=7)
# A year that ends in these weeks is named after the new year or after the one before.
_LAST_OF_EITHER = (2, 7)


def fiscal_year_of(end: date) -> int:
    """Return the number of the fiscal year that ends on a day."""
    return (end - _LATE).year


def ends_of_fiscal_year(year: int) -> tuple[date, date]:
    """Return the first and last day on which a fiscal year that may have this number ends."""
    return date(year, 1, 1) + _LATE, date(year + 1, *_LAST_OF_EITHER)
