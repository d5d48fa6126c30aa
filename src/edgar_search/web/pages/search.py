"""GET / and GET /search"""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import structs
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from edgar_search.alerts.notifications import Notifications
from edgar_search.api.answer import AnswerReply, AskedAnswer, find_answer
from edgar_search.api.export import EXPORT
from edgar_search.api.finding import names_of
from edgar_search.api.parameters.filters import UNDATED_FILTERS
from edgar_search.api.screen import SCREEN
from edgar_search.api.search import SEARCH as SEARCH_CALL
from edgar_search.api.search import SectionsOfHits, asked_of, search_params
from edgar_search.document.sections import best_places, sections_at
from edgar_search.errors import BadRequest, EdgarSearchError
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import (
    OFFSETS,
    DocumentSearch,
    FilingCriteria,
    FilingSearch,
    Window,
)
from edgar_search.search.facets import FacetPage
from edgar_search.search.filings import FilingPage, ListedFiling, filer_cik, look_up_filings
from edgar_search.search.language.tree import QueryError
from edgar_search.search.reading.names import NO_NAMES, Names
from edgar_search.search.results import DocumentPage
from edgar_search.search.search import find_hits, search_documents, search_slots
from edgar_search.search.warnings.warnings import or_default
from edgar_search.stored.user_items import StoredNotification, StoredUserItem
from edgar_search.web.calls import context_of
from edgar_search.web.pages.answer_card import card_of
from edgar_search.web.pages.browser import PageCall, page_parameters
from edgar_search.web.pages.exports import documents_export
from edgar_search.web.pages.feed import feed_link
from edgar_search.web.pages.filing_titles import title
from edgar_search.web.pages.links import (
    DEFAULTS,
    Lists,
    address,
    as_asked,
    by_names,
    curl,
    read_forms,
)
from edgar_search.web.pages.one_box import Thing, list_of_filings, named_things
from edgar_search.web.pages.search_results import (
    GROUPS,
    PATH,
    SORTS,
    asks_nothing,
    chips,
    count_choices,
    has_value,
    near_searches,
    notes,
    readings,
    respelled_lists,
    searched_instead,
    shown_facets,
    shown_hits,
    widened_searches,
    without_narrow,
)
from edgar_search.web.pages.templates import render
from edgar_search.web.service import service

# How many filings, and notifications, the first page lists.
_NEWEST = 6
_log = logging.getLogger(__name__)

# Fewer documents than this, half a page, are few.
_FEW = 10
API = "/v1/search"
# How many pages before and after this one get a link.
_NEIGHBOURS = 3
# Fields of a hit beyond the standard ones.
_DETAILS = ("document_type", "description", "period", "eight_k_items", "primary", "url", OFFSETS)
# Parameters of the API's search that the page does not support.
_API_ONLY = ("cursor", "snapshot")
_WATCHED = ("query", *(each.name for each in UNDATED_FILTERS))
# Features of a search that an alert lacks, with the link's name for each.
_NOT_WATCHED = {
    parameter.name: parameter.shown.group
    for parameter in SEARCH_CALL.parameters
    if parameter.shown and parameter.name not in (*_WATCHED, *DEFAULTS)
}
# With these, a reader has already chosen what a text names.
_NOT_NAMED = [
    parameter.name
    for parameter in SEARCH_CALL.parameters
    if parameter.shown and parameter.shown.picks
]
# The filters with a field on the page.
FIELDS = [
    parameter
    for parameter in SEARCH_CALL.parameters
    if parameter.shown and parameter.shown.in_search
]


class Watch(NamedTuple):
    """The fields of an alert for this search, and the address of a form filled with them.

    `lost` lists what an alert cannot keep.
    """

    fields: list[tuple[str, str]]
    address: str
    lost: list[str]


class WrongQuery(NamedTuple):
    """A refused query, cut at the wrong character; the message says what would be right."""

    message: str
    before: str = ""
    character: str = ""
    after: str = ""


class FoundHits(NamedTuple):
    """A page of hits, and the sections of their best snippets."""

    page: DocumentPage
    sections: SectionsOfHits


class Pager(NamedTuple):
    """The pages near this one: number and address, None for this one."""

    pages: list[tuple[int, str | None]]
    previous: str | None
    following: str | None


class NewFiling(NamedTuple):
    """One of the newest filings, and its title."""

    filing: ListedFiling
    title: str


async def home(request: Request, call: PageCall) -> Response:
    """GET /: the search field, statistics, and news about what the reader watches."""
    statistics = await service(request).corpus_statistics.value()
    return await _home_page(request, call, head(call) | {"held": statistics})


