"""GET /v1/statements: the financial statements of a filing."""

from collections import Counter
from collections.abc import Sequence
from datetime import date
from decimal import Decimal
from typing import NamedTuple

from msgspec import Struct

from edgar_search.api.context import Context
from edgar_search.api.financials import (
    ACCNUM,
    AS_OF,
    CIK,
    TICKER,
    TextPlace,
    companies,
    text_place,
)
from edgar_search.api.media_types import XLSX
from edgar_search.api.operation import Operation
from edgar_search.api.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.api.parameters.reader import Parameters, Raw
from edgar_search.errors import BadRequest
from edgar_search.financials.facts import STANDARD, FactSearch, find_facts
from edgar_search.financials.filings import filing_statements, find_financials, newest_filing
from edgar_search.financials.statements import (
    column_values,
    face_lines,
    is_in_column,
    member_label,
    months,
    number,
    statement_slots,
)
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

# Values of standard items of a filing, at most.
_MOST_ITEMS = 5_000


class FiledReport(Struct, rename={"accession_number": "accnum", "period_end": "period"}):
    """A filing with statements; `document_id` is the document that its numbers are read from."""

    accession_number: str
    cik: str
    name: str
    form_type: str
    filing_date: date
    period_end: date | None
    fiscal_year: int | None
    fiscal_period: str | None
    document_id: str


class Column(Struct):
    """A column: an instant, without a start, or the days from `start` to `end`."""

    start: date | None
    end: date

    @property
    def months(self) -> int:
        """The length in months, 0 for an instant."""
        return months(self.start, self.end)


class LineMember(Struct):
    axis: str
    member: str
    label: str


class LineValue(Struct):
    """A value as filed; `decimals` is null if it is exact, `place` if it is not known.

    `columns` are the indices of the columns that show it, from 0.
    """

    value: Decimal
    unit: str
    decimals: int | None
    start: date | None
    end: date
    place: TextPlace | None
    columns: list[int]


class ReportedLine(Struct):
    """A line as filed; the filer shows a `negated` one with the other sign.

    A `heading` has no values; a line that is filed as nil is not a heading. A `breakdown` is a part
    of the line above it, by members.
    """

    concept: str
    label: str
    depth: int
    total: bool
    negated: bool
    dimensions: list[LineMember]
    values: list[LineValue]
    heading: bool
    breakdown: bool

    @property
    def title(self) -> str:
        """The label for display, without the "[Abstract]" that headings are tagged with."""
        return self.label.removesuffix("[Abstract]").rstrip() or self.label

    @property
    def members(self) -> str:
        """The names of the line's members, for display."""
        return ", ".join(dimension.label for dimension in self.dimensions)

    @property
    def unit(self) -> str:
        """The unit of most values, the first in a tie; "" without values."""
        counts = Counter(value.unit for value in self.values)
        return counts.most_common(1)[0][0] if counts else ""

    def cells(self, columns: Sequence[int]) -> list[LineValue | None]:
        """Return the value in each of these columns, or None; all are in the line's unit."""
        unit = self.unit
        shown: dict[int, LineValue] = {}
        for value in self.values:
            if value.unit == unit:
                for column in value.columns:
                    shown.setdefault(column, value)
        return [shown.get(column) for column in columns]

    def presented(self, value: LineValue) -> Decimal:
        """Return the amount of a value, with the sign that the filer shows."""
        return -value.value if self.negated and value.value else value.value

    def amounts(self, columns: Sequence[int]) -> list[Decimal | None]:
        """Return the amount in each of these columns, with the sign that the filer shows."""
        return [None if cell is None else self.presented(cell) for cell in self.cells(columns)]


class ReportedStatement(Struct):
    """A statement in the filing's order: below a line its members, which `breakdowns` repeat.

    `definition` is what the filing calls the role of the statement.
    """

    statement: StatementKind
    role: str
    title: str
    periods: list[Column]
    lines: list[ReportedLine]
    breakdowns: list[ReportedLine]
    definition: str

    @property
    def columns(self) -> list[int]:
        """The indices of its columns, in the order of the filing."""
        return list(range(len(self.periods)))

    @property
    def by_length(self) -> list[int]:
        """The columns grouped by length, so that three months are next to three months."""
        months = [period.months for period in self.periods]
        lengths = list(dict.fromkeys(months))
        return sorted(self.columns, key=lambda column: lengths.index(months[column]))


