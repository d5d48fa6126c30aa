"""Answers of `/v1/tables`, made of the text of a document; in a reading room only."""

from bisect import bisect_right
from decimal import Decimal
from typing import NamedTuple

import msgspec
from msgspec import UNSET, Struct, UnsetType

from edgar_search.document.tables import (
    Amount,
    TableCells,
    TablePlace,
    table_cells,
    table_naming,
    table_places,
    table_size,
    text_lines,
)
from edgar_search.web.comma_separated import csv_lines
from edgar_search.web.workbooks import MOST_ROWS, CellValue, Row, Sheet, workbook

# Cells of an answer, empty ones too: a workbook of them takes some seconds.
MOST_CELLS = 200_000
_MOST_WIDTH, _LEAST_WIDTH = 60, 10
# Amounts are numbers with the digits as filed.
_ENCODER = msgspec.json.Encoder(decimal_format="number")


class TableCell(Struct):
    """A cell as filed; `value` is its number, negative if it is in parentheses.

    `unit` is the sign of the amount, such as $ or %.
    """

    text: str
    value: Decimal | None
    unit: str | None


class TableItem(Struct):
    """A table by its place in the text, `end` exclusive.

    `heading` is the line that names it, `unit` what the text says of its amounts, and `scale` the
    number that these are times: `value` is as filed. `cells` and `source` are there if one table is
    asked for; an empty cell is null.
    """

    number: int
    start: int
    end: int
    heading: str | None
    unit: str | None
    scale: int | None
    rows: int
    columns: int
    cells: list[list[TableCell | None]] | UnsetType = UNSET
    source: str | UnsetType = UNSET


class TablesReply(Struct):
    """Tables in their order; `total_count` is the number of tables of the text."""

    document_id: str
    text_sha256: str
    text_length: int
    total_count: int
    items: list[TableItem]


class TextFacts(NamedTuple):
    """The document and version of a text."""

    document_id: str
    sha256: str
    length: int


class Wanted(NamedTuple):
    """A table by its number, or by a place in it; its number is between both parts of `source`."""

    number: int | None
    place: int | None
    form: str
    source: tuple[str, str]
    raw: bool = False


class MadeTable(Struct, frozen=True):
    """One table as a file, or its JSON; there is none if it has too many cells.

    `total` counts the tables of the text; `number` is 0 if none of them is wanted.
    """

    total: int
    number: int = 0
    start: int = 0
    end: int = 0
    rows: int = 0
    columns: int = 0
    content: bytes | None = None


def list_tables(text: str, of: TextFacts, offset: int, limit: int) -> tuple[int, bytes]:
    """The number of tables of a text, and the answer that lists some of them."""
    places = table_places(text_lines(text))
    items = [
        _item(place, number)
        for number, place in enumerate(places[offset : offset + limit], offset + 1)
    ]
    return len(places), _ENCODER.encode(_reply(of, len(places), items))


def make_table(text: str, of: TextFacts, wanted: Wanted) -> MadeTable:
    """The table that is wanted, in its form."""
    places = table_places(text_lines(text))
    number = wanted.number or 0
    if wanted.place is not None:
        number = bisect_right(places, wanted.place, key=lambda each: each.start)
        if number and places[number - 1].end < wanted.place:
            number = 0
    if not 0 < number <= len(places):
        return MadeTable(len(places))
    place = places[number - 1]
    rows, columns = table_size(place)
    made = MadeTable(len(places), number, place.start, place.end, rows, columns)
    if rows * columns > MOST_CELLS:
        return made
    table = _OneTable(number, _item(place, number), table_cells(place), wanted)
    content = _FORMS[wanted.form](table, of, len(places))
    return msgspec.structs.replace(made, content=content)


class _OneTable(NamedTuple):
    number: int
    item: TableItem
    cells: TableCells
    wanted: Wanted

    @property
    def source(self) -> str:
        before, behind = self.wanted.source
        return f"{before}{self.number}{behind}"


def _reply(of: TextFacts, total: int, items: list[TableItem]) -> TablesReply:
    return TablesReply(of.document_id, of.sha256, of.length, total, items)


def _item(place: TablePlace, number: int) -> TableItem:
    return TableItem(number, place.start, place.end, *table_naming(place), *table_size(place))


def _json(table: _OneTable, of: TextFacts, total: int) -> bytes:
    rows, amounts = table.cells
    item = table.item
    item.source = table.source
    item.cells = [
        [
            TableCell(text, *(amount or (None, None))) if text else None
            for text, amount in zip(row, figures, strict=True)
        ]
        for row, figures in zip(rows, amounts, strict=True)
    ]
    return _ENCODER.encode(_reply(of, total, [item]))


def _values(table: _OneTable) -> list[list[CellValue]]:
    rows, amounts = table.cells
    return [
        [amount.value if amount else text or None for text, amount in zip(row, some, strict=True)]
        for row, some in zip(rows, amounts, strict=True)
    ]


def _titles(table: _OneTable) -> list[list[CellValue]]:
    naming = table.item
    return [[each] for each in (naming.heading, naming.unit) if each]


def _csv(table: _OneTable, _: TextFacts, __: int) -> bytes:
    """All texts in quotes."""
    rows: list[list[CellValue]] = [*_titles(table), *_values(table), [table.source]]
    cells = [["" if v is None else v for v in row] for row in rows]
    return csv_lines(cells, raw=table.wanted.raw)


def _workbook(table: _OneTable, _: TextFacts, __: int) -> bytes:
    rows, amounts = table.cells
    body = [
        Row(values, list(map(_number_form, row, figures)))
        for values, row, figures in zip(_values(table), rows, amounts, strict=True)
    ]
    titles = [Row(row, bold=True) for row in _titles(table)]
    longest = [max(map(len, column)) for column in zip(*rows, strict=True)]
    widths = [min(_MOST_WIDTH, max(_LEAST_WIDTH, length + 2)) for length in longest]
    shown = [*titles, *body][: MOST_ROWS - 2]
    sheet = Sheet(f"Table {table.number}", [*shown, Row([]), Row([table.source])], widths)
    return workbook([sheet], table.source)


def _number_form(text: str, amount: Amount | None) -> str:
    """The number format of Excel that shows an amount as filed."""
    if amount is None:
        return ""
    digits = "#,##0" if "," in text else "0"
    places = -int(amount.value.as_tuple().exponent)
    digits += f".{'0' * places}" if places else ""
    unit = amount.unit or ""
    shown = (
        f'{digits}"{unit}"' if unit in ("%", "\u00a2") else f'"{unit}"{digits}' if unit else digits
    )
    return f"{shown};({shown})" if "(" in text else shown


_FORMS = {"json": _json, "csv": _csv, "xlsx": _workbook}
