"""GET /v1/tables over HTTP: as JSON, or one table as a file."""

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.finding import raw_flag
from edgar_search.api.parameters.reader import Parameters
from edgar_search.api.tables import FIND_TABLES, TABLES
from edgar_search.web.calls import V1Call, context_of
from edgar_search.web.files import table_file
from edgar_search.web.responses import json_response


async def tables(request: Request, call: V1Call) -> Response:
    """GET /v1/tables"""
    answer = await FIND_TABLES.answer(context_of(request, call), call.raw)
    call.result_count = answer.result_count
    parameters = Parameters(call.raw, TABLES.declared)
    form = parameters.choice("format")
    if form == "json":
        return json_response(answer)
    return await table_file(request, call, answer, form, raw=raw_flag(parameters))
