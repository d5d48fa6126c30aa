"""Citations in words, such as "Apple's 10-K for 2023, Item 7", and the filings that they mean."""

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from edgar_search.edgar.fiscal_years import ends_of_fiscal_year
from edgar_search.engine.replies import SourceHit
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import FilingCriteria, FilingSearch, Window
from edgar_search.search.entities import known_entities_body
from edgar_search.search.filings import ListedFiling, look_up_filings
from edgar_search.search.reading.companies import find_company, year_end_of
from edgar_search.search.reading.periods import YearEnd, quarter_end
from edgar_search.search.reading.stated_periods import AskedPeriod, stated_periods
from edgar_search.stored.entities import StoredEntity

_FORM = re.compile(
    r"\b(?:[Ff]orm\s)?(?P<form>10-?K405|10-?K|10-?Q|8-?K|20-?F|40-?F|6-?K)(?P<amended>/A)?(?![\w/-])"
)
# Characters before and after the name of a form in which the rest of its citation may be.
_SIDE = 120
_CAPITAL = r"(?!(?:Part|Item)\s)[A-Z][\w&.’'-]{0,40}"
_NAME = rf"{_CAPITAL}(?:,?\s(?:(?:of|and|the|&)\s)?{_CAPITAL}){{0,6}}"
_BEFORE = re.compile(
    rf"(?:(?P<company>{_NAME})\(?,?\s)?(?:(?P<year>(?:fiscal\s)?(?:19|20)\d\d)\s)?"
    r"(?:(?:annual|quarterly|current)\sreports?\s(?:on|in)\s)?$"
)
_OF_COMPANY = re.compile(rf"[\s,]{{0,3}}(?:of|by|from)\s(?P<company>{_NAME})")
_TO_PERIOD = re.compile(r"[\s,(]{0,3}(?:(?:for|of|in|dated)\s)?(?:the\s)?$")
_FILED = re.compile(r"[\s,(]{0,3}(?:as\s)?filed\s(?:on\s)?$")
_ITEM = re.compile(
    r"\)?[\s,(]{0,3}(?:at\s|in\s)?(?:Part\sI{1,2},?\s)?Item\s(?P<item>\d{1,2}[A-C]?)\b"
)
# Words that may begin a sentence before a name.
_NO_NAMES = frozenset(
    "a according as by cf from in its of on our per see the their to under".split()
)
_ANNUAL = ("10-K", "20-F", "40-F")
_QUARTERLY = ("10-Q",)
_MOST_FILINGS = 200
# How far a period of whole weeks may end from the month's end, and from a day that is named.
_NEAR, _BESIDE = timedelta(days=12), timedelta(days=7)


class WordedCitation(NamedTuple):
    """A filing that a draft cites from `start` to `end`, by its company, form and period.

    The period or the filing date may be missing; `item` is text such as `7A`.
    """

    start: int
    end: int
    company: str
    form: str
    period: AskedPeriod | None = None
    filed: date | None = None
    item: str = ""


class MeantFilings(NamedTuple):
    """The filings that a citation may mean: one if it is certain, otherwise the reason why not."""

    filings: Sequence[ListedFiling]
    reason: str = ""


def worded_citations(draft: str) -> Iterator[WordedCitation]:
    """Yield citations in words that name a company and a form; in linear time."""
    for match in _FORM.finditer(draft):
        citation = _citation(draft, match)
        if citation is not None:
            yield citation


