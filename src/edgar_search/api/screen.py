"""GET /v1/screen: reports as a table, with the source of each cell."""

import asyncio
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from msgspec import UNSET, Struct, UnsetType, structs

from edgar_search.api.context import Context
from edgar_search.api.cursor import CURSOR, SNAPSHOT, WALK_RULES
from edgar_search.api.finding import FINDING, document_criteria, names_of
from edgar_search.api.media_types import XLSX
from edgar_search.api.operation import Page, WalkedOperation
from edgar_search.api.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.api.parameters.filters import SORT, sort_order
from edgar_search.api.parameters.reader import Parameters, Raw
from edgar_search.api.search import window_of
from edgar_search.api.tables import MOST_CHARS
from edgar_search.document.first_matches import FirstMatch, first_matches
from edgar_search.document.labelled_rows import LabelledAmount, labelled_amounts
from edgar_search.document.matches import match_page
from edgar_search.document.reading_room import ReadingOf
from edgar_search.document.text import Passages, document_text, retry_if_reloaded
from edgar_search.engine.engine import Engine
from edgar_search.errors import (
    BadRequest,
    NotFound,
    ReadingTimedOut,
    SearchTimedOut,
    StoredByOlderVersion,
    TextChanging,
    TooCostlyToRead,
)
from edgar_search.financials.figure_sources import (
    FigureFact,
    ReportFigure,
    by_name,
    facts_of_figures,
)
from edgar_search.metrics.masking import without_keys
from edgar_search.search.criteria import DocumentCriteria, DocumentSearch, Window
from edgar_search.search.figures import RATIOS
from edgar_search.search.histograms import ScreenHistogram
from edgar_search.search.index_versions import require_for_documents
from edgar_search.search.language import Node, parse_query
from edgar_search.search.pagination import Start
from edgar_search.search.reading.names import NO_NAMES, Names
from edgar_search.search.results import DocumentHit
from edgar_search.search.screen_columns import (
    HEADER,
    ColumnKind,
    Origin,
    ScreenColumn,
    read_columns,
)
from edgar_search.search.screens import (
    OF_SCREENS,
    ScreenValues,
    newest_of_companies,
    screen_histograms,
    screen_rows,
    section_spans,
    stored_values,
)
from edgar_search.search.search import search_slots
from edgar_search.search.snapshots import open_view
from edgar_search.stored.figures import CHANGES, MEASURES

MAX_ROWS, DEFAULT_ROWS = 1_000, 100
# How many rows have cells for which texts are read: tables, or matches.
MOST_READ = 200
_MOST_AT_ONCE = 100
_AT_ONCE = 4
# Errors about a single document, which are the reason why its cell is empty. Others are about the
# whole, which can be tried again.
_OF_DOCUMENT = (
    BadRequest,
    NotFound,
    ReadingTimedOut,
    SearchTimedOut,
    StoredByOlderVersion,
    TextChanging,
    TooCostlyToRead,
)
DEFAULT_COLUMNS = "company,form_type,filing_date,period,currency,revenue,revenue_change,net_income"
HEADER_NAMES = tuple(HEADER)
FIGURE_NAMES = (*MEASURES, *CHANGES, *RATIOS)
FORMATS = ("json", "csv", "xlsx", "parquet")
GROUPS = ("filing", "company")
HISTOGRAMS = "histograms"
INCLUDES = (HISTOGRAMS,)
_OWN_CHOICE = ("primary", "document_type")
_ANYTHING = DocumentCriteria(None)


class CellSource(Struct):
    """The source of a cell: characters of a document's text, or a fact of the filing.

    `start` and `end` are code points of the text with the hash `text_sha256`, null if unknown. For
    a fact, `item` is the standard item and `value` its amount in `unit` as filed, for the period up
    to `period_end`, derived from `concepts` by a `rule`. For a row of a table, `value` is the
    amount as filed, and `unit` what the table says about its scale, such as "in thousands".
    """

    document_id: str | None = None
    text_sha256: str | None = None
    start: int | None = None
    end: int | None = None
    item: str | None = None
    value: Decimal | None = None
    unit: str | None = None
    period_start: str | None = None
    period_end: str | None = None
    concepts: list[str] = []
    rule: str | None = None


