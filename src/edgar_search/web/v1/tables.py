"""GET /v1/tables: the tables of a document, and one of them as JSON, CSV or a workbook."""

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.finding import DOCUMENT_ID_PARAMETER, RAW, raw_flag
from edgar_search.api.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.api.parameters.reader import Parameters, Raw
from edgar_search.document.original import require_document
from edgar_search.document.reading_room import ReadingOf
from edgar_search.document.text import Passages, document_text, retry_if_reloaded
from edgar_search.edgar.identifiers import accession_of
from edgar_search.errors import BadRequest, NotFound
from edgar_search.search.filings import address_at_edgar, filing_of
from edgar_search.web.calls import V1Call
from edgar_search.web.responses import encoded_response, file_response
from edgar_search.web.service import Service, service
from edgar_search.web.v1.table_answers import (
    MOST_CELLS,
    TablesReply,
    TextFacts,
    Wanted,
    list_tables,
    make_table,
)

DEFAULT_TABLES, MAX_TABLES = 100, 500
# A text is read as a whole to count its tables.
MOST_CHARS = 20_000_000
FILES = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
FORMATS = ("json", *FILES)


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


async def _read_text(state: Service, document_id: str) -> tuple[str, TextFacts]:
    """Read the text of a document; a request for each 100,000 characters of it.

    Raises NotFound, BadRequest for a text that is too long, and TextChanging.
    """
    engine = state.context.engine

    async def read() -> tuple[str, TextFacts]:
        text = await document_text(engine, document_id)
        if text.length > MOST_CHARS:
            raise BadRequest(
                f"`document_id`: tables are read in texts of {MOST_CHARS:,} characters at most;"
                f" that of {document_id} has {text.length:,}, and `/v1/text` gives it in parts"
            )
        whole = await Passages(engine, text).whole(0, text.length)
        return whole, TextFacts(document_id, text.sha256, text.length)

    return await retry_if_reloaded(engine, read)


async def table_answer(
    state: Service,
    document_id: str,
    account: str,
    form: str,
    *,
    number: int = 0,
    place: int = -1,
    raw: bool = False,
) -> Response:
    """One table, by its number or by a place in it, in one of FORMATS; `raw` CSV is as filed.

    Raises NotFound, BadRequest if its text is too long or it has too many cells, TextChanging, and
    as the reading room.
    """
    text, facts = await _read_text(state, document_id)
    filing = await filing_of(state.context.engine, accession_of(document_id))
    listed = filing.documents[require_document(filing, document_id)]
    parts = [
        filing.entity_name,
        f"Form {filing.form_type} filed {filing.filing_date}",
        filing.accession_number,
        f"document {document_id}, table ",
    ]
    address = address_at_edgar(filing, listed.file_name)
    source = ", ".join(filter(None, parts)), f", {address}" if address else ""
    wanted = Wanted(number or None, None if number else place, form, source, raw)
    of = ReadingOf(document_id, account, f"{facts.sha256} {number} {place} {form}")
    made = await state.room.run(of, make_table, text, facts, wanted)
    if not made.number and number:
        count = made.total or "no"
        raise NotFound(f"table: there is no {number}; the document has {count} tables")
    if not made.number:
        raise NotFound(f"start: there is no table at character {place}")
    if made.content is None:
        raise BadRequest(
            f"`table`: {made.number} has {made.rows:,} rows of {made.columns:,} cells, and an"
            f" answer has at most {MOST_CELLS:,} cells; `/v1/text` has its rows from {made.start}"
            f" to {made.end}"
        )
    if form == "json":
        return encoded_response(made.content)
    return file_response(made.content, FILES[form], f"{document_id}-table-{made.number}.{form}")


async def tables(request: Request, call: V1Call) -> Response:
    """GET /v1/tables"""
    params = tables_params(call.raw)
    state, account = service(request), call.account

    async def work() -> Response:
        if params.table:
            answer = await table_answer(
                state,
                params.document_id,
                account,
                params.format,
                number=params.table,
                raw=params.raw,
            )
            call.result_count = 1
            return answer
        text, facts = await _read_text(state, params.document_id)
        of = ReadingOf(params.document_id, account, f"{facts.sha256} {params.offset}")
        call.result_count, body = await state.room.run(
            of, list_tables, text, facts, params.offset, params.limit
        )
        return encoded_response(body)

    return await work()
