"""Excel workbooks: rows of texts and numbers, none of which a spreadsheet runs as a formula."""

import io
from collections.abc import Sequence
from datetime import date
from decimal import Decimal

from msgspec import Struct

# Excel's limits on the name of a sheet, the text of a cell, and the rows of a sheet.
MOST_NAME, MOST_TEXT, MOST_ROWS = 31, 32_767, 1_048_576
# Days before this year are written as text.
FIRST_YEAR = 1900
_NOT_IN_NAMES = str.maketrans("[]:*?/\\'", "()      ")
_DAY = "yyyy-mm-dd"
# XlsxWriter reads a text that begins like this as its own markup.
_MARKUP = "<r>"

CellValue = str | float | Decimal | date | None


class Row(Struct, frozen=True):
    """The cells of a row; `forms` are their number formats, the last one for all further cells.

    `indent` applies to the first cell.
    """

    cells: Sequence[CellValue]
    forms: Sequence[str] = ()
    bold: bool = False
    indent: int = 0


class Sheet(Struct, frozen=True):
    """A sheet with its rows; `frozen` is how many rows and columns stay visible."""

    name: str
    rows: Sequence[Row]
    widths: Sequence[int] = ()
    frozen: tuple[int, int] = (0, 0)


def workbook(sheets: Sequence[Sheet], title: str = "") -> bytes:
    """Write the workbook; numbers keep the 15 digits that Excel has."""
    # Imported here, since few processes write workbooks.
    from xlsxwriter import Workbook
    from xlsxwriter.format import Format

    file = io.BytesIO()
    with Workbook(file, {"in_memory": True}) as book:
        book.set_properties({"title": title})
        formats: dict[tuple[str, bool, int], Format] = {}

        def form(number: str, bold: bool, indent: int) -> Format:
            key = (number, bold, indent)
            if key not in formats:
                properties = {"num_format": number or "General", "bold": bold, "indent": indent}
                formats[key] = book.add_format(properties)
            return formats[key]

        for sheet, name in zip(sheets, sheet_names([each.name for each in sheets]), strict=True):
            page = book.add_worksheet(name)
            page.freeze_panes(*sheet.frozen)
            for column, width in enumerate(sheet.widths):
                page.set_column(column, column, width)
            for row_number, row in enumerate(sheet.rows[:MOST_ROWS]):
                for column, value in enumerate(row.cells):
                    number = row.forms[min(column, len(row.forms) - 1)] if row.forms else ""
                    number = number or (_DAY if isinstance(value, date) else "")
                    shape = form(number, row.bold, 0 if column else row.indent)
                    if value is None:
                        continue
                    if isinstance(value, date) and value.year >= FIRST_YEAR:
                        page.write_datetime(row_number, column, value, shape)
                    elif isinstance(value, int | Decimal) and _is_number(value):
                        page.write_number(row_number, column, value, shape)
                    else:
                        page.write_string(row_number, column, _text(str(value)), shape)
    return file.getvalue()


class RowsWorkbook:
    """A workbook with one sheet, whose rows are kept in a temporary file until it is closed."""

    def __init__(self, heads: Sequence[str]) -> None:
        from xlsxwriter import Workbook

        self._file = io.BytesIO()
        # Rows are written as they come; texts that cells share are not collected in memory.
        self._book = Workbook(self._file, {"constant_memory": True, "strings_to_formulas": False})
        self._page = self._book.add_worksheet()
        self._page.freeze_panes(1, 0)
        self._page.set_column(0, len(heads) - 1, 16)
        bold = self._book.add_format({"bold": True})
        for column, name in enumerate(heads):
            self._page.write_string(0, column, name, bold)
        self._day = self._book.add_format({"num_format": _DAY})
        self.rows = 0

    def write(self, rows: Sequence[Sequence[CellValue]]) -> None:
        """Append rows to the sheet."""
        for row in rows:
            self.rows += 1
            for column, value in enumerate(row):
                if isinstance(value, date) and value.year >= FIRST_YEAR:
                    self._page.write_datetime(self.rows, column, value, self._day)
                elif isinstance(value, int | float | Decimal) and _is_number(value):
                    self._page.write_number(self.rows, column, value)
                elif value not in (None, ""):
                    self._page.write_string(self.rows, column, _text(str(value)))

    def close(self) -> bytes:
        """Finish the workbook and return its bytes."""
        self._book.close()
        return self._file.getvalue()


def sheet_names(names: Sequence[str]) -> list[str]:
    """Make sheet names valid and unique in Excel: without special characters, cut and numbered."""
    used: set[str] = set()
    unique_names = []
    for name in names:
        plain = " ".join(name.translate(_NOT_IN_NAMES).split()) or "Sheet"
        candidate, number = plain[:MOST_NAME], 1
        while candidate.casefold() in used or candidate.casefold() == "history":
            number += 1
            candidate = f"{plain[: MOST_NAME - len(str(number)) - 1]} {number}"
        used.add(candidate.casefold())
        unique_names.append(candidate)
    return unique_names


def _text(text: str) -> str:
    return (f" {text}" if text.startswith(_MARKUP) else text)[:MOST_TEXT]


def _is_number(value: float | Decimal) -> bool:
    """Return True if Excel can represent the number: larger ones become infinite."""
    try:
        return abs(float(value)) < 1e308
    except OverflowError:
        return False
