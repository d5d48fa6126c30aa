"""What a page shows of a hit; pure."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from edgar_search.edgar.addresses import document_address
from edgar_search.search.documents import DocumentPage
from edgar_search.search.hits import DetailedHit
from edgar_search.search.snippet import PlacedSnippet
from edgar_search.search.texts.sections import TextPlace
from edgar_search.search.tickers import TickerTable
from edgar_search.stored.section import StoredSection
from edgar_search.web.pages.links import Lists, address
from edgar_search.web.pages.reading import AT

MAIN = "main document"
# What of a search says what is marked in a document.
_READ = ("query", "word_forms", "operands")
# By the ids of documents, the section in which what is shown of each stands.
SectionsOfHits = Mapping[str, StoredSection]


class ShownHit(NamedTuple):
    """A hit as a page shows it; `others` is the number of further companies of the filing.

    `section` is that of what is shown, and `passages` counts those that match; "" and 0 where
    that is not known. Where hits are filings `matching` counts their documents that match, and
    `more` are the next best of them.
    """

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
    section: str
    snippet: str
    passages: int
    address: str
    edgar_url: str
    archived: bool
    matching: int = 0
    more: "Sequence[ShownHit]" = ()


def best_places(page: DocumentPage) -> dict[str, TextPlace]:
    """Where in the text of each document what is shown of it stands, as far as that is known."""
    return {
        hit.document_id: TextPlace(_place(placed), hit.fields.version[0])
        for hit, placed in zip(page.hits, page.placed, strict=True)
        if placed and isinstance(hit, DetailedHit)
    }


def shown_hits(
    page: DocumentPage, sections: SectionsOfHits, table: TickerTable, lists: Lists
) -> list[ShownHit]:
    """The hits of a page in their order, which must be DetailedHit with places; or the filings."""
    wanted = set(lists.get("cik", ()))
    read = {name: lists[name] for name in _READ if name in lists}
    shown = [
        _shown(hit, sections, table, wanted)._replace(
            snippet=snippet,
            passages=passages,
            address=_read_at(hit.document_id, placed, read),
        )
        for hit, snippet, passages, placed in zip(
            page.hits, page.snippets, page.passages, page.placed, strict=True
        )
        if isinstance(hit, DetailedHit)
    ]
    return shown if page.groups is None else list(_filings(shown, page))


def _filings(shown: Sequence[ShownHit], page: DocumentPage) -> Iterator[ShownHit]:
    documents = iter(shown)
    for group in page.groups or ():
        best, *more = islice(documents, group.shown)
        yield best._replace(matching=group.number, more=more)


def _read_at(document_id: str, placed: Sequence[PlacedSnippet], read: Lists) -> str:
    """The address of a document at what is shown of it, else at its first match."""
    path = f"/document/{document_id}"
    if not placed:
        return address(path, read) + "#m1"
    return address(path, read, at=_place(placed)) + f"#{AT}"


def _place(placed: Sequence[PlacedSnippet]) -> int:
    """Where the first mark of the best snippet begins, or the snippet where nothing is marked."""
    best = placed[0]
    return best.marks[0].start if best.marks else best.place.start


def _shown(
    hit: DetailedHit, sections: SectionsOfHits, table: TickerTable, wanted: set[str]
) -> ShownHit:
    fields, entities = hit.fields, hit.entities
    # The company that was asked for stands for the filing, else the first of its header.
    asked = [entity for entity in entities if entity[0] in wanted]
    cik, company = (asked or entities or [("", "")])[0]
    section = sections.get(hit.document_id)
    main = any(fields.first)
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
        document=MAIN if main else fields.document_type[0] or "document",
        description="" if main else fields.description[0],
        items=sorted(fields.items),
        section=f"{section.label} {section.description}".strip() if section else "",
        snippet="",
        passages=0,
        address="",
        edgar_url=document_address(fields.accession_number[0], cik or None, fields.file_name[0]),
        archived=any(fields.archived),
    )