async def _home_page(request: Request, call: PageCall, shared: dict[str, Any]) -> Response:
    state, account = service(request), call.account
    newest = FilingSearch(FilingCriteria(), Window(0, _NEWEST))
    nothing = FilingPage(0, [])
    filings = await or_default(nothing, look_up_filings, state.context, newest)
    news: list[StoredUserItem[StoredNotification]] = []
    if call.raw.unread:
        kept = Notifications(state.engine)
        page = await kept.page(account, _NEWEST, 0, unread=True)
        news = [item for item in page.items if item.content.document]
    return render(
        "home.html",
        newest=[
            NewFiling(filing, title(filing, filer_cik(filing), ())) for filing in filings.filings
        ],
        news=news,
        **shared,
    )


async def search(request: Request, call: PageCall) -> Response:
    """GET /search"""
    lists = read_forms(by_names(page_parameters(request), SEARCH_CALL.declared))
    if "api_key" in lists:
        raise BadRequest("`api_key`: pages need no key; leave it out of the address")
    for name in _API_ONLY:
        if name in lists:
            raise BadRequest(f"`{name}` is a parameter of {API}, not of this page; leave it out")
    statistics = await service(request).corpus_statistics.value()
    shared = head(call, lists) | {"held": statistics}
    if asks_nothing(lists):
        return await _home_page(request, call, shared)
    try:
        names = await names_of(service(request).context, as_asked(lists))
        window = service(request).settings.max_window
        params = search_params(in_order(as_asked(lists)), window, names, needs_query=False)
    except BadRequest as error:
        return render(
            "search_refused.html",
            400,
            wrong=wrong_query(lists, error),
            fields=FIELDS,
            **shared,
        )
    if listed := await or_default(None, _listed_instead, request, lists, params):
        return RedirectResponse(address(PATH, listed), 303)
    return await _results_page(request, call, lists, params, names, shared)


async def _listed_instead(request: Request, lists: Lists, params: DocumentSearch) -> Lists | None:
    """Return the filters of a question that only names filings, if such filings exist."""
    reading, state = params.criteria.reading, service(request)
    if not (reading and reading.question) or has_value(lists, *({*lists} - {"query"})):
        return None
    listed = await list_of_filings(request, reading.question.text, reading)
    if listed is None:
        return None
    search = search_params(
        {**listed, "limit": ["1"]}, state.settings.max_window, NO_NAMES, needs_query=False
    )
    ranked = await find_hits(state.context, search, (), ())
    return listed if ranked.total else None


def in_order(asked: Lists) -> Lists:
    """Add an order to the parameters: without a query the newest come first."""
    return asked if has_value(asked, "query", "sort") else {**asked, "sort": [SORTS[1]]}


async def _results_page(
    request: Request,
    call: PageCall,
    lists: Lists,
    params: DocumentSearch,
    names: Names,
    shared: dict[str, Any],
) -> Response:
    await call.share.weigh(search_slots(params))
    state, context = service(request), service(request).context
    detailed = structs.replace(params, details=_DETAILS)
    (hits, (counted, known)), answered = await asyncio.gather(
        _hits_and_facets(context, detailed), _answer(request, call, lists, params, names)
    )
    read, searched = respelled_lists(hits.page, lists), asked_of(hits.page, params)
    things: list[Thing] = []
    if not params.window.start and not has_value(lists, *_NOT_NAMED):
        query = next((text for text in lists.get("query", ()) if text.strip()), "")
        asked_things = request, query, names
        things = await or_default([], named_things, *asked_things, sure=True)
    wider = []
    if not hits.page.total:
        asked_wider = context, lists, state.settings.max_window
        wider = await or_default([], widened_searches, *asked_wider)
    near = []
    if params.criteria.query and not params.window.start and hits.page.total < _FEW:
        asked_near = context, lists, searched, hits.page.total
        near = await or_default([], near_searches, *asked_near)
    call.result_count, over_all = hits.page.total, without_narrow(lists)
    feed = feed_link(lists, known)
    return render(
        "search.html",
        card=card_of(answered.answer) if answered.answer else None,
        near=near,
        exporting=documents_export(lists, hits.page),
        hits=shown_hits(hits.page, hits.sections, await context.tickers.table(), read),
        page=hits.page,
        grouped=params.grouped,
        filings=counted.filings if counted else None,
        facets=shown_facets(lists, params.criteria, counted, known) if counted else [],
        things=things,
        wider_address=address(PATH, over_all, offset=None) if over_all != lists else None,
        wider=wider,
        notes=notes(lists, hits.page),
        instead=searched_instead(PATH, lists, hits.page),
        reading=readings(read, searched),
        chips=chips(PATH, lists, known),
        sorts=choices(lists, "sort", SORTS if params.criteria.query else SORTS[1:]),
        kinds=choices(lists, "group_by", GROUPS),
        pager=pager(lists, params, hits.page.total, state.settings.max_window),
        first=params.window.start,
        api=_call_of(request, lists),
        as_screen=_as_screen(lists),
        watch=_watch(read, feed.title if feed else ""),
        mails=state.settings.sends_mail,
        feed=feed,
        fields=FIELDS,
        milliseconds=call.milliseconds,
        **shared,
    )