class ScreenCell(Struct):
    """A number as `value` or a `text`, with its sources; without either the `reason` says why.

    `snippet` is the first match with the words around it, or the amount as filed.
    """

    value: Decimal | None = None
    text: str | None = None
    sources: list[CellSource] = []
    reason: str | None = None
    snippet: str | None = None


class ScreenHead(Struct):
    """A column: its name, as requests give it, and the kind of its values.

    `histogram` is present if it is requested and a report has such a figure.
    """

    name: str
    origin: Origin
    kind: ColumnKind
    histogram: ScreenHistogram | UnsetType = UNSET


class ScreenRow(Struct):
    """A filing by its main document, with a cell for each column, by the column's name."""

    document_id: str
    accnum: str
    cells: dict[str, ScreenCell]


class ScreenReply(Struct, omit_defaults=True):
    """Rows in order; `warnings` counts the reports that another currency excludes.

    `next_cursor` is present on a walk by cursor, null at its end.
    """

    total_count: int
    columns: list[ScreenHead]
    items: list[ScreenRow]
    warnings: list[str] = []
    next_cursor: str | None | UnsetType = UNSET

    @property
    def result_count(self) -> int:
        """The number of filings, or of companies."""
        return self.total_count


COLUMNS = Parameter(
    "columns",
    "text",
    "columns, with commas between them: fields of the filing, figures, changes and ratios,"
    ' quotients (`goodwill/equity`), `table:"Long-term debt"`, `match:"going concern"`'
    " and `section:item7`; see [Screens](#screens)",
    default=DEFAULT_COLUMNS,
    longest=4_000,
    of="names of columns",
)
GROUP = Parameter(
    "group",
    "choice",
    "a row for each filing, or for the newest of each company",
    default="filing",
    choices=GROUPS,
)
SCREEN = Endpoint(
    "/v1/screen",
    "shows reports as a table of figures, words and sections, with the source of each cell",
    (
        API_KEY,
        *(
            structs.replace(
                each,
                required=False,
                description="the query, in the query language; the main document must match it",
            )
            if each.name == "query"
            else each
            for each in FINDING
            if each.name not in _OWN_CHOICE
        ),
        COLUMNS,
        GROUP,
        Parameter(
            "limit",
            "integer",
            "rows in the answer at most",
            least=1,
            most=MAX_ROWS,
            default=DEFAULT_ROWS,
        ),
        Parameter("offset", "integer", "rows to skip", least=0, default=0),
        structs.replace(SORT, default="newest"),
        Parameter(
            "include",
            "list",
            "additional fields: `histograms` has the distribution of each column of figures",
            of="names of fields",
            choices=INCLUDES,
        ),
        Parameter(
            "format",
            "choice",
            "`csv`, `xlsx` and `parquet` are files of the page, with a column for the source of"
            " each figure, row, match and section",
            default="json",
            choices=FORMATS,
        ),
        CURSOR,
        SNAPSHOT,
    ),
    credential="key",
    answer=ScreenReply,
    media=("text/csv", XLSX, "application/vnd.apache.parquet"),
    rules=(
        "A query or a filter is needed.",
        f"`limit` times the number of columns `table:` and `match:` must be at most {MOST_READ};"
        " without `limit` there are fewer rows then.",
        *WALK_RULES,
    ),
)


