"""Financial Data Schedules (EX-27) of 1993 to 2001: tags with values, before XBRL."""

import calendar
import re
from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from decimal import Decimal

from ingest.reading.xbrl.instance import Context, Fact, Period
from ingest.reading.xbrl.schedule_scale import DOUBT, OTHER_SCALE, scale_by_words, words_scale

# The prefix of their tags, as if they were concepts of a taxonomy.
TAXONOMY = "ex-27"
_LINE = re.compile(r"[ \t]*<([A-Z][A-Z0-9&-]{0,99})>[ \t]*(.*)")
# Footnote marks, whose texts follow <FN>: "JUN-30-1996 <F1>", "1,234<F1>,<F2>", "56 (a)".
_NOTE = re.compile(
    r"[ \t,]*</?F[0-9]{1,2}>|(?<=[0-9)])(?:[ \t]*\([a-z]\)| \([1-9]\))(?=\s|$)|\*+",
    re.IGNORECASE,
)
_DAY = re.compile(
    r"([A-Z]{3})[A-Z]{0,6}\.?[-/ ]{1,2}([0-9]{1,2})[-/, ]{1,3}((?:19|20)?[0-9]{2})", re.IGNORECASE
)
_FIRST_YEAR = 90  # two-digit years from this one on are in the last century
_MONTHS = re.compile(r"([0-9]{1,2})-MOS?", re.IGNORECASE)
_NUMBER = re.compile(r"(\(?-?)\$?(-?)([0-9][0-9,]*(?:\.[0-9]*)?|\.[0-9]+)\)?%?")
# Tags that describe the figures, and are not figures.
_ABOUT = frozenset(
    "ARTICLE CIK NAME LEGEND RESTATED SERIES NUMBER CURRENCY EXCHANGE-RATE MULTIPLIER PERIOD-TYPE"
    " FISCAL-YEAR-END PERIOD-START PERIOD-END".split()
)
# Figures of a period, from all articles of Regulation S-X; all others are of its last day.
_FLOWS = frozenset(
    "SALES TOTAL-REVENUES TOTAL-REVENUE CGS TOTAL-COSTS OTHER-EXPENSES LOSS-PROVISION"
    " INTEREST-EXPENSE INCOME-PRETAX INCOME-TAX INCOME-CONTINUING DISCONTINUED EXTRAORDINARY"
    " CHANGES NET-INCOME EPS-PRIMARY EPS-BASIC EPS-DILUTED TRADING-REVENUE INTEREST-DIVIDENDS"
    " COMMISSIONS INVESTMENT-BANKING-REVENUE FEE-REVENUE COMPENSATION INCOME-PRE-EXTRAORDINARY"
    " PREMIUMS INVESTMENT-INCOME INVESTMENT-GAINS OTHER-INCOME BENEFITS UNDERWRITING-AMORTIZATION"
    " UNDERWRITING-OTHER INTEREST-LOAN INTEREST-INVEST INTEREST-OTHER INTEREST-TOTAL"
    " INTEREST-DEPOSIT INTEREST-INCOME-NET LOAN-LOSSES SECURITIES-GAINS EXPENSE-OTHER"
    " CHARGE-OFFS RECOVERIES GROSS-OPERATING-REVENUE INCOME-TAX-EXPENSE-NET"
    " OTHER-OPERATING-EXPENSES TOTAL-OPERATING-EXPENSES OPERATING-INCOME-LOSS OTHER-INCOME-NET"
    " INCOME-BEFORE-INTEREST-EXPEN TOTAL-INTEREST-EXPENSE PREFERRED-STOCK-DIVIDENDS"
    " EARNINGS-AVAILABLE-FOR-COMM COMMON-STOCK-DIVIDENDS TOTAL-INTEREST-ON-BONDS"
    " CASH-FLOW-OPERATIONS DIVIDEND-INCOME INTEREST-INCOME EXPENSES-NET NET-INVESTMENT-INCOME"
    " REALIZED-GAINS-CURRENT APPREC-INCREASE-CURRENT NET-CHANGE-FROM-OPS EQUALIZATION"
    " DISTRIBUTIONS-OF-INCOME DISTRIBUTIONS-OF-GAINS DISTRIBUTIONS-OTHER NUMBER-OF-SHARES-SOLD"
    " NUMBER-OF-SHARES-REDEEMED SHARES-REINVESTED NET-CHANGE-IN-ASSETS GROSS-ADVISORY-FEES"
    " GROSS-EXPENSE PER-SHARE-NII PER-SHARE-GAIN-APPREC PER-SHARE-DIVIDEND"
    " PER-SHARE-DISTRIBUTIONS RETURNS-OF-CAPITAL EXPENSE-RATIO YIELD-ACTUAL".split()
)
# The multiplier applies to amounts; these are amounts per share, or ratios.
_PER_SHARE = ("EPS-", "PER-SHARE-")
_RATIOS = frozenset({"EXPENSE-RATIO", "YIELD-ACTUAL"})
_COUNTS = re.compile(r"NUMBER-OF-SHARES-|SHARES-REINVESTED|SHARES-COMMON-")
_LONGEST_CURRENCY = 100
_DOLLARS = re.compile(r"(U\.?S\.? ?)?DOLLARS?|USD?|U\.S\.|1", re.IGNORECASE)


