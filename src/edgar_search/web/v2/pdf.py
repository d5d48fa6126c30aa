"""/v2/pdf: a document or a filing as PDF."""

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.parameters import types
from edgar_search.api.parameters.declaration import Parameter
from edgar_search.api.parameters.reader import Parameters
from edgar_search.document.pdf import PDF
from edgar_search.edgar import identifiers
from edgar_search.errors import BadRequest
from edgar_search.web.calls import V2Call
from edgar_search.web.responses import file_response
from edgar_search.web.service import service
from edgar_search.web.v2.finding import DOCUMENT_ID, data_endpoint

PRINTED = data_endpoint(
    "/v2/pdf",
    "returns a document, or the readable documents of a filing, as PDF",
    msgspec.structs.replace(DOCUMENT_ID, required=False),
    Parameter(
        "accession_number",
        "text",
        "the filing, whose PDF has a bookmark for each document",
        type=types.ACCESSION_NUMBER,
        of="accession number, with or without dashes",
        pattern=identifiers.WITH_OR_WITHOUT_DASHES,
    ),
    answer=None,
    media=(PDF,),
    rules=("Exactly one of `document_id` and `accession_number` is needed.",),
)


async def pdf(request: Request, call: V2Call) -> Response:
    """/v2/pdf"""
    fields = Parameters.of_request(call.raw, PRINTED.declared)
    document_id, number = fields.value("document_id"), fields.value("accession_number")
    printer = service(request).printer
    if document_id is not None and number is None:
        work = printer.document(document_id, call.account)
    elif number is not None and document_id is None:
        work = printer.filing(number, call.account)
    else:
        raise BadRequest("exactly one of `document_id` and `accession_number` must be given")
    body = await work
    call.result_count = 1
    return file_response(body, PDF, f"{document_id or number}.pdf")
