"""GET /filing/ACCESSION_NUMBER"""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.parameters.declaration import Parameter, by_spelling
from edgar_search.api.parameters.reader import Parameters
from edgar_search.document.pdf import missing_parts
from edgar_search.edgar.identifiers import document_address
from edgar_search.financials.filings import find_financials
from edgar_search.search.filings import filing_of, searched_documents, sections_of_filing
from edgar_search.stored.filings import StoredFiling, StoredSection
from edgar_search.web.calls import while_connected
from edgar_search.web.pages.browser import PageCall, page_parameters
from edgar_search.web.pages.downloads import STATEMENT_FORMATS, accession_number
from edgar_search.web.pages.links import address, curl
from edgar_search.web.pages.search import head
from edgar_search.web.pages.statements import SCALES, shown_statements, usual_scale
from edgar_search.web.pages.templates import render
from edgar_search.web.service import service

PATH = "/filing/{accession_number}"


# The scale of an address that names none.
USUAL = "usual"
_DECLARED = by_spelling(
    [
        Parameter(
            "scale",
            "choice",
            "in which amounts of statements are shown; if it is absent, that of most amounts",
            default=USUAL,
            choices=(USUAL, *SCALES),
        )
    ]
)


async def filing(request: Request, call: PageCall) -> Response:
    """A filing: its companies, documents, sections, items and financial statements."""
    number = accession_number(request)
    parameters = Parameters(page_parameters(request), _DECLARED)
    scale = parameters.choice("scale")
    context = service(request).context
    engine, account = context.engine, call.account
    found = await while_connected(request, filing_of(engine, number, account))
    sections = await sections_of_filing(engine, number, account)
    table = await context.tickers.table()
    financials = await find_financials(engine, number, account)
    if financials is not None and scale == USUAL:
        scale = usual_scale(financials)
    entities = [(each, table.tickers(each.cik)) for each in found.entities]
    return render(
        "filing.html",
        filing=found,
        entities=entities,
        company=found.entity_name or number,
        documents=[(each, _at_edgar(found, each.file_name)) for each in found.documents],
        sections=_by_document(sections),
        statements=shown_statements(financials, scale) if financials else [],
        prints=found.archive is not None and not missing_parts(),
        statement_formats=STATEMENT_FORMATS,
        scale=scale,
        scales=[(each, address(request.url.path, scale=each)) for each in SCALES],
        searched=await searched_documents(engine, number, account),
        edgar_url=_at_edgar(found, f"{number}-index.htm"),
        api=curl(address("/v2/filing_info", accession_number=number), str(request.base_url)[:-1]),
        milliseconds=call.milliseconds,
        **head(call),
    )


def _at_edgar(filing: StoredFiling, file_name: str) -> str:
    cik = filing.entities[filing.primary].cik if filing.entities else None
    return document_address(filing.accession_number, cik, file_name)


def _by_document(sections: list[StoredSection]) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for section in sections:
        found.setdefault(section.document_id, []).append(section)
    return found
