"""Files that pages offer: the statements of a filing, filings and documents as PDF."""

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.files.comma_separated import csv_lines
from edgar_search.api.files.statements import statement_table
from edgar_search.api.statements import StatementsParams, find_statements
from edgar_search.document.pdf import PDF
from edgar_search.edgar.identifiers import is_document_id, parse_accession_number
from edgar_search.errors import NotFound
from edgar_search.stored.financials import ALL_STATEMENTS, STATEMENTS
from edgar_search.web.calls import context_of
from edgar_search.web.files import statements_file
from edgar_search.web.pages.browser import PageCall
from edgar_search.web.responses import file_response, json_response
from edgar_search.web.service import service

STATEMENTS_FILE = "/filing/{accession_number}/statements.{format}"
# The formats' labels, in the order in which they are offered.
STATEMENT_FORMATS = {"csv": "CSV", "xlsx": "Excel", "json": "JSON"}
CSV = "text/csv; charset=utf-8; header=present"
FILING_PDF = "/filing/{accession_number}/pdf"
DOCUMENT_PDF = "/document/{document_id}/pdf"


def accession_number(request: Request) -> str:
    """Return the accession number in the path, with dashes; NotFound says what is wrong."""
    text = request.path_params["accession_number"]
    number = parse_accession_number(text)
    if number is None:
        raise NotFound(
            f"{text[:40]} is not an accession number; an example is 0000320193-24-000123"
        )
    return number


async def statements(request: Request, call: PageCall) -> Response:
    """GET /filing/ACCESSION_NUMBER/statements.FORMAT: as `/v1/statements`, or as a flat table."""
    number, form = accession_number(request), request.path_params["format"]
    if form not in STATEMENT_FORMATS:
        formats = ", ".join(STATEMENT_FORMATS)
        raise NotFound(f"statements are not there as {form[:10]}; there are {formats}")
    params = StatementsParams(number, kinds=ALL_STATEMENTS if form == "csv" else STATEMENTS)
    answer = await find_statements(context_of(request, call), params)
    name = f"{number}.{form}"
    if form == "json":
        response = json_response(answer)
        response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
        return response
    if form == "csv":
        return file_response(csv_lines(list(statement_table(answer))), CSV, name)
    return await statements_file(answer)


async def filing_pdf(request: Request, call: PageCall) -> Response:
    """GET /filing/ACCESSION_NUMBER/pdf: as `/v2/pdf`."""
    number = accession_number(request)
    body = await service(request).printer.filing(number, call.account)
    return file_response(body, PDF, f"{number}.pdf")


async def document_pdf(request: Request, call: PageCall) -> Response:
    """GET /document/DOCUMENT_ID/pdf: as `/v2/pdf`."""
    document_id = request.path_params["document_id"]
    if not is_document_id(document_id):
        raise NotFound("this is not a document id")
    body = await service(request).printer.document(document_id, call.account)
    return file_response(body, PDF, f"{document_id}.pdf")
