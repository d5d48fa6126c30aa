"""GET /v1/tables: the tables of a document, and one of them as JSON, CSV or a workbook."""

import asyncio
from bisect import bisect_right
from decimal import Decimal
from typing import NamedTuple

from msgspec import UNSET, Struct, UnsetType
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.document.original import require_document
from edgar_search.document.tables import (
    Amount,
    Naming,
    TableCells,
    TablePlace,
    table_cells,
    table_naming,
    table_places,
    table_size,
    text_lines,
)
from edgar_search.document.text import DocumentText, Passages, document_text, retry_if_reloaded
from edgar_search.edgar.identifiers import accession_of, document_address
from edgar_search.errors import BadRequest, NotFound
from edgar_search.search.context import SearchContext
from edgar_search.search.filings import filing_of
from edgar_search.web.calls import V1Call, while_connected
from edgar_search.web.comma_separated import csv_lines
from edgar_search.web.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.web.parameters.reader import Parameters, Raw
from edgar_search.web.responses import json_response
from edgar_search.web.service import service
from edgar_search.web.v1.finding import DOCUMENT_ID_PARAMETER, RAW, raw_flag
from edgar_search.web.workbooks import MOST_ROWS, CellValue, Row, Sheet, workbook

DEFAULT_TABLES, MAX_TABLES = 100, 500
# A text is read as a whole to count its tables.
MOST_CHARS = 20_000_000
# Cells of an answer, empty ones too: a workbook of them takes some seconds.
MOST_CELLS = 200_000
FILES = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
FORMATS = ("json", *FILES)
_MOST_WIDTH, _LEAST_WIDTH = 60, 10


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


TABLES = Endpoint(
    "/v1/tables",
    "returns the tables of a document, or one of them as JSON, CSV or an Excel workbook",
    (
        API_KEY,
        DOCUMENT_ID_PARAMETER,
        Parameter(
            "limit",
            "integer",
            "tables in the answer at most",
            least=1,
            most=MAX_TABLES,
            default=DEFAULT_TABLES,
        ),
        Parameter("offset", "integer", "tables to skip", least=0, default=0),
        Parameter(
            "table",
            "integer",
            "the number of the table to return with its cells; 0 returns the list of tables",
            least=0,
            default=0,
        ),
        Parameter(
            "format",
            "choice",
            "for one table: `csv` and `xlsx` are files with a source line, without formulas",
            default="json",
            choices=FORMATS,
        ),
        RAW,
    ),
    credential="key",
    answer=TablesReply,
    media=tuple(media.partition(";")[0] for media in FILES.values()),
    rules=("`limit` and `offset` may not be given with `table`; `csv` and `xlsx` need it.",),
)


class TablesParams(Struct, frozen=True):
    """The tables in a request; table 0 is the list of them."""

    document_id: str
    limit: int
    offset: int
    table: int
    format: str
    raw: bool


def tables_params(raw: Raw) -> TablesParams:
    """The parameters of `/v1/tables`; raises BadRequest."""
    parameters = Parameters(raw, TABLES.declared)
    document_id = parameters.required_value("document_id")
    number = parameters.integer("table")
    form = parameters.choice("format")
    for name in ("limit", "offset"):
        if number and parameters.text(name) is not None:
            raise BadRequest(f"`{name}` may not be given with `table`, which names one")
    if not number and form != "json":
        raise BadRequest(f"`format={form}` needs `table`, the number of one table")
    return TablesParams(
        document_id,
        parameters.integer("limit"),
        parameters.integer("offset"),
        number,
        form,
        raw_flag(parameters),
    )


class DocumentTables(NamedTuple):
    """The tables of a text."""

    text: DocumentText
    places: list[TablePlace]

    def numbered(self, number: int) -> TablePlace:
        """The table of this number; NotFound says how many there are."""
        if number > len(self.places):
            count = len(self.places)
            raise NotFound(f"table: there is no {number}; the document has {count or 'no'} tables")
        return self.places[number - 1]

    def at(self, place: int) -> int:
        """The number of the table that holds a place; NotFound if none does."""
        number = bisect_right([each.start for each in self.places], place)
        if not number or self.places[number - 1].end < place:
            raise NotFound(f"start: there is no table at character {place}")
        return number


class OneTable(NamedTuple):
    """A table with its cells, and the line that says where it is from."""

    number: int
    naming: Naming
    cells: TableCells
    source: str


