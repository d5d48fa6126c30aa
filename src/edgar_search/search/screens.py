"""Rows of screens: main documents in order, and the stored values of their columns."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Raw, Struct, field, structs

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.engine.replies import FieldsHit, SourceHit, TopHits, decode
from edgar_search.errors import BadRequest
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import DocumentSearch
from edgar_search.search.cursors import CursorPosition
from edgar_search.search.figures import DEFAULT_CURRENCY
from edgar_search.search.filings import IdFields
from edgar_search.search.histograms import ScreenHistogram, count_histograms
from edgar_search.search.pagination import (
    OF_DOCUMENTS,
    Export,
    ExportPage,
    Pagination,
    Start,
    next_documents,
    open_export,
)
from edgar_search.search.query.body import CikLists, matching_query
from edgar_search.search.query.matching import Clause
from edgar_search.search.results import DocumentHit, DocumentPage, FoundDocument
from edgar_search.search.screen_columns import ScreenColumn
from edgar_search.search.search import add_warnings, find_hits
from edgar_search.search.snapshots import SnapshotView
from edgar_search.search.warnings.nearest import SearchWarning

# The most companies whose newest filing is looked up, each with one document.
MOST_COMPANIES = 5_000
# Stored fields of header columns, in the form to show.
_HEADER: Mapping[str, Any] = {
    "period": {"field": "period", "format": "strict_date"},
    "accepted_at": {"field": "accepted_at", "format": "strict_date_time_no_millis"},
    "currency": "currency",
    "sic": "sics",
    "state": "states",
    "size": "size",
}


class ScreenValues(NamedTuple):
    """The stored values of a document, by field."""

    fields: Mapping[str, list[Any]]

    @property
    def has_figures(self) -> bool:
        """True if the report determines any figure."""
        return bool(self.fields.get("currency"))

    @property
    def text_sha256(self) -> str | None:
        """The hash of the document's text."""
        return next(iter(self.fields.get("text_sha256", ())), None)

    def number(self, name: str) -> float | None:
        """Return the number in a field."""
        values = self.fields.get(name)
        return float(values[0]) if values else None

    def header(self, name: str) -> Any:
        """Return the value of a header column.

        Several industries or states are separated by commas.
        """
        stored = _HEADER.get(name)
        field_name = stored["field"] if isinstance(stored, dict) else stored
        values = self.fields.get(field_name or "")
        if not values:
            return None
        return ", ".join(values) if name in ("sic", "state") else values[0]


# A screen reads passages for matches, sections for their lengths, and facts for sources.
OF_SCREENS: tuple[Kind, ...] = (*OF_DOCUMENTS, "sections", "facts")


class ScreenRows(NamedTuple):
    """A page's rows, the number of all rows, and the position after them; None at the end."""

    total: int
    hits: Sequence[DocumentHit]
    place: CursorPosition | None
    warnings: Sequence[SearchWarning]


async def screen_rows(
    view: SnapshotView, search: DocumentSearch, found_by: DocumentSearch, start: Start | None
) -> ScreenRows:
    """Return the window of a screen, or on a walk the rows after a position, without snippets.

    `search` finds the rows; warnings are about `found_by`, which it narrows to the newest of each
    company.
    """
    context, place = view.context, None
    if start is None:
        weights = await context.ranking.find_weights(context.engine, search.criteria.query)
        ranked = await find_hits(context, search, view.ciks, weights)
        total, hits = ranked.total, ranked.hits
    else:
        step = await next_documents(context, search, view.ciks, view.place)
        view.after = step.place
        total, hits, place = step.total, step.hits, step.place
    page = DocumentPage(total, list(map(FoundDocument, hits)))
    page = await add_warnings(context, found_by, page, view.ciks)
    return ScreenRows(total, hits, place, page.all_warnings)


async def begin_screen_export(
    pagination: Pagination,
    context: SearchContext,
    search: DocumentSearch,
    key: str,
    *,
    by_company: bool,
) -> Export[DocumentHit]:
    """Begin an export of the rows of a screen; as `begin_export`.

    Raises BadRequest at its first page if there are too many companies.
    """
    snapshot = await open_export(pagination, context, search, key, OF_SCREENS)
    context = context._replace(engine=snapshot.engine)
    narrowed: list[DocumentSearch] = [] if by_company else [search]

    async def read(place: CursorPosition) -> ExportPage[DocumentHit]:
        if not narrowed:
            narrowed.append(await newest_of_companies(context.engine, search, snapshot.ciks))
        return ExportPage(await next_documents(context, narrowed[0], snapshot.ciks, place))

    return Export(pagination.snapshots, snapshot, read)


