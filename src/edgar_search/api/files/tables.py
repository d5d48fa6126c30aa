"""A table of a document as comma-separated values or a workbook, written in a reading room only."""

from msgspec import UNSET

from edgar_search.api.files.comma_separated import csv_lines
from edgar_search.api.files.workbooks import MOST_ROWS, CellValue, Row, Sheet, workbook
from edgar_search.api.tables import TableCell, TableItem

_MOST_WIDTH, _LEAST_WIDTH = 60, 10


def table_csv(table: TableItem, *, raw: bool) -> bytes:
    """Write a table with its heading, unit and source, all texts quoted.

    `raw` leaves texts as filed; otherwise a text that a spreadsheet takes for a formula gets an
    apostrophe.
    """
    rows: list[list[CellValue]] = [*_titles(table), *map(_values, _cells(table)), [_source(table)]]
    return csv_lines([["" if v is None else v for v in row] for row in rows], raw=raw)


def table_workbook(table: TableItem) -> bytes:
    """Write a workbook with the table, its amounts as numbers in their filed format."""
    rows = _cells(table)
    body = [Row(_values(row), [_number_form(cell) if cell else "" for cell in row]) for row in rows]
    titles = [Row(row, bold=True) for row in _titles(table)]
    longest = [max(len(c.text) if c else 0 for c in column) for column in zip(*rows, strict=True)]
    widths = [min(_MOST_WIDTH, max(_LEAST_WIDTH, length + 2)) for length in longest]
    shown = [*titles, *body][: MOST_ROWS - 2]
    source = _source(table)
    sheet = Sheet(f"Table {table.number}", [*shown, Row([]), Row([source])], widths)
    return workbook([sheet], source)


def _cells(table: TableItem) -> list[list[TableCell | None]]:
    assert table.cells is not UNSET
    return table.cells


def _source(table: TableItem) -> str:
    assert table.source is not UNSET
    return table.source


def _values(row: list[TableCell | None]) -> list[CellValue]:
    return [
        None if cell is None else cell.text if cell.value is None else cell.value for cell in row
    ]


def _titles(table: TableItem) -> list[list[CellValue]]:
    return [[title] for title in (table.heading, table.unit) if title]


def _number_form(cell: TableCell) -> str:
    """Return Excel's number format for an amount as filed."""
    if cell.value is None:
        return ""
    digits = "#,##0" if "," in cell.text else "0"
    places = -int(cell.value.as_tuple().exponent)
    digits += f".{'0' * places}" if places else ""
    unit = cell.unit or ""
    shown = (
        f'{digits}"{unit}"' if unit in ("%", "\u00a2") else f'"{unit}"{digits}' if unit else digits
    )
    return f"{shown};({shown})" if "(" in cell.text else shown
