"""GET /v1/answer: the filed fact that answers a question, if only one can be meant."""

from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from msgspec import Struct, structs

from edgar_search.api.asked_facts import (
    LONGEST_QUESTION,
    AskedAuditor,
    AskedFact,
    AskedNumber,
    AskedOwners,
    AskedTrades,
    TradeSide,
    read_asked,
)
from edgar_search.api.context import Context
from edgar_search.api.financials import TextPlace, text_place
from edgar_search.api.insider_trades import InsiderRow, insider_row
from edgar_search.api.number import FiledNumber, filed_number
from edgar_search.api.operation import Operation
from edgar_search.api.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.api.parameters.reader import Parameters, Raw
from edgar_search.api.stakes import STAKE_ROWS, Stake
from edgar_search.financials.auditors import find_auditor
from edgar_search.financials.checked_numbers import certain_number
from edgar_search.financials.facts import FactSearch, find_facts
from edgar_search.financials.parts import has_words, part_of, words_of_part
from edgar_search.financials.statements import number
from edgar_search.ownership.insider_trades import AmendedTrade, market_trades
from edgar_search.search.criteria import Window
from edgar_search.search.reading.companies import find_names
from edgar_search.search.reading.names import Names
from edgar_search.search.reading.question import Question, Reading, read_with_forms
from edgar_search.stored.financials import StoredFact
from edgar_search.stored.ownership import RowFilters

# Rows of one company's item, at most: an answer from more rows would not be certain.
_MOST_FACTS, _MOST_STAKES = 2_000, 100
# The percentage of a class from which its owners file schedules.
_LEAST_PERCENT = 5
# Concepts of the items that have numbers of parts, as filers have used them over the years.
_CONCEPTS_OF_PARTS = {
    "revenue": (
        "Revenues",
        "SalesRevenueNet",
        "SalesRevenueGoodsNet",
        "SalesRevenueServicesNet",
        "RevenueFromContractWithCustomerExcludingAssessedTax",
        "RevenueFromContractWithCustomerIncludingAssessedTax",
    ),
    "operating_income": ("OperatingIncomeLoss",),
}
# The prefix of concepts of financial data schedules, which filings had until 2001.
_SCHEDULE = "ex-27:"


class TradesAnswer(Struct):
    """Insider trades that count: none that was amended, and joint ones only once.

    `shares` and `value` are sums of purchases or of sales of shares; null for trades of any kind,
    or if a trade lacks them.
    """

    side: TradeSide
    shares: Decimal | None
    value: Decimal | None
    items: list[InsiderRow]


class AuditorAnswer(Struct):
    """The auditor that an annual report names for its own year.

    `firm_id` is the firm's number at the PCAOB. `place` is null if the text does not show the name.
    """

    name: str
    location: str | None
    firm_id: str | None
    fiscal_year: int | None
    period: date | None
    accnum: str
    form_type: str
    filing_date: date
    place: TextPlace | None


class FactAnswer(Struct):
    """The fact that answers a question: a number, trades, the newest schedules, or an auditor.

    `part` is the filer's name of the segment, product or region that a number is about, empty for
    the whole company. `document_id` is the document whose text should have the number or the
    auditor's name, empty for other facts.
    """

    cik: str
    name: str
    part: str = ""
    document_id: str = ""
    number: FiledNumber | None = None
    trades: TradesAnswer | None = None
    owners: list[Stake] = []
    auditor: AuditorAnswer | None = None


class AnswerReply(Struct):
    """The answer to a question, null unless it is certain."""

    answer: FactAnswer | None

    @property
    def result_count(self) -> int:
        """One if there is an answer."""
        return 1 if self.answer else 0


ANSWER = Endpoint(
    "/v1/answer",
    "answers a question with the filed fact that it asks for, if that is certain",
    (
        API_KEY,
        Parameter(
            "query",
            "text",
            "a question that names one company and a fact of it:"
            " `Tesla energy segment revenue Q2 2024`",
            required=True,
            longest=LONGEST_QUESTION,
        ),
    ),
    credential="key",
    answer=AnswerReply,
)


class AskedAnswer(NamedTuple):
    """A question as it was understood, and the companies that it names."""

    reading: Reading
    names: Names


async def read_answer(context: Context, raw: Raw) -> AskedAnswer:
    """Read the question of `/v1/answer`; raises BadRequest.

    Makes one engine request for names.
    """
    parameters = Parameters(raw, ANSWER.declared)
    text = parameters.required_bounded_text("query")
    names = await find_names(context.search, text)
    _, reading = read_with_forms(Question(text), names)
    return AskedAnswer(reading, names)


async def find_answer(context: Context, question: AskedAnswer) -> AnswerReply:
    """Answer a question, with one engine request, or two for owners and auditors."""
    return AnswerReply(await _answer(context, *question))


