"""/v2/financials and below it: statements, raw values, filings, histories, workbooks.

Numbers are as tagged: a line with `negated` is shown by its filer with the other sign. Names of
concepts come without their taxonomy.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, NamedTuple, TypeAlias

from msgspec import UNSET, Struct, UnsetType, structs
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.context import Context
from edgar_search.api.media_types import XLSX
from edgar_search.api.parameters import types
from edgar_search.api.parameters.declaration import Endpoint, Parameter
from edgar_search.api.parameters.fields import RequestFields
from edgar_search.api.parameters.reader import Parameters
from edgar_search.api.statements import statements_reply
from edgar_search.edgar import identifiers
from edgar_search.errors import NotFound
from edgar_search.financials.derived import DERIVED_KINDS, Derived, DerivedKind, derive
from edgar_search.financials.filings import (
    FinancialFiling,
    filing_statements,
    filings_of_company,
    newest_filing,
)
from edgar_search.financials.history import (
    HISTORY_PERIODS,
    MOST_CONCEPTS,
    HistorySearch,
    find_history,
    series,
)
from edgar_search.financials.statements import (
    face_lines,
    local_name,
    main_unit,
    number,
    statement_of,
    statement_slots,
)
from edgar_search.stored.financials import (
    STATEMENT_NAMES,
    STATEMENTS,
    LineDimension,
    MainStatementKind,
    StatementLine,
    StatementPeriod,
    StatementValue,
    StoredFact,
    StoredFinancials,
    StoredStatement,
)
from edgar_search.web.calls import Handler, V2Call, context_of
from edgar_search.web.files import statements_file
from edgar_search.web.responses import json_response
from edgar_search.web.service import service
from edgar_search.web.v2.finding import data_endpoint

# Annual reports; in others the shortest period is the form's own.
_ANNUAL = ("10-K", "20-F", "40-F")
_YEAR_DAYS = 365
INSTANT, DURATION = "instant", "duration"


class Period(Struct):
    """A column; one of an instant has no start."""

    period_end: date
    period_start: date | None
    period_type: str


class Value(Struct):
    """A value as tagged; `decimals` is null if it is exact."""

    period_end: date
    period_start: date | None
    value: Decimal
    unit: str
    decimals: int | None


class Member(Struct):
    axis: str
    member: str
    label: str


class Line(Struct):
    """A line in the order of the filing; one that is filed as nil has no values."""

    concept: str
    label: str
    values: list[Value]
    negated: bool
    depth: int
    total: bool
    dimensions: list[Member]


class TableRow(Struct):
    """A row; each concept has one."""

    concept: str
    label: str
    values: list[Decimal | None]
    unit: str
    negated: bool


class Statement(Struct):
    """A statement as filed; `breakdowns` are parts of its lines by members.

    As a table it has `columns`, which are the ends of `column_periods`, and `rows` instead.
    """

    cik: str
    accession_number: str
    filing_date: date
    form_type: str
    statement_type: MainStatementKind
    short_name: str
    periods: list[Period] | UnsetType = UNSET
    line_items: list[Line] | UnsetType = UNSET
    breakdowns: list[Line] | UnsetType = UNSET
    columns: list[date] | UnsetType = UNSET
    column_periods: list[Period] | UnsetType = UNSET
    rows: list[TableRow] | UnsetType = UNSET


class ListedFinancials(Struct):
    """A filing that has statements; `kinds` are those that it has."""

    accession_number: str
    form_type: str
    filing_date: date
    period_end: date | None
    fiscal_year: int | None
    fiscal_period: str | None
    amendment: bool
    kinds: list[MainStatementKind]


class AllReply(Struct):
    """The statements of one filing; one that it does not have is null."""

    cik: str
    accession_number: str
    balance_sheet: Statement | None
    income_statement: Statement | None
    cash_flow: Statement | None
    filings: list[ListedFinancials]


class RawFact(Struct):
    """A value as tagged, null if it is filed as nil."""

    value: Decimal | None
    unit: str
    period_end: date
    period_start: date | None
    decimals: int | None


class RawStatement(Struct):
    role_uri: str
    short_name: str
    long_name: str
    facts: dict[str, list[RawFact]]


class RawReply(Struct):
    cik: str
    accession_number: str
    filing_date: date
    form_type: str
    statements: dict[MainStatementKind, list[RawStatement]]


class FinancialFilingsReply(Struct):
    cik: str
    filings: list[ListedFinancials]


class HistoricValue(Struct):
    period_end: date
    period_start: date | None
    value: Decimal
    unit: str
    filing_date: date
    accession_number: str
    form_type: str
    fiscal_year: int | None
    fiscal_period: str | None


class DerivedPart(Struct):
    """A filed amount that a derived one has as a part; a `sign` of -1 subtracts it."""

    sign: int
    value: Decimal
    period_start: date | None
    period_end: date
    accession_number: str


class DerivedValue(Struct):
    """An amount that was not filed: a fourth quarter (`q4`) or twelve trailing months (`ttm`)."""

    derived: DerivedKind
    period_end: date
    period_start: date
    value: Decimal
    unit: str
    parts: list[DerivedPart]


class HistoryReply(Struct):
    """Values by concept, as it was requested, the newest end first; none if it has none.

    `derived` has amounts that were not filed, if they are requested.
    """

    cik: str
    concepts: dict[str, list[HistoricValue]]
    derived: dict[str, list[DerivedValue]] | UnsetType = UNSET


CIK = Parameter(
    "cik",
    "text",
    "the company, the main filer of its filings",
    required=True,
    type=types.CIK,
    of="CIK, padded or not",
    pattern=identifiers.CIK,
)
ACCESSION_NUMBER = Parameter(
    "accession_number",
    "text",
    "the filing; without it the newest annual or quarterly report, without amendments",
    type=types.ACCESSION_NUMBER,
    of="accession number, with or without dashes",
    pattern=identifiers.WITH_OR_WITHOUT_DASHES,
)
FORMAT = Parameter(
    "format",
    "choice",
    "`default`: lines with their values. `table`: rows with a value for each column",
    default="default",
    choices=("default", "table"),
)
ALL_FINANCIALS = data_endpoint(
    "/v2/financials",
    "returns the three financial statements of a filing, and the company's filings with statements",
    CIK,
    ACCESSION_NUMBER,
    answer=AllReply,
)
STATEMENT_PATHS: dict[MainStatementKind, str] = {
    "balance_sheet": "balance-sheet",
    "income_statement": "income-statement",
    "cash_flow": "cash-flow",
}
STATEMENT_ENDPOINTS = {
    kind: data_endpoint(
        f"/v2/financials/{path}",
        f"returns the {STATEMENT_NAMES[kind]} of a filing",
        CIK,
        ACCESSION_NUMBER,
        FORMAT,
        answer=Statement,
    )
    for kind, path in STATEMENT_PATHS.items()
}
RAW = data_endpoint(
    "/v2/financials/raw",
    "returns all values of a filing for the concepts of its statements",
    CIK,
    ACCESSION_NUMBER,
    answer=RawReply,
)
FINANCIAL_FILINGS = data_endpoint(
    "/v2/financials/filings",
    "lists the filings of a company that have financial statements, the newest first",
    CIK,
    answer=FinancialFilingsReply,
)
HISTORY = data_endpoint(
    "/v2/financials/history",
    "returns values of concepts over time, from all filings of a company",
    CIK,
    Parameter(
        "concepts",
        "list",
        "names of concepts, with their taxonomy (`us-gaap:Assets`) or without (`Assets`)",
        spellings=("concept",),
        required=True,
        most=MOST_CONCEPTS,
        type=types.CONCEPT,
        of="names, also as one text with commas",
        pattern=types.CONCEPT_PATTERN,
        joined=True,
    ),
    Parameter(
        "periods",
        "choice",
        "`shortest`: instants, and for each end the shortest period of a quarter or more;"
        " `year`: fiscal years, not the twelve months up to the end of a quarter; `ytd`: periods"
        " between a quarter and a year; `all`: every period",
        default="shortest",
        choices=HISTORY_PERIODS,
    ),
    Parameter("unit", "text", "values in this unit, such as `USD`; without it in that of most"),
    Parameter("as_of", "date", "as if it were that day: only what was filed by then"),
    Parameter(
        "original",
        "flag",
        "true gives a value that was filed several times as it was filed first",
        default=False,
    ),
    Parameter(
        "derived",
        "list",
        "adds amounts of money that were not filed, by subtraction: `q4`, the fourth quarter, and"
        " `ttm`, twelve trailing months at the end of each quarter",
        of="kinds",
        choices=DERIVED_KINDS,
        joined=True,
    ),
    answer=HistoryReply,
)
EXCEL = data_endpoint(
    "/v2/financials/export/excel",
    "returns the financial statements of a filing as an Excel workbook",
    CIK,
    ACCESSION_NUMBER,
    answer=None,
    media=(XLSX,),
)


class FilingParams(NamedTuple):
    """A company, and one of its filings if it is named."""

    cik: str
    accession_number: str | None


def filing_params(fields: Parameters) -> FilingParams:
    """Read the parameters that name a filing; BadRequest names the error."""
    return FilingParams(fields.required_value("cik"), fields.value("accession_number"))


def history_params(given: RequestFields) -> HistorySearch:
    """Read the parameters of `/v2/financials/history`; BadRequest names the error."""
    fields = Parameters.of_request(given, HISTORY.declared)
    concepts = fields.values("concepts")
    if not concepts:
        raise fields.refusal("concepts", "is missing")
    periods = fields.choice("periods")
    as_of, _ = fields.days("as_of", "as_of")
    unit = fields.text("unit")
    return HistorySearch(
        cik=fields.required_value("cik"),
        concepts=concepts,
        periods=next(period for period in HISTORY_PERIODS if period == periods),
        unit=unit.strip() if unit else None,
        as_of=as_of,
        original=fields.flag("original"),
    )


def derived_kinds(given: RequestFields) -> list[DerivedKind]:
    """Read the kinds of amounts to derive; BadRequest names an unknown one."""
    kinds = Parameters.of_request(given, HISTORY.declared).choices("derived")
    return [kind for kind in DERIVED_KINDS if kind in kinds]


async def find_filing(
    context: Context,
    params: FilingParams,
    kind: MainStatementKind | None = None,
) -> StoredFinancials:
    """Return the requested filing, by default the newest with the statement.

    Raises NotFound and BadRequest, which say what is wrong, and SearchesAtOnce if a long one would
    wait too long for its slots.
    """
    ciks, engine = [params.cik], context.engine
    if params.accession_number is None:
        filing = await newest_filing(engine, ciks, kind=kind)
    else:
        number = params.accession_number
        filing = await filing_statements(engine, number, ciks, named="accession_number")
    await context.weigh(statement_slots(filing))
    return filing


async def all_financials(request: Request, call: V2Call) -> Response:
    """/v2/financials"""
    params = filing_params(Parameters.of_request(call.raw, ALL_FINANCIALS.declared))
    context = context_of(request, call)
    filing = await find_filing(context, params)
    filings = await filings_of_company(context.engine, filing.cik)
    call.result_count = len({*filing.kinds} & {*STATEMENTS})
    return json_response(all_reply(filing, filings))


def statement_handler(kind: MainStatementKind) -> Handler[RequestFields]:
    """Make the handler of a statement's endpoint."""
    declared = STATEMENT_ENDPOINTS[kind].declared

    async def one_statement(request: Request, call: V2Call) -> Response:
        fields = Parameters.of_request(call.raw, declared)
        params, as_table = filing_params(fields), fields.choice("format") == "table"
        filing = await find_filing(context_of(request, call), params, kind)
        stored = statement_of(filing, kind)
        if stored is None:
            raise NotFound(
                f"accession_number {filing.accession_number} has no XBRL {STATEMENT_NAMES[kind]}"
            )
        call.result_count = 1
        reply = statement_table if as_table else statement_reply
        return json_response(reply(filing, kind, stored))

    return one_statement