def is_schedule(document_type: str) -> bool:
    """Return True if a document of this type is a Financial Data Schedule."""
    return document_type == "EX-27" or document_type.startswith("EX-27.")


def read_schedule(text: str, cik: str, texts: Iterable[str] = ()) -> list[Fact]:
    """Return a schedule's figures, multiplied, each with its period; none without a period.

    A figure of a period begins on the schedule's first day, else as many months before its end as
    the period's type says. A schedule without a multiplier has the scale that its own words name,
    or that the same figures have in the `texts` of the filing; otherwise its amounts stay as filed,
    with a doubt. So do amounts whose multiplier the `texts` contradict.
    """
    about: dict[str, list[str]] = {}
    figures: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        match = _LINE.match(line)
        if match is None:
            continue
        tag, cells = match[1], re.split(r"\t+| {2,}", _NOTE.sub("  ", match[2]).strip())
        if tag in _ABOUT:
            about.setdefault(tag, cells)
        elif cells != [""]:
            figures.append((tag, cells))
    multiplier = _number((about.get("MULTIPLIER") or [""])[0])
    amounts = [
        value
        for tag, cells in figures
        if not tag.startswith(_PER_SHARE) and tag not in _RATIOS
        for cell in cells
        if (value := _number(cell)) is not None
    ]
    doubt = None
    if not multiplier:
        scale = words_scale(text) or scale_by_words(amounts, texts)
        multiplier, doubt = Decimal(scale or 1), None if scale else DOUBT
    elif (scale := scale_by_words(amounts, texts, multiplier)) is not None and scale != multiplier:
        doubt = OTHER_SCALE.format(multiplier=multiplier, scale=scale)
    # Normalised, it is a power such as 1E+6, so that a product's exponent gives its decimals.
    return list(_facts(about, figures, cik, multiplier.normalize(), doubt))


def _facts(
    about: dict[str, list[str]],
    figures: list[tuple[str, list[str]]],
    cik: str,
    multiplier: Decimal,
    doubt: str | None,
) -> Iterator[Fact]:
    ends = [_day(text) for text in about.get("PERIOD-END", [])]
    starts = [_day(text) for text in about.get("PERIOD-START", [])]
    types = about.get("PERIOD-TYPE", [])
    currency = (about.get("CURRENCY") or ["USD"])[0]
    unit = "USD" if _DOLLARS.fullmatch(currency) else currency.upper()[:_LONGEST_CURRENCY]
    for tag, cells in figures:
        values = [value for cell in cells if (value := _number(cell)) is not None]
        # A cell may separate its sign from its digits: then it belongs to one column.
        if len(values) != len(ends):
            values = [value] if (value := _number("".join(cells))) is not None else []
        for place, value in enumerate(values if len(values) == len(ends) else []):
            end = ends[place]
            start = starts[place] if place < len(starts) else None
            if tag in _FLOWS and start is None and end and place < len(types):
                start = _first_day(end, types[place])
            if end is None or (tag in _FLOWS and (start is None or start > end)):
                continue
            period = Period(start if tag in _FLOWS else None, end)
            amount, measure = _amount(tag, value, multiplier, unit)
            exponent = amount.as_tuple().exponent
            decimals = -int(exponent) if isinstance(exponent, int) else 0
            concept, context = f"{TAXONOMY}:{tag}", Context(cik, period, ())
            of_scale = doubt if measure == unit else None
            yield Fact(concept, context, measure, f"{amount:f}", decimals, doubt=of_scale)


def _amount(tag: str, value: Decimal, multiplier: Decimal, unit: str) -> tuple[Decimal, str]:
    if tag.startswith(_PER_SHARE):
        return value, f"{unit}/shares"
    if tag in _RATIOS:
        return value, "pure"
    return value * multiplier, "shares" if _COUNTS.match(tag) else unit


def _number(text: str) -> Decimal | None:
    match = _NUMBER.fullmatch(text.replace(" ", ""))
    if match is None:
        return None
    value = Decimal(match[3].replace(",", ""))
    return -value if match[1] or match[2] else value


def _day(text: str) -> date | None:
    match = _DAY.fullmatch(text.strip())
    if match is None:
        return None
    month, day, year = match.groups()
    if len(year) == 2:
        year = f"19{year}" if int(year) >= _FIRST_YEAR else f"20{year}"
    try:
        return datetime.strptime(f"{month}-{day}-{year}", "%b-%d-%Y").date()
    except ValueError:
        return None


def _first_day(end: date, period_type: str) -> date | None:
    months = _MONTHS.fullmatch(period_type)
    count = 12 if period_type.upper() in ("YEAR", "12-MOS") else int(months[1]) if months else 0
    if not count:
        return None
    before = end.year * 12 + end.month - 1 - count
    year, month = before // 12, before % 12 + 1
    last = calendar.monthrange(year, month)[1]
    ends_month = end.day == calendar.monthrange(end.year, end.month)[1]
    return date(year, month, last if ends_month else min(end.day, last)) + timedelta(1)
