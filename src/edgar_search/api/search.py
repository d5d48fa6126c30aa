"""GET /v1/search: documents by their text."""

import html
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Annotated, Any, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType, structs

from edgar_search.api.context import Context
from edgar_search.api.cursor import CURSOR, SNAPSHOT, WALK_RULES
from edgar_search.api.finding import (
    FINDING,
    OPERANDS_PARAMETER,
    RecognisedPart,
    document_criteria,
    names_of,
    recognised_parts,
    required_query,
)
from edgar_search.api.operation import Page, WalkedOperation
from edgar_search.api.parameters.declaration import API_KEY, Endpoint, Parameter
from edgar_search.api.parameters.filters import (
    FILING,
    GROUP_BY,
    MAX_SNIPPETS_OF_A_PAGE,
    SNIPPETS,
    SORT,
    sort_order,
)
from edgar_search.api.parameters.reader import Parameters, Raw
from edgar_search.document.citations import CitedSpan, Sides, read_sides
from edgar_search.document.sections import best_places, section_name, sections_at
from edgar_search.edgar.identifiers import document_address
from edgar_search.errors import BadRequest
from edgar_search.metrics.masking import without_keys
from edgar_search.search.criteria import (
    CITATION,
    OFFSETS,
    OPERANDS,
    SECTION,
    DocumentCriteria,
    DocumentSearch,
    Window,
)
from edgar_search.search.filings import WITHDRAWN
from edgar_search.search.pagination import Start, next_document_page
from edgar_search.search.reading.names import NO_NAMES, Names
from edgar_search.search.results import DetailedHit, DocumentHit, DocumentPage, Group, relevance
from edgar_search.search.search import search_documents, search_slots
from edgar_search.search.snippets.snippet import LocatedSnippet
from edgar_search.stored.filings import StoredSection

DEFAULT_LIMIT, MAX_LIMIT = 20, 100
_QUERY, *_FILTERS = FINDING
# A date as YYYY-MM-DD, written as text here and as a date in a Parquet file.
Day: TypeAlias = Annotated[str, Meta(extra={"kind": "day"})]
# The section of each document's best snippet, by document id.
SectionsOfHits = Mapping[str, StoredSection]
_NO_SIDES: Sides = {}
_NO_SECTIONS: SectionsOfHits = {}


class Place(Struct):
    """A range of the document's text, and the marked ranges, in code points; ends are exclusive.

    `prefix` and `suffix` are set if the request includes them.
    """

    start: int
    end: int
    marks: list[tuple[int, int]]
    prefix: str | UnsetType = UNSET
    suffix: str | UnsetType = UNSET


class PlacedItem(Place, kw_only=True):
    """A snippet with its position."""

    snippet: str


class SearchItem(Struct):
    """A document, with the requested fields after `document_id`.

    If hits are filings, it is the best document of a filing, with the number of the filing's
    matching documents, and the next best of them.
    """

    related_company_names: list[str]
    ciks: list[str]
    accnum: str
    filename: str
    filing_date: Day
    form_type: str
    snippet: str | UnsetType
    score: float
    document_id: str
    document_type: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    period: Day | None | UnsetType = UNSET
    accepted_at: str | None | UnsetType = UNSET
    eight_k_items: list[str] | UnsetType = UNSET
    primary: bool | UnsetType = UNSET
    url: str | None | UnsetType = UNSET
    edgar_url: str | UnsetType = UNSET
    lacks: list[str] | UnsetType = UNSET
    size: int | None | UnsetType = UNSET
    auditor: str | None | UnsetType = UNSET
    auditor_location: str | None | UnsetType = UNSET
    auditor_firm_id: str | None | UnsetType = UNSET
    section: str | None | UnsetType = UNSET
    withdrawn: str | None | UnsetType = UNSET
    offsets: Place | None | UnsetType = UNSET
    snippets: list[PlacedItem] | UnsetType = UNSET
    text_sha256: str | UnsetType = UNSET
    matching_count: int | UnsetType = UNSET
    other_documents: "list[SearchItem] | UnsetType" = UNSET


class SearchReply(Struct, omit_defaults=True):
    """The documents found; `next_cursor` is absent unless this is a walk by cursor.

    `warnings` is absent if empty, and so is `reading`, the recognised parts of a question.
    `total_count_exact` is present if hits are filings, and `total_with_all`, the number of
    documents with all operands, for `operands=most`.
    """

    total_count: int
    items: list[SearchItem]
    warnings: list[str] = []
    reading: list[RecognisedPart] = []
    next_cursor: str | None | UnsetType = UNSET
    total_count_exact: bool | UnsetType = UNSET
    total_with_all: int | UnsetType = UNSET

    @property
    def result_count(self) -> int:
        """The number of documents, or of filings, that match."""
        return self.total_count


def _first(values: Sequence[str]) -> str | None:
    return values[0] if values else None


def _items(hit: DetailedHit) -> list[str]:
    """Return items in the order of the form; Elasticsearch sorts them as words, 12 before 5."""
    return sorted(hit.fields.items, key=lambda item: [int(part) for part in item.split(".")])