async def raw_financials(request: Request, call: V2Call) -> Response:
    """/v2/financials/raw"""
    params = filing_params(Parameters.of_request(call.raw, RAW.declared))
    filing = await find_filing(context_of(request, call), params)
    call.result_count = len({*filing.kinds} & {*STATEMENTS})
    return json_response(raw_reply(filing))


async def financial_filings(request: Request, call: V2Call) -> Response:
    """/v2/financials/filings"""
    fields = Parameters.of_request(call.raw, FINANCIAL_FILINGS.declared)
    cik = fields.required_value("cik")
    filings = await filings_of_company(service(request).engine, cik)
    call.result_count = len(filings)
    return json_response(FinancialFilingsReply(cik, list(map(_list_filing, filings))))


async def financial_history(request: Request, call: V2Call) -> Response:
    """/v2/financials/history"""
    search, kinds = history_params(call.raw), derived_kinds(call.raw)
    rows = await find_history(service(request).engine, search)
    by_concept = {name: series(facts, search.periods) for name, facts in rows.items()}
    call.result_count = sum(map(len, by_concept.values()))
    reply = history_reply(search.cik, by_concept)
    if kinds:
        first = structs.replace(search, original=True)
        firsts = await find_history(service(request).engine, first)
        reply.derived = {
            name: [derived_value(value) for value in derive(facts, firsts[name], kinds)]
            for name, facts in rows.items()
        }
    return json_response(reply)


