"""The replies of `/v2/filing_lookup` and `/v2/filing_info`, whose spellings differ."""

from collections.abc import Sequence
from datetime import date, datetime

from msgspec import UNSET, Struct, UnsetType, field

from edgar_search.search.hits import AnyFiling, ListedFiling
from edgar_search.search.tickers import TickerTable
from edgar_search.stored.entity import StoredEntity
from edgar_search.stored.filing import StoredFiling
from edgar_search.web.v2.answers.documents import ListedDocument, listed_document
from edgar_search.web.v2.answers.entities import Entity, entity
from edgar_search.web.v2.answers.items import Item, filing_items
from edgar_search.web.v2.answers.sections import Section


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
    """The CIK of the filer that stands for the filing, "" where it has no entities."""
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
