"""Replies of the v1 endpoints."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import islice
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from edgar_search.access.api_keys import without_keys
from edgar_search.edgar.identifiers import document_address
from edgar_search.search.coverage import FormDay, Lags
from edgar_search.search.criteria import OFFSETS, CoverageCriteria
from edgar_search.search.documents import DocumentPage, Group
from edgar_search.search.filings import WITHDRAWN, FilingPage
from edgar_search.search.hits import DetailedHit, DocumentHit, ListedFiling, relevance
from edgar_search.search.snippets.snippet import PlacedSnippet
from edgar_search.search.tickers import TickerTable
from edgar_search.stored.filings import FilingDocument


class Lag(Struct):
    """Seconds that half, nine of ten and 99 of 100 filings took at most; null where none did."""

    p50: float | None
    p90: float | None
    p99: float | None


class Day(Struct):
    """`withdrawn` is there where EDGAR has removed some of the filings that are searchable."""

    filing_date: str
    form_type: str
    known: int
    listed: int
    searchable: int
    refused: int
    deleted: int
    waiting: int
    accepted_to_searchable: Lag
    listed_to_searchable: Lag
    withdrawn: int | UnsetType = UNSET


class CoverageReply(Struct, omit_defaults=True):
    """`warnings` is absent where there is nothing to say, `missing_days` where there are none.

    These are business days of EDGAR of which its indices list no filing.
    """

    from_date: date
    to_date: date
    days: list[Day]
    warnings: list[str] = []
    missing_days: list[date] = []


def coverage_reply(
    criteria: CoverageCriteria,
    found: Iterable[FormDay],
    warnings: Sequence[str] = (),
    missing_days: Sequence[date] = (),
) -> CoverageReply:
    """One entry for each day and form that the ledger knows, in that order."""
    days = [_day(each) for each in found]
    return CoverageReply(
        criteria.first_day, criteria.last_day, days, list(warnings), list(missing_days)
    )


def _day(found: FormDay) -> Day:
    return Day(
        filing_date=found.day,
        form_type=found.form_type,
        known=found.known,
        listed=found.listed,
        searchable=found.searchable,
        refused=found.refused,
        deleted=found.deleted,
        waiting=found.known - found.searchable - found.refused - found.deleted,
        accepted_to_searchable=_lag(found.accepted_to_searchable),
        listed_to_searchable=_lag(found.listed_to_searchable),
        withdrawn=found.withdrawn or UNSET,
    )


def _lag(lags: Lags) -> Lag:
    return Lag(*(None if value is None else round(value, 3) for value in lags))


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
    """`withdrawn` is there where it is asked for: since when EDGAR does not have the filing."""

    accnum: str
    form_type: str
    filing_date: date
    period: date | None
    tickers: list[str]
    filer_details: FilerDetails
    documents: list[Document]
    withdrawn: str | None | UnsetType = UNSET


class LookupReply(Struct):
    """`next_cursor` is there on a walk by cursor, null at its end."""

    response_details: ResponseDetails
    filings: list[Filing]
    next_cursor: str | None | UnsetType = UNSET


class Place(Struct):
    """A part of the document's text, and what of it is marked, in code points; ends exclusive."""

    start: int
    end: int
    marks: list[tuple[int, int]]


class PlacedItem(Place):
    """A snippet with its place."""

    snippet: str


class SearchItem(Struct):
    """A document; of the fields behind `document_id` those are there that were asked for.

    Where hits are filings it is the best document of one, with how many of it match and the next
    best of them.
    """

    related_company_names: list[str]
    ciks: list[str]
    accnum: str
    filename: str
    filing_date: str
    form_type: str
    snippet: str | UnsetType
    score: float
    document_id: str
    document_type: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    period: str | None | UnsetType = UNSET
    accepted_at: str | None | UnsetType = UNSET
    eight_k_items: list[str] | UnsetType = UNSET
    primary: bool | UnsetType = UNSET
    url: str | None | UnsetType = UNSET
    edgar_url: str | UnsetType = UNSET
    withdrawn: str | None | UnsetType = UNSET
    offsets: Place | None | UnsetType = UNSET
    snippets: list[PlacedItem] | UnsetType = UNSET
    text_sha256: str | UnsetType = UNSET
    matching_count: int | UnsetType = UNSET
    other_documents: "list[SearchItem] | UnsetType" = UNSET