async def financial_workbook(request: Request, call: V2Call) -> Response:
    """/v2/financials/export/excel"""
    params = filing_params(Parameters.of_request(call.raw, EXCEL.declared))
    filing = await find_filing(context_of(request, call), params)
    call.result_count = len({*filing.kinds} & {*STATEMENTS})
    return await statements_file(statements_reply(filing, STATEMENTS))


FINANCIALS: tuple[tuple[Endpoint, Handler[RequestFields]], ...] = (
    (ALL_FINANCIALS, all_financials),
    *((endpoint, statement_handler(kind)) for kind, endpoint in STATEMENT_ENDPOINTS.items()),
    (RAW, raw_financials),
    (FINANCIAL_FILINGS, financial_filings),
    (HISTORY, financial_history),
    (EXCEL, financial_workbook),
)


def all_reply(filing: StoredFinancials, filings: Sequence[FinancialFiling]) -> AllReply:
    """Return the statements of a filing, and its company's filings that contain any."""
    statements = {
        kind: statement_reply(filing, kind, stored) for kind, stored in _statements(filing)
    }
    return AllReply(
        cik=filing.cik,
        accession_number=filing.accession_number,
        balance_sheet=statements.get("balance_sheet"),
        income_statement=statements.get("income_statement"),
        cash_flow=statements.get("cash_flow"),
        filings=[_list_filing(stored) for stored in filings],
    )


