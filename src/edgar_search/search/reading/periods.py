"""Periods in a question: fiscal years, quarters and years; pure."""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import NamedTuple

from edgar_search.edgar.fiscal_years import ends_of_fiscal_year

# EDGAR's filings begin in 1993 and report on the years before.
_FIRST_YEAR, _LAST_YEAR = 1985, 2039
ORDINALS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "1st": 1,
    "2nd": 2,
    "3rd": 3,
    "4th": 4,
}
_ORDINAL = "|".join(ORDINALS)
# An apostrophe may be left out after FY or a quarter, and so may the century.
_YEAR = r"(?P<year>(?:19|20)\d\d|'?\d\d)"
_LONG_YEAR = r"(?P<year>(?:19|20)\d\d)"
_FISCAL = r"(?:fy|fiscal year|fiscal|financial year)"
MONTHS = (
    "january february march april may june july august september october november december".split()
)
_MONTH = rf"(?P<month>{'|'.join(f'{month[:3]}(?:{month[3:]})?' for month in MONTHS)}|sept)"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_PART = r"(?:q(?P<quarter>[1-4])|h(?P<half>[12]))"
_PART_BEHIND = r"(?:(?P<quarter>[1-4])q|(?P<half>[12])h)"
_PATTERNS = [
    re.compile(rf"(?<!\S){pattern}(?!\S)")
    for pattern in (
        rf"{_PART}(?: ?of)?[ -]?(?:{_FISCAL} ?)?{_YEAR}",
        rf"{_PART_BEHIND}[ -]?(?:{_FISCAL} ?)?{_YEAR}",
        rf"(?:{_FISCAL} ?)?{_LONG_YEAR}[ -]?{_PART}",
        rf"fy ?{_YEAR}[ -]?{_PART}",
        rf"(?P<ordinal>{_ORDINAL}) (?:fiscal )?quarter (?:of )?(?:{_FISCAL} )?{_LONG_YEAR}",
        rf"(?:{_FISCAL} )?{_LONG_YEAR} (?P<ordinal>{_ORDINAL}) quarter",
        rf"(?P<half_ordinal>first|second|1st|2nd) half (?:of )?(?:{_FISCAL} )?{_LONG_YEAR}",
        rf"(?P<ordinal>{_ORDINAL}) quarter {_FISCAL}[ -]?{_YEAR}",
        rf"{_MONTH} {_DAY},? {_LONG_YEAR}",
        rf"{_DAY} {_MONTH},? {_LONG_YEAR}",
        rf"{_MONTH} {_LONG_YEAR}",
        rf"(?:fy|fye)[ -]?{_YEAR}(?:e)?",
        rf"{_FISCAL} (?:ended |ending )?{_LONG_YEAR}",
        # The last year of a range.
        rf"(?:19|20)\d\d ?(?:-|to) ?{_LONG_YEAR}",
        rf"(?:calendar )?(?:year )?{_LONG_YEAR}",
        r"(?P<year>'\d\d)",
    )
]
# Words relative to the day of the question.
_RELATIVE = re.compile(
    r"(?<!\S)(?:(?:last|this) (?:fiscal )?year|(?:last|latest|most recent) quarter)(?:'s)?(?!\S)"
)
_FISCAL_YEAR = re.compile(r"\bf(?:y|iscal|inancial)")
# How many days later a quarter or year of whole weeks may end, and how far from a known day.
_LATE, _NEAR = timedelta(days=7), timedelta(days=12)
# Reports of an event are for its day; results are announced, and still mentioned, for this long.
_ANNOUNCED, _TOLD = timedelta(days=75), timedelta(days=150)


class YearEnd(NamedTuple):
    """The month and day on which a company's fiscal year ends, if it is a fixed day."""

    month: int
    day: int


_CALENDAR = YearEnd(12, 31)


class ReadPeriod(NamedTuple):
    """A period and its position in a text.

    Reports about it are for a period that ends within these days. Reports of events announce its
    results from the first to the last day of `announced`; if it is None, they are for one of its
    days.
    """

    start: int
    end: int
    first: date
    last: date
    announced: tuple[date, date] | None = None


