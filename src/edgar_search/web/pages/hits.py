"""What a page shows of a hit; pure."""

from typing import NamedTuple

from edgar_search.edgar.addresses import document_address
from edgar_search.search.documents import DocumentPage
from edgar_search.search.hits import DetailedHit
from edgar_search.search.tickers import TickerTable
from edgar_search.web.pages.links import Lists, address

MAIN = "main document"
# What of a search says what is marked in a document.
_READ = ("query", "word_forms", "operands")


class ShownHit(NamedTuple):
    """A hit as a page shows it; `others` is the number of further companies of the filing."""

    document_id: str
    accession_number: str
    company: str
    cik: str
    tickers: list[str]
    others: int
    form_type: str
    period: str
    filed: str
    document: str
    description: str
    items: list[str]
    snippet: str
    address: str
    edgar_url: str
    archived: bool


def shown_hits(page: DocumentPage, table: TickerTable, lists: Lists) -> list[ShownHit]:
    """The hits of a page in their order; they must be DetailedHit."""
    wanted = set(lists.get("cik", ()))
    read = {name: lists[name] for name in _READ if name in lists}
    return [
        _shown(hit, snippet, table, wanted, read)
        for hit, snippet in zip(page.hits, page.snippets, strict=True)
        if isinstance(hit, DetailedHit)
    ]


def _shown(
    hit: DetailedHit, snippet: str, table: TickerTable, wanted: set[str], read: Lists
) -> ShownHit:
    fields, entities = hit.fields, hit.entities
    # The company that was asked for stands for the filing, else the first of its header.
    asked = [entity for entity in entities if entity[0] in wanted]
    cik, company = (asked or entities or [("", "")])[0]
    return ShownHit(
        document_id=hit.document_id,
        accession_number=fields.accession_number[0],
        company=company or "no company named",
        cik=cik,
        tickers=table.tickers(cik) if cik else [],
        others=max(0, len(entities) - 1),
        form_type=fields.form_type[0],
        period=fields.period[0][:10] if fields.period else "",
        filed=fields.filing_date[0],
        document=MAIN if any(fields.first) else fields.document_type[0] or "document",
        description="" if any(fields.first) else fields.description[0],
        items=sorted(fields.items),
        snippet=snippet,
        address=address(f"/document/{hit.document_id}", read) + "#m1",
        edgar_url=document_address(fields.accession_number[0], cik or None, fields.file_name[0]),
        archived=any(fields.archived),
    )