class StandardValue(Struct):
    """A value of a standard item: the lines that it is made of, and the rule that selected them.

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
    """The statements requested, with `items` and `absent_items` if these are requested.

    `items` are standard items, `absent_items` the standard items without a value.
    """

    filing: FiledReport
    statements: list[ReportedStatement]
    items: list[StandardItem]
    absent_items: list[AbsentItem]

    @property
    def result_count(self) -> int:
        """The number of statements."""
        return len(self.statements)


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
    """The statements to return: of a filing, or of a company's newest.

    `as_of` is the last filing date that the newest may have.
    """

    accession_number: str | None = None
    ciks: Sequence[str] = ()
    kinds: Sequence[StatementKind] = KINDS
    as_of: date | None = None
    normalize: bool = False


async def read_statements(context: Context, raw: Raw) -> StatementsParams:
    """Read the parameters of `/v1/statements`; raises BadRequest and NotFound."""
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
    normalize = parameters.flag("normalize")
    ciks = companies(parameters, await context.search.tickers.table())
    return StatementsParams(numbers[0] if numbers else None, ciks, kinds, as_of, normalize)


async def find_statements(context: Context, params: StatementsParams) -> StatementsReply:
    """Find the statements of a filing; raises NotFound and BadRequest.

    Raises SearchesAtOnce if long ones would wait too long for their slots.
    """
    engine = context.engine
    if params.accession_number is not None:
        filing = await filing_statements(engine, params.accession_number, params.ciks)
    else:
        # For a single statement, find the newest filing that has it.
        kind = params.kinds[0] if len(params.kinds) == 1 else None
        filing = await newest_filing(
            engine, params.ciks, kind=kind, as_of=params.as_of, or_another=True
        )
    await context.weigh(statement_slots(filing))
    items: list[StoredFact] = []
    if params.normalize:
        search = FactSearch(accession_numbers=[filing.accession_number], taxonomies=[STANDARD])
        items = (await find_facts(engine, search, _MOST_ITEMS)).rows
    return statements_reply(filing, params.kinds, items)


async def statements_of_filing(context: Context, accession_number: str) -> StatementsReply | None:
    """Find all statements of a filing; None if it has none or is not stored."""
    filing = await find_financials(context.engine, accession_number)
    return None if filing is None else statements_reply(filing, ALL_STATEMENTS)


def statements_reply(
    filing: StoredFinancials, kinds: Sequence[StatementKind], items: Sequence[StoredFact] = ()
) -> StatementsReply:
    """Build the answer from a filing's statements of these kinds and values of standard items."""
    return StatementsReply(
        filing=FiledReport(
            accession_number=filing.accession_number,
            cik=filing.cik,
            name=filing.name,
            form_type=filing.form_type,
            filing_date=filing.filing_date,
            period_end=filing.period_end,
            fiscal_year=filing.fiscal_year,
            fiscal_period=filing.fiscal_period,
            document_id=filing.document_id,
        ),
        statements=[
            reported_statement(statement)
            for statement in filing.statements
            if statement.kind in kinds
        ],
        items=_items(items),
        absent_items=[AbsentItem(*item) for item in filing.absent_items.items()] if items else [],
    )


def reported_statement(stored: StoredStatement) -> ReportedStatement:
    """Build the answer's statement, with its values assigned to columns."""
    own_lines = set(map(id, stored.lines))
    return ReportedStatement(
        statement=stored.kind,
        role=stored.role_uri,
        title=stored.short_name,
        periods=[Column(period.start, period.end) for period in stored.periods],
        lines=[
            _line(stored, line, breakdown=id(line) not in own_lines) for line in face_lines(stored)
        ],
        breakdowns=[_line(stored, line, breakdown=True) for line in stored.breakdowns],
        definition=stored.long_name,
    )


def _line(statement: StoredStatement, line: StatementLine, *, breakdown: bool) -> ReportedLine:
    return ReportedLine(
        concept=line.concept,
        label=line.label,
        depth=line.depth,
        total=line.total,
        negated=line.negated,
        dimensions=[
            LineMember(dimension.axis, dimension.member, member_label(dimension.label))
            for dimension in line.dimensions
        ],
        values=[
            LineValue(
                value=number(value.value),
                unit=value.unit,
                decimals=value.decimals,
                start=value.start,
                end=value.end,
                place=text_place(value.place),
                columns=[
                    index
                    for index, column in enumerate(statement.periods)
                    if is_in_column(line, value, column)
                ],
            )
            for value in column_values(statement, line)
            if value.value is not None
        ],
        heading=not line.values,
        breakdown=breakdown,
    )


def _items(rows: Sequence[StoredFact]) -> list[StandardItem]:
    items: dict[str, StandardItem] = {}
    for row in sorted(rows, key=lambda fact: fact.number):
        item = items.setdefault(row.local_name, StandardItem(row.local_name, []))
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
    return list(items.values())


FIND_STATEMENTS = Operation(STATEMENTS, read_statements, find_statements)
