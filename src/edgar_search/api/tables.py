"""GET /v1/tables: the tables of a document, or one of them with its cells."""

from bisect import bisect_right
from decimal import Decimal

from msgspec import UNSET, Struct, UnsetType

from edgar_search.api.context import Context
from edgar_search.api.finding import DOCUMENT_ID_PARAMETER, RAW, raw_flag
from edgar_search.api.media_types import XLSX
from edgar_search.api.operation import Operation
from edgar_search.api.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.api.parameters.reader import Parameters, Raw
from edgar_search.document.original import require_document
from edgar_search.document.reading_room import ReadingOf
from edgar_search.document.tables import (
    TablePlace,
    table_cells,
    table_naming,
    table_places,
    table_size,
    text_lines,
)
from edgar_search.document.text import Passages, document_text, retry_if_reloaded
from edgar_search.edgar.identifiers import accession_of
from edgar_search.errors import BadRequest, NotFound
from edgar_search.search.filings import address_at_edgar, filing_of

DEFAULT_TABLES, MAX_TABLES = 100, 500
# Longer texts are refused: the whole text is read to count its tables.
MOST_CHARS = 20_000_000
# Cells of an answer, including empty ones: a workbook with this many takes some seconds.
MOST_CELLS = 200_000
FORMATS = ("json", "csv", "xlsx")


class TableCell(Struct):
    """A cell as filed; `value` is its number, negative if it is in parentheses.

    `unit` is the sign of the amount, such as $ or %.
    """

    text: str
    value: Decimal | None
    unit: str | None


class TableItem(Struct):
    """A table by its position in the text, `end` exclusive.

    `heading` is the line that names it, `unit` what the text says about its amounts, and `scale`
    the factor for its amounts: `value` is as filed. `cells` and `source` are present if one table
    is requested; an empty cell is null.
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
    """Tables in order; `total_count` is the number of tables in the text."""

    document_id: str
    text_sha256: str
    text_length: int
    total_count: int
    items: list[TableItem]

    @property
    def result_count(self) -> int:
        """The number of tables, or 1 for a single table."""
        return 1 if self.items and self.items[0].cells is not UNSET else self.total_count


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
    media=("text/csv", XLSX),
    rules=("`limit` and `offset` may not be given with `table`; `csv` and `xlsx` need it.",),
)


class TablesParams(Struct, frozen=True):
    """The tables to return: a page of the list, one by number, or the one at a position.

    `number` 0 means the list; with `position`, a code point of the text, `number` is ignored.
    """

    document_id: str
    limit: int = DEFAULT_TABLES
    offset: int = 0
    number: int = 0
    position: int | None = None


async def read_tables(_: Context, raw: Raw) -> TablesParams:
    """Read the parameters of `/v1/tables` except the format; raises BadRequest."""
    parameters = Parameters(raw, TABLES.declared)
    document_id = parameters.required_value("document_id")
    number = parameters.integer("table")
    form = parameters.choice("format")
    for name in ("limit", "offset"):
        if number and parameters.text(name) is not None:
            raise BadRequest(f"`{name}` may not be given with `table`, which names one")
    if not number and form != "json":
        raise BadRequest(f"`format={form}` needs `table`, the number of one table")
    raw_flag(parameters)
    return TablesParams(
        document_id, parameters.integer("limit"), parameters.integer("offset"), number
    )


async def find_tables(context: Context, params: TablesParams) -> TablesReply:
    """Find the tables of a document, with one engine request for each 100,000 characters of text.

    Raises NotFound for a document or table that does not exist, BadRequest for a text or table that
    is too long, TextChanging, and the errors of the reading room.
    """
    engine = context.engine

    async def read() -> tuple[str, str]:
        text = await document_text(engine, params.document_id)
        if text.length > MOST_CHARS:
            raise BadRequest(
                f"`document_id`: tables are read in texts of {MOST_CHARS:,} characters at most;"
                f" that of {params.document_id} has {text.length:,}, and `/v1/text` gives it in"
                " parts"
            )
        return await Passages(engine, text).whole(0, text.length), text.sha256

    text, sha256 = await retry_if_reloaded(engine, read)
    # These decide how long reading takes.
    about = f"{sha256} {params.offset} {params.number} {params.position}"
    reading = ReadingOf(params.document_id, context.account, about)
    tables = await context.room.run(reading, tables_in, text, params)
    reply = TablesReply(params.document_id, sha256, len(text), tables.total, tables.items)
    if params.number or params.position is not None:
        await _require_one(context, params, reply)
    return reply


async def _require_one(context: Context, params: TablesParams, reply: TablesReply) -> None:
    """Add its source to the requested table; NotFound without it, BadRequest if it is too long."""
    if not reply.items and params.position is not None:
        raise NotFound(f"start: there is no table at character {params.position}")
    if not reply.items:
        count = reply.total_count or "no"
        raise NotFound(f"table: there is no {params.number}; the document has {count} tables")
    table = reply.items[0]
    if table.cells is UNSET:
        raise BadRequest(
            f"`table`: {table.number} has {table.rows:,} rows of {table.columns:,} cells, and an"
            f" answer has at most {MOST_CELLS:,} cells; `/v1/text` has its rows from {table.start}"
            f" to {table.end}"
        )
    filing = await filing_of(context.engine, accession_of(params.document_id))
    listed = filing.documents[require_document(filing, params.document_id)]
    parts = [
        filing.entity_name,
        f"Form {filing.form_type} filed {filing.filing_date}",
        filing.accession_number,
        f"document {params.document_id}, table {table.number}",
        address_at_edgar(filing, listed.file_name),
    ]
    table.source = ", ".join(filter(None, parts))


FIND_TABLES = Operation(TABLES, read_tables, find_tables)


class TablesFound(Struct):
    """The number of tables in a text, with the requested ones."""

    total: int
    items: list[TableItem]


def tables_in(text: str, params: TablesParams) -> TablesFound:
    """Find the requested tables in a text.

    A single one includes its cells, unless they are too many. Runs only in a reading room, since
    anyone may have filed the text.
    """
    tables = table_places(text_lines(text))
    number = params.number
    if params.position is not None:
        number = bisect_right(tables, params.position, key=lambda place: place.start)
        if number and tables[number - 1].end < params.position:
            return TablesFound(len(tables), [])
    elif not number:
        listed = enumerate(tables[params.offset : params.offset + params.limit], params.offset + 1)
        return TablesFound(len(tables), [_item(place, number) for number, place in listed])
    if not 0 < number <= len(tables):
        return TablesFound(len(tables), [])
    place = tables[number - 1]
    table = _item(place, number)
    if table.rows * table.columns <= MOST_CELLS:
        rows, amounts = table_cells(place)
        table.cells = [
            [
                TableCell(text, *(amount or (None, None))) if text else None
                for text, amount in zip(row, figures, strict=True)
            ]
            for row, figures in zip(rows, amounts, strict=True)
        ]
    return TablesFound(len(tables), [table])


def _item(table: TablePlace, number: int) -> TableItem:
    return TableItem(number, table.start, table.end, *table_naming(table), *table_size(table))
