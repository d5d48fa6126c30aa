"""Statements of a filing as an Excel workbook: one sheet for each, and one for their sources."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from edgar_search.api.files.workbooks import CellValue, Row, Sheet, workbook
from edgar_search.api.statements import (
    FiledReport,
    ReportedStatement,
    StandardItem,
    StatementsReply,
)
from edgar_search.stored.financials import STATEMENT_NAMES

# Excel's number format: negative numbers in parentheses, as in the filing.
_WHOLE, _PLACES = "#,##0", 12
_LABEL, _AMOUNT = 60, 18


def statements_workbook(answer: StatementsReply) -> bytes:
    """Write the workbook of statements, with a sheet for standard items if there are any.

    Amounts are not scaled, and have the sign that the filer shows.
    """
    filing = answer.filing
    sheets = [_statement_sheet(filing, statement) for statement in answer.statements]
    if answer.items:
        sheets.append(_items_sheet(answer.items))
    sheets.append(_sources_sheet(filing, answer.statements))
    return workbook(sheets, f"{filing.name}, {filing.form_type} of {filing.filing_date}")


TABLE_HEADS = ("statement", "line", "members", "concept", "from", "to", "unit", "value")


def statement_table(answer: StatementsReply) -> Iterator[Sequence[CellValue]]:
    """Yield the headings, then one row for each value, with the sign that the filer shows."""
    yield TABLE_HEADS
    for statement in answer.statements:
        lines = (line for line in statement.lines if not line.breakdown)
        for line in (*lines, *statement.breakdowns):
            for value in filter(None, line.cells(statement.columns)):
                name = STATEMENT_NAMES[statement.statement]
                days = (value.start, value.end)
                amount = line.presented(value)
                yield (name, line.label, line.members, line.concept, *days, value.unit, amount)


def number_form(amount: Decimal) -> str:
    """Return Excel's format for a number with all its filed decimal places."""
    exponent = amount.as_tuple().exponent
    places = min(-exponent, _PLACES) if isinstance(exponent, int) and exponent < 0 else 0
    whole = _WHOLE + ("." + "0" * places if places else "")
    return f"{whole}_);({whole})"


def _statement_sheet(filing: FiledReport, statement: ReportedStatement) -> Sheet:
    columns = statement.by_length
    periods = [statement.periods[column] for column in columns]
    head = [
        Row([f"{filing.name}: {statement.title}"], bold=True),
        Row(["from", *(period.start for period in periods)]),
        Row(["to", *(period.end for period in periods)], bold=True),
    ]
    rows = [
        Row(
            [line.title, *amounts, line.unit],
            ["", *("" if amount is None else number_form(amount) for amount in amounts), ""],
            bold=line.total or line.heading,
            indent=min(line.depth, 15),
        )
        for line, amounts in ((line, line.amounts(columns)) for line in statement.lines)
    ]
    widths = [_LABEL, *(_AMOUNT for _ in statement.periods), 12]
    # Excel limits names to 31 characters.
    name = STATEMENT_NAMES[statement.statement].removeprefix("statement of ").capitalize()
    return Sheet(name, [*head, *rows], widths, (3, 1))


def _items_sheet(items: Sequence[StandardItem]) -> Sheet:
    head = Row(["item", "value", "unit", "from", "to", "rule", "sources"], bold=True)
    rows = [
        Row(
            [
                item.item,
                value.value,
                value.unit,
                value.start,
                value.end,
                value.rule or "",
                ", ".join(value.sources),
            ],
            ["", number_form(value.value), ""],
        )
        for item in items
        for value in item.values
    ]
    return Sheet("Standard items", [head, *rows], [32, _AMOUNT, 12, 12, 12, 16, 80], (1, 1))


def _sources_sheet(filing: FiledReport, statements: Sequence[ReportedStatement]) -> Sheet:
    about: list[Row] = [
        Row(["company", filing.name]),
        Row(["CIK", filing.cik]),
        Row(["accession number", filing.accession_number]),
        Row(["form", filing.form_type]),
        Row(["filed", filing.filing_date]),
        Row(["end of the period", filing.period_end]),
        Row(["fiscal year and period", f"{filing.fiscal_year or ''} {filing.fiscal_period or ''}"]),
        Row(["numbers are those of", filing.document_id]),
        Row(["signs", "as the filer shows them: a reversed line is tagged with the other sign"]),
        Row([]),
    ]
    head = Row(
        ["statement", "line", "concept", "sign", "unit", "digits rounded", "members"], bold=True
    )
    rows = [
        Row(
            [
                statement.definition,
                line.label,
                line.concept,
                "reversed" if line.negated else "as tagged",
                ", ".join(dict.fromkeys(value.unit for value in line.values)),
                ", ".join(dict.fromkeys(_decimals(value.decimals) for value in line.values)),
                ", ".join(f"{dimension.axis}={dimension.member}" for dimension in line.dimensions),
            ]
        )
        for statement in statements
        for line in statement.lines
        if not line.heading
    ]
    return Sheet("Sources", [*about, head, *rows], [40, _LABEL, 60, 12, 14, 16, 40])


def _decimals(decimals: int | None) -> str:
    return "exact" if decimals is None else str(decimals)
