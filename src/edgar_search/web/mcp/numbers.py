"""Tools over financial data: the statements of a filing, and numbers as rows."""

from collections.abc import Callable
from datetime import date
from typing import Annotated, Any, Literal

import msgspec
from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from edgar_search.api.facts import FACT_ROWS, DerivedFact, Fact
from edgar_search.api.screen import FIND_SCREEN, CellSource, ScreenRow
from edgar_search.api.statements import FIND_STATEMENTS, ReportedLine, StatementsReply
from edgar_search.web.mcp.answers import (
    NOTICE,
    DerivedPart,
    DerivedRow,
    FactRow,
    Facts,
    NumberLine,
    Place,
    Screen,
    ScreenedReport,
    StatementPart,
)
from edgar_search.web.mcp.arguments import (
    ONE_COMPANY,
    CompanyList,
    CompanyOrNone,
    Cursor,
    Day,
    Figures,
    Forms,
    companies_filter,
)
from edgar_search.web.mcp.asking import ToolCalls, digits, known

_OF_SCREEN = {"with": "events", "group": "newest"}


def number_tools(call: ToolCalls) -> list[Callable[..., Any]]:
    """Return the tools over financial data."""

    async def get_statements(
        context: Context[Any, Any],
        statement: Literal[
            "balance_sheet", "income_statement", "cash_flow", "comprehensive_income", "equity"
        ],
        company: CompanyOrNone = "",
        accession_number: Annotated[
            str, Field(description="of a filing; else the newest annual or quarterly report")
        ] = "",
        as_of: Annotated[Day, Field(description="only what was filed by then")] = "",
        start: Annotated[int, Field(ge=0, description="`next_start` of the last answer")] = 0,
        lines: Annotated[int, Field(ge=1, le=200)] = 30,
        places: Annotated[bool, Field(description="with the place of each number")] = False,
    ) -> StatementPart:
        """Get a financial statement as filed: lines in order, amounts by period as tagged."""
        reply = await call(
            context,
            FIND_STATEMENTS,
            ONE_COMPANY,
            statement=statement,
            **companies_filter([company] if company else []),
            accnum=accession_number,
            as_of=as_of,
        )
        if not reply.statements:
            raise ToolError(f"The filing has no {statement}. Ask for another statement or filing.")
        return _statement(reply, start, lines, places=places)

    async def get_facts(
        context: Context[Any, Any],
        company: CompanyOrNone = "",
        concepts: Annotated[
            list[str], Field(description="XBRL concepts, such as us-gaap:Assets or Assets")
        ] = [],  # noqa: B006
        items: Annotated[
            list[str], Field(description="items of all companies: revenue, net_income, eps_diluted")
        ] = [],  # noqa: B006
        dimensions: Annotated[
            list[str], Field(description="amounts of members or axes: us-gaap:ProductMember")
        ] = [],  # noqa: B006
        accession_number: Annotated[str, Field(description="only of this filing")] = "",
        fiscal_year: Annotated[int | None, Field(ge=1990, le=2100)] = None,
        fiscal_period: Annotated[str, Field(description="FY, Q1, Q2, Q3 or Q4")] = "",
        forms: Forms = [],  # noqa: B006
        as_of: Annotated[Day, Field(description="as if it were that day")] = "",
        derived: Annotated[
            list[Literal["q4", "ttm"]],
            Field(description="adds what was not filed: fourth quarters, 12 trailing months"),
        ] = [],  # noqa: B006
        sort: Literal["newest", "oldest", "largest", "smallest"] = "newest",
        limit: Annotated[int, Field(ge=1, le=100)] = 20,
        cursor: Cursor = "",
        places: Annotated[bool, Field(description="with the place of each number")] = False,
    ) -> Facts:
        """Find numbers of filings: a company's over time, or one concept over all companies."""
        if cursor:
            reply = await call(context, FACT_ROWS.operation, cursor=cursor)
        else:
            reply = await call(
                context,
                FACT_ROWS.operation,
                ONE_COMPANY,
                **companies_filter([company] if company else []),
                concept=concepts,
                item=items,
                dimension=dimensions,
                accnum=accession_number,
                fiscal_year=fiscal_year,
                fiscal_period=fiscal_period,
                form_type=forms,
                as_of=as_of,
                derived=derived,
                sort=sort,
                limit=limit,
                cursor="*",
            )
        return Facts(
            notice=NOTICE,
            total=reply.total_count,
            facts=[_fact(row, places=places) for row in reply.items],
            derived=[_derived(row) for row in known(reply.derived) or ()],
            next_cursor=known(reply.next_cursor),
        )

    async def screen_reports(
        context: Context[Any, Any],
        figures: Figures = [],  # noqa: B006
        query: Annotated[str, Field(description="words of the report, as of search_filings")] = "",
        columns: Annotated[
            list[str],
            Field(
                description="fields, figures, changes, goodwill/equity, table:Long-term debt,"
                " match:going concern, section:item7",
                max_length=12,
            ),
        ] = ["company", "form_type", "filing_date", "revenue", "revenue_change", "net_income"],  # noqa: B006
        forms: Forms = [],  # noqa: B006
        companies: CompanyList = [],  # noqa: B006
        from_date: Day = "",
        to_date: Day = "",
        events: Annotated[
            str, Field(description="events near the report: 8-K:4.01,365d or 4:P,90d after")
        ] = "",
        currency: Annotated[str, Field(description="of figures: USD if absent, or any")] = "",
        newest: Annotated[bool, Field(description="only the newest of each company")] = False,
        sort: Annotated[str, Field(description="newest, oldest, or a figure: revenue")] = "newest",
        limit: Annotated[int, Field(ge=1, le=50)] = 10,
        cursor: Cursor = "",
        places: Annotated[bool, Field(description="with the place of each cell")] = False,
    ) -> Screen:
        """Find annual and quarterly reports by figures and words, and show columns of each."""
        if cursor:
            reply = await call(context, FIND_SCREEN, cursor=cursor)
        else:
            reply = await call(
                context,
                FIND_SCREEN,
                _OF_SCREEN,
                query=query,
                figures=figures,
                columns=",".join(columns),
                form_type=forms,
                **companies_filter(companies),
                from_date=from_date,
                to_date=to_date,
                currency=currency,
                group="company" if newest else "filing",
                sort=sort,
                limit=limit,
                cursor="*",
                **{"with": events},
            )
        return Screen(
            notice=NOTICE,
            total=reply.total_count,
            reports=[_report(row, places=places) for row in reply.items],
            warnings=reply.warnings,
            next_cursor=known(reply.next_cursor),
        )

    return [get_statements, get_facts, screen_reports]


