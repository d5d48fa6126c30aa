"""/v2/filing_lookup, /v2/filing_info and /v2/8k_items: filings, one filing, items of reports.

An item has the fields of both published forms: `exhibits` of the documentation, and those of the
official client.
"""

from collections.abc import Iterable, Sequence
from datetime import date, datetime

from msgspec import UNSET, Struct, UnsetType, field
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.parameters import types
from edgar_search.api.parameters.declaration import Parameter
from edgar_search.api.parameters.fields import RequestFields
from edgar_search.api.parameters.reader import Parameters
from edgar_search.edgar import identifiers
from edgar_search.search.criteria import FilingCriteria, FilingField, FilingSearch
from edgar_search.search.entities import entities_of
from edgar_search.search.filings import (
    AnyFiling,
    ListedFiling,
    filer_cik,
    filing_of,
    filings_of,
    listed_slots,
    look_up_filings,
    sections_of_filing,
)
from edgar_search.search.tickers import TickerTable
from edgar_search.search.warnings.filter_values import missing_data_warnings
from edgar_search.stored.entities import StoredEntity
from edgar_search.stored.filings import FilingItem, StoredFiling
from edgar_search.web.calls import V2Call
from edgar_search.web.responses import json_response
from edgar_search.web.service import service
from edgar_search.web.v2.documents import (
    ListedDocument,
    Section,
    listed_document,
    listed_sections,
)
from edgar_search.web.v2.entities import Entity, entity
from edgar_search.web.v2.finding import (
    DATES,
    ENTITY_QUERY,
    FORM_TYPES,
    LISTED_FILTERS,
    ORDERS,
    SORT_ORDER,
    WINDOW,
    data_endpoint,
    entity_query,
    listed_filters,
    window,
)

MAX_NUMBERS = 100
# Ways to sort, with the fields of the search.
FILING_SORTS: dict[str, FilingField] = {
    "filing_date": "filing_date",
    "acceptance_date_time": "accepted_at",
    "report_date": "period",
    "form": "form_type",
    "size": "size",
    "entity_name": "entity_name",
}


class Exhibit(Struct, rename="camel"):
    """`document_ref` is the name of the document's file, "" if it is not in the filing."""

    exhibit_number: str
    exhibit_description: str
    document_id: str | None
    document_ref: str


class Item(Struct, rename="camel"):
    """`item_exhibit_doc_id` and `item_exhibit_name` are of the first exhibit with a document.

    `item_source` is not published: what names the item, "header", "text" or "both"; None if the
    filing was loaded before that was stored.
    `created_at` and `updated_at` are when the filing was loaded.
    """

    id: str
    document_id: str
    accession_number: str
    item_type: str
    item_name: str
    item_source: str | None
    exhibits: list[Exhibit]
    item_exhibit_doc_id: str | None
    item_exhibit_name: str | None
    referenced_exhibits: list[str]
    created_at: datetime
    updated_at: datetime


class Filing(Struct, rename="camel"):
    accession_number: str
    form: str
    cik: str
    filing_date: date
    report_date: date | None
    acceptance_date_time: datetime | None
    document_count: int
    documents: list[ListedDocument]
    eightk_items: list[Item]
    entity_name: str | None
    tickers: list[str]
    size: int
    primary_document: str | None


class FilingsReply(Struct):
    count: int
    truncated: bool
    filings: list[Filing]
    warnings: list[str] | UnsetType = UNSET


class FilingHead(Struct, rename="camel"):
    accession_number: str
    form_type: str
    cik: str
    filing_date: date
    report_date: date | None
    acceptance_datetime: datetime | None
    document_count: int


class FilingReply(Struct):
    filing: FilingHead
    filer: Entity | None
    documents: list[ListedDocument]
    sections: list[Section]
    eightk_items: list[Item] = field(name="eightkItems")


FILING_LOOKUP = data_endpoint(
    "/v2/filing_lookup",
    "finds filings, also by entity filters and 8-K items",
    *LISTED_FILTERS,
    ENTITY_QUERY,
    FORM_TYPES,
    Parameter(
        "excluded_form_types",
        "list",
        "none of these",
        type=types.CAPITALS,
        of="form types, in any case",
    ),
    *DATES,
    Parameter(
        "items",
        "list",
        "`1.01`, before August 2004 `5`",
        type=types.HEADED_ITEM,
        of="finds items of current reports",
    ),
    Parameter(
        "exclude_amendments", "flag", "true leaves out forms that end in `/A`", default=False
    ),
    Parameter(
        "sort_by",
        "choice",
        "filings without a value come last; equal ones are in the order of accession numbers",
        default="filing_date",
        choices=tuple(FILING_SORTS),
    ),
    SORT_ORDER,
    *WINDOW,
    answer=FilingsReply,
)
FILING_INFO = data_endpoint(
    "/v2/filing_info",
    "returns one filing with its documents, filer, sections and items",
    Parameter(
        "accession_number",
        "text",
        "the filing",
        required=True,
        type=types.ACCESSION_NUMBER,
        of="accession number, with or without dashes",
        pattern=identifiers.WITH_OR_WITHOUT_DASHES,
    ),
    answer=FilingReply,
)
EIGHT_K_ITEMS = data_endpoint(
    "/v2/8k_items",
    "finds items of current reports",
    Parameter(
        "accession_numbers",
        "list",
        "the filings",
        required=True,
        most=MAX_NUMBERS,
        type=types.ACCESSION_NUMBER,
        of="accession numbers, with or without dashes",
        pattern=identifiers.WITH_OR_WITHOUT_DASHES,
    ),
    answer=dict[str, list[Item]],
)