async def _answer(
    request: Request, call: PageCall, lists: Lists, params: DocumentSearch, names: Names
) -> AnswerReply:
    """Return the fact that answers a question, on its first page and if no company is chosen."""
    reading, nothing = params.criteria.reading, AnswerReply(None)
    if reading is None or params.window.start or has_value(lists, *_NOT_NAMED):
        return nothing
    question = AskedAnswer(reading, names)
    return await or_default(nothing, find_answer, context_of(request, call), question)


async def _hits(context: SearchContext, search: DocumentSearch) -> FoundHits:
    """Return the hits with their sections, or without sections if these cannot be read."""
    page = await search_documents(context, search)
    places = best_places(page.found)
    sections = await or_default({}, sections_at, context.engine, places)
    return FoundHits(page, sections)


async def _hits_and_facets(
    context: SearchContext, search: DocumentSearch
) -> tuple[FoundHits, tuple[FacetPage | None, Mapping[str, str]]]:
    """Return hits, and facets with names, from concurrent requests.

    The facets are None if only they fail.
    """
    counted: tuple[FacetPage | None, Mapping[str, str]] | BaseException
    hits, counted = await asyncio.gather(
        _hits(context, search),
        count_choices(context, search),
        return_exceptions=True,
    )
    if isinstance(hits, BaseException):
        raise hits
    if hits.page.respelling and not isinstance(counted, BaseException):
        respelled = structs.replace(search, criteria=hits.page.respelling.criteria)
        counted = await or_default((None, {}), count_choices, context, respelled)
    if isinstance(counted, EdgarSearchError):
        _log.warning("a page was shown without facets: %s", counted)
        return hits, (None, {})
    if isinstance(counted, BaseException):
        raise counted
    return hits, counted


def head(call: PageCall, lists: Lists | None = None) -> dict[str, Any]:
    """Return the values of every page's head: the reader, and the contents of the search form."""
    parameters = lists or {}
    return {
        "who": call.caller.name,
        "offers_sign_in": call.raw.offers_sign_in,
        "place": call.raw.place,
        "unread": call.raw.unread,
        "lists": parameters,
        "value": lambda name: ", ".join(parameters.get(name, ())).strip(),
    }


def wrong_query(lists: Lists, error: BadRequest) -> WrongQuery:
    """Return the refused query, cut at the wrong character if there is one."""
    values = [value for value in lists.get("query", ()) if value.strip()]
    if not isinstance(error, QueryError) or not error.position or len(values) != 1:
        return WrongQuery(str(error))
    text, place = values[0], error.position - 1
    return WrongQuery(str(error), text[:place], text[place : place + 1], text[place + 1 :])


def pager(lists: Lists, params: DocumentSearch, total: int, max_window: int) -> Pager:
    """Return the pages near this one, within the limits of paging."""
    size = params.window.size
    this = params.window.start // size
    last = (min(total, max_window) - 1) // size

    def place(number: int) -> str | None:
        if number == this or not 0 <= number <= last:
            return None
        return address(PATH, lists, offset=number * size or None)

    near = range(max(0, this - _NEIGHBOURS), min(last, this + _NEIGHBOURS) + 1)
    return Pager(
        [(page_number + 1, place(page_number)) for page_number in near],
        place(this - 1),
        place(this + 1),
    )


def choices(lists: Lists, name: str, values: Sequence[str]) -> list[tuple[str, str | None]]:
    """Return the values of a parameter with their addresses; None for the current value's.

    The first value is the default of an address without the parameter.
    """
    now = next(iter(lists.get(name, ())), values[0]) or values[0]

    def place(value: str) -> str | None:
        if value == now:
            return None
        change = {name: None if value == values[0] else value}
        return address(PATH, lists, offset=None, **change)

    return [(value, place(value)) for value in values]


def _as_screen(lists: Lists) -> str:
    """Return the address of the screen with the same conditions."""
    kept = {name: lists[name] for name in SCREEN.declared if name in lists}
    return address("/screen", kept, sort=None, offset=None, limit=None, reading=None)


def _watch(lists: Lists, title: str) -> Watch:
    watched = {name: lists[name] for name in _WATCHED if name in lists}
    parameters = as_asked(lists)
    read = {
        name: next(text.strip() for text in parameters[name] if text.strip()) for name in DEFAULTS
    }
    lost = [words for name, words in _NOT_WATCHED.items() if any(lists.get(name, ()))]
    fields: Lists = {**watched, "name": [title[:100]], **{name: [read[name]] for name in read}}
    pairs = [(name, value) for name, values in fields.items() for value in values if value.strip()]
    return Watch(pairs, address("/account/alerts", fields), list(dict.fromkeys(lost)))


def _call_of(request: Request, lists: Lists) -> str:
    """Return the API call with the same results as this page.

    Without words that is an export.
    """
    base = str(request.base_url).rstrip("/")
    if has_value(lists, "query"):
        return curl(address(API, as_asked(lists)), base)
    query = {name: lists[name] for name in EXPORT.declared if name in lists}
    return curl(address(EXPORT.path, query), base)
