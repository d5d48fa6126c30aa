"""Statements of a filing as a workbook of Excel: a sheet each, and one of their sources; pure."""

from collections.abc import Iterator, Sequence
from decimal import Decimal

from edgar_search.financials.statements import (
    by_length,
    cells,
    column_values,
    face_lines,
    main_unit,
    number,
    presented_amount,
)
from edgar_search.stored.financials import (
    STATEMENT_NAMES,
    StatementKind,
    StatementLine,
    StoredFact,
    StoredFinancials,
    StoredStatement,
)
from edgar_search.web.workbooks import CellValue, Row, Sheet, workbook

# Excel's form of a number: a negative one is in brackets, as in the filing.
_WHOLE, _PLACES = "#,##0", 12
_LABEL, _AMOUNT = 60, 18


def statements_workbook(
    filing: StoredFinancials, kinds: Sequence[StatementKind], items: Sequence[StoredFact] = ()
) -> bytes:
    """The workbook of the statements of these kinds, with standard items if there are any.

    Amounts are whole and have the signs that the filer shows.
    """
    statements = [by_length(each) for each in filing.statements if each.kind in kinds]
    sheets = [_statement_sheet(filing, each) for each in statements]
    if items:
        sheets.append(_items_sheet(items))
    sheets.append(_sources_sheet(filing, statements))
    return workbook(sheets, f"{filing.name}, {filing.form_type} of {filing.filing_date}")


def statement_rows(
    statement: StoredStatement,
) -> Iterator[tuple[StatementLine, list[Decimal | None]]]:
    """Yield each line with the amount of each column, with the sign that the filer shows."""
    for line in face_lines(statement):
        yield (
            line,
            [
                None if value is None else presented_amount(line, value)
                for value in cells(statement, line)
            ],
        )


TABLE_HEADS = ("statement", "line", "members", "concept", "from", "to", "unit", "value")


def statement_table(filing: StoredFinancials) -> Iterator[Sequence[CellValue]]:
    """Yield the heads, then a row for each value, with the sign that the filer shows."""
    yield TABLE_HEADS
    for statement in filing.statements:
        for line in (*statement.lines, *statement.breakdowns):
            members = ", ".join(each.label for each in line.dimensions)
            for value in cells(statement, line):
                amount = None if value is None else presented_amount(line, value)
                if value is not None and amount is not None:
                    name = STATEMENT_NAMES[statement.kind]
                    days = (value.start, value.end)
                    yield (name, line.label, members, line.concept, *days, value.unit, amount)


def number_form(amount: Decimal) -> str:
    """The form in which Excel shows a number with all places that it is filed with."""
    exponent = amount.as_tuple().exponent
    places = min(-exponent, _PLACES) if isinstance(exponent, int) and exponent < 0 else 0
    whole = _WHOLE + ("." + "0" * places if places else "")
    return f"{whole}_);({whole})"


def _statement_sheet(filing: StoredFinancials, statement: StoredStatement) -> Sheet:
    head = [
        Row([f"{filing.name}: {statement.short_name}"], bold=True),
        Row(["from", *(each.start for each in statement.periods)]),
        Row(["to", *(each.end for each in statement.periods)], bold=True),
    ]
    rows = [
        Row(
            [line.label, *amounts, main_unit(column_values(statement, line)) or ""],
            ["", *("" if each is None else number_form(each) for each in amounts), ""],
            bold=line.total or not line.values,
            indent=min(line.depth, 15),
        )
        for line, amounts in statement_rows(statement)
    ]
    widths = [_LABEL, *(_AMOUNT for _ in statement.periods), 12]
    # Excel takes names of 31 characters.
    name = STATEMENT_NAMES[statement.kind].removeprefix("statement of ").capitalize()
    return Sheet(name, [*head, *rows], widths, (3, 1))


def _items_sheet(items: Sequence[StoredFact]) -> Sheet:
    head = Row(["item", "value", "unit", "from", "to", "rule", "sources"], bold=True)
    rows = [
        Row(
            [
                row.local_name,
                number(row.value),
                row.unit,
                row.start,
                row.end,
                row.rule or "",
                ", ".join(row.sources),
            ],
            ["", number_form(number(row.value)), ""],
        )
        for row in sorted(items, key=lambda each: each.number)
    ]
    return Sheet("Standard items", [head, *rows], [32, _AMOUNT, 12, 12, 12, 16, 80], (1, 1))


def _sources_sheet(filing: StoredFinancials, statements: Sequence[StoredStatement]) -> Sheet:
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
                statement.long_name,
                line.label,
                line.concept,
                "reversed" if line.negated else "as tagged",
                ", ".join(dict.fromkeys(value.unit for value in line.values)),
                ", ".join(dict.fromkeys(_decimals(value.decimals) for value in line.values)),
                ", ".join(f"{each.axis}={each.member}" for each in line.dimensions),
            ]
        )
        for statement in statements
        for line in face_lines(statement)
        if line.values
    ]
    return Sheet("Sources", [*about, head, *rows], [40, _LABEL, 60, 12, 14, 16, 40])


def _decimals(decimals: int | None) -> str:
    return "exact" if decimals is None else str(decimals)