def values_body(ids: Sequence[str], columns: Sequence[ScreenColumn]) -> Clause:
    """Build the request for the stored values of these columns, and of the figures behind them."""
    header_names = {column.name for column in columns if column.origin == "header"}
    fields = dict.fromkeys(
        [column.field for column in columns if column.field]
        + [f"figures.{part}" for column in columns for part in column.parts]
    )
    headers = [stored for name, stored in _HEADER.items() if name in header_names | {"currency"}]
    return {
        "query": {"bool": {"filter": [{"terms": {"document_id": list(ids)}}]}},
        "size": len(ids),
        "sort": ["_doc"],
        "track_total_hits": False,
        "stored_fields": "_none_",
        "docvalue_fields": ["document_id", "text_sha256", *headers, *fields],
    }


async def stored_values(
    engine: Engine, ids: Sequence[str], columns: Sequence[ScreenColumn]
) -> dict[str, ScreenValues]:
    """Return the documents' stored values by id; one engine request."""
    body = values_body(ids, columns)
    reply = await engine.search("documents", body, FieldsHit[dict[str, list[Any]]])
    return {hit.fields["document_id"][0]: ScreenValues(hit.fields) for hit in reply.hits.hits}


class _Span(Struct):
    document_id: str
    item: str
    text_start: int | None = None
    text_end: int | None = None


async def section_spans(
    engine: Engine, ids: Sequence[str], items: Sequence[str]
) -> dict[tuple[str, str], tuple[int, int]]:
    """Return the positions of sections in documents' texts, by document and item.

    Makes one engine request, or none without items. An item that only points elsewhere is left out.
    """
    if not items:
        return {}
    names = {item.lower().replace(" ", ""): item for item in items}
    body = {
        "query": {
            "bool": {
                "filter": [
                    {"terms": {"document_id": list(ids)}},
                    {"terms": {"item": list(names)}},
                ],
                "must_not": [{"exists": {"field": "followed.document_id"}}],
            }
        },
        "size": len(ids) * len(names),
        "sort": ["_doc"],
        "track_total_hits": False,
        "_source": ["document_id", "item", "text_start", "text_end"],
    }
    reply = await engine.search("sections", body, SourceHit[_Span])
    return {
        (section.document_id, names[section.item]): (section.text_start, section.text_end)
        for section in (hit.source for hit in reply.hits.hits)
        if section.text_start is not None and section.text_end is not None
    }


async def screen_histograms(
    engine: Engine, search: DocumentSearch, ciks: CikLists, fields: Collection[str]
) -> dict[str, ScreenHistogram]:
    """Return histograms of these figures over all rows; two engine requests."""
    currency = search.criteria.filings.currency or DEFAULT_CURRENCY
    return await count_histograms(engine, matching_query(search, ciks), fields, currency)


def companies_body(query: Clause) -> Clause:
    """Build the request for the newest document of each company."""
    newest: Clause = {
        "size": 1,
        "sort": [{"filing_date": "desc"}, {"document_id": "asc"}],
        "stored_fields": "_none_",
        "docvalue_fields": ["document_id"],
    }
    terms = {"field": "ciks", "size": MOST_COMPANIES, "shard_size": MOST_COMPANIES}
    return {
        "query": query,
        "size": 0,
        "track_total_hits": False,
        "aggs": {"companies": {"terms": terms, "aggs": {"newest": {"top_hits": newest}}}},
    }


class _Company(Struct):
    newest: TopHits[Raw]


class _Companies(Struct):
    buckets: list[_Company]
    beyond: int = field(name="sum_other_doc_count", default=0)


class _Found(Struct):
    companies: _Companies


async def newest_of_companies(
    engine: Engine, search: DocumentSearch, ciks: CikLists
) -> DocumentSearch:
    """Return a search for the newest document of each company that a search finds.

    Makes one engine request. Raises BadRequest if there are too many companies.
    """
    body = companies_body(matching_query(search, ciks))
    companies = (await engine.aggregate("documents", body, _Found)).companies
    if companies.beyond:
        raise BadRequest(
            f"`group=company` has at most {MOST_COMPANIES:,} companies; narrow the screen by form,"
            " date or industry"
        )
    ids = [
        decode(bytes(hit), FieldsHit[IdFields]).fields.document_id[0]
        for company in companies.buckets
        for hit in company.newest.hits.hits
    ]
    newest = tuple(dict.fromkeys(ids)) or ("none",)
    return structs.replace(search, criteria=structs.replace(search.criteria, ids=newest))
