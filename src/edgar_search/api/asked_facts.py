"""Questions about one fact of a company: a number, trades, owners or its auditor; pure.

A question is understood only if all its words are: any other word could change its meaning.
"""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Literal, NamedTuple, TypeAlias

from edgar_search.financials.number_claims import MARGINS, StatedItem, stated_items
from edgar_search.search.reading.periods import MONTHS, YearEnd, month_number
from edgar_search.search.reading.question import Reading
from edgar_search.search.reading.stated_periods import AskedPeriod, stated_periods
from edgar_search.stored.financials import STANDARD_ITEMS

# Spellings of items that only questions have; earnings per share means the diluted ones.
_SPELLINGS = {
    "eps_diluted": r"(?:diluted )?(?:eps|earnings per (?:common )?share)",
    "long_term_debt": "long term debt",
    "equity": r"(?:share|stock)holders equity",
    "selling_general_administrative": "sga",
}
_SPELLED = re.compile(
    r"(?<![\w-])(?:"
    + "|".join(f"(?P<{name}>{words})".replace(" ", r"\s") for name, words in _SPELLINGS.items())
    + r")(?![\w-])",
    re.IGNORECASE,
)
# Items with numbers for parts of a company.
_OF_PARTS = ("revenue", "operating_income")
_MONTH = re.compile(
    rf"(?<!\S)(?:(?P<month>{'|'.join(f'{each[:3]}(?:{each[3:]})?' for each in MONTHS)}|sept)[.,]?\s"
    r"(?P<year>(?:19|20)\d\d)|(?P<iso>(?:19|20)\d\d-(?:0[1-9]|1[0-2])))(?![\w-])",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\s,;:?!()\"“”]+")
_POSSESSIVE = re.compile(r"['’]s?$")
_ASKING = frozenset(
    "a about an are at can could did does find for get give had has have how i in is it its"
    " let like list look looking me of on please s see show shows tell the their they to was we"
    " were what what's which who with would you".split()
)
_OF_NUMBERS = _ASKING | frozenset(
    "amount annual as company consolidated dollars figure fiscal full generate generated made make"
    " many million millions much number report reported total usd value".split()
)
# Words that are understood only for a period of this many months.
_OF_LENGTHS = {12: frozenset({"10-k", "10k", "year"}), 3: frozenset({"10-q", "10q", "quarter"})}
_ENDING = frozenset("end ended ending".split())
_PARTS = frozenset(
    "business businesses division from geographic line region regions segment segments unit".split()
)
_INSIDERS = frozenset("insider insiders insiders' insider's".split())
_BUYING = frozenset("bought buy buying buys purchase purchased purchases purchasing".split())
_SELLING = frozenset("sale sales sell selling sells sold".split())
_TRADING = frozenset("activity trade traded trades trading transaction transactions".split())
_OF_TRADES = _ASKING | frozenset("any company during market open shares stock there".split())
_FIVE_PERCENT = re.compile(
    r"(?:more\sthan\s|over\s|at\sleast\s|above\s|>\s?)?(?:\b5|\bfive)\s?(?:%|percent\b|per\scent\b)",
    re.IGNORECASE,
)
# Asks who owns a part of the company, not what the company owns.
_WHO_OWNS = re.compile(
    r"\W*who\s(?:(?:all|beneficially|else)\s)*(?:owns?|holds?|has|have)\b", re.IGNORECASE
)
_OWNS = frozenset("beneficially hold holds own owns".split())
_OWNERS = frozenset(
    "beneficial holder holders owner owners shareholder shareholders stockholder stockholders"
    " stake stakes".split()
)
_OF_OWNERS = _ASKING | frozenset("all common more or shares stock than that".split())
_AUDITOR = re.compile(r"(?<![\w-])auditors?(?![\w-])", re.IGNORECASE)
# Asks who audits the company, not whom the company audits.
_WHO_AUDITS = re.compile(
    r"\W*(?:who|(?:which|what)\s(?:audit\s|accounting\s)?firm)\s(?:audits|audited)\b",
    re.IGNORECASE,
)
_OF_AUDITORS = _ASKING | frozenset(
    "accounting annual auditor auditors company external firm fiscal for independent name public"
    " registered report statements financial year".split()
)
_YEAR_MONTHS = 12
# What may follow the words of a company's name.
_LEGAL_FORM = re.compile(
    r"(?:[\s,./]+(?:com|inc|incorporated|corp|corporation|co|ltd|plc|llc|de)\b\.?)+(?!\w)",
    re.IGNORECASE,
)
# A longer question says more than can be understood.
LONGEST_QUESTION = 200

TradeSide: TypeAlias = Literal["", "bought", "sold"]


class AskedNumber(NamedTuple):
    """A number of a standard item, for the part of the company that has all these words, if any.

    A `sign` of -1 asks for a loss.
    """

    item: str
    sign: int
    period: AskedPeriod
    part: tuple[str, ...] = ()


class AskedTrades(NamedTuple):
    """Insider trades on these days, on one side of the market or of any kind."""

    side: TradeSide
    first: date
    last: date


class AskedOwners(NamedTuple):
    """Owners of more than five percent."""


class AskedAuditor(NamedTuple):
    """The auditor of a year, or the present one."""

    period: AskedPeriod | None = None


AskedFact: TypeAlias = AskedNumber | AskedTrades | AskedOwners | AskedAuditor


