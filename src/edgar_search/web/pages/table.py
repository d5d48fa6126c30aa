"""GET /document/DOCUMENT_ID/table: a table of a document as a file, by its position."""

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.parameters.declaration import Parameter, by_spelling
from edgar_search.api.parameters.reader import Parameters
from edgar_search.api.tables import FORMATS, TablesParams, find_tables
from edgar_search.edgar.identifiers import is_document_id
from edgar_search.errors import BadRequest, NotFound
from edgar_search.web.calls import context_of
from edgar_search.web.files import table_file
from edgar_search.web.pages.browser import PageCall, page_parameters
from edgar_search.web.pages.templates import HEADERS
from edgar_search.web.responses import json_response

PATH = "/document/{document_id}/table"
_DECLARED = by_spelling(
    [
        Parameter("start", "integer", "a place in the table", least=0, default=0),
        Parameter("format", "choice", "as in `/v1/tables`", default="json", choices=FORMATS),
    ]
)


async def table(request: Request, call: PageCall) -> Response:
    """Return the table at a position; numbering it requires reading the whole text."""
    document_id = request.path_params["document_id"]
    if not is_document_id(document_id):
        raise NotFound(f"{document_id[:40]} is not a document id")
    parameters = Parameters(page_parameters(request), _DECLARED)
    if "start" not in parameters:
        raise BadRequest("`start` is missing; give a place in the table")
    start, form = parameters.integer("start"), parameters.choice("format")
    params = TablesParams(document_id, position=start)
    answer = await find_tables(context_of(request, call), params)
    call.result_count = answer.result_count
    if form == "json":
        response = json_response(answer)
    else:
        response = await table_file(request, call, answer, form)
    response.headers["Cache-Control"] = HEADERS["Cache-Control"]
    return response
