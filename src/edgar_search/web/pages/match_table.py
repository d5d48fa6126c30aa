"""GET /search/matches: the results of a search as rows, some documents at a time.

The rows are its matches, or, without words, its documents.
"""

import asyncio
import html
import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from msgspec import structs
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.finding import names_of
from edgar_search.api.parameters.declaration import Parameter, by_spelling
from edgar_search.api.parameters.reader import Parameters
from edgar_search.api.search import SEARCH, asked_of, search_params
from edgar_search.document.matches import MatchPage, ShownMatch, match_page
from edgar_search.document.sections import section_name
from edgar_search.errors import BadRequest, NotFound
from edgar_search.search.criteria import OFFSETS, DocumentSearch, Window
from edgar_search.search.language import Node
from edgar_search.search.results import DetailedHit, FoundDocument
from edgar_search.search.search import search_documents, search_slots
from edgar_search.web.pages.browser import PageCall, page_parameters
from edgar_search.web.pages.exports import documents_export, matches_export
from edgar_search.web.pages.links import Lists, address, as_asked, by_names, read_forms
from edgar_search.web.pages.search import head, in_order
from edgar_search.web.pages.search_results import (
    asks_nothing,
    document_address,
    reading_lists,
    respelled_lists,
    searched_instead,
)
from edgar_search.web.pages.templates import render
from edgar_search.web.pages.text_html import AT
from edgar_search.web.service import service

PATH = "/search/matches"
# Documents on one page, and rows of each: more are a click away, in the document.
_DOCUMENTS, _ROWS = 10, 25
# Documents searched for matches at the same time: each takes a thread.
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


class Piece(NamedTuple):
    """A piece of a sentence; a match has the address of its position in its document."""

    text: str
    address: str | None = None


class Row(NamedTuple):
    """A sentence with its matches; or the opening of a document, as one piece."""

    company: str
    cik: str
    form: str
    filed: str
    section: str
    pieces: list[Piece]


class More(NamedTuple):
    """Matches of a document that get no row here."""

    company: str
    form: str
    number: int
    address: str


async def matches(request: Request, call: PageCall) -> Response:
    """GET /search/matches"""
    lists = read_forms(by_names(page_parameters(request), SEARCH.declared))
    by = Parameters({"by": lists.pop("by", [])}, _ORDER).choice("by")
    context = service(request).context
    parameters = as_asked({**lists, "limit": [str(_DOCUMENTS)]})
    for name in ("group_by", "limit", "cursor", "snapshot", "api_key"):
        if any(lists.get(name, ())):
            raise BadRequest(f"{name} is not a parameter of this page; leave it out")
    window = service(request).settings.max_window
    search = search_params(
        in_order(parameters), window, await names_of(context, parameters), needs_query=False
    )
    search = structs.replace(search, details=("period", "primary", "eight_k_items", OFFSETS))
    if asks_nothing(lists):
        raise BadRequest("`query` is missing, and so is every filter; give one of them")
    await call.share.weigh(search_slots(search))
    page = await search_documents(context, search)
    hits = [hit for hit in page.hits if isinstance(hit, DetailedHit)]
    query, read = asked_of(page, search).query, respelled_lists(page, lists)
    more: list[More] = []
    if query is None:
        rows = list(map(_document_row, page.found))
    else:
        rows, more = _rows(hits, await _matches_of(request, search, query, hits), read)
    call.result_count = page.total
    if by != "search":
        rows.sort(key=lambda row: getattr(row, by), reverse=by == "filed")
    first = search.window.start
    last = first + len(hits)
    return render(
        "match_table.html",
        rows=rows,
        by_words=query is not None,
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
        exporting=(documents_export if query is None else matches_export)(lists, page),
        milliseconds=call.milliseconds,
        **head(call, lists),
    )


async def _matches_of(
    request: Request, search: DocumentSearch, query: Node, hits: Sequence[DetailedHit]
) -> list[MatchPage | None]:
    """Return the first matches of each document; None for one that was deleted meanwhile."""
    turns = asyncio.Semaphore(_AT_ONCE)
    engine = service(request).engine

    async def matches_of(document_id: str) -> MatchPage | None:
        async with turns:
            try:
                return await match_page(
                    engine, document_id, query, Window(0, _ROWS), search.operands
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
        if (unshown := page.total - len(page.items)) > 0:
            cik, company = (hit.entities or [("", "no company named")])[0]
            place = _place(hit, lists, page.items[-1].start)
            more.append(More(company, hit.fields.form_type[0], unshown, place))
    return rows, more


def _document_row(found: FoundDocument) -> Row:
    """Return the row of a document that was found without words: its items, and its opening."""
    hit = found.hit
    assert isinstance(hit, DetailedHit)
    cik, company = (hit.entities or [("", "no company named")])[0]
    return Row(
        company,
        cik,
        hit.fields.form_type[0],
        hit.fields.filing_date[0],
        ", ".join(f"Item {item}" for item in sorted(hit.fields.items)),
        [Piece(html.unescape(found.snippet), document_address(hit.document_id, found.placed, {}))],
    )


def _rows_of(hit: DetailedHit, found: Sequence[ShownMatch], lists: Lists) -> Iterator[Row]:
    cik, company = (hit.entities or [("", "no company named")])[0]
    for sentence in sentences(found):
        first = sentence[0]
        yield Row(
            company,
            cik,
            hit.fields.form_type[0],
            hit.fields.filing_date[0],
            section_name(first.section) if first.section else "",
            list(_pieces(hit, sentence, lists)),
        )


def sentences(found: Sequence[ShownMatch]) -> list[list[ShownMatch]]:
    """Group matches by sentence, in order."""
    rows: list[list[ShownMatch]] = []
    end = 0
    for match in found:
        if rows and match.start < rows[-1][-1].end:
            continue  # part of the match before it
        if rows and match.start < end:
            rows[-1].append(match)
        else:
            rows.append([match])
        end = max(end, match.end + len(_to_end(match.after)))
    return rows


def _pieces(hit: DetailedHit, sentence: Sequence[ShownMatch], lists: Lists) -> Iterator[Piece]:
    yield Piece(_from_begin(sentence[0].before))
    for match, following in zip_longest(sentence, sentence[1:]):
        yield Piece(match.text, _place(hit, lists, match.start))
        between = following.start - match.end if following else len(_to_end(match.after))
        yield Piece(match.after[: max(0, between)])


# The end of a sentence or paragraph.
_ENDS = re.compile(r"[.!?][\"\u201d\u2019)]*(?=\s+[A-Z\"\u201c(])|\n\s*\n")


def _from_begin(before: str) -> str:
    """Return the text before a match, from the beginning of its sentence or of the excerpt."""
    ends = [match.end() for match in _ENDS.finditer(before)]
    return before[ends[-1] :].lstrip() if ends else before


def _to_end(after: str) -> str:
    """Return the text after a match, up to the end of its sentence or of the excerpt."""
    match = _ENDS.search(after)
    return after[: match.end()].rstrip() if match else after


def _place(hit: DetailedHit, lists: Lists, start: int) -> str:
    return address(f"/document/{hit.document_id}", reading_lists(lists), at=start) + f"#{AT}"
