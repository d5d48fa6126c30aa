"""GET /v1/tables: the tables of a document, and one of them with its cells."""

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
# The whole text is read to count its tables.
MOST_CHARS = 20_000_000
# Cells of an answer, including empty ones: a workbook of them takes some seconds.
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
        """The number of tables, or 1 if one is requested."""
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
    """The tables to return: a page of the list, one by its number, or the one at a position.

    `number` 0 is the list; with `position`, a code point of the text, `number` is left out.
    """

    document_id: str
    limit: int = DEFAULT_TABLES
    offset: int = 0
    number: int = 0
    position: int | None = None


async def read_tables(_: Context, raw: Raw) -> TablesParams:
    """Return the parameters of `/v1/tables` except for the format; raises BadRequest."""
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


async def find_tables(context: Context, asked: TablesParams) -> TablesReply:
    """Find the tables of a document; one engine request for each 100,000 characters of its text.

    Raises NotFound for a document or table that does not exist, BadRequest for a text or table that
    is too long, TextChanging, and the errors of the reading room.
    """
    engine = context.engine

    async def read() -> tuple[str, str]:
        text = await document_text(engine, asked.document_id)
        if text.length > MOST_CHARS:
            raise BadRequest(
                f"`document_id`: tables are read in texts of {MOST_CHARS:,} characters at most;"
                f" that of {asked.document_id} has {text.length:,}, and `/v1/text` gives it in"
                " parts"
            )
        return await Passages(engine, text).whole(0, text.length), text.sha256

    text, sha256 = await retry_if_reloaded(engine, read)
    # These determine how long a reading takes.
    about = f"{sha256} {asked.offset} {asked.number} {asked.position}"
    reading = ReadingOf(asked.document_id, context.account, about)
    found = await context.room.run(reading, tables_in, text, asked)
    reply = TablesReply(asked.document_id, sha256, len(text), found.total, found.items)
    if asked.number or asked.position is not None:
        await _require_one(context, asked, reply)
    return reply


async def _require_one(context: Context, asked: TablesParams, reply: TablesReply) -> None:
    """Add its source to the requested table; raises NotFound or, if it is too long, BadRequest."""
    if not reply.items and asked.position is not None:
        raise NotFound(f"start: there is no table at character {asked.position}")
    if not reply.items:
        count = reply.total_count or "no"
        raise NotFound(f"table: there is no {asked.number}; the document has {count} tables")
    table = reply.items[0]
    if table.cells is UNSET:
        raise BadRequest(
            f"`table`: {table.number} has {table.rows:,} rows of {table.columns:,} cells, and an"
            f" answer has at most {MOST_CELLS:,} cells; `/v1/text` has its rows from {table.start}"
            f" to {table.end}"
        )
    filing = await filing_of(context.engine, accession_of(asked.document_id))
    listed = filing.documents[require_document(filing, asked.document_id)]
    parts = [
        filing.entity_name,
        f"Form {filing.form_type} filed {filing.filing_date}",
        filing.accession_number,
        f"document {asked.document_id}, table {table.number}",
        address_at_edgar(filing, listed.file_name),
    ]
    table.source = ", ".join(filter(None, parts))


FIND_TABLES = Operation(TABLES, read_tables, find_tables)


class TablesFound(Struct):
    """The number of tables in a text, and the requested ones."""

    total: int
    items: list[TableItem]


def tables_in(text: str, asked: TablesParams) -> TablesFound:
    """Find the requested tables of a text.

    A single one has its cells, unless there are too many. Runs in a reading room, because the text
    is as filed.
    """
    places = table_places(text_lines(text))
    number = asked.number
    if asked.position is not None:
        number = bisect_right(places, asked.position, key=lambda place: place.start)
        if number and places[number - 1].end < asked.position:
            return TablesFound(len(places), [])
    elif not number:
        listed = enumerate(places[asked.offset : asked.offset + asked.limit], asked.offset + 1)
        return TablesFound(len(places), [_item(place, number) for number, place in listed])
    if not 0 < number <= len(places):
        return TablesFound(len(places), [])
    place = places[number - 1]
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
    return TablesFound(len(places), [table])


def _item(place: TablePlace, number: int) -> TableItem:
    return TableItem(number, place.start, place.end, *table_naming(place), *table_size(place))
