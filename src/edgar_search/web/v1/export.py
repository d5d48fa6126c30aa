"""The endpoint of exports: its handler, which a page calls too."""

import asyncio
from contextlib import suppress

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edgar_search.access.quota import QuotaStatus
from edgar_search.errors import BadRequest, EdgarSearchError
from edgar_search.search.cursors import Place
from edgar_search.search.index_versions import require_for_texts
from edgar_search.search.pagination import Export
from edgar_search.web.calls import CountedCall, V1Call, v1_endpoint, while_connected
from edgar_search.web.parameters import Raw
from edgar_search.web.service import Service, service
from edgar_search.web.v1.export_delivery import Delivery, ExportResponse
from edgar_search.web.v1.export_files import (
    FILING_COLUMNS,
    MATCH_COLUMNS,
    Column,
    CommaSeparated,
    JsonLines,
    ParquetFile,
    Writer,
    document_columns,
    require_parquet,
)
from edgar_search.web.v1.export_parameters import EXPORT, ExportParams, export_cursor, export_params


async def export(request: Request, call: V1Call) -> Response:
    """GET /v1/export"""
    return await exported(request, call, call.raw)


async def exported(
    request: Request, call: CountedCall, raw: Raw, *, for_spreadsheet: bool = False
) -> Response:
    """The answer to an export with these parameters; CSV may be made safe for a spreadsheet."""
    text = export_cursor(raw)
    place: Place | None = None
    question = {name: list(values) for name, values in raw.items() if name != "cursor"}
    if text is not None:
        cursor = await service(request).walks.seal.opened(text, call.account)
        if cursor.walk != EXPORT.path:
            raise BadRequest(f"cursor: is one of {cursor.walk}; begin without a cursor")
        place, question = cursor.place, cursor.question
    params = export_params(question)
    if params.format == "parquet":
        require_parquet()
    await call.share.weigh(params.places)
    # The library that a writer needs takes a second to be loaded.
    writer = await asyncio.to_thread(_writer, params, for_spreadsheet)
    work = _begun(request, call, params, writer, question, place, text or "")
    delivery = await while_connected(request, work)
    name = f"edgar-search-{params.what}.{params.format}"
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "X-Total-Count": str(call.result_count),
    }
    rate = service(request).settings.export_rate
    return ExportResponse(delivery, rate, writer.media_type, headers)


async def _begun(
    request: Request,
    call: CountedCall,
    params: ExportParams,
    writer: Writer,
    question: dict[str, list[str]],
    place: Place | None,
    cursor: str,
) -> Delivery:
    """An export with its first page, for all of whose records the calls are reserved."""
    state, account = service(request), call.account
    if params.what == "matches":
        await require_for_texts(state.engine)
    context = service(request).context
    key = "" if place is None else place.snapshot
    begun = await Export.begin(state.walks, context, params.search, key, account)
    try:
        place = place or begun.beginning
        first = await begun.page(place, with_snippets=params.snippets)
        delivery = Delivery(state, call, begun, params, writer, question, place, first, cursor)
        if delivery.reserved > 1:
            await _reserve(state, call, delivery.reserved - 1)
    except BaseException:
        if not key:
            await begun.close()
        raise
    call.result_count = first.step.total
    return delivery


async def _reserve(state: Service, call: CountedCall, calls: int) -> None:
    """Reserve calls; those of a client that goes away meanwhile are given back."""
    quota, account = state.admission.quota, call.account
    reserving = asyncio.create_task(quota.reserve(account, call.plan, calls))
    try:
        call.standing = await asyncio.shield(reserving)
    except asyncio.CancelledError:
        with suppress(EdgarSearchError):
            standing = await reserving
            if isinstance(standing, QuotaStatus):
                await quota.return_calls(account, standing, calls)
        raise


def _writer(params: ExportParams, for_spreadsheet: bool) -> Writer:
    if params.format == "jsonl":
        return JsonLines()
    columns: tuple[Column, ...] = FILING_COLUMNS
    if params.what == "matches":
        columns = MATCH_COLUMNS
    elif params.what == "documents":
        columns = document_columns(params.search.details, snippets=params.snippets)
    if params.format == "csv":
        return CommaSeparated(columns, for_spreadsheet=for_spreadsheet)
    return ParquetFile(columns)


routes = [Route(EXPORT.path, v1_endpoint(EXPORT.scope, export), methods=EXPORT.methods)]
