"""GET /filing/ACCESSION_NUMBER"""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.parameters.declaration import Parameter, by_spelling
from edgar_search.api.parameters.reader import Parameters
from edgar_search.api.statements import statements_of_filing
from edgar_search.document.pdf import missing_parts
from edgar_search.edgar.form_types import FAMILIES
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import FilingCriteria, FilingSearch, Window
from edgar_search.search.filings import (
    ListedFiling,
    address_at_edgar,
    filing_of,
    look_up_filings,
    searched_documents,
    sections_of_filing,
)
from edgar_search.search.warnings.warnings import or_default
from edgar_search.stored.filings import (
    FilingDocument,
    FilingExhibit,
    FilingItem,
    StoredFiling,
    StoredSection,
)
from edgar_search.web.calls import context_of
from edgar_search.web.pages.browser import PageCall, page_parameters
from edgar_search.web.pages.downloads import STATEMENT_FORMATS, accession_number
from edgar_search.web.pages.links import address, curl
from edgar_search.web.pages.owners import FiledRows, rows_of_filing
from edgar_search.web.pages.search import head
from edgar_search.web.pages.statements import SCALES, shown_statements, usual_scale
from edgar_search.web.pages.templates import render
from edgar_search.web.service import service

PATH = "/filing/{accession_number}"


# Types of documents for programs, not for people; several are XBRL's.
_MACHINE_TYPES = frozenset(("GRAPHIC", "ZIP", "EXCEL", "XML", "JSON"))
_XBRL = ("EX-100.", "EX-101.")
_QUARTERLY = FAMILIES["quarterly report"]
# How many filings of one company, form and day are searched for the previous one.
_OF_A_DAY = 10
# The scale if an address names none.
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


class ShownSection(NamedTuple):
    """A section or item and its address, None if its position is not certain.

    `compared` is the address of its comparison with the previous filing, or "".
    """

    number: str
    name: str
    place: str | None
    elsewhere: str = ""
    compared: str = ""


class ShownItem(NamedTuple):
    """An item of an 8-K, and its exhibits with their addresses."""

    section: ShownSection
    exhibits: list[tuple[FilingExhibit, str | None]]


class DocumentSections(NamedTuple):
    """A document's sections, with its number in the filing."""

    number: str
    sections: list[ShownSection]


class ShownDocuments(NamedTuple):
    """The documents of a filing with their addresses at EDGAR: to read, and for programs."""

    read: list[tuple[FilingDocument, str]]
    machine: list[tuple[FilingDocument, str]]


async def filing(request: Request, call: PageCall) -> Response:
    """Show a filing: its items, statements or trades, its sections, then its documents."""
    number = accession_number(request)
    parameters = Parameters(page_parameters(request), _DECLARED)
    scale = parameters.choice("scale")
    context = service(request).context
    engine = context.engine
    stored = await filing_of(engine, number)
    sections, financials, searched, rows, previous = await asyncio.gather(
        sections_of_filing(engine, number),
        statements_of_filing(context_of(request, call), number),
        searched_documents(engine, number),
        or_default(FiledRows(), rows_of_filing, context_of(request, call), stored),
        or_default(None, previous_filing, context, stored),
    )
    table = await context.tickers.table()
    if financials is not None and scale == USUAL:
        scale = usual_scale(financials)
    entities = [(entity, table.tickers(entity.cik)) for entity in stored.entities]
    of_items = {(section.document_id, section.label): section for section in sections}
    shown_items = [_item(item, of_items, searched) for item in stored.eight_k_items]
    return render(
        "filing.html",
        filing=stored,
        entities=entities,
        company=stored.entity_name or number,
        documents=_documents(stored, searched),
        items=shown_items,
        sections=[] if shown_items else _by_document(sections, previous),
        previous=_period_of(previous) if previous else "",
        rows=rows,
        statements=shown_statements(financials, scale) if financials else [],
        prints=stored.archive is not None and not missing_parts(),
        statement_formats=STATEMENT_FORMATS,
        scale=scale,
        scales=[
            (name_of_scale, address(request.url.path, scale=name_of_scale))
            for name_of_scale in SCALES
        ],
        searched=searched,
        edgar_url=address_at_edgar(stored, f"{number}-index.htm"),
        api=curl(address("/v2/filing_info", accession_number=number), str(request.base_url)[:-1]),
        milliseconds=call.milliseconds,
        **head(call),
    )


async def previous_filing(context: SearchContext, filing: StoredFiling) -> ListedFiling | None:
    """Return the newest earlier filing of the same company and form, if one is loaded."""
    if not filing.entities:
        return None
    criteria = FilingCriteria(
        cik=(filing.entities[filing.primary].cik,),
        form_type=(filing.form_type,),
        to_date=filing.filing_date,
    )
    search = FilingSearch(criteria, Window(0, _OF_A_DAY))
    page = await look_up_filings(context, search)
    now = filing.filing_date, filing.accession_number
    earlier = (other for other in page.filings if (other.filing_date, other.accession_number) < now)
    return next(earlier, None)


def _period_of(filing: ListedFiling) -> str:
    """Return the month of a quarterly report's period, else the year of the period or filing."""
    last = filing.period or filing.filing_date
    return f"{last:%B %Y}" if filing.form_type in _QUARTERLY else str(last.year)


def is_for_programs(document: FilingDocument) -> bool:
    """Return True for data and pictures, which have no text of their own."""
    return document.form_type in _MACHINE_TYPES or document.form_type.startswith(_XBRL)


def _documents(filing: StoredFiling, searched: Collection[str]) -> ShownDocuments:
    documents = ShownDocuments([], [])
    for document in filing.documents:
        unread = document.document_id not in searched and is_for_programs(document)
        kind = documents.machine if unread else documents.read
        kind.append((document, address_at_edgar(filing, document.file_name)))
    return documents


def _item(
    item: FilingItem,
    sections: Mapping[tuple[str, str], StoredSection],
    searched: Collection[str],
) -> ShownItem:
    section = sections.get((item.document_id or "", f"Item {item.number}"))
    place = f"/document/{item.document_id}" if item.document_id in searched else None
    shown_section = ShownSection(item.number, item.name, place)
    if section is not None:
        shown_section = shown_section._replace(place=_place(section))
    exhibits = [
        (exhibit, f"/document/{exhibit.document_id}" if exhibit.document_id in searched else None)
        for exhibit in item.exhibits
    ]
    return ShownItem(shown_section, exhibits)


def _place(section: StoredSection) -> str | None:
    if section.text_start is None:
        return None
    return f"{address(f'/document/{section.document_id}', section=section.item)}#{section.item}"


def _by_document(
    sections: Sequence[StoredSection], previous: ListedFiling | None
) -> list[DocumentSections]:
    by_id: dict[str, list[ShownSection]] = {}
    for section in sections:
        elsewhere = ""
        if section.followed:
            elsewhere = "elsewhere in this document"
            if section.followed.document_id != section.document_id:
                elsewhere = f"in document {document_number(section.followed.document_id)}"
        compared = ""
        if previous and (section.text_start is not None or section.followed):
            compared = address("/compare", {}, to=section.document_id, section=section.item)
        by_id.setdefault(section.document_id, []).append(
            ShownSection(section.label, section.description, _place(section), elsewhere, compared)
        )
    return [
        DocumentSections(document_number(document_id), by_id[document_id]) for document_id in by_id
    ]


def document_number(document_id: str) -> str:
    """Return the number of a document in its filing."""
    return document_id.rpartition("-")[2]
