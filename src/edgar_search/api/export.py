"""GET /v1/export: everything that a search finds, in one file."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct, structs

from edgar_search.api.context import Context
from edgar_search.api.cursor import BEGIN, CURSOR
from edgar_search.api.facts import DERIVED, FACT_ROWS
from edgar_search.api.files.records import (
    MOST_IN_A_WORKBOOK,
    Column,
    CommaSeparated,
    FilingRecord,
    JsonLines,
    ParquetFile,
    WorkbookFile,
    Writer,
    document_columns,
    match_columns,
    row_columns,
)
from edgar_search.api.files.screens import file_columns
from edgar_search.api.finding import RAW, raw_flag
from edgar_search.api.holdings import HOLDER_ROWS, MANAGER_ROWS, PORTFOLIO_ROWS
from edgar_search.api.insider_trades import HOLDING_ROWS, TRADE_ROWS
from edgar_search.api.media_types import JSON_LINES, XLSX
from edgar_search.api.parameters import types
from edgar_search.api.parameters.declaration import Endpoint, Parameter
from edgar_search.api.parameters.filters import SORTS, read_sort
from edgar_search.api.parameters.reader import Parameters, Raw
from edgar_search.api.planned_sales import SALE_ROWS
from edgar_search.api.rows import ABOUT_PAGES, Rows
from edgar_search.api.screen import COLUMNS, GROUP, MAX_ROWS, AskedScreen, screen_params
from edgar_search.api.search import INCLUDED as OF_SEARCH
from edgar_search.api.search import MAX_LIMIT, SEARCH, search_params
from edgar_search.api.stakes import STAKE_ROWS
from edgar_search.errors import BadRequest
from edgar_search.search.criteria import (
    CITATION,
    OFFSETS,
    SECTION,
    DocumentCriteria,
    DocumentSearch,
    Window,
)
from edgar_search.search.language import query_slots
from edgar_search.search.reading.names import NO_NAMES, Names
from edgar_search.search.rows import RowSearch
from edgar_search.search.search import search_slots

FORMATS = ("jsonl", "csv", "xlsx", "parquet")
ROWS_OF: dict[str, Rows[Any]] = {
    rows.name: rows
    for rows in (
        TRADE_ROWS,
        HOLDING_ROWS,
        STAKE_ROWS,
        SALE_ROWS,
        MANAGER_ROWS,
        PORTFOLIO_ROWS,
        HOLDER_ROWS,
        FACT_ROWS,
    )
}
OF_SCREEN = "screen"
RECORDS = ("documents", "filings", "matches", OF_SCREEN, *ROWS_OF)
# Parameters of a page, or of single hits.
_OF_PAGES = ("limit", "offset", "snapshot", "cursor", "snippets", "group_by", "sort", "include")
# All fields but positions in the text: a match has its own.
INCLUDED = tuple(name for name in OF_SEARCH if name != OFFSETS)
_DOCUMENTS = tuple(parameter for parameter in SEARCH.parameters if parameter.name not in _OF_PAGES)
_KNOWN = frozenset(each.name for each in _DOCUMENTS)
# If several have the same name, the first one describes it.
_FILTERS_OF_ROWS = {
    parameter.name: structs.replace(parameter, required=False)
    for rows in reversed(ROWS_OF.values())
    for parameter in rows.endpoint.parameters
    if parameter.name not in (_KNOWN | {*_OF_PAGES, DERIVED.name})
}
_SORTS_OF_ROWS = {
    choice: None
    for rows in ROWS_OF.values()
    for parameter in rows.endpoint.parameters
    if parameter.name == "sort"
    for choice in parameter.choices
}
_SORTS = tuple(dict.fromkeys((*SORTS, *_SORTS_OF_ROWS)))


_OF_SCREENS = (COLUMNS, GROUP)


def _read_sort(text: str) -> str | None:
    return text if text in _SORTS else read_sort(text)


# Rows of a page, all in memory at once. With snippets a page takes ten times as long; matches are
# searched in one document after the other.
ROWS, ROWS_WITH_SNIPPETS, ROWS_WITH_MATCHES = 1_000, 200, 50
EXPORT = Endpoint(
    "/v1/export",
    "sends all results of a search as one file",
    (
        *(
            structs.replace(
                each,
                required=False,
                description="the query, in the query language; without it all documents within the"
                " filters are sent",
            )
            if each.name == "query"
            else each
            for each in _DOCUMENTS
        ),
        *_FILTERS_OF_ROWS.values(),
        *(
            structs.replace(each, description=f"with `what={OF_SCREEN}`: {each.description}")
            for each in _OF_SCREENS
        ),
        Parameter(
            "include",
            "list",
            "additional fields of each document: "
            + ", ".join(f"`{name}`" for name in INCLUDED if name != CITATION)
            + "; of each match: `citation`, which is `prefix` and `suffix`, the characters on each"
            " side of it",
            of="names of fields",
            choices=INCLUDED,
        ),
        Parameter(
            "sort",
            "text",
            "for documents and screens as in `/v1/search`, for filings `newest` or `oldest`, for"
            " rows as in their own endpoint; by default documents are sorted by relevance, and"
            " filings, screens and documents without a query newest first",
            type=types.ValueType(_read_sort, f"one of {', '.join(_SORTS)}"),
            of=f"one of {', '.join(f'`{each}`' for each in _SORTS)}, or a"
            " [figure](query-language.md#figures)",
        ),
        Parameter(
            "format",
            "choice",
            "a line of JSON for each record, comma-separated values, an Excel workbook with at"
            f" most {MOST_IN_A_WORKBOOK:,} records, or Apache Parquet",
            default="jsonl",
            choices=FORMATS,
        ),
        RAW,
        Parameter(
            "what",
            "choice",
            "one record for each document, for each filing with its documents that match, for"
            " each match in each document, or for each row of a [screen](#screens); or the rows of"
            " the endpoint of that name",
            default="documents",
            choices=RECORDS,
        ),
        Parameter(
            "snippet",
            "flag",
            "true: each document has its `snippet`, which takes much longer",
            default=False,
        ),
        structs.replace(
            CURSOR,
            description="the cursor of a control record: continues after the records before it;"
            " only the key may be given with it",
        ),
    ),
    credential="key",
    media=(JSON_LINES, "text/csv", XLSX, "application/vnd.apache.parquet"),
    rules=(
        "`query` or a filter is needed. Without `query` the main document of each filing is sent,"
        " with `document_type` each document of these types, newest first.",
        f"`what={OF_SCREEN}` takes the parameters of `/v1/screen` that say what is found,"
        " `columns`, `group` and `sort`, and no others.",
        "Rows such as `what=insider_trades` take the parameters of their own endpoint and"
        " `format`, and no others.",
    ),
)


class ExportParams(NamedTuple):
    """The search to export, and the format; `raw` CSV keeps texts as filed.

    A `screen` has the columns of its rows, and may narrow its search to the newest of each company.
    """

    search: DocumentSearch | RowSearch
    format: str
    what: str
    snippets: bool
    with_sides: bool = False
    # Makes the record of a stored row, in exports of rows.
    row: Callable[[Any], Struct] | None = None
    raw: bool = False
    screen: AskedScreen | None = None

    @property
    def slots(self) -> int:
        """Search slots that each page takes."""
        if isinstance(self.search, RowSearch):
            return 1
        if self.screen:
            return self.screen.slots(self.screen.rows_at_once)
        if self.snippets:
            return search_slots(self.search)
        return query_slots(self.search.criteria.query)


# The criteria of a search without filters.
_ANYTHING = DocumentCriteria(query=None)
OWN = ("sort", "format", "raw", "what", "snippet", "cursor")


def export_cursor(raw: Raw) -> str | None:
    """Return the cursor from which an export continues, or None at the beginning.

    Raises BadRequest for an unknown parameter, and for any parameter beside a cursor.
    """
    text = Parameters(raw, EXPORT.declared).text("cursor")
    if text is None or text.strip() == BEGIN:
        return None
    others = [name for name in raw if name != "cursor" and any(map(str.strip, raw[name]))]
    if others:
        raise BadRequest(
            f"`{', '.join(others)}` may not be given with a cursor, which contains its query;"
            " only the key may"
        )
    return text.strip()


def export_params(raw: Mapping[str, Sequence[str]], names: Names = NO_NAMES) -> ExportParams:
    """Read the parameters of `/v1/export` except the cursor; raises BadRequest."""
    parameters = Parameters(raw, EXPORT.declared)
    what = parameters.choice("what")
    sort = parameters.value("sort") or ""
    if sort in _SORTS_OF_ROWS.keys() - {"newest", "oldest"}:
        raise BadRequest(f"`sort={sort}` needs `what` of rows, such as `what=insider_trades`")
    snippets = parameters.flag("snippet")
    if what == "filings" and sort not in ("", *SORTS[1:]):
        raise BadRequest("`sort` must be newest or oldest with `what=filings`")
    _refuse_of_documents(parameters, what)
    if what == OF_SCREEN:
        return _screen_params(parameters, raw, names)
    for name in parameters.sent(each.name for each in _OF_SCREENS):
        raise BadRequest(f"`{name}` needs `what={OF_SCREEN}`")
    has_query = parameters.text("query") is not None
    if what == "matches" and not has_query:
        raise BadRequest("`what=matches` needs `query`, whose matches the records are")
    sort = sort or ("newest" if what == "filings" or not has_query else "relevance")
    search_parameters = {name: values for name, values in raw.items() if name not in OWN}
    rows = ROWS_WITH_SNIPPETS if snippets else ROWS
    if what == "matches":
        rows = ROWS_WITH_MATCHES
        # `include` is about the matches, not about the documents that contain them.
        search_parameters.pop("include", None)
    page = search_params({**search_parameters, "sort": [sort]}, MAX_LIMIT, names, needs_query=False)
    if page.criteria == _ANYTHING:
        raise BadRequest("Missing query parameter")
    search = structs.replace(page, window=Window(0, rows))
    if what == "filings":
        search = structs.replace(search, sort_by="filing")
    with_sides = CITATION in parameters.choices("include")
    return ExportParams(
        search,
        parameters.choice("format"),
        what,
        snippets,
        with_sides,
        raw=raw_flag(parameters),
    )


def _screen_params(parameters: Parameters, raw: Raw, names: Names) -> ExportParams:
    screen = screen_params(_without_export(raw), MAX_ROWS, names)
    search = structs.replace(screen.search, window=Window(0, ROWS))
    form = parameters.choice("format")
    return ExportParams(search, form, OF_SCREEN, False, raw=raw_flag(parameters), screen=screen)


def _without_export(raw: Raw) -> dict[str, Sequence[str]]:
    """Return the parameters of the endpoint whose rows are exported."""
    return {name: values for name, values in raw.items() if name not in ("format", "raw", "what")}


def _refuse_of_documents(parameters: Parameters, what: str) -> None:
    """Raise BadRequest for parameters that only records of documents can have."""
    included = parameters.choices("include")
    if what != "matches" and CITATION in included:
        raise BadRequest("`include=citation` needs `what=matches`")
    if what == "documents":
        if SECTION in included and not parameters.flag("snippet"):
            raise BadRequest("`include=section` needs `snippet=true`, whose section it is")
        return
    if parameters.flag("snippet"):
        raise BadRequest("`snippet` needs `what=documents`")
    if any(name != CITATION for name in included):
        raise BadRequest("`include` needs `what=documents`")
    # A document that lacks operands comes after all others, even others of its filing.
    if what == "filings" and parameters.choice("operands") != "all":
        raise BadRequest("`operands=most` needs `what=documents` or `what=matches`")


async def row_params(context: Context, raw: Mapping[str, Sequence[str]]) -> ExportParams:
    """Read the parameters of an export of rows; raises BadRequest."""
    parameters = Parameters(raw, EXPORT.declared)
    rows = ROWS_OF[parameters.choice("what")]
    row_parameters = _without_export(raw)
    for name in ABOUT_PAGES & row_parameters.keys():
        raise BadRequest(f"`{name}` may not be given with an export, which has all rows")
    if "compare_to" in row_parameters:
        raise BadRequest("`compare_to` may not be given with an export, which has rows as filed")
    search = (await rows.ask(context, row_parameters)).search
    form = parameters.choice("format")
    return ExportParams(search, form, rows.name, False, row=rows.item, raw=raw_flag(parameters))


def records_of(question: Mapping[str, Sequence[str]]) -> str:
    """Return which of `RECORDS` an export has; raises BadRequest."""
    return Parameters(question, EXPORT.declared).choice("what")


def writer_for(params: ExportParams, for_spreadsheet: bool) -> Writer:
    """Return the writer for an export's format; `for_spreadsheet` formats tables for people."""
    if params.format == "jsonl":
        return JsonLines()
    columns: tuple[Column, ...] = row_columns(FilingRecord)
    if params.screen:
        columns = tuple(file_columns(params.screen.heads()))
    elif isinstance(params.search, RowSearch):
        flat = for_spreadsheet or params.format == "xlsx"
        columns = row_columns(ROWS_OF[params.what].item_type, flat=flat)
    elif params.what == "matches":
        columns = match_columns(with_sides=params.with_sides)
    elif params.what == "documents":
        columns = document_columns(params.search.details, snippets=params.snippets)
    if params.format == "csv":
        return CommaSeparated(columns, raw=params.raw, for_spreadsheet=for_spreadsheet)
    return WorkbookFile(columns) if params.format == "xlsx" else ParquetFile(columns)