async def document_tables(context: SearchContext, document_id: str, account: str) -> DocumentTables:
    """Find the tables of a document's text; a request for each 100,000 characters of it.

    Raises NotFound, BadRequest for a text that is too long, and TextChanging.
    """

    async def read() -> DocumentTables:
        text = await document_text(context.engine, document_id, account)
        if text.length > MOST_CHARS:
            raise BadRequest(
                f"`document_id`: tables are read in texts of {MOST_CHARS:,} characters at most;"
                f" that of {document_id} has {text.length:,}, and `/v1/text` gives it in parts"
            )
        whole = await Passages(context.engine, text, account).whole(0, text.length)
        return DocumentTables(text, await asyncio.to_thread(_places, whole))

    return await retry_if_reloaded(context.engine, read)


def _places(text: str) -> list[TablePlace]:
    return table_places(text_lines(text))


async def read_table(
    context: SearchContext, found: DocumentTables, number: int, account: str
) -> OneTable:
    """Read one table of a document; BadRequest if it has too many cells."""
    place, document_id = found.numbered(number), found.text.document_id
    filing = await filing_of(context.engine, accession_of(document_id), account)
    listed = filing.documents[require_document(filing, document_id)]
    cik = filing.entities[filing.primary].cik if filing.entities else None
    rows, columns = await asyncio.to_thread(table_size, place)
    if rows * columns > MOST_CELLS:
        raise BadRequest(
            f"`table`: {number} has {rows:,} rows of {columns:,} cells, and an answer has at most"
            f" {MOST_CELLS:,} cells; `/v1/text` has its rows from {place.start} to {place.end}"
        )
    parts = [
        filing.entity_name,
        f"Form {filing.form_type} filed {filing.filing_date}",
        filing.accession_number,
        f"document {document_id}, table {number}",
        document_address(filing.accession_number, cik, listed.file_name),
    ]
    cells = await asyncio.to_thread(table_cells, place)
    return OneTable(number, table_naming(place), cells, ", ".join(filter(None, parts)))


async def tables(request: Request, call: V1Call) -> Response:
    """GET /v1/tables"""
    params = tables_params(call.raw)
    context, account = service(request).context, call.account

    async def work() -> Response:
        found = await document_tables(context, params.document_id, account)
        if not params.table:
            call.result_count = len(found.places)
            return json_response(await asyncio.to_thread(_list, found, params))
        table = await read_table(context, found, params.table, account)
        call.result_count = 1
        return await table_answer(found, table, params.format, raw=params.raw)

    return await while_connected(request, work())


async def table_answer(
    found: DocumentTables, table: OneTable, form: str, *, raw: bool = False
) -> Response:
    """A table in one of FORMATS; `raw` CSV has texts as they are."""
    if form == "json":
        return await asyncio.to_thread(_json, found, table)
    return await asyncio.to_thread(_file, found, table, form, raw=raw)


def _list(found: DocumentTables, params: TablesParams) -> TablesReply:
    some = found.places[params.offset : params.offset + params.limit]
    items = [
        _item(place, number, table_naming(place), table_size(place))
        for number, place in enumerate(some, params.offset + 1)
    ]
    return _reply(found, items)


def _reply(found: DocumentTables, items: list[TableItem]) -> TablesReply:
    text = found.text
    return TablesReply(text.document_id, text.sha256, text.length, len(found.places), items)


def _item(place: TablePlace, number: int, naming: Naming, size: tuple[int, int]) -> TableItem:
    return TableItem(number, place.start, place.end, *naming, *size)


def _json(found: DocumentTables, table: OneTable) -> Response:
    rows, amounts = table.cells
    item = _item(
        found.places[table.number - 1], table.number, table.naming, (len(rows), len(rows[0]))
    )
    item.source = table.source
    item.cells = [
        [
            TableCell(text, *(amount or (None, None))) if text else None
            for text, amount in zip(row, figures, strict=True)
        ]
        for row, figures in zip(rows, amounts, strict=True)
    ]
    return json_response(_reply(found, [item]))


def _file(found: DocumentTables, table: OneTable, form: str, *, raw: bool) -> Response:
    """A table as a file: its heading, unit and rows, and last its source."""
    name = f"{found.text.document_id}-table-{table.number}.{form}"
    content = _workbook(table) if form == "xlsx" else _csv(table, raw=raw)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, headers=headers, media_type=FILES[form])


def _values(table: OneTable) -> list[list[CellValue]]:
    rows, amounts = table.cells
    return [
        [amount.value if amount else text or None for text, amount in zip(row, some, strict=True)]
        for row, some in zip(rows, amounts, strict=True)
    ]


def _titles(table: OneTable) -> list[list[CellValue]]:
    naming = table.naming
    return [[each] for each in (naming.heading, naming.unit) if each]


def _csv(table: OneTable, *, raw: bool) -> bytes:
    """All texts in quotes."""
    rows: list[list[CellValue]] = [*_titles(table), *_values(table), [table.source]]
    return csv_lines([["" if v is None else v for v in row] for row in rows], raw=raw)


def _workbook(table: OneTable) -> bytes:
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