def find_periods(
    text: str, year_end: YearEnd | None = None, today: date | None = None
) -> Iterator[ReadPeriod]:
    """Yield the periods in lower-case words that are one space apart.

    Quarters and fiscal years refer to a year that ends on `year_end`, or to the calendar year if
    that is unknown. Phrases such as `last year` are relative to `today`, and ignored without it.
    """
    taken: list[tuple[int, int]] = []
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            year = whole_year(match["year"])
            free = all(match.end() <= start or end <= match.start() for start, end in taken)
            if not (free and _FIRST_YEAR <= year <= _LAST_YEAR):
                continue
            days = _days(match, year, year_end)
            if days is not None:
                start, end = match.span()
                taken.append((start, end))
                yield ReadPeriod(start, end, *days)
    if today is not None:
        for match in _RELATIVE.finditer(text):
            start, end = match.span()
            yield ReadPeriod(start, end, *_relative_days(match[0], year_end, today))


_Days = tuple[date, date, tuple[date, date] | None]


def _days(match: re.Match[str], year: int, year_end: YearEnd | None) -> _Days | None:
    groups = match.groupdict()
    if name := groups.get("month"):
        return _around_day(year, month_number(name), groups.get("day"))
    quarter = int(groups.get("quarter") or 0) or ORDINALS.get(groups.get("ordinal") or "", 0)
    half = int(groups.get("half") or 0) or ORDINALS.get(groups.get("half_ordinal") or "", 0)
    quarter = quarter or 2 * half
    return _named_days(year, quarter, _FISCAL_YEAR.search(match[0]) is not None, year_end)


def _named_days(year: int, quarter: int, fiscal: bool, year_end: YearEnd | None) -> _Days:
    """Return the days of a quarter, or of a year if the quarter is 0."""
    # A year that ends in January may be numbered after either year.
    if year_end and year_end.month > 1 and (quarter or fiscal):
        return _days_about(quarter_end(year, quarter or 4, year_end))
    if quarter:
        after = date(year, 3 * quarter + 1, 1) if quarter < 4 else date(year + 1, 1, 1)
        end = after - timedelta(days=1)
        return date(year, 3 * quarter - 2, 1) + _LATE, end + _LATE, (end, end + _ANNOUNCED)
    if fiscal:
        return *ends_of_fiscal_year(year), None
    return date(year, 1, 1) + _LATE, date(year, 12, 31) + _LATE, None


def _days_about(end: date) -> _Days:
    """Return a range of days around the known end of a period."""
    return end - _NEAR, end + _NEAR, (end, end + _ANNOUNCED)


def _relative_days(words: str, year_end: YearEnd | None, today: date) -> _Days:
    """Return the days of a year or quarter relative to today."""
    if "quarter" not in words:
        year = today.year - words.startswith("last")
        return _named_days(year, 0, "fiscal" in words, year_end)
    years = (today.year + 1, today.year, today.year - 1)
    ends = (
        quarter_end(y, quarter, year_end or _CALENDAR) for y in years for quarter in (4, 3, 2, 1)
    )
    return _days_about(next(end for end in ends if end < today))


def _around_day(year: int, month: int, day: str | None) -> _Days | None:
    """Return a range of days around a day, or of a month; None if the day does not exist."""
    after = date(year + month // 12, month % 12 + 1, 1)
    if day is None:
        # Reports keep mentioning it for a while.
        return date(year, month, 1), after + _TOLD, None
    if not 1 <= int(day) <= (after - timedelta(days=1)).day:
        return None
    exact = date(year, month, int(day))
    return exact - _LATE, exact + _LATE, None


def quarter_end(year: int, quarter: int, year_end: YearEnd) -> date:
    """Return approximately the last day of a quarter of the fiscal year that ends in this year."""
    months = 12 * year + year_end.month - 1 - 3 * (4 - quarter)
    after = date((months + 1) // 12, (months + 1) % 12 + 1, 1)
    last = after - timedelta(days=1)
    return last.replace(day=min(year_end.day, last.day))


def month_number(name: str) -> int:
    """Return the number of a month from its name or first three letters, in lower case."""
    return next(n for n, month in enumerate(MONTHS, 1) if month.startswith(name[:3]))


def whole_year(text: str) -> int:
    """Return the year that a text gives: `1998`, or `98` with or without an apostrophe."""
    digits = text.strip("'\u2019")
    if len(digits) == 4:
        return int(digits)
    return int(digits) + (1900 if int(digits) > 80 else 2000)