def statement_reply(
    filing: StoredFinancials, kind: MainStatementKind, stored: StoredStatement
) -> Statement:
    """Return a statement as lines with their values, the form's own period first."""
    columns = own_columns(filing.form_type, stored.periods)
    ranks = _ranks(columns)
    return _statement(
        filing,
        kind,
        stored,
        periods=list(map(_period, columns)),
        line_items=[_line(ranks, line) for line in stored.lines if line.values],
        breakdowns=[_line(ranks, line) for line in stored.breakdowns],
    )


def statement_table(
    filing: StoredFinancials, kind: MainStatementKind, stored: StoredStatement
) -> Statement:
    """Return a statement as rows.

    Cash at the beginning and at the end share a row, dated by the ends.
    """
    columns = own_columns(filing.form_type, stored.periods)
    return _statement(
        filing,
        kind,
        stored,
        columns=[column.end for column in columns],
        column_periods=list(map(_period, columns)),
        rows=list(_rows(stored, columns)),
    )


def raw_reply(filing: StoredFinancials) -> RawReply:
    """Return all values of the statements' concepts by name, even for periods without a column."""
    return RawReply(
        cik=filing.cik,
        accession_number=filing.accession_number,
        filing_date=filing.filing_date,
        form_type=filing.form_type,
        statements={
            kind: [
                RawStatement(
                    role_uri=stored.role_uri,
                    short_name=stored.short_name,
                    long_name=stored.long_name,
                    facts={
                        concept: _raw_facts(line)
                        for concept, line in _by_concept(stored.lines).items()
                    },
                )
            ]
            for kind, stored in _statements(filing)
        },
    )


def history_reply(cik: str, found: dict[str, list[StoredFact]]) -> HistoryReply:
    """Return the series by concept."""
    return HistoryReply(
        cik,
        {
            concept: [
                HistoricValue(
                    period_end=row.end,
                    period_start=row.start,
                    value=number(row.value),
                    unit=row.unit,
                    filing_date=row.filing_date,
                    accession_number=row.accession_number,
                    form_type=row.form_type,
                    fiscal_year=row.fiscal_year,
                    fiscal_period=row.fiscal_period,
                )
                for row in rows
            ]
            for concept, rows in found.items()
        },
    )


def derived_value(found: Derived) -> DerivedValue:
    """Convert a derived amount, with its parts."""
    return DerivedValue(
        derived=found.kind,
        period_end=found.end,
        period_start=found.start,
        value=found.value,
        unit=found.year.unit,
        parts=[
            DerivedPart(sign, number(row.value), row.start, row.end, row.accession_number)
            for sign, row in found.parts
        ],
    )


def own_columns(form_type: str, periods: Sequence[StatementPeriod]) -> list[StatementPeriod]:
    """Return the columns, newest first; of those with one end, the form's own length first."""
    annual = form_type.startswith(_ANNUAL)

    def order(period: StatementPeriod) -> tuple[int, int]:
        days = 0 if period.start is None else (period.end - period.start).days
        return -period.end.toordinal(), abs(days - _YEAR_DAYS) if annual else days

    return sorted(periods, key=order)


def _statements(
    filing: StoredFinancials,
) -> Iterator[tuple[MainStatementKind, StoredStatement]]:
    """Yield the statements that Version 2 supports, by kind."""
    for kind in STATEMENTS:
        stored = statement_of(filing, kind)
        if stored is not None:
            yield kind, stored


