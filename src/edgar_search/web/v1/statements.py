"""GET /v1/statements: the financial statements of a filing."""

import asyncio
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.financials import (
    ACCNUM,
    AS_OF,
    CIK,
    TICKER,
    TextPlace,
    companies,
    text_place,
)
from edgar_search.api.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.api.parameters.reader import Parameters, Raw
from edgar_search.errors import BadRequest
from edgar_search.financials.facts import STANDARD, FactSearch, find_facts
from edgar_search.financials.filings import filing_statements, newest_filing
from edgar_search.financials.statements import column_values, face_lines, member_label, number
from edgar_search.search.context import SearchContext
from edgar_search.stored.financials import (
    ALL_STATEMENTS,
    ItemRule,
    StatementKind,
    StatementLine,
    StoredFact,
    StoredFinancials,
    StoredStatement,
)
from edgar_search.stored.financials import STATEMENTS as KINDS
from edgar_search.web.calls import V1Call, while_connected
from edgar_search.web.responses import XLSX, file_response, json_response
from edgar_search.web.service import service
from edgar_search.web.statement_workbook import statements_workbook

# A filing has at most as many values of standard items.
_MOST_ITEMS = 5_000


class FiledReport(Struct):
    accnum: str
    cik: str
    name: str
    form_type: str
    filing_date: date
    period: date | None
    fiscal_year: int | None
    fiscal_period: str | None


class Column(Struct):
    """A column: an instant, without a start, or the days from `start` to `end`."""

    start: date | None
    end: date


class LineMember(Struct):
    axis: str
    member: str
    label: str


class LineValue(Struct):
    """A value as filed; `decimals` is null if it is exact, `place` if it is not known."""

    value: Decimal
    unit: str
    decimals: int | None
    start: date | None
    end: date
    place: TextPlace | None


class ReportedLine(Struct):
    """A line as filed; the filer shows a `negated` one with the other sign; a heading is empty."""

    concept: str
    label: str
    depth: int
    total: bool
    negated: bool
    dimensions: list[LineMember]
    values: list[LineValue]


class ReportedStatement(Struct):
    """A statement in the filing's order: below a line its members, which `breakdowns` repeat."""

    statement: StatementKind
    role: str
    title: str
    periods: list[Column]
    lines: list[ReportedLine]
    breakdowns: list[ReportedLine]


class StandardValue(Struct):
    """A value of a standard item: the lines that it is made of, and the rule that chose them.

    Sources with a minus are subtracted.
    """

    value: Decimal
    unit: str
    decimals: int | None
    start: date | None
    end: date
    sources: list[str]
    rule: ItemRule | None
    derived: bool


class StandardItem(Struct):
    item: str
    values: list[StandardValue]


class AbsentItem(Struct):
    item: str
    reason: str


class StatementsReply(Struct):
    """`items` has standard items if they are asked for, `absent_items` those without a value."""

    filing: FiledReport
    statements: list[ReportedStatement]
    items: list[StandardItem]
    absent_items: list[AbsentItem]


STATEMENTS = Endpoint(
    "/v1/statements",
    "returns the financial statements of a filing, by default of a company's newest report",
    (
        API_KEY,
        CIK,
        TICKER,
        ACCNUM,
        Parameter(
            "statement",
            "list",
            "statements in the answer: "
            + ", ".join(f"`{kind}`" for kind in ALL_STATEMENTS)
            + "; by default the first three",
            of="names of statements",
            choices=ALL_STATEMENTS,
        ),
        AS_OF,
        Parameter(
            "normalize",
            "flag",
            "adds [standard items](#standard-items), which can be compared across companies",
            default=False,
        ),
        Parameter(
            "format",
            "choice",
            "`xlsx` is an Excel workbook, with the signs that the filer shows",
            default="json",
            choices=("json", "xlsx"),
        ),
    ),
    credential="key",
    answer=StatementsReply,
    media=(XLSX,),
    rules=(
        "One of `cik`, `ticker` and `accnum` is needed, and each has one value. With `accnum` the"
        " others must agree with the filing, and `as_of` may not be given.",
        "Without `accnum` the newest annual or quarterly report answers; for a company that has"
        " none here, its newest other filing with statements, such as a 6-K.",
    ),
)


class StatementsParams(NamedTuple):
    """The statements that are asked for."""

    parameters: Parameters
    accession_number: str | None
    kinds: Sequence[StatementKind]
    as_of: date | None
    normalize: bool
    format: str = "json"


