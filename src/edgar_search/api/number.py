"""GET /v1/check_number: compares a number that someone states with the filed one."""

from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from msgspec import Struct, structs

from edgar_search.api.context import Context
from edgar_search.api.financials import CIK, TICKER, TextPlace, companies, text_place
from edgar_search.api.operation import Operation
from edgar_search.api.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.api.parameters.reader import Parameters, Raw
from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import SourceHit
from edgar_search.errors import BadRequest
from edgar_search.financials.checked_numbers import (
    CheckedNumber,
    NumberVerdict,
    check_margin,
    check_number,
    check_part,
    check_sum,
)
from edgar_search.financials.facts import FactSearch, all_facts
from edgar_search.financials.number_claims import (
    MARGINS,
    PERCENT,
    SUMS,
    Amount,
    Change,
    amount_of_item,
    company_and_part,
    read_amount,
    read_item,
)
from edgar_search.financials.parts import is_name_of, part_of
from edgar_search.financials.statements import number
from edgar_search.search.entities import known_entities_body
from edgar_search.search.reading.companies import find_company, year_end_of
from edgar_search.search.reading.stated_periods import AskedPeriod, read_period
from edgar_search.stored.entities import StoredEntity
from edgar_search.stored.financials import STANDARD_ITEMS, StoredFact

_LONGEST = 200
_ITEMS = (*STANDARD_ITEMS, *MARGINS, *SUMS)
_CHANGES: dict[str, Change] = {"none": "", "rise": "rise", "fall": "fall"}


class FiledNumber(Struct):
    """A number as filed, or made of filed ones, of a standard item, or of a concept of a part.

    `start` is null if it is as of a day, `place` if it is not known. `dimensions` are the axes and
    members of a part, as AXIS=MEMBER.
    """

    cik: str
    name: str
    item: str
    value: Decimal
    unit: str
    start: date | None
    end: date
    accnum: str
    filing_date: date
    document_id: str
    place: TextPlace | None
    dimensions: list[str]


class NumberReply(Struct):
    """A verdict, its reason, and the filed number that it is about, as last filed.

    `base` is the number from which a change is measured, or the revenue of a margin; `earlier` are
    values filed for it before; `candidates` are the numbers that may be meant if it is ambiguous,
    or the numbers that a total adds up.
    """

    verdict: NumberVerdict
    reason: str
    filed: FiledNumber | None
    base: FiledNumber | None
    earlier: list[FiledNumber]
    candidates: list[FiledNumber]

    @property
    def result_count(self) -> int:
        """One if a filed number is known, else the number of candidates."""
        return 1 if self.filed else len(self.candidates)


CHECK_NUMBER = Endpoint(
    "/v1/check_number",
    "checks a stated number of a company against the filed one",
    (
        API_KEY,
        structs.replace(CIK, most=1),
        structs.replace(TICKER, most=1),
        Parameter(
            "company",
            "text",
            "the name of the company, without `cik` and `ticker`",
            longest=_LONGEST,
        ),
        Parameter(
            "item",
            "text",
            "a [standard item](#standard-items), or words for one: `net sales`; or `gross margin`,"
            " `operating margin`, `net margin`, `total debt`",
            required=True,
            longest=_LONGEST,
        ),
        Parameter(
            "part",
            "text",
            "a segment, product or region of the company, by its name: `North America`",
            longest=_LONGEST,
        ),
        Parameter(
            "period",
            "text",
            "`2023`, `fiscal 2023`, `Q2 2023`, `six months ended June 30, 2023`, or a day",
            required=True,
            longest=_LONGEST,
        ),
        Parameter(
            "value",
            "text",
            "the number with its unit, as a text has it: `$25.5 billion`, `-$3.2 million`, `12%`",
            required=True,
            longest=_LONGEST,
        ),
        Parameter(
            "change",
            "choice",
            "of a `value` in percent that is no margin: a rise or a fall from the same period of"
            " the year before",
            default="none",
            choices=tuple(_CHANGES),
        ),
    ),
    credential="key",
    answer=NumberReply,
    rules=("Exactly one of `cik`, `ticker` and `company` is needed.",),
)


class AskedNumber(NamedTuple):
    """A stated number, of a `part` of a company if one is named.

    `company` is a name, with or without the name of a part, if the `ciks` are unknown.
    """

    ciks: tuple[str, ...]
    company: str
    item: str
    period: AskedPeriod
    amount: Amount
    change: Change = ""
    part: str = ""


