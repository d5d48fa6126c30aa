"""Look-ups and searches of Version 2."""

from collections.abc import Coroutine
from typing import Any, Protocol, TypeVar

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.search import searching_v2 as searching
from edgar_search.search.searching_v2 import Directory
from edgar_search.web.data_call import V2Call
from edgar_search.web.disconnect import while_connected
from edgar_search.web.responses import encoded_response, json_response
from edgar_search.web.state import service
from edgar_search.web.v2.answers.entities import entities_reply
from edgar_search.web.v2.answers.filings import filer_cik, filing_reply, filings_reply
from edgar_search.web.v2.answers.items import items_reply
from edgar_search.web.v2.answers.search import search_reply
from edgar_search.web.v2.answers.sections import listed_sections
from edgar_search.web.v2.endpoints import (
    EIGHT_K_ITEMS,
    ENTITY_LOOKUP,
    FILING_INFO,
    FILING_LOOKUP,
    FULLTEXT_SEARCH,
)
from edgar_search.web.v2.entity_parameters import entity_params
from edgar_search.web.v2.filing_parameters import (
    filing_number,
    filing_numbers,
    filing_params,
    full_text_params,
)
from edgar_search.web.v2.routing import route


class _Page(Protocol):
    @property
    def total(self) -> int: ...


T = TypeVar("T", bound=_Page)


async def entity_lookup(request: Request, call: V2Call) -> Response:
    """/v2/entity_lookup"""
    params = entity_params(call.raw)
    directory = await _directory(request)
    work = searching.look_up_entities(directory, params, call.key.account)
    page = await _counted(request, call, work)
    return json_response(
        entities_reply(page.entities, page.total, params.window.end, directory.table)
    )


async def filing_lookup(request: Request, call: V2Call) -> Response:
    """/v2/filing_lookup"""
    params = filing_params(call.raw)
    directory = await _directory(request)
    work = searching.look_up_filings(directory, params, call.key.account)
    page = await _counted(request, call, work)
    return json_response(
        filings_reply(page.filings, page.total, params.window.end, directory.table)
    )


async def fulltext_search(request: Request, call: V2Call) -> Response:
    """/v2/fulltext_search"""
    params = full_text_params(call.raw)
    directory = await _directory(request)
    work = searching.full_text(directory, params, call.key.account)
    page = await _counted(request, call, work)
    return encoded_response(search_reply(page, directory.table, end=params.window.end))


async def filing_info(request: Request, call: V2Call) -> Response:
    """/v2/filing_info"""
    number = filing_number(call.raw)
    directory = await _directory(request)
    engine, account = directory.engine, call.key.account
    filing = await while_connected(request, searching.filing_of(engine, number, account))
    filers = await searching.entities_of(engine, filter(None, [filer_cik(filing)]), account)
    sections = await searching.sections_of(engine, "accession_number", number, account)
    call.result_count = 1
    filer = filers[0] if filers else None
    return json_response(filing_reply(filing, filer, listed_sections(sections), directory.table))


async def eight_k_items(request: Request, call: V2Call) -> Response:
    """/v2/8k_items"""
    numbers = filing_numbers(call.raw)
    work = searching.filings_of(service(request).engine, numbers, call.key.account)
    items = items_reply(numbers, await while_connected(request, work))
    call.result_count = sum(map(len, items.values()))
    return json_response(items)


async def _directory(request: Request) -> Directory:
    state = service(request)
    return Directory(state.engine, await state.tickers.table(), state.members)


async def _counted(request: Request, call: V2Call, work: Coroutine[Any, Any, T]) -> T:
    page = await while_connected(request, work)
    call.result_count = page.total
    return page


routes = [
    route(ENTITY_LOOKUP, entity_lookup),
    route(FILING_LOOKUP, filing_lookup),
    route(FULLTEXT_SEARCH, fulltext_search),
    route(FILING_INFO, filing_info),
    route(EIGHT_K_ITEMS, eight_k_items),
]
