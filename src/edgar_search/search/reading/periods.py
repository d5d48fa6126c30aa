"""Periods in a question: fiscal years, quarters and years; pure."""

import re
from collections.abc import Iterator
from datetime import date, timedelta
from typing import NamedTuple

from edgar_search.edgar.fiscal_years import ends_of_fiscal_year

# EDGAR's filings begin in 1993 and report on the years before.
_FIRST_YEAR, _LAST_YEAR = 1985, 2039
_ORDINALS = {
    "first": 1,
    "second": 2,
    "third": 3,
    "fourth": 4,
    "1st": 1,
    "2nd": 2,
    "3rd": 3,
    "4th": 4,
}
_ORDINAL = "|".join(_ORDINALS)
# An apostrophe or the century may be left out behind FY or a quarter.
_YEAR = r"(?P<year>(?:19|20)\d\d|'?\d\d)"
_LONG_YEAR = r"(?P<year>(?:19|20)\d\d)"
_FISCAL = r"(?:fy|fiscal year|fiscal|financial year)"
_PATTERNS = [
    re.compile(rf"(?<!\S){pattern}(?!\S)")
    for pattern in (
        rf"q(?P<quarter>[1-4])(?: ?of)?[ -]?(?:{_FISCAL} ?)?{_YEAR}",
        rf"(?P<quarter>[1-4])q[ -]?(?:{_FISCAL} ?)?{_YEAR}",
        rf"(?P<ordinal>{_ORDINAL}) (?:fiscal )?quarter (?:of )?(?:{_FISCAL} )?{_LONG_YEAR}",
        rf"(?:fy|fye)[ -]?{_YEAR}(?:e)?",
        rf"{_FISCAL} (?:ended |ending )?{_LONG_YEAR}",
        rf"(?:calendar )?(?:year )?{_LONG_YEAR}",
    )
]
_FISCAL_YEAR = re.compile(r"\bf(?:y|iscal|inancial)")
# Days by which a quarter or year of whole weeks may end later.
_LATE = timedelta(days=7)


class ReadPeriod(NamedTuple):
    """A period and its place in a text; the period of a report about it ends within these days."""

    start: int
    end: int
    first: date
    last: date


def find_periods(text: str) -> Iterator[ReadPeriod]:
    """Yield the periods in words that are one space apart, in lower case; none in another."""
    taken: list[tuple[int, int]] = []
    for pattern in _PATTERNS:
        for match in pattern.finditer(text):
            year = _whole_year(match["year"])
            free = all(match.end() <= start or end <= match.start() for start, end in taken)
            if not (free and _FIRST_YEAR <= year <= _LAST_YEAR):
                continue
            taken.append(match.span())
            yield ReadPeriod(*match.span(), *_days(match, year))


def _days(match: re.Match[str], year: int) -> tuple[date, date]:
    groups = match.groupdict()
    quarter = int(groups.get("quarter") or 0) or _ORDINALS.get(groups.get("ordinal") or "", 0)
    if quarter:
        after = date(year, 3 * quarter + 1, 1) if quarter < 4 else date(year + 1, 1, 1)
        return date(year, 3 * quarter - 2, 1) + _LATE, after - timedelta(days=1) + _LATE
    if _FISCAL_YEAR.search(match[0]):
        return ends_of_fiscal_year(year)
    return date(year, 1, 1) + _LATE, date(year, 12, 31) + _LATE


def _whole_year(text: str) -> int:
    digits = text.removeprefix("'")
    if len(digits) == 4:
        return int(digits)
    return int(digits) + (1900 if int(digits) > 80 else 2000)