def statements_params(raw: Raw) -> StatementsParams:
    """The parameters of `/v1/statements`; BadRequest names what is wrong."""
    parameters = Parameters(raw, STATEMENTS.declared)
    for name in ("cik", "ticker", "accnum"):
        if len(parameters.values(name)) > 1:
            raise BadRequest(f"`{name}` may have only one value")
    numbers = parameters.values("accnum")
    if not numbers and not parameters.values("cik") and not parameters.values("ticker"):
        raise BadRequest("one of `cik`, `ticker` and `accnum` must be given")
    as_of, _ = parameters.days("as_of", "as_of")
    if as_of and numbers:
        raise BadRequest("`as_of` may not be given with `accnum`, which names the filing")
    asked = parameters.choices("statement")
    kinds = [kind for kind in ALL_STATEMENTS if kind in (asked or KINDS)]
    accession_number = numbers[0] if numbers else None
    return StatementsParams(
        parameters,
        accession_number,
        kinds,
        as_of,
        parameters.flag("normalize"),
        parameters.choice("format"),
    )


class FoundStatements(NamedTuple):
    """A filing with its statements, and its standard items if they are asked for."""

    filing: StoredFinancials
    items: list[StoredFact]


async def find_statements(context: SearchContext, params: StatementsParams) -> FoundStatements:
    """The filing that is asked for; NotFound and BadRequest say what is wrong."""
    engine = context.engine
    ciks = companies(params.parameters, await context.tickers.table())
    if params.accession_number is not None:
        filing = await filing_statements(engine, params.accession_number, ciks)
    else:
        # With one statement asked for, the newest filing that has it.
        kind = params.kinds[0] if len(params.kinds) == 1 else None
        filing = await newest_filing(engine, ciks, kind=kind, as_of=params.as_of, or_another=True)
    items: list[StoredFact] = []
    if params.normalize:
        search = FactSearch(accession_numbers=[filing.accession_number], taxonomies=[STANDARD])
        items = (await find_facts(engine, search, _MOST_ITEMS)).rows
    return FoundStatements(filing, items)


async def statements(request: Request, call: V1Call) -> Response:
    """GET /v1/statements"""
    params = statements_params(call.raw)
    work = find_statements(service(request).context, params)
    found = await while_connected(request, work)
    if params.format == "xlsx":
        call.result_count = len({each.kind for each in found.filing.statements} & {*params.kinds})
        body = await asyncio.to_thread(statements_workbook, found.filing, params.kinds, found.items)
        return file_response(body, XLSX, f"{found.filing.accession_number}.xlsx")
    reply = statements_reply(found.filing, params.kinds, found.items)
    call.result_count = len(reply.statements)
    return json_response(reply)


def statements_reply(
    filing: StoredFinancials, kinds: Sequence[StatementKind], items: Sequence[StoredFact] = ()
) -> StatementsReply:
    """The statements of these kinds that a filing has, and values of standard items."""
    return StatementsReply(
        filing=FiledReport(
            accnum=filing.accession_number,
            cik=filing.cik,
            name=filing.name,
            form_type=filing.form_type,
            filing_date=filing.filing_date,
            period=filing.period_end,
            fiscal_year=filing.fiscal_year,
            fiscal_period=filing.fiscal_period,
        ),
        statements=[_statement(each) for each in filing.statements if each.kind in kinds],
        items=_items(items),
        absent_items=[AbsentItem(*each) for each in filing.absent_items.items()] if items else [],
    )


def _statement(stored: StoredStatement) -> ReportedStatement:
    return ReportedStatement(
        statement=stored.kind,
        role=stored.role_uri,
        title=stored.short_name,
        periods=[Column(each.start, each.end) for each in stored.periods],
        lines=[_line(stored, line) for line in face_lines(stored)],
        breakdowns=[_line(stored, line) for line in stored.breakdowns],
    )


def _line(statement: StoredStatement, line: StatementLine) -> ReportedLine:
    return ReportedLine(
        concept=line.concept,
        label=line.label,
        depth=line.depth,
        total=line.total,
        negated=line.negated,
        dimensions=[
            LineMember(each.axis, each.member, member_label(each.label)) for each in line.dimensions
        ],
        values=[
            LineValue(
                value=number(each.value),
                unit=each.unit,
                decimals=each.decimals,
                start=each.start,
                end=each.end,
                place=text_place(each.place),
            )
            for each in column_values(statement, line)
            if each.value is not None
        ],
    )


def _items(rows: Sequence[StoredFact]) -> list[StandardItem]:
    found: dict[str, StandardItem] = {}
    for row in sorted(rows, key=lambda each: each.number):
        item = found.setdefault(row.local_name, StandardItem(row.local_name, []))
        item.values.append(
            StandardValue(
                value=number(row.value),
                unit=row.unit,
                decimals=row.decimals,
                start=row.start,
                end=row.end,
                sources=row.sources,
                rule=row.rule,
                derived=len(row.sources) > 1,
            )
        )
    return list(found.values())