async def read_number(context: Context, raw: Raw) -> AskedNumber:
    """Read the parameters of `/v1/check_number`; raises BadRequest and NotFound."""
    parameters = Parameters(raw, CHECK_NUMBER.declared)
    company = parameters.own_text("company") or ""
    given = [*parameters.values("cik"), *parameters.values("ticker")]
    if len(given) + bool(company) != 1:
        raise BadRequest("exactly one of `cik`, `ticker` and `company` must be given")
    ciks = companies(parameters, await context.search.tickers.table()) if given else []
    words = parameters.required_bounded_text("item").strip()
    item = (words, 1) if words in _ITEMS else read_item(words)
    if item is None or item[0] not in _ITEMS:
        raise BadRequest(
            f"`item`: {words[:80]} is no standard item; `revenue` and `net income` are two"
        )
    period = read_period(parameters.required_bounded_text("period"))
    if period is None:
        raise BadRequest("`period` must be as `2023`, `Q2 2023`, `year ended 2023-06-30` or a day")
    amount = read_amount(parameters.required_bounded_text("value"))
    if amount is None:
        raise BadRequest("`value` must have its unit, as `$25.5 billion`, `12%` or `9 million`")
    change = _CHANGES[parameters.choice("change")]
    name, sign = item
    if name in MARGINS and (amount.unit != PERCENT or change):
        raise BadRequest("`value` of a margin must be in percent, without `change`")
    if name not in MARGINS and (amount.unit == PERCENT) != bool(change):
        raise BadRequest("`change` is needed for a `value` in percent, and for no other")
    part = parameters.own_text("part") or ""
    if part and name in (*MARGINS, *SUMS):
        raise BadRequest(f"`part` cannot be combined with `item` {name}, which is not filed")
    stated = amount_of_item(amount, name, sign)
    return AskedNumber(tuple(ciks), company, name, period, stated, change, part)


async def find_number(context: Context, question: AskedNumber) -> NumberReply:
    """Check a stated number, with two to six engine requests."""
    table = await context.search.tickers.table()
    ciks = question.ciks or await find_company(context.engine, table, question.company)
    named = company_and_part(question.company)
    if not ciks and named and not question.part:
        question = question._replace(company=named[0], part=named[1])
        ciks = await find_company(context.engine, table, question.company)
    if not ciks:
        return _reply(CheckedNumber("not_found", "no company here has this name"))
    of_margin = MARGINS.get(question.item)
    items = [of_margin, "revenue"] if of_margin else [*SUMS.get(question.item, [question.item])]
    search = FactSearch(ciks=ciks, items=items, every_filing=True)
    rows = await all_facts(context.engine, search)
    if not rows:
        return _reply(CheckedNumber("not_found", "no filing here has this item of the company"))
    filers = {row.cik: row for row in rows}
    if len(filers) > 1:
        several = "several companies have this name"
        return _reply(CheckedNumber("ambiguous", several, candidates=list(filers.values())))
    body = known_entities_body(list(filers))
    hits = (await context.engine.search("entities", body, SourceHit[StoredEntity])).hits.hits
    year_end = year_end_of(hits[0].source.fiscal_year_end) if hits else None
    stated = (question.amount, question.period, question.change, year_end)
    if of_margin:
        return _reply(check_margin(rows, of_margin, question.amount, question.period, year_end))
    if question.item in SUMS:
        of_items = [[row for row in rows if row.local_name == item] for item in items]
        return _reply(check_sum(of_items, question.item, *stated))
    if question.part:
        return _reply(check_part(await _rows_of_part(context.engine, rows, question.part), *stated))
    return _reply(check_number(rows, *stated))


async def _rows_of_part(engine: Engine, rows: Sequence[StoredFact], part: str) -> list[StoredFact]:
    """Return a company's rows about a part, by an item's own concepts, not by concepts of sums."""
    concepts = {row.sources[0] for row in rows if len(row.sources) == 1}
    if not concepts:
        return []
    search = FactSearch(
        ciks=[rows[0].cik], concepts=sorted(concepts), every_filing=True, dimensions=True
    )
    return [
        row for row in await all_facts(engine, search) if is_name_of(part, part_of(row.dimensions))
    ]


CHECK_STATED = Operation(CHECK_NUMBER, read_number, find_number)


def _reply(checked: CheckedNumber) -> NumberReply:
    return NumberReply(
        checked.verdict,
        checked.reason,
        filed_number(checked.row) if checked.row else None,
        filed_number(checked.base) if checked.base else None,
        [filed_number(row) for row in checked.earlier],
        [filed_number(row) for row in checked.candidates],
    )


def filed_number(row: StoredFact) -> FiledNumber:
    """Build the answer's number from a stored row."""
    return FiledNumber(
        row.cik,
        row.name,
        row.local_name,
        number(row.value),
        row.unit,
        row.start,
        row.end,
        row.accession_number,
        row.filing_date,
        row.document_id,
        text_place(row.place),
        row.dimensions,
    )