class SearchReply(Struct, omit_defaults=True):
    """`warnings` is absent where there is nothing to say, `next_cursor` on no walk by cursor.

    `total_count_exact` is there where hits are filings.
    """

    total_count: int
    items: list[SearchItem]
    warnings: list[str] = []
    next_cursor: str | None | UnsetType = UNSET
    total_count_exact: bool | UnsetType = UNSET


def lookup_reply(
    page: FilingPage,
    table: TickerTable,
    errors: Sequence[str],
    withdrawn: Mapping[str, str] | None = None,
) -> LookupReply:
    """Filings with the tickers that their entities have now.

    `withdrawn` are those that EDGAR has removed, where that is asked for.
    """
    filings = [_filing(filing, table) for filing in page.filings]
    if withdrawn is not None:
        for each in filings:
            each.withdrawn = withdrawn.get(each.accnum)
    return LookupReply(ResponseDetails(page.total, list(errors)), filings)


def search_reply(
    page: DocumentPage, included: Sequence[str] = (), snippets: int = 0
) -> SearchReply:
    """Hits in their order, each with its snippet; detailed ones with the fields to include.

    `snippets` says whether they have several, with places.
    """
    items = [_item(hit, snippet) for hit, snippet in zip(page.hits, page.snippets, strict=True)]
    for place, (item, hit) in enumerate(zip(items, page.hits, strict=True)):
        if isinstance(hit, DetailedHit):
            placed = list(map(_placed, page.placed[place])) if page.placed else []
            for name in included:
                if name == OFFSETS:
                    item.offsets = _place(placed)
                elif name == WITHDRAWN:
                    item.withdrawn = page.withdrawn.get(item.accnum)
                else:
                    setattr(item, name, _INCLUDED[name](hit))
            if snippets:
                item.snippets = placed
            if snippets or OFFSETS in included:
                item.text_sha256 = hit.fields.text_sha256[0]
    # What was sent is quoted, and a key may be sent anywhere by mistake.
    reply = SearchReply(page.total, items, list(map(without_keys, page.warnings)))
    if page.groups is not None:
        reply.items = list(_grouped(items, page.groups))
        reply.total_count_exact = page.exact
    return reply


def _grouped(items: Iterable[SearchItem], groups: Iterable[Group]) -> Iterator[SearchItem]:
    """The best document of each filing, with the others that are shown."""
    documents = iter(items)
    for group in groups:
        best, *others = islice(documents, group.shown)
        best.matching_count, best.other_documents = group.number, others
        yield best


def _filing(filing: ListedFiling, table: TickerTable) -> Filing:
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


def _filer(filing: ListedFiling, table: TickerTable) -> FilerDetails:
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


def _placed(shown: PlacedSnippet) -> PlacedItem:
    return PlacedItem(*shown.place, [(start, end) for start, end in shown.marks], shown.html)


def _place(placed: Sequence[PlacedItem]) -> Place | None:
    """That of the best snippet, which is the one of the item itself."""
    return Place(placed[0].start, placed[0].end, placed[0].marks) if placed else None


def _first(values: Sequence[str]) -> str | None:
    return values[0] if values else None


def _items(hit: DetailedHit) -> list[str]:
    """In the order of the form; the engine gives them as words, where 12 is before 5."""
    return sorted(hit.fields.items, key=lambda item: [int(part) for part in item.split(".")])


def _url(hit: DetailedHit) -> str | None:
    """Where this service answers with the document as filed, if it keeps it."""
    return f"/v2/document?document_id={hit.document_id}" if any(hit.fields.archived) else None


def _edgar_url(hit: DetailedHit) -> str:
    fields = hit.fields
    number, cik = fields.accession_number[0], hit.entities[0][0] if hit.entities else None
    return document_address(number, cik, fields.file_name[0])


_INCLUDED: dict[str, Callable[[DetailedHit], Any]] = {
    "document_type": lambda hit: hit.fields.document_type[0],
    "description": lambda hit: hit.fields.description[0],
    "period": lambda hit: _first(hit.fields.period),
    "accepted_at": lambda hit: _first(hit.fields.accepted_at),
    "eight_k_items": _items,
    "primary": lambda hit: any(hit.fields.first),
    "url": _url,
    "edgar_url": _edgar_url,
}
