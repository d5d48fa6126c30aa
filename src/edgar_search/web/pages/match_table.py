"""GET /search/matches: the matches of a search as rows, some documents at a time."""

import asyncio
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from msgspec import structs
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.document.matches import MatchPage, ShownMatch, match_page
from edgar_search.document.sections import section_name
from edgar_search.errors import BadRequest, NotFound
from edgar_search.search.criteria import DocumentSearch, Window
from edgar_search.search.language import Node
from edgar_search.search.results import DetailedHit
from edgar_search.search.search import search_documents, search_places
from edgar_search.web.calls import while_connected
from edgar_search.web.pages.browser import PageCall, page_parameters
from edgar_search.web.pages.links import Lists, address, as_asked
from edgar_search.web.pages.search import export_form, head
from edgar_search.web.pages.search_results import reading_lists, respelled_lists, searched_instead
from edgar_search.web.pages.templates import render
from edgar_search.web.pages.text_html import AT
from edgar_search.web.parameters.declaration import Parameter, by_spelling
from edgar_search.web.parameters.reader import Parameters
from edgar_search.web.service import service
from edgar_search.web.v1.finding import names_of
from edgar_search.web.v1.search import asked_of, search_params

PATH = "/search/matches"
# Documents of one page, and rows of each: more are a click away, in the document.
_DOCUMENTS, _ROWS = 10, 25
# Documents whose matches are looked for side by side: each takes a thread.
_AT_ONCE = 2
COLUMNS = ("company", "form", "filed", "section")
_ORDER = by_spelling(
    [
        Parameter(
            "by",
            "choice",
            "the column by which the rows of a page are sorted; else as the search sorts",
            default="search",
            choices=("search", *COLUMNS),
        )
    ]
)


class Row(NamedTuple):
    """A match with the words around it, and its place in its document."""

    company: str
    cik: str
    form: str
    filed: str
    section: str
    before: str
    text: str
    after: str
    address: str


class More(NamedTuple):
    """Matches of a document that have no row here."""

    company: str
    form: str
    number: int
    address: str


async def matches(request: Request, call: PageCall) -> Response:
    """GET /search/matches"""
    lists = dict(page_parameters(request))
    by = Parameters({"by": lists.pop("by", [])}, _ORDER).choice("by")
    context = service(request).context
    asked = as_asked({**lists, "limit": [str(_DOCUMENTS)]})
    for name in ("group_by", "limit", "cursor", "snapshot", "api_key"):
        if any(lists.get(name, ())):
            raise BadRequest(f"{name} is not a parameter of this page; leave it out")
    window = service(request).settings.max_window
    search = search_params(asked, window, await names_of(context, asked))
    search = structs.replace(search, details=("period", "primary"))
    if search.criteria.query is None:
        raise BadRequest("a query is missing, whose matches are the rows")
    await call.share.weigh(search_places(search))
    page = await while_connected(request, search_documents(context, search, call.account))
    hits = [hit for hit in page.hits if isinstance(hit, DetailedHit)]
    criteria, read = asked_of(page, search), respelled_lists(page, lists)
    assert criteria.query is not None
    found = await while_connected(
        request, _matches_of(request, search, criteria.query, hits, call.account)
    )
    call.result_count = page.total
    rows, more = _rows(hits, found, read)
    if by != "search":
        rows.sort(key=lambda row: getattr(row, by), reverse=by == "filed")
    first = search.window.start
    last = first + len(hits)
    return render(
        "match_table.html",
        rows=rows,
        instead=searched_instead(PATH, lists, page),
        more=more,
        total=page.total,
        exact=page.exact,
        first=first,
        documents=len(hits),
        columns=[(name, None if name == by else address(PATH, lists, by=name)) for name in COLUMNS],
        unsorted=address(PATH, lists) if by != "search" else None,
        hits_address=address("/search", lists, offset=None),
        previous=address(PATH, lists, offset=max(0, first - _DOCUMENTS) or None) if first else None,
        following=address(PATH, lists, offset=last) if last < min(page.total, window) else None,
        exporting=export_form(lists, page),
        milliseconds=call.milliseconds,
        **head(call, lists),
    )


async def _matches_of(
    request: Request,
    search: DocumentSearch,
    query: Node,
    hits: Sequence[DetailedHit],
    account: str,
) -> list[MatchPage | None]:
    """The first matches of each document; None for one that was deleted meanwhile."""
    turns = asyncio.Semaphore(_AT_ONCE)
    engine = service(request).engine

    async def matches_of(document_id: str) -> MatchPage | None:
        async with turns:
            try:
                return await match_page(
                    engine, document_id, query, Window(0, _ROWS), account, search.operands
                )
            except NotFound:
                return None

    return await asyncio.gather(*(matches_of(hit.document_id) for hit in hits))


def _rows(
    hits: Sequence[DetailedHit], found: Sequence[MatchPage | None], lists: Lists
) -> tuple[list[Row], list[More]]:
    rows: list[Row] = []
    more: list[More] = []
    for hit, page in zip(hits, found, strict=True):
        if page is None:
            continue
        rows += _rows_of(hit, page.items, lists)
        if (left := page.total - len(page.items)) > 0:
            cik, company = (hit.entities or [("", "no company named")])[0]
            place = _place(hit, lists, page.items[-1].start)
            more.append(More(company, hit.fields.form_type[0], left, place))
    return rows, more


def _rows_of(hit: DetailedHit, found: Sequence[ShownMatch], lists: Lists) -> Iterator[Row]:
    cik, company = (hit.entities or [("", "no company named")])[0]
    for each in found:
        yield Row(
            company,
            cik,
            hit.fields.form_type[0],
            hit.fields.filing_date[0],
            section_name(each.section) if each.section else "",
            each.before,
            each.text,
            each.after,
            _place(hit, lists, each.start),
        )


def _place(hit: DetailedHit, lists: Lists, start: int) -> str:
    return address(f"/document/{hit.document_id}", reading_lists(lists), at=start) + f"#{AT}"