def filing_params(given: RequestFields) -> FilingSearch:
    """Read the parameters of `/v2/filing_lookup`; raises BadRequest, which names the error."""
    fields = Parameters.of_request(given, FILING_LOOKUP.declared)
    first_day, last_day = fields.days("date_from", "date_to")
    return FilingSearch(
        criteria=FilingCriteria(
            entities=(listed_filters(fields), entity_query(fields)),
            form_type=fields.values("form_types"),
            excluded_form_types=fields.values("excluded_form_types"),
            from_date=first_day,
            to_date=last_day,
            item=fields.values("items"),
            original=fields.flag("exclude_amendments"),
        ),
        window=window(fields),
        sort_by=FILING_SORTS[fields.choice("sort_by")],
        order=fields.choice_of("sort_order", ORDERS),
    )


def filing_number(given: RequestFields) -> str:
    """Return the accession number requested from `/v2/filing_info`."""
    fields = Parameters.of_request(given, FILING_INFO.declared)
    return fields.required_value("accession_number")


def filing_numbers(given: RequestFields) -> tuple[str, ...]:
    """Return the accession numbers requested from `/v2/8k_items`."""
    fields = Parameters.of_request(given, EIGHT_K_ITEMS.declared)
    numbers = fields.values("accession_numbers")
    if not numbers:
        raise fields.refusal("accession_numbers", "is missing")
    return numbers


async def filing_lookup(request: Request, call: V2Call) -> Response:
    """/v2/filing_lookup"""
    params = filing_params(call.raw)
    await call.share.weigh(listed_slots(params))
    context = service(request).context
    page = await look_up_filings(context, params)
    call.result_count = page.total
    table = await context.tickers.table()
    warnings = missing_data_warnings(params.criteria.entities, table)
    return json_response(
        filings_reply(page.filings, page.total, params.window.end, table, warnings)
    )


async def filing_info(request: Request, call: V2Call) -> Response:
    """/v2/filing_info"""
    number = filing_number(call.raw)
    context = service(request).context
    engine = context.engine
    filing = await filing_of(engine, number)
    filers = await entities_of(engine, filter(None, [filer_cik(filing)]))
    sections = await sections_of_filing(engine, number)
    call.result_count = 1
    filer = filers[0] if filers else None
    table = await context.tickers.table()
    return json_response(filing_reply(filing, filer, listed_sections(sections), table))


async def eight_k_items(request: Request, call: V2Call) -> Response:
    """/v2/8k_items"""
    numbers = filing_numbers(call.raw)
    items = items_reply(numbers, await filings_of(service(request).engine, numbers))
    call.result_count = sum(map(len, items.values()))
    return json_response(items)


def filings_reply(
    found: Sequence[ListedFiling],
    total: int,
    end: int,
    table: TickerTable,
    warnings: Sequence[str] = (),
) -> FilingsReply:
    """Return a window of filings that ends before row `end` of `total`."""
    filings = [_filing(filing, table) for filing in found]
    return FilingsReply(total, total > end, filings, list(warnings) or UNSET)


def filing_reply(
    filing: StoredFiling,
    filer: StoredEntity | None,
    sections: Sequence[Section],
    table: TickerTable,
) -> FilingReply:
    """Return a filing with its filer as it is now; its sections come without their content."""
    return FilingReply(
        filing=FilingHead(
            accession_number=filing.accession_number,
            form_type=filing.form_type,
            cik=filer_cik(filing),
            filing_date=filing.filing_date,
            report_date=filing.period,
            acceptance_datetime=filing.accepted_at,
            document_count=len(filing.documents),
        ),
        filer=None if filer is None else entity(filer, table),
        documents=[listed_document(document) for document in filing.documents],
        sections=list(sections),
        eightk_items=filing_items(filing),
    )


def _filing(filing: ListedFiling, table: TickerTable) -> Filing:
    tickers = dict.fromkeys(ticker for cik in filing.ciks for ticker in table.tickers(cik))
    first = filing.documents[0].file_name if filing.documents else ""
    return Filing(
        accession_number=filing.accession_number,
        form=filing.form_type,
        cik=filer_cik(filing),
        filing_date=filing.filing_date,
        report_date=filing.period,
        acceptance_date_time=filing.accepted_at,
        document_count=len(filing.documents),
        documents=[listed_document(document) for document in filing.documents],
        eightk_items=filing_items(filing),
        entity_name=filing.entity_name or None,
        tickers=list(tickers),
        size=filing.size,
        primary_document=first or None,
    )


def items_reply(numbers: Iterable[str], filings: Sequence[StoredFiling]) -> dict[str, list[Item]]:
    """Return the items of each accession number, in the requested order; none if not stored."""
    by_number = {filing.accession_number: filing for filing in filings}
    return {
        number: filing_items(by_number[number]) if number in by_number else [] for number in numbers
    }


def filing_items(filing: AnyFiling) -> list[Item]:
    """Return the items of a filing, in order."""
    return [_item(filing, item) for item in filing.eight_k_items]


def _item(filing: AnyFiling, item: FilingItem) -> Item:
    attached = next((exhibit for exhibit in item.exhibits if exhibit.document_id), None)
    return Item(
        id=f"{filing.accession_number}-{item.number}",
        document_id=item.document_id,
        accession_number=filing.accession_number,
        item_type=item.number,
        item_name=item.name,
        item_source=item.source,
        exhibits=[
            Exhibit(exhibit.number, exhibit.description, exhibit.document_id, exhibit.file_name)
            for exhibit in item.exhibits
        ],
        item_exhibit_doc_id=attached.document_id if attached else None,
        item_exhibit_name=(attached.description or None) if attached else None,
        referenced_exhibits=[exhibit.number for exhibit in item.exhibits],
        created_at=filing.loaded_at,
        updated_at=filing.loaded_at,
    )
