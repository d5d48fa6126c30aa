"""Files that pages offer: the statements of a filing for Excel, filings and documents as PDF."""

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.document.pdf import PDF
from edgar_search.edgar.identifiers import is_document_id, parse_accession_number
from edgar_search.errors import NotFound
from edgar_search.financials.filings import filing_statements
from edgar_search.stored.financials import STATEMENTS
from edgar_search.web.calls import while_connected
from edgar_search.web.pages.browser import PageCall
from edgar_search.web.responses import XLSX, file_response
from edgar_search.web.service import service
from edgar_search.web.statement_workbook import statements_workbook

WORKBOOK = "/filing/{accession_number}/statements.xlsx"
FILING_PDF = "/filing/{accession_number}/pdf"
DOCUMENT_PDF = "/document/{document_id}/pdf"


def accession_number(request: Request) -> str:
    """The accession number in the path, with dashes; NotFound says what is wrong."""
    text = request.path_params["accession_number"]
    number = parse_accession_number(text)
    if number is None:
        raise NotFound(
            f"{text[:40]} is not an accession number; an example is 0000320193-24-000123"
        )
    return number


async def workbook(request: Request, call: PageCall) -> Response:
    """GET /filing/ACCESSION_NUMBER/statements.xlsx: as `/v1/statements?format=xlsx`."""
    number = accession_number(request)
    work = filing_statements(service(request).engine, number, account=call.account)
    filing = await while_connected(request, work)
    body = await asyncio.to_thread(statements_workbook, filing, STATEMENTS)
    return file_response(body, XLSX, f"{number}.xlsx")


async def filing_pdf(request: Request, call: PageCall) -> Response:
    """GET /filing/ACCESSION_NUMBER/pdf: as `/v2/pdf`."""
    number = accession_number(request)
    work = service(request).printer.filing(number, call.account)
    return file_response(await while_connected(request, work), PDF, f"{number}.pdf")


async def document_pdf(request: Request, call: PageCall) -> Response:
    """GET /document/DOCUMENT_ID/pdf: as `/v2/pdf`."""
    document_id = request.path_params["document_id"]
    if not is_document_id(document_id):
        raise NotFound("this is not a document id")
    work = service(request).printer.document(document_id, call.account)
    return file_response(await while_connected(request, work), PDF, f"{document_id}.pdf")