def read_asked(reading: Reading, year_end: YearEnd | None) -> AskedFact | None:
    """Return the fact that a question asks for, about the one company that it names.

    None if it names none or several, or has a word that is not understood. `year_end` is the
    company's, if known.
    """
    question = reading.question
    if question is None or len(question.text) > LONGEST_QUESTION or len(reading.boosts.ciks) != 1:
        return None
    if any(recognised.kind == "punctuation" for recognised in reading.recognised):
        return None
    spans = [
        (recognised.start, recognised.end)
        for recognised in reading.recognised
        if recognised.kind == "company"
    ]
    text = question.text
    for start, end in spans:
        legal = _LEGAL_FORM.match(text, end)
        text = _blank_out(text, [(start, legal.end() if legal else end)])
    if _FIVE_PERCENT.search(text):
        return AskedOwners() if _asks_owners(text, min(spans)[0]) else None
    who = _WHO_AUDITS.match(text)
    if who or _AUDITOR.search(text):
        return _asked_auditor(text, who, min(spans)[0])
    return _trades(text, year_end) or _number(text, year_end)


def _blank_out(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Replace these spans of a text with blanks, so that positions stay the same."""
    for start, end in spans:
        text = text[:start] + " " * (end - start) + text[end:]
    return text


def _words(text: str) -> list[str]:
    words = (_POSSESSIVE.sub("", word.strip(".").lower()) for word in _WORD.findall(text))
    return [word for word in words if word]


def _asks_owners(text: str, company: int) -> bool:
    """Return True if a text asks who owns the company whose name begins at this position."""
    percent = list(_FIVE_PERCENT.finditer(text))
    words = set(_words(_blank_out(text, [match.span() for match in percent])))
    if len(percent) != 1 or not words <= _OWNS | _OWNERS | _OF_OWNERS:
        return False
    if _WHO_OWNS.match(text):
        return percent[0].end() <= company
    return bool(words & _OWNERS) and not words & _OWNS


def _asked_auditor(text: str, who: re.Match[str] | None, company: int) -> AskedAuditor | None:
    """Return the question for the auditor of the company whose name begins at this position."""
    periods = list(stated_periods(text))
    if len(periods) > 1 or (who is not None and who.end() > company):
        return None
    known = [(start, end) for start, end, _ in periods] + ([who.span()] if who else [])
    words = set(_words(_blank_out(text, known)))
    if not words <= _OF_AUDITORS or (who is not None and _AUDITOR.search(text)):
        return None
    if not periods:
        return AskedAuditor()
    period = periods[0].period
    return AskedAuditor(period) if period.months == _YEAR_MONTHS and not period.quarter else None


def _trades(text: str, year_end: YearEnd | None) -> AskedTrades | None:
    period = _days(text, year_end)
    if period is None:
        return None
    start, end, first, last = period
    words = set(_words(_blank_out(text, [(start, end)])))
    sides: list[tuple[TradeSide, frozenset[str]]] = [
        ("bought", _BUYING),
        ("sold", _SELLING),
        ("", _TRADING),
    ]
    sides_named = [(side, of_side) for side, of_side in sides if words & of_side]
    if (
        len(sides_named) != 1
        or not words & _INSIDERS
        or not words <= _INSIDERS | _OF_TRADES | sides_named[0][1]
    ):
        return None
    return AskedTrades(sides_named[0][0], first, last)


def _days(text: str, year_end: YearEnd | None) -> tuple[int, int, date, date] | None:
    """Return the position and the days of the only month, calendar year or quarter in a text.

    None for a quarter if the company's own quarters may differ from the calendar's.
    """
    months = list(_MONTH.finditer(text))
    if len(months) == 1 and not list(stated_periods(_blank_out(text, [months[0].span()]))):
        match = months[0]
        if match["iso"]:
            year, month = map(int, match["iso"].split("-"))
        else:
            year, month = int(match["year"]), month_number(match["month"].lower())
        return *match.span(), date(year, month, 1), _last_of(year, month)
    stated = list(stated_periods(text))
    if len(stated) != 1:
        return None
    start, end, period = stated[0]
    if period.day is not None:
        return (start, end, period.day, period.day) if not period.months else None
    if (period.quarter or period.fiscal) and (year_end is None or year_end.month != 12):
        return None
    if not period.quarter:
        return start, end, date(period.year, 1, 1), date(period.year, 12, 31)
    month = 3 * period.quarter
    return start, end, date(period.year, month - 2, 1), _last_of(period.year, month)


def _last_of(year: int, month: int) -> date:
    return date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)


def _items(text: str) -> list[StatedItem]:
    """Return the items in a text, the spellings of questions first."""
    spelled = [
        StatedItem(*match.span(), match.lastgroup or "", 1) for match in _SPELLED.finditer(text)
    ]
    unspelled = _blank_out(text, [(each.start, each.end) for each in spelled])
    return [*spelled, *stated_items(unspelled)]


def _number(text: str, year_end: YearEnd | None) -> AskedNumber | None:
    periods = list(stated_periods(text))
    if len(periods) != 1:
        return None
    start, end, period = periods[0]
    items = _items(_blank_out(text, [(start, end)]))
    if len(items) != 1 or items[0].name in MARGINS or items[0].name not in STANDARD_ITEMS:
        return None
    if "calendar" in text[start:end].lower() and (year_end is None or year_end.month != 12):
        return None
    item = items[0]
    words = _words(_blank_out(text, [(start, end), (item.start, item.end)]))
    known = _OF_NUMBERS | _OF_LENGTHS.get(period.months, frozenset())
    if period.fiscal or period.day or (year_end is not None and year_end.month == 12):
        known |= _ENDING
    others = [word for word in words if word not in known]
    part = tuple(word for word in others if word not in _PARTS)
    if others and (not part or item.name not in _OF_PARTS):
        return None
    return AskedNumber(item.name, item.sign, period, part)
