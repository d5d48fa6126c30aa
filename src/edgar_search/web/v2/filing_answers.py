"""The replies of `/v2/filing_lookup`, `/v2/filing_info` and `/v2/8k_items`.

An item has the fields of both published forms: `exhibits` of the documentation, and those of the
official client.
"""

from collections.abc import Iterable, Sequence
from datetime import date, datetime

from msgspec import UNSET, Struct, UnsetType, field

from edgar_search.search.filings import AnyFiling, ListedFiling
from edgar_search.search.tickers import TickerTable
from edgar_search.stored.entities import StoredEntity
from edgar_search.stored.filings import FilingExhibit, FilingItem, StoredFiling
from edgar_search.web.v2.document_answers import ListedDocument, Section, listed_document
from edgar_search.web.v2.entity_answers import Entity, entity


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


def items_reply(numbers: Iterable[str], filings: Sequence[StoredFiling]) -> dict[str, list[Item]]:
    """The items of each accession number, in the order asked for; none if it is not here."""
    found = {filing.accession_number: filing for filing in filings}
    return {number: filing_items(found[number]) if number in found else [] for number in numbers}


def filing_items(filing: AnyFiling) -> list[Item]:
    """The items of a filing, in order."""
    return [_item(filing, item) for item in filing.eight_k_items]


def _item(filing: AnyFiling, item: FilingItem) -> Item:
    attached = next((each for each in item.exhibits if each.document_id), None)
    return Item(
        id=f"{filing.accession_number}-{item.number}",
        document_id=item.document_id,
        accession_number=filing.accession_number,
        item_type=item.number,
        item_name=item.name,
        item_source=item.source,
        exhibits=[_exhibit(each) for each in item.exhibits],
        item_exhibit_doc_id=attached.document_id if attached else None,
        item_exhibit_name=(attached.description or None) if attached else None,
        referenced_exhibits=[each.number for each in item.exhibits],
        created_at=filing.loaded_at,
        updated_at=filing.loaded_at,
    )


def _exhibit(exhibit: FilingExhibit) -> Exhibit:
    return Exhibit(exhibit.number, exhibit.description, exhibit.document_id, exhibit.file_name)


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


def filings_reply(
    found: Sequence[ListedFiling],
    total: int,
    end: int,
    table: TickerTable,
    warnings: Sequence[str] = (),
) -> FilingsReply:
    """A window of filings that ends before row `end` of `total`."""
    filings = [_filing(each, table) for each in found]
    return FilingsReply(total, total > end, filings, list(warnings) or UNSET)


def filing_reply(
    filing: StoredFiling,
    filer: StoredEntity | None,
    sections: Sequence[Section],
    table: TickerTable,
) -> FilingReply:
    """One filing with its filer as it is now; its sections come without their content."""
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


def filer_cik(filing: AnyFiling) -> str:
    """The CIK of the filing's main filer, "" if it has no entities."""
    return filing.entities[filing.primary].cik if filing.entities else ""


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