def _citation(draft: str, match: re.Match[str]) -> WordedCitation | None:
    first = max(0, match.start() - _SIDE)
    before = _BEFORE.search(draft[first : match.start()])
    start, end = match.start(), match.end()
    company = year = ""
    if before:
        company, start = _own_name(before["company"] or "", first + before.start(), start)
        year = before["year"] or ""
    after = draft[end : end + _SIDE].partition("\n\n")[0]
    company_match = _OF_COMPANY.match(after)
    if not company and company_match:
        company, end = company_match["company"], end + company_match.end()
        company = company.rstrip(".,")
        after = after[company_match.end() :]
    period = filed = None
    dates = sorted(stated_periods(after if not year else f"{year} "))
    if dates and year:
        period = dates[0].period
        dates = sorted(stated_periods(after))
    for each in dates:
        lead = after[: each.start]
        if _FILED.match(lead) and each.period.day:
            filed = each.period.day
        elif period is None and _TO_PERIOD.match(lead):
            period = each.period
        else:
            break
        end, after = end + each.end, after[each.end :]
        break
    company_match = _OF_COMPANY.match(after)
    if not company and company_match:
        company, end, after = (
            company_match["company"].rstrip(".,"),
            end + company_match.end(),
            after[company_match.end() :],
        )
    if not company:
        return None
    item = _ITEM.match(after)
    form = re.sub(r"^(\d+)-?", r"\1-", match["form"].upper()) + (match["amended"] or "")
    end += item.end() if item else 0
    number = item["item"] if item else ""
    return WordedCitation(start, end, company, form, period, filed, number)


def _own_name(words: str, start: int, otherwise: int) -> tuple[str, int]:
    """Return a name without words that begin a sentence, and its start.

    The start is `otherwise` if there is no name.
    """
    rest = words
    while rest and rest.split()[0].lower() in _NO_NAMES:
        rest = rest[len(rest.split()[0]) :].lstrip()
    start += len(words) - len(rest)
    name = re.sub(r"['’]s?$", "", rest.rstrip(",."))
    return (name, start) if name else ("", otherwise)


async def filings_meant(context: SearchContext, cited: WordedCitation) -> MeantFilings:
    """Find the filings that a citation may mean, with up to four engine requests."""
    table = await context.tickers.table()
    ciks = await find_company(context.engine, table, cited.company)
    if not ciks:
        return MeantFilings((), "no company here has this name")
    forms = (cited.form, "10-K405") if cited.form == "10-K" else (cited.form,)
    criteria = FilingCriteria(cik=ciks, form_type=forms)
    page = await look_up_filings(context, FilingSearch(criteria, Window(0, _MOST_FILINGS)))
    if not page.filings:
        return MeantFilings((), f"no {cited.form} of {cited.company} is loaded")
    if cited.filed is not None:
        filed_then = [filing for filing in page.filings if filing.filing_date == cited.filed]
        return MeantFilings(
            filed_then, "" if filed_then else f"no {cited.form} of that day is loaded"
        )
    if cited.period is None:
        return MeantFilings(page.filings, "it names no period")
    body = known_entities_body(ciks)
    hits = (await context.engine.search("entities", body, SourceHit[StoredEntity])).hits.hits
    ends = {hit.source.cik: year_end_of(hit.source.fiscal_year_end) for hit in hits}
    of_period = [filing for filing in page.filings if _is_of(filing, cited, ends)]
    if of_period and (cited.period.day or cited.period.quarter or cited.form in _ANNUAL):
        return MeantFilings(of_period)
    if of_period:
        return MeantFilings(of_period, "it names no quarter and no day")
    others = [filing for filing in page.filings if _is_of(filing, cited, {})]
    if others and cited.period.quarter:
        return MeantFilings(others, "it is of the calendar quarter, not of the company's own")
    return MeantFilings((), f"no {cited.form} of {cited.company} for this period is loaded")


def _is_of(filing: ListedFiling, cited: WordedCitation, ends: dict[str, YearEnd | None]) -> bool:
    """Return True if a filing covers the cited period.

    Quarters are the calendar's if no year end is known.
    """
    period, end = cited.period, filing.period
    if period is None:
        return False
    if period.day is not None:
        if cited.form in _ANNUAL + _QUARTERLY:
            return end is not None and abs(end - period.day) <= _BESIDE
        return period.day in (end, filing.filing_date)
    if end is None:
        return False
    if period.quarter:
        if cited.form.removesuffix("/A") not in _QUARTERLY:
            return False
        year_ends = [ends[cik] for cik in filing.ciks if cik in ends]
        year_end = next(filter(None, year_ends), YearEnd(12, 31))
        return abs(end - quarter_end(period.year, period.quarter, year_end)) <= _NEAR
    first, last = ends_of_fiscal_year(period.year)
    return first <= end <= last