def _report(row: ScreenRow, *, places: bool) -> ScreenedReport:
    values = {
        name: digits(cell.value) if cell.value is not None else cell.text or ""
        for name, cell in row.cells.items()
        if cell.value is not None or cell.text is not None
    }
    sources = {name: cell.sources[0] for name, cell in row.cells.items() if places and cell.sources}
    return ScreenedReport(
        accession_number=row.accnum,
        document_id=row.document_id,
        values=values,
        absent={name: cell.reason or "" for name, cell in row.cells.items() if name not in values},
        places={name: place for name, source in sources.items() if (place := _place(source))},
    )


def _place(source: CellSource) -> Place | None:
    """Return the position of a source; None if it is not known."""
    if source.document_id is None or source.start is None or source.end is None:
        return None
    return Place(
        document_id=source.document_id,
        text_sha256=source.text_sha256 or "",
        start=source.start,
        end=source.end,
    )


def _statement(reply: StatementsReply, start: int, most: int, *, places: bool) -> StatementPart:
    filing, statement = reply.filing, reply.statements[0]
    lines = statement.lines
    end = start + most
    return StatementPart(
        notice=NOTICE,
        accession_number=filing.accession_number,
        company=filing.name,
        cik=filing.cik,
        form_type=filing.form_type,
        filing_date=filing.filing_date.isoformat(),
        fiscal_year=filing.fiscal_year,
        fiscal_period=filing.fiscal_period,
        title=statement.title,
        periods=[_period(column.start, column.end) for column in statement.periods],
        total_lines=len(lines),
        lines=[_line(line, places=places) for line in lines[start:end]],
        next_start=end if end < len(lines) else None,
    )


def _line(line: ReportedLine, *, places: bool) -> NumberLine:
    members, label = line.members, line.label
    values = {_period(value.start, value.end): value for value in line.values}
    return NumberLine(
        label=f"{label} ({members})" if members not in ("", label) else label,
        concept=line.concept,
        depth=line.depth,
        negated=line.negated,
        unit=line.values[0].unit if line.values else "",
        values={period: digits(value.value) for period, value in values.items()},
        places={
            period: msgspec.to_builtins(value.place)
            for period, value in values.items()
            if places and value.place
        },
    )


def _fact(row: Fact, *, places: bool) -> FactRow:
    return FactRow(
        company=row.name,
        cik=row.cik,
        concept=row.concept,
        label=row.label,
        members=[f"{dimension.axis}={dimension.member}" for dimension in row.dimensions],
        value=digits(row.value),
        unit=row.unit,
        period=_period(row.start, row.end),
        fiscal_year=row.fiscal_year,
        fiscal_period=row.fiscal_period,
        form_type=row.form_type,
        filing_date=row.filing_date.isoformat(),
        accession_number=row.accnum,
        sources=row.sources,
        rule=row.rule,
        superseded_by=row.superseded_by,
        doubt=row.doubt,
        place=msgspec.to_builtins(row.place) if places else None,
    )


def _derived(row: DerivedFact) -> DerivedRow:
    return DerivedRow(
        derived=row.derived,
        company=row.name,
        cik=row.cik,
        concept=row.concept,
        label=row.label,
        value=digits(row.value),
        unit=row.unit,
        period=_period(row.start, row.end),
        parts=[
            DerivedPart(
                sign=part.sign,
                value=digits(part.value),
                period=_period(part.start, part.end),
                accession_number=part.accnum,
            )
            for part in row.parts
        ],
    )


def _period(start: date | None, end: date) -> str:
    """Return a day, or two with a slash between them, as ISO 8601 has it."""
    return f"{start}/{end}" if start else end.isoformat()