class AskedScreen(Struct, frozen=True):
    """A screen's search for reports, and its columns."""

    search: DocumentSearch
    columns: Sequence[ScreenColumn]
    by_company: bool = False
    histograms: bool = False

    def slots(self, rows: int) -> int:
        """Return the number of search slots that this many rows take."""
        return search_slots(self.search, rows) + self.read

    @property
    def read(self) -> int:
        """The number of columns for which texts are read."""
        return _read(self.columns)

    @property
    def rows_at_once(self) -> int:
        """The number of rows that an export reads and sends at once, all of them in memory."""
        return min(_MOST_AT_ONCE, MOST_READ // self.read if self.read else _MOST_AT_ONCE)

    def heads(self) -> list[ScreenHead]:
        """Return the columns as an answer has them."""
        return [ScreenHead(column.name, column.origin, column.kind) for column in self.columns]


def _read(columns: Sequence[ScreenColumn]) -> int:
    return sum(column.origin in ("table", "match") for column in columns)


def screen_params(raw: Raw, max_window: int, names: Names = NO_NAMES) -> AskedScreen:
    """Read the parameters of `/v1/screen`; raises BadRequest.

    `max_window` is the highest `offset + limit`.
    """
    parameters = Parameters(raw, SCREEN.declared)
    criteria = document_criteria(parameters, names, all_documents=True)
    if criteria == structs.replace(_ANYTHING, all_documents=True):
        raise BadRequest("`query` is missing, and so is every filter; give one of them")
    filings = structs.replace(criteria.filings, primary=True)
    columns = read_columns(parameters.bounded_text("columns") or DEFAULT_COLUMNS)
    read = _read(columns)
    limit, offset = parameters.integer("limit"), parameters.integer("offset")
    if read and "limit" not in parameters:
        limit = min(limit, MOST_READ // read)
    if limit * read > MOST_READ:
        raise BadRequest(
            f"`limit` must be from 1 to {MOST_READ // read} with {read} columns of tables and"
            f" matches, not {limit}"
        )
    window = window_of(offset, limit, max_window, "screen")
    sort_by, order, sorted_by = sort_order(parameters.value("sort") or "newest")
    search = DocumentSearch(
        structs.replace(criteria, filings=filings),
        window,
        sort_by,
        order,
        sorted_by=sorted_by,
    )
    return AskedScreen(
        search,
        columns,
        by_company=parameters.choice("group") == "company",
        histograms=HISTOGRAMS in parameters.choices("include"),
    )


async def read_screen(context: Context, raw: Raw) -> AskedScreen:
    """Read the screen of a request; raises BadRequest."""
    return screen_params(raw, context.max_window, await names_of(context.search, raw))


async def find_screen(
    context: Context, screen: AskedScreen, start: Start | None = None
) -> Page[ScreenReply]:
    """Find the rows of a screen.

    Makes one engine request for the rows, one for each kind of columns, and two for histograms.
    Raises SearchesAtOnce if the search would wait too long for its slots.
    """
    search = found_by = screen.search
    await context.weigh(screen.slots(search.window.size) + screen.histograms)
    await require_for_documents(context.engine, search)
    kinds = OF_SCREENS if start and start.snapshot else ()
    async with open_view(
        context.pagination.snapshots,
        context.search,
        search.criteria.filings,
        start and start.place,
        kinds,
    ) as view:
        engine = view.context.engine
        if screen.by_company:
            search = await newest_of_companies(engine, found_by, view.ciks)
        rows = await screen_rows(view, search, found_by, start)
        items = await read_rows(context, engine, screen.columns, rows.hits)
        heads = screen.heads()
        if screen.histograms and rows.total:
            fields = {column.field for column in screen.columns if column.field}
            histograms = await screen_histograms(engine, search, view.ciks, fields)
            for column, head in zip(screen.columns, heads, strict=True):
                if histogram := histograms.get(column.field):
                    head.histogram = histogram
    warnings = [without_keys(str(warning)) for warning in rows.warnings]
    return Page(ScreenReply(rows.total, heads, items, warnings), rows.place)


FIND_SCREEN = WalkedOperation(SCREEN, read_screen, find_screen)


async def read_rows(
    context: Context,
    engine: Engine,
    columns: Sequence[ScreenColumn],
    hits: Sequence[DocumentHit],
) -> list[ScreenRow]:
    """Return the rows of these documents, with cells as the engine has them, live or in a snapshot.

    Raises EngineUnavailable, and ReadingsAtOnce if there are columns of tables.
    """
    if not hits:
        return []
    context = context._replace(search=context.search._replace(engine=engine))
    ids = [hit.document_id for hit in hits]
    sections = [each.words for each in columns if each.origin == "section"]
    values, spans = await asyncio.gather(
        stored_values(engine, ids, columns), section_spans(engine, ids, sections)
    )
    facts = await facts_of_figures(engine, _figures_of(columns, hits, values))
    texts = await _text_cells(context, columns, hits)
    rows: list[ScreenRow] = []
    for hit, of_texts in zip(hits, texts, strict=True):
        stored = values.get(hit.document_id, ScreenValues({}))
        row: dict[str, ScreenCell] = {}
        for column in columns:
            if column.origin == "header":
                row[column.name] = _header_cell(column, hit, stored)
            elif column.origin == "figure":
                row[column.name] = _figure_cell(column, hit, stored, facts)
            elif column.origin == "section":
                row[column.name] = _section_cell(
                    hit, stored, spans.get((hit.document_id, column.words))
                )
            else:
                row[column.name] = of_texts[column.name]
        rows.append(ScreenRow(hit.document_id, hit.fields.accession_number[0], row))
    return rows


def _figures_of(
    columns: Sequence[ScreenColumn],
    hits: Sequence[DocumentHit],
    values: Mapping[str, ScreenValues],
) -> list[ReportFigure]:
    """Return the figures that cells are made of, each once for each filing."""
    names = dict.fromkeys(name for column in columns for name in column.parts)
    return [
        ReportFigure(hit.fields.accession_number[0], name, value)
        for hit in hits
        for name in names
        if hit.document_id in values
        and (value := values[hit.document_id].number(f"figures.{name}")) is not None
    ]


def _header_cell(column: ScreenColumn, hit: DocumentHit, stored: ScreenValues) -> ScreenCell:
    fields, entities = hit.fields, hit.entities
    values: dict[str, Any] = {
        "company": entities[0][1] if entities else None,
        "cik": entities[0][0] if entities else None,
        "accnum": fields.accession_number[0],
        "document_id": hit.document_id,
        "form_type": fields.form_type[0],
        "filing_date": fields.filing_date[0],
    }
    value = values.get(column.name, stored.header(column.name))
    if value is None:
        return ScreenCell(reason="the filing does not have it")
    return ScreenCell(Decimal(value)) if column.kind == "count" else ScreenCell(text=value)


def _figure_cell(
    column: ScreenColumn,
    hit: DocumentHit,
    stored: ScreenValues,
    facts: Mapping[tuple[str, str], FigureFact],
) -> ScreenCell:
    number = stored.number(column.field)
    if number is None:
        return ScreenCell(reason=_absence(column, stored))
    of_cell = by_name(column.parts, facts, hit.fields.accession_number[0])
    exact = of_cell[0].value if column.kind == "amount" and of_cell else repr(number)
    return ScreenCell(Decimal(exact), sources=list(map(_fact_source, of_cell)))


def _absence(column: ScreenColumn, stored: ScreenValues) -> str:
    if not stored.has_figures:
        return "the filing has no figures"
    missing = [name for name in column.parts if stored.number(f"figures.{name}") is None]
    if missing:
        return f"the filing does not decide {', '.join(missing)}"
    return "it would be divided by zero"


def _fact_source(fact: FigureFact) -> CellSource:
    source = CellSource(
        item=fact.local_name,
        value=Decimal(fact.value),
        unit=fact.unit,
        period_start=fact.start.isoformat() if fact.start else None,
        period_end=fact.end.isoformat(),
        concepts=fact.sources,
        rule=fact.rule,
    )
    if fact.place is not None:
        source.document_id = fact.place.document_id
        source.text_sha256 = fact.place.text_sha256
        source.start, source.end = fact.place.start, fact.place.end
    return source


def _section_cell(
    hit: DocumentHit, stored: ScreenValues, span: tuple[int, int] | None
) -> ScreenCell:
    if span is None:
        return ScreenCell(reason="the document has no such section")
    source = CellSource(hit.document_id, stored.text_sha256, *span)
    return ScreenCell(Decimal(span[1] - span[0]), sources=[source])


async def _text_cells(
    context: Context, columns: Sequence[ScreenColumn], hits: Sequence[DocumentHit]
) -> list[dict[str, ScreenCell]]:
    """Return the cells for which documents are read, for each row by the column's name."""
    tables = [each for each in columns if each.origin == "table"]
    matched = [each for each in columns if each.origin == "match"]
    ids = [hit.document_id for hit in hits]
    found = [await _matches_together(context, each, ids) for each in matched]
    turns = asyncio.Semaphore(_AT_ONCE)

    async def of_document(document_id: str) -> dict[str, ScreenCell]:
        cells: dict[str, ScreenCell] = {}
        async with turns:
            try:
                rows = await _row_cells(context, tables, document_id) if tables else []
            except _OF_DOCUMENT as error:
                rows = [ScreenCell(reason=str(error)) for _ in tables]
            cells.update(zip((each.name for each in tables), rows, strict=True))
            for column, of_column in zip(matched, found, strict=True):
                known = of_column.get(document_id)
                try:
                    known = known or await _matches_alone(context, column, document_id)
                    cells[column.name] = _match_cell(known)
                except _OF_DOCUMENT as error:
                    cells[column.name] = ScreenCell(reason=str(error))
        return cells

    return await asyncio.gather(*(of_document(hit.document_id) for hit in hits))


async def _matches_together(
    context: Context, column: ScreenColumn, ids: Sequence[str]
) -> dict[str, FirstMatch]:
    """Return the matches of most documents; others, and errors, have to be found alone."""
    try:
        return await first_matches(context.engine, ids, _phrases([column]))
    except _OF_DOCUMENT:
        return {}


async def _matches_alone(context: Context, column: ScreenColumn, document_id: str) -> FirstMatch:
    page = await match_page(context.engine, document_id, _phrases([column]), Window(0, 1))
    return FirstMatch(page.text, page.total, next(iter(page.items), None))


def _match_cell(found: FirstMatch) -> ScreenCell:
    """Return the number of matches in a document, with the first one."""
    match = found.first
    if match is None:
        return ScreenCell(Decimal(0))
    source = CellSource(found.text.document_id, found.text.sha256, match.start, match.end)
    shown = " ".join(f"{match.before}{match.text}{match.after}".split())
    return ScreenCell(Decimal(found.total), sources=[source], snippet=shown)


def _phrases(columns: Sequence[ScreenColumn]) -> Node:
    texts = (column.words.replace('"', " ") for column in columns)
    return parse_query(" OR ".join(f'"{text}"' for text in texts))


async def _row_cells(
    context: Context, columns: Sequence[ScreenColumn], document_id: str
) -> list[ScreenCell]:
    """Find the rows of a document's tables that begin with the words of columns.

    Makes one engine request if it has none of the words; otherwise reads the whole text once.
    """
    engine, node = context.engine, _phrases(columns)

    async def read() -> tuple[str, str]:
        text = await document_text(engine, document_id, node)
        if text.length > MOST_CHARS:
            raise BadRequest(f"tables are read in texts of {MOST_CHARS:,} characters at most")
        end = text.length if text.matches else 0
        return await Passages(engine, text).whole(0, end), text.sha256

    text, sha256 = await retry_if_reloaded(engine, read)
    labels = [column.words for column in columns]
    amounts: list[LabelledAmount | None] = [None] * len(labels)
    if text:
        reading = ReadingOf(document_id, context.account, f"{sha256} {labels}")
        amounts = await context.room.run(reading, labelled_amounts, text, labels)
    return [_row_cell(document_id, sha256, amount) for amount in amounts]


def _row_cell(document_id: str, sha256: str, amount: LabelledAmount | None) -> ScreenCell:
    if amount is None:
        return ScreenCell(reason="no row of a table begins so and has an amount")
    source = CellSource(document_id, sha256, amount.start, amount.end)
    source.value, source.unit = amount.filed, amount.unit
    return ScreenCell(amount.value, sources=[source], snippet=amount.text)
