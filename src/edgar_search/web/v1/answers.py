"""Replies of the v1 endpoints."""

from collections.abc import Sequence
from datetime import date

from msgspec import Struct

from edgar_search.access.key_format import without_keys
from edgar_search.search.documents import DocumentPage
from edgar_search.search.filings import FilingPage
from edgar_search.search.hits import DocumentHit, relevance
from edgar_search.search.tickers import TickerTable
from edgar_search.stored.filing import FilingDocument, StoredFiling


class ResponseDetails(Struct):
    filings_found: int
    errors: list[str]


class FilerDetails(Struct):
    cik: str
    name: str
    tickers: list[str]


class Document(Struct, gc=False):
    document_id: str
    form_type: str
    description: str
    size: int
    file_name: str


class Filing(Struct):
    accnum: str
    form_type: str
    filing_date: date
    period: date | None
    tickers: list[str]
    filer_details: FilerDetails
    documents: list[Document]


class LookupReply(Struct):
    response_details: ResponseDetails
    filings: list[Filing]


class SearchItem(Struct):
    related_company_names: list[str]
    ciks: list[str]
    accnum: str
    filename: str
    filing_date: str
    form_type: str
    snippet: str
    score: float
    document_id: str


class SearchReply(Struct, omit_defaults=True):
    """`warnings` is absent where there is nothing to say."""

    total_count: int
    items: list[SearchItem]
    warnings: list[str] = []


def lookup_reply(page: FilingPage, table: TickerTable, errors: Sequence[str]) -> LookupReply:
    """Filings with the tickers that their entities have now."""
    return LookupReply(
        ResponseDetails(page.total, list(errors)),
        [_filing(filing, table) for filing in page.filings],
    )


def search_reply(page: DocumentPage) -> SearchReply:
    """Hits in their order, each with its snippet."""
    items = [_item(hit, snippet) for hit, snippet in zip(page.hits, page.snippets, strict=True)]
    # What was sent is quoted, and a key may be sent anywhere by mistake.
    return SearchReply(page.total, items, list(map(without_keys, page.warnings)))


def _filing(filing: StoredFiling, table: TickerTable) -> Filing:
    tickers = dict.fromkeys(ticker for cik in filing.ciks for ticker in table.tickers(cik))
    return Filing(
        accnum=filing.accession_number,
        form_type=filing.form_type,
        filing_date=filing.filing_date,
        period=filing.period,
        tickers=list(tickers),
        filer_details=_filer(filing, table),
        documents=list(map(_document, filing.documents)),
    )


def _document(stored: FilingDocument) -> Document:
    # By position: a look-up has thousands of them.
    return Document(
        stored.document_id, stored.form_type, stored.description, stored.size, stored.file_name
    )


def _filer(filing: StoredFiling, table: TickerTable) -> FilerDetails:
    if not filing.entities:
        return FilerDetails("", "", [])
    primary = filing.entities[filing.primary]
    return FilerDetails(primary.cik, primary.name, table.tickers(primary.cik))


def _item(hit: DocumentHit, snippet: str) -> SearchItem:
    fields, entities = hit.fields, hit.entities
    return SearchItem(
        related_company_names=[name for _, name in entities],
        ciks=[cik for cik, _ in entities],
        accnum=fields.accession_number[0],
        filename=fields.file_name[0],
        filing_date=fields.filing_date[0],
        form_type=fields.form_type[0],
        snippet=snippet,
        score=relevance(hit.score),
        document_id=hit.document_id,
    )