def _statement(
    filing: StoredFinancials, kind: MainStatementKind, stored: StoredStatement, **content: Any
) -> Statement:
    return Statement(
        cik=filing.cik,
        accession_number=filing.accession_number,
        filing_date=filing.filing_date,
        form_type=filing.form_type,
        statement_type=kind,
        short_name=stored.short_name,
        **content,
    )


def _period(period: StatementPeriod) -> Period:
    kind = INSTANT if period.start is None else DURATION
    return Period(period.end, period.start, kind)


# The order of the times of a statement's values: their starts and ends.
_Ranks: TypeAlias = Mapping[tuple[date | None, date], int]


def _line(ranks: _Ranks, line: StatementLine) -> Line:
    return Line(
        concept=local_name(line.concept),
        label=line.label,
        values=[
            Value(value.end, value.start, number(value.value), value.unit, value.decimals)
            for value in _shown_values(ranks, line)
            if value.value is not None
        ],
        negated=line.negated,
        depth=line.depth,
        total=line.total,
        dimensions=list(map(_member, line.dimensions)),
    )


def _member(dimension: LineDimension) -> Member:
    return Member(dimension.axis, dimension.member, dimension.label)


def _ranks(columns: Sequence[StatementPeriod]) -> _Ranks:
    """Rank the columns' times in order, then the days of their ends and beginnings."""
    spans = [(column.start, column.end) for column in columns if column.start is not None]
    ends = {column.end for column in columns} | {start - timedelta(1) for start, _ in spans}
    times: list[tuple[date | None, date]] = [*spans]
    times += [(None, end) for end in sorted(ends, reverse=True)]
    return {time: rank for rank, time in enumerate(times)}


def _shown_values(ranks: _Ranks, line: StatementLine) -> list[StatementValue]:
    """Return the columns' values, in order.

    Instants are shown at ends and at beginnings.
    """
    values_shown = [
        value
        for value in line.values
        if value.value is not None and (value.start, value.end) in ranks
    ]
    values_shown.sort(key=lambda each: ranks[each.start, each.end])
    unit = main_unit(values_shown)
    # A second unit is a translation for the reader's convenience.
    return sorted(values_shown, key=lambda each: each.unit != unit)


def _row(concept: str, line: StatementLine, columns: Sequence[StatementPeriod]) -> TableRow:
    values = [value for value in line.values if value.value is not None]
    unit = main_unit(values) or line.values[0].unit
    by_period = {(v.start, v.end): v.value for v in reversed(values) if v.unit == unit}
    cells = [by_period.get((c.start, c.end), by_period.get((None, c.end))) for c in columns]
    return TableRow(
        concept=concept,
        label=line.label,
        values=[None if cell is None else number(cell) for cell in cells],
        unit=unit,
        negated=line.negated,
    )


def _rows(stored: StoredStatement, columns: Sequence[StatementPeriod]) -> Iterator[TableRow]:
    """Yield a row for each concept, and below it for each member, under a unique name."""
    by_concept = _by_concept(stored.lines)
    for line in face_lines(stored):
        name = local_name(line.concept)
        if by_concept.get(name) is line:
            yield _row(name, line, columns)
        elif line.dimensions and line not in stored.lines:
            members = ",".join(local_name(dimension.member) for dimension in line.dimensions)
            yield _row(f"{name}[{members}]", line, columns)


def _raw_facts(line: StatementLine) -> list[RawFact]:
    return [
        RawFact(
            value=None if value.value is None else number(value.value),
            unit=value.unit,
            period_end=value.end,
            period_start=value.start,
            decimals=value.decimals,
        )
        for value in line.values
    ]


def _by_concept(lines: Iterable[StatementLine]) -> dict[str, StatementLine]:
    """Return the lines that have values, by concept.

    For cash at the beginning and at the end, the line of the end.
    """
    by_name: dict[str, StatementLine] = {}
    for line in lines:
        name = local_name(line.concept)
        if line.values and (name not in by_name or by_name[name].opening):
            by_name.pop(name, None)
            by_name[name] = line
    return by_name


def _list_filing(filing: FinancialFiling) -> ListedFinancials:
    return ListedFinancials(
        accession_number=filing.accession_number,
        form_type=filing.form_type,
        filing_date=filing.filing_date,
        period_end=filing.period_end,
        fiscal_year=filing.fiscal_year,
        fiscal_period=filing.fiscal_period,
        amendment=filing.amendment,
        kinds=[kind for kind in STATEMENTS if kind in filing.kinds],
    )