def _url(hit: DetailedHit) -> str | None:
    """Return the address of the filed document in this service, if it is archived."""
    return f"/v2/document?document_id={hit.document_id}" if any(hit.fields.archived) else None


def _edgar_url(hit: DetailedHit) -> str:
    fields = hit.fields
    number, cik = fields.accession_number[0], hit.entities[0][0] if hit.entities else None
    return document_address(number, cik, fields.file_name[0])


# How each optional field is derived from a hit.
_OF_HITS: dict[str, Callable[[DetailedHit], Any]] = {
    "document_type": lambda hit: hit.fields.document_type[0],
    "description": lambda hit: hit.fields.description[0],
    "period": lambda hit: _first(hit.fields.period),
    "accepted_at": lambda hit: _first(hit.fields.accepted_at),
    "eight_k_items": _items,
    "primary": lambda hit: any(hit.fields.first),
    "url": _url,
    "edgar_url": _edgar_url,
    "lacks": lambda hit: list(hit.lacks),
    "size": lambda hit: hit.fields.size[0] if hit.fields.size else None,
    "auditor": lambda hit: _first(hit.fields.auditor),
    "auditor_location": lambda hit: _first(hit.fields.auditor_location),
    "auditor_firm_id": lambda hit: _first(hit.fields.auditor_firm_id),
}
INCLUDED = (*_OF_HITS, SECTION, WITHDRAWN, OFFSETS, CITATION)
INCLUDE = Parameter(
    "include",
    "list",
    "additional fields of each item: " + ", ".join(f"`{name}`" for name in INCLUDED),
    of="names of fields",
    choices=INCLUDED,
)
SEARCH = Endpoint(
    "/v1/search",
    "searches the text of documents",
    (
        API_KEY,
        structs.replace(
            _QUERY,
            required=False,
            description="the query, in the query language; it may be absent with `figures`, and"
            " then the main documents of reports are found",
        ),
        *_FILTERS,
        Parameter(
            "limit",
            "integer",
            "items in the answer at most",
            least=1,
            most=MAX_LIMIT,
            default=DEFAULT_LIMIT,
        ),
        Parameter("offset", "integer", "items to skip", least=0, default=0),
        SORT,
        INCLUDE,
        SNIPPETS,
        OPERANDS_PARAMETER,
        GROUP_BY,
        CURSOR,
        SNAPSHOT,
    ),
    credential="key",
    answer=SearchReply,
    rules=WALK_RULES,
)


def window_of(offset: int, limit: int, most: int, what: str) -> Window:
    """Return the window of a page; BadRequest says to narrow the `what` if it ends after `most`."""
    if offset + limit > most:
        raise BadRequest(f"`offset` plus `limit` must be at most {most}; narrow the {what}")
    return Window(offset, offset + limit)


def search_params(
    raw: Raw, max_window: int, names: Names = NO_NAMES, *, needs_query: bool = True
) -> DocumentSearch:
    """Read the parameters of `/v1/search`; raises BadRequest.

    `max_window` is the highest `offset + limit`. `names` are the companies that a question names.
    Without a query, if none is needed or figures are given, the search finds the first document of
    each filing, or all documents of the given types.
    """
    parameters = Parameters(raw, SEARCH.declared)
    if needs_query and not parameters.values("figures"):
        criteria = required_query(parameters, names)
    else:
        every = bool(parameters.values("document_type"))
        criteria = document_criteria(parameters, names, all_documents=every)
    sort = parameters.value("sort") or "relevance"
    sort_by, order, sorted_by = sort_order(sort)
    grouped = parameters.choice("group_by") == FILING
    if sorted_by and grouped:
        raise BadRequest(
            f"`sort={sort}` is of documents: only the main document of a filing has figures; it"
            " may not be given with `group_by=filing`"
        )
    limit = parameters.integer("limit")
    offset = parameters.integer("offset")
    window = window_of(offset, limit, max_window, "search")
    snippets = parameters.integer("snippets")
    if limit * snippets > MAX_SNIPPETS_OF_A_PAGE:
        raise BadRequest(
            f"`limit` times `snippets` must be at most {MAX_SNIPPETS_OF_A_PAGE}, not"
            f" {limit * snippets} ({limit} times {snippets}); with `snippets={snippets}`, `limit`"
            f" must be from 1 to {MAX_SNIPPETS_OF_A_PAGE // snippets}"
        )
    return DocumentSearch(
        criteria,
        window,
        sort_by,
        order,
        details=parameters.choices("include"),
        operands=parameters.choice_of("operands", OPERANDS),
        snippets=snippets,
        grouped=grouped,
        sorted_by=sorted_by,
    )


async def read_search(context: Context, raw: Raw) -> DocumentSearch:
    """Read the search of a request.

    Raises BadRequest, or NotFound for a ticker without a company.
    """
    return search_params(raw, context.max_window, await names_of(context.search, raw))


