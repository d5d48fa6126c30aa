"""Periods that a text states, each by its kind: a year, a quarter, months or a day; pure."""

import re
from collections.abc import Iterator
from datetime import date
from itertools import islice
from typing import NamedTuple

from edgar_search.search.reading.periods import MONTHS, ORDINALS, month_number, whole_year

_NUMBERS = {"three": 3, "six": 6, "nine": 9, "twelve": 12}
_DATE = (
    rf"(?:(?P<month>{'|'.join(MONTHS)}|{'|'.join(f'{each[:3]}[.]?' for each in MONTHS)}|sept[.]?)"
    r"\s(?P<day>\d{1,2}),?\s(?P<year>(?:19|20)\d\d)"
    r"|(?P<iso>(?:19|20)\d\d-\d\d-\d\d))"
)
_FISCAL = r"(?P<fiscal>fiscal\syear|fiscal|financial\syear|fy)"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_ANY_YEAR = r"(?P<year>(?:19|20)\d\d|['’]?\d\d)"
_ORDINAL = rf"(?P<ordinal>{'|'.join(ORDINALS)})"
_PERIODS = [
    re.compile(rf"(?<![\w$.,-])(?:{pattern})(?![\w%]|[.,]\d)", re.IGNORECASE)
    for pattern in (
        rf"(?:(?P<months>{'|'.join(_NUMBERS)})[\s-]months?(?:\speriod)?|(?P<quarterly>quarter(?:ly\speriod)?)"
        rf"|(?:fiscal\s)?(?P<yearly>year))\s(?:ended|ending|to)\s{_DATE}",
        rf"{_ORDINAL}[\s-](?:(?P<fiscal_quarter>fiscal)\s)?quarter\s(?:of\s|in\s)?"
        rf"(?:the\s)?(?:{_FISCAL}\s?)?{_YEAR}",
        rf"(?P<quarter_first>(?:fiscal\s)?q(?P<quarter>[1-4]))[\s-]?(?:of\s)?(?:{_FISCAL}\s?)?{_ANY_YEAR}",
        rf"(?P<quarter>[1-4])q\s?{_ANY_YEAR}",
        rf"(?:{_FISCAL}\s?)?{_YEAR}[\s-]?q(?P<quarter>[1-4])",
        rf"(?:{_FISCAL}\s)?{_YEAR}\s{_ORDINAL}[\s-]quarter",
        rf"{_FISCAL}[\s-]?{_YEAR}",
        r"(?P<fiscal>fy)\s?(?P<year>['’]?\d\d)",
        rf"(?:full[\s-]year|calendar\syear|calendar)\s{_YEAR}",
        _DATE,
        _YEAR,
    )
]
# How many matches of one pattern are read; a sentence contains fewer.
_MOST_MATCHES = 60


class AskedPeriod(NamedTuple):
    """A fiscal year, a quarter of one, some months or a quarter or a year up to a day, or a day.

    `months` is 0 for a day. With a `day`, `year` and `quarter` are 0. `fiscal` is true if the text
    says so.
    """

    year: int = 0
    quarter: int = 0
    months: int = 0
    day: date | None = None
    fiscal: bool = False


class StatedPeriod(NamedTuple):
    """A period and its position in a text."""

    start: int
    end: int
    period: AskedPeriod


def read_period(text: str) -> AskedPeriod | None:
    """Parse a text that is exactly one period, such as `Q2 2024` or `2009-06-27`.

    None if it is not.
    """
    text = " ".join(text.split()).removeprefix("the ")
    for pattern in _PERIODS:
        match = pattern.fullmatch(text)
        if match:
            return _period(match)
    return None


def stated_periods(text: str) -> Iterator[StatedPeriod]:
    """Yield the periods of a sentence, in no particular order."""
    taken: list[tuple[int, int]] = []
    for pattern in _PERIODS:
        for match in islice(pattern.finditer(text), _MOST_MATCHES):
            start, end = match.span()
            if any(start < other and first < end for first, other in taken):
                continue
            period = _period(match)
            if period is not None:
                taken.append((start, end))
                yield StatedPeriod(start, end, period)


def _period(match: re.Match[str]) -> AskedPeriod | None:
    """Return the period of a match; None if the day does not exist."""
    groups = match.groupdict()
    if "iso" in groups:
        day = _day(groups)
        if day is None:
            return None
        months = _NUMBERS.get((groups.get("months") or "").lower(), 0)
        months = 3 if groups.get("quarterly") else 12 if groups.get("yearly") else months
        return AskedPeriod(months=months, day=day)
    year = whole_year(groups["year"])
    ordinal = (groups.get("ordinal") or "").lower()
    quarter = int(groups.get("quarter") or 0) or ORDINALS.get(ordinal, 0)
    fiscal_words = (groups.get("fiscal"), groups.get("fiscal_quarter"))
    first = (groups.get("quarter_first") or "").lower()
    fiscal = any(fiscal_words) or first.startswith("fiscal")
    return AskedPeriod(year, quarter, 3 if quarter else 12, None, fiscal)


def _day(groups: dict[str, str | None]) -> date | None:
    try:
        if iso := groups["iso"]:
            return date.fromisoformat(iso)
        month = month_number((groups["month"] or "").lower())
        return date(int(groups["year"] or 0), month, int(groups["day"] or 0))
    except ValueError:
        return None
