"""Handlers and routes of Version 2."""

from collections.abc import Coroutine
from typing import Any, Protocol, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgar_search.errors import NotFound
from edgar_search.search.entities import entities_of, look_up_entities
from edgar_search.search.filings import filing_of, filings_of, look_up_filings, sections_of_filing
from edgar_search.search.search import SHOWN_ROWS, search_full_documents, search_places
from edgar_search.search.warnings.filter_values import missing_data_warnings
from edgar_search.web.calls import V2Call, route, while_connected
from edgar_search.web.operations import ready
from edgar_search.web.responses import encoded_response, json_response
from edgar_search.web.service import service
from edgar_search.web.v2 import documents
from edgar_search.web.v2.document_answers import listed_sections
from edgar_search.web.v2.endpoints import (
    EIGHT_K_ITEMS,
    ENTITY_LOOKUP,
    FILING_INFO,
    FILING_LOOKUP,
    FULLTEXT_SEARCH,
    HEALTH,
)
from edgar_search.web.v2.entity_answers import entities_reply
from edgar_search.web.v2.entity_parameters import entity_params
from edgar_search.web.v2.filing_answers import filer_cik, filing_reply, filings_reply, items_reply
from edgar_search.web.v2.filing_parameters import (
    filing_number,
    filing_numbers,
    filing_params,
    full_text_params,
)
from edgar_search.web.v2.search import search_reply

_ABSENT = (
    "/v2/pdf",
    "/v2/financials",
    "/v2/financials/balance-sheet",
    "/v2/financials/cash-flow",
    "/v2/financials/export/excel",
    "/v2/financials/filings",
    "/v2/financials/history",
    "/v2/financials/income-statement",
    "/v2/financials/raw",
)


async def absent(request: Request) -> Response:
    """Other services have PDF and financial statements below these paths."""
    raise NotFound("this service makes no PDF and no financial statements: this path is not served")


other_routes = [
    Route(HEALTH.path, ready, methods=list(HEALTH.methods)),
    *(Route(path, absent, methods=list(HEALTH.methods)) for path in _ABSENT),
]


class _Page(Protocol):
    @property
    def total(self) -> int: ...


T = TypeVar("T", bound=_Page)


async def entity_lookup(request: Request, call: V2Call) -> Response:
    """/v2/entity_lookup"""
    params = entity_params(call.raw)
    context = service(request).context
    work = look_up_entities(context, params, call.account)
    page = await _counted(request, call, work)
    table = await context.tickers.table()
    warnings = missing_data_warnings([params.criteria], table)
    return json_response(
        entities_reply(page.entities, page.total, params.window.end, table, warnings)
    )


async def filing_lookup(request: Request, call: V2Call) -> Response:
    """/v2/filing_lookup"""
    params = filing_params(call.raw)
    context = service(request).context
    work = look_up_filings(context, params, call.account)
    page = await _counted(request, call, work)
    table = await context.tickers.table()
    warnings = missing_data_warnings(params.criteria.entities, table)
    return json_response(
        filings_reply(page.filings, page.total, params.window.end, table, warnings)
    )


async def fulltext_search(request: Request, call: V2Call) -> Response:
    """/v2/fulltext_search"""
    params = full_text_params(call.raw)
    await call.share.weigh(search_places(params, SHOWN_ROWS))
    context = service(request).context
    work = search_full_documents(context, params, call.account)
    page = await _counted(request, call, work)
    table = await context.tickers.table()
    warnings = missing_data_warnings(params.criteria.filings.entities, table)
    return encoded_response(search_reply(page, table, end=params.window.end, warnings=warnings))


async def filing_info(request: Request, call: V2Call) -> Response:
    """/v2/filing_info"""
    number = filing_number(call.raw)
    context = service(request).context
    engine, account = context.engine, call.account
    filing = await while_connected(request, filing_of(engine, number, account))
    filers = await entities_of(engine, filter(None, [filer_cik(filing)]), account)
    sections = await sections_of_filing(engine, number, account)
    call.result_count = 1
    filer = filers[0] if filers else None
    table = await context.tickers.table()
    return json_response(filing_reply(filing, filer, listed_sections(sections), table))


async def eight_k_items(request: Request, call: V2Call) -> Response:
    """/v2/8k_items"""
    numbers = filing_numbers(call.raw)
    work = filings_of(service(request).engine, numbers, call.account)
    items = items_reply(numbers, await while_connected(request, work))
    call.result_count = sum(map(len, items.values()))
    return json_response(items)


async def _counted(request: Request, call: V2Call, work: Coroutine[Any, Any, T]) -> T:
    page = await while_connected(request, work)
    call.result_count = page.total
    return page


lookup_routes = [
    route(ENTITY_LOOKUP, entity_lookup),
    route(FILING_LOOKUP, filing_lookup),
    route(FULLTEXT_SEARCH, fulltext_search),
    route(FILING_INFO, filing_info),
    route(EIGHT_K_ITEMS, eight_k_items),
]


routes = [*lookup_routes, *documents.routes, *other_routes]