async def find_documents(
    context: Context, search: DocumentSearch, start: Start | None = None
) -> Page[SearchReply]:
    """Find the documents that match.

    Makes another engine request for the context of snippets, if it is requested. Raises
    SearchesAtOnce if the search would wait too long for its slots.
    """
    await context.weigh(search_slots(search))
    if start is None:
        page, position = await search_documents(context.search, search), None
    else:
        walked = await next_document_page(context.pagination, context.search, search, start)
        page, position = walked.page, walked.place
    sides = await _sides(context, search, page)
    sections: SectionsOfHits = {}
    if SECTION in search.details:
        sections = await sections_at(context.engine, best_places(page.found))
    reading = recognised_parts(asked_of(page, search))
    reply = search_reply(page, search.details, search.snippets, sides, reading, sections)
    if search.operands == "most":
        reply.total_with_all = page.total if page.whole is None else page.whole
    return Page(reply, position)


FIND_DOCUMENTS = WalkedOperation(SEARCH, read_search, find_documents)


def asked_of(page: DocumentPage, params: DocumentSearch) -> DocumentCriteria:
    """Return the criteria that found the page: another spelling's if the original found nothing."""
    return page.respelling.criteria if page.respelling else params.criteria


async def _sides(context: Context, search: DocumentSearch, page: DocumentPage) -> Sides:
    """Fetch the context of a page's snippets, if requested, with one engine request."""
    if CITATION not in search.details:
        return {}
    ranges = [
        CitedSpan(hit.document_id, hit.fields.version[0], *shown.place)
        for hit, _, placed, _ in page.found
        if isinstance(hit, DetailedHit)
        for shown in placed
    ]
    return await read_sides(context.engine, ranges)


_MARK = re.compile("</?mark>")


def plain_snippet(snippet: str) -> str:
    """Return a snippet's text without marks."""
    return html.unescape(_MARK.sub("", snippet))


def search_reply(
    page: DocumentPage,
    included: Sequence[str] = (),
    snippets: int = 0,
    sides: Sides = _NO_SIDES,
    reading: Sequence[RecognisedPart] = (),
    sections: SectionsOfHits = _NO_SECTIONS,
) -> SearchReply:
    """Build the answer from hits in order, with snippets, and requested fields if detailed.

    `snippets` says whether a hit has several, with positions. `sides` is the context of positions,
    `reading` the recognised parts of the question, and `sections` the sections of the best
    snippets.
    """
    items = [_item(found_document.hit, found_document.snippet) for found_document in page.found]
    for item, (hit, _, spans, _) in zip(items, page.found, strict=True):
        if isinstance(hit, DetailedHit):
            placed = [_placed_item(hit, shown, sides) for shown in spans]
            for name in included:
                if name in (OFFSETS, CITATION):
                    item.offsets = _place(placed)
                elif name == SECTION:
                    section = sections.get(hit.document_id)
                    item.section = None if section is None else section_name(section)
                elif name == WITHDRAWN:
                    item.withdrawn = page.withdrawn.get(item.accnum)
                else:
                    setattr(item, name, _OF_HITS[name](hit))
            if snippets:
                item.snippets = placed
            if snippets or not {OFFSETS, CITATION}.isdisjoint(included):
                item.text_sha256 = hit.fields.text_sha256[0]
    # Warnings quote the request, which may contain a key by mistake.
    reply = SearchReply(
        page.total, items, [without_keys(str(warning)) for warning in page.all_warnings]
    )
    reply.reading = list(reading)
    if page.groups is not None:
        reply.items = list(_group(items, page.groups))
        reply.total_count_exact = page.exact
    return reply


def _group(items: Iterable[SearchItem], groups: Iterable[Group]) -> Iterator[SearchItem]:
    """Yield the best document of each filing, with those shown below it."""
    documents = iter(items)
    for group in groups:
        best, *others = islice(documents, group.shown)
        best.matching_count, best.other_documents = group.number, others
        yield best


def _item(hit: DocumentHit, snippet: str) -> SearchItem:
    fields, entities = hit.fields, hit.entities
    return SearchItem(
        related_company_names=[name for _, name in entities],
        ciks=[cik for cik, _ in entities],
        accnum=fields.accession_number[0],
        filename=fields.file_name[0],
        filing_date=fields.filing_date[0],
        form_type=fields.form_type[0],
        snippet=snippet,
        score=relevance(hit.score),
        document_id=hit.document_id,
    )


def _placed_item(hit: DetailedHit, snippet: LocatedSnippet, sides: Sides) -> PlacedItem:
    item = PlacedItem(
        *snippet.place, [(start, end) for start, end in snippet.marks], snippet=snippet.html
    )
    if (beside := sides.get((hit.document_id, *snippet.place))) is not None:
        item.prefix, item.suffix = beside
    return item


def _place(placed: Sequence[PlacedItem]) -> Place | None:
    """Return the position of the best snippet, which is the item's own position."""
    if not placed:
        return None
    best = placed[0]
    return Place(best.start, best.end, best.marks, best.prefix, best.suffix)