FIND_ANSWER = Operation(ANSWER, read_answer, find_answer)


async def _answer(context: Context, reading: Reading, names: Names) -> FactAnswer | None:
    ciks = reading.boosts.ciks
    if len(ciks) != 1:
        return None
    (cik,) = ciks
    year_end = names.year_ends.get(cik)
    question: AskedFact | None = read_asked(reading, year_end)
    if isinstance(question, AskedNumber):
        row = await _number(context, cik, question, names)
        if row is None:
            return None
        filed = structs.replace(filed_number(row), item=question.item)
        return FactAnswer(
            cik, row.name, words_of_part(part_of(row.dimensions)), _document_of(row), filed
        )
    if isinstance(question, AskedTrades):
        return await _trades(context, cik, question)
    if isinstance(question, AskedOwners):
        return await _owners(context, cik)
    if isinstance(question, AskedAuditor):
        return await _auditor(context, cik, question)
    return None


async def _number(
    context: Context, cik: str, question: AskedNumber, names: Names
) -> StoredFact | None:
    if question.part:
        concepts = _CONCEPTS_OF_PARTS[question.item]
        search = FactSearch(ciks=[cik], concepts=concepts, every_filing=True, dimensions=True)
    else:
        search = FactSearch(ciks=[cik], items=[question.item], every_filing=True)
    page = await find_facts(context.engine, search, _MOST_FACTS)
    rows = page.rows
    if page.total > len(rows):
        return None
    if question.part:
        rows = _rows_of_part(rows, question.part)
    row = certain_number(rows, question.period, names.year_ends.get(cik))
    if row is None or (question.sign < 0 <= number(row.value)):
        return None
    return row


def _rows_of_part(rows: Iterable[StoredFact], words: Sequence[str]) -> list[StoredFact]:
    """Return the rows of the one part that has all these words; none if several have."""
    rows_by_part: dict[str, list[StoredFact]] = {}
    for row in rows:
        part = part_of(row.dimensions, certain=True)
        if part and has_words(part, words):
            rows_by_part.setdefault(part, []).append(row)
    return next(iter(rows_by_part.values())) if len(rows_by_part) == 1 else []


def _document_of(row: StoredFact) -> str:
    """Return the document whose text has a number: a financial data schedule, or the report."""
    is_scheduled = any(concept.startswith(_SCHEDULE) for concept in (row.concept, *row.sources))
    return row.document_id if is_scheduled else f"{row.accession_number}-1"


async def _trades(context: Context, cik: str, question: AskedTrades) -> FactAnswer | None:
    codes = {"bought": ["P"], "sold": ["S"], "": []}[question.side]
    rows = await market_trades(context.engine, cik, codes, question.first, question.last)
    if not rows:
        return None
    values = [row.value for row in rows if row.value is not None]
    shares = [row.shares for row in rows if row.shares is not None]
    is_whole = bool(codes)
    answer = TradesAnswer(
        question.side,
        sum(shares, Decimal()) if is_whole and len(shares) == len(rows) else None,
        sum(values, Decimal()) if is_whole and len(values) == len(rows) else None,
        [insider_row(AmendedTrade(row, None)) for row in rows],
    )
    return FactAnswer(cik, rows[0].issuer_name, trades=answer)


async def _owners(context: Context, cik: str) -> FactAnswer | None:
    """Return the newest schedules, each with the persons who report over five percent.

    A person counts only in their newest schedule.
    """
    page = await STAKE_ROWS.first(
        context, RowFilters(issuer_cik=(cik,)), "newest", Window(0, _MOST_STAKES)
    )
    if page.total_count > len(page.items):
        return None
    counted: set[str] = set()
    stakes: list[Stake] = []
    for stake in page.items:
        new = [person for person in stake.persons if person.name.lower() not in counted]
        counted.update(person.name.lower() for person in new)
        if large := [
            person for person in new if person.percent and person.percent > _LEAST_PERCENT
        ]:
            stakes.append(structs.replace(stake, persons=large))
    return FactAnswer(cik, stakes[0].issuer.name, owners=stakes) if stakes else None


async def _auditor(context: Context, cik: str, question: AskedAuditor) -> FactAnswer | None:
    report = await find_auditor(context.engine, cik, question.period)
    if report is None:
        return None
    filing, auditor = report
    answer = AuditorAnswer(
        auditor.name,
        auditor.location,
        auditor.firm_id,
        filing.fiscal_year,
        filing.period_end,
        filing.accession_number,
        filing.form_type,
        filing.filing_date,
        text_place(auditor.place),
    )
    document_id = f"{filing.accession_number}-1"
    return FactAnswer(cik, filing.name, document_id=document_id, auditor=answer)
