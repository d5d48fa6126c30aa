"""Lookups of filings and their sections, and counts by form and year."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Literal, NamedTuple

import msgspec
from msgspec import Struct, field

from edgar_search.edgar.identifiers import document_address
from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import (
    Bucket,
    Buckets,
    FieldsHit,
    KeyedBucket,
    SortedHit,
    SourceHit,
    decode,
)
from edgar_search.errors import NotFound
from edgar_search.search.context import SearchContext
from edgar_search.search.criteria import DocumentCriteria, FilingCriteria, FilingSearch
from edgar_search.search.entities import cik_lists
from edgar_search.search.index_versions import (
    filings_have_sort_keys,
    require_for_criteria,
    require_for_filings,
)
from edgar_search.search.query.body import CikLists, filing_query
from edgar_search.search.query.matching import Clause
from edgar_search.search.warnings.filter_values import (
    NOTHING_UNKNOWN,
    AbsentValue,
    Found,
    absent_errors,
    absent_values,
    filter_errors,
    unknown_values,
)
from edgar_search.search.warnings.warnings import or_default
from edgar_search.stored.filings import FilingDocument, FilingItem, StoredFiling, StoredSection

# Documents of one filing: no submission has more.
MOST_DOCUMENTS = 10_000
# Form types of one company: EDGAR has a few hundred in all.
MOST_FORMS = 500
# Up to this many filings are read in full: a page of version 1, and one more to see if another page
# follows. Leaving fields out takes Elasticsearch longer than sending them. For more filings the
# rare fields could be hundreds of megabytes, because filings of funds list their series.
_MOST_WHOLE = 1_001
# Fields of a filing that few callers read.
_RARE: Clause = {"excludes": ["series", "others", "group_members"]}


# Listing this many filings costs the engine about as much as a search.
_LISTED_OF_A_SLOT = 50


def filings_body(search: FilingSearch, ciks: CikLists) -> Clause:
    """Build the request for matching filings; filings without a sort value come last."""
    order = {"order": search.order, "missing": "_last"}
    return {
        "query": filing_query(search.criteria, ciks),
        "from": search.window.start,
        "size": search.window.size,
        "sort": [{search.sort_by: order}, {"accession_number": search.order}],
        "track_total_hits": True,
        "_source": True if search.window.size <= _MOST_WHOLE else _RARE,
    }


def of_reports(criteria: FilingCriteria) -> bool:
    """Return True if the criteria include figures, which only main documents have."""
    return bool(criteria.figures or criteria.currency)


def report_query(criteria: FilingCriteria, ciks: CikLists) -> Clause:
    """Match the main documents of filings that match."""
    query = filing_query(criteria, ciks)
    query["bool"]["filter"].append({"term": {"first": True}})
    return query


def reports_body(search: FilingSearch, ciks: CikLists) -> Clause:
    """Build the request for the accession numbers of matching reports, in the order of filings."""
    return {
        **filings_body(search, ciks),
        "query": report_query(search.criteria, ciks),
        "_source": False,
        "stored_fields": "_none_",
        "docvalue_fields": ["accession_number"],
    }


def known_filings_body(numbers: Sequence[str]) -> Clause:
    """Build the request for filings with these accession numbers."""
    return {
        "query": {"bool": {"filter": [{"terms": {"accession_number": list(numbers)}}]}},
        "size": len(numbers),
        "track_total_hits": False,
        "_source": _RARE,
    }


def searched_body(which: Clause) -> Clause:
    """Build the request for the ids of the searchable documents that a clause matches."""
    return {
        "query": {"bool": {"filter": [which]}},
        "size": MOST_DOCUMENTS,
        "sort": ["_doc"],
        "track_total_hits": False,
        "stored_fields": "_none_",
        "docvalue_fields": ["document_id"],
    }


def spread_body(cik: str) -> Clause:
    """Build a request for the number of filings of a company by form type and year."""
    years = {"field": "filing_date", "calendar_interval": "year", "format": "yyyy"}
    return {
        "query": {"bool": {"filter": [{"term": {"ciks": cik}}]}},
        "size": 0,
        "track_total_hits": False,
        "aggs": {
            "forms": {
                "terms": {"field": "form_type", "size": MOST_FORMS, "shard_size": MOST_FORMS},
                "aggs": {"years": {"date_histogram": {**years, "min_doc_count": 1}}},
            }
        },
    }


# A form has about twenty items.
_MAX_SECTIONS = 1_000


def sections_body(field: Literal["document_id", "accession_number"], value: str) -> Clause:
    """Build the request for the sections of a document or of a filing, in order."""
    return {
        "query": {"bool": {"filter": [{"term": {field: value}}]}},
        "size": _MAX_SECTIONS,
        "sort": [{"document_id": "asc"}, {"number": "asc"}],
        "track_total_hits": False,
    }


def text_sections_body(document_id: str) -> Clause:
    """Build the request for sections with a position in a document's text.

    They are its own sections, and sections that point to it.
    """
    ways = [{"term": {name: document_id}} for name in ("document_id", _FOLLOWED)]
    body = sections_body("document_id", document_id)
    return body | {"query": {"bool": {"filter": [{"bool": {"should": ways}}]}}, "version": True}


_FOLLOWED = "followed.document_id"
# The most sections that may share a position: an item, and items that point to it.
_MOST_AT_A_PLACE = 4


def sections_at_body(places: Mapping[str, int]) -> Clause:
    """Build the request for sections that may contain a position of each document, by document id.

    A section that points to another document may have several parts there.
    """
    at = [
        [
            {"term": {id_field: document_id}},
            {"range": {start: {"lte": place}}},
            {"range": {end: {"gt": place}}},
        ]
        for document_id, place in places.items()
        for id_field, start, end in (
            ("document_id", "text_start", "text_end"),
            (_FOLLOWED, "followed.places.start", "followed.places.end"),
        )
    ]
    return {
        "query": {"bool": {"should": [{"bool": {"filter": clauses}} for clauses in at]}},
        "size": _MOST_AT_A_PLACE * len(places),
        "sort": ["_doc"],
        "version": True,
        "track_total_hits": False,
    }


class ListedEntity(Struct, frozen=True, gc=False):
    """A `FilingEntity` with the fields that lists of filings show."""

    cik: str
    name: str


class ListedFiling(Struct, frozen=True):
    """A `StoredFiling`, which explains the fields, as lists of filings show it.

    A list has a thousand of them or more, and reading all stored fields takes several times as
    long.
    """

    accession_number: str
    form_type: str
    filing_date: date
    ciks: list[str]
    entities: list[ListedEntity]
    documents: list[FilingDocument]
    loaded_at: datetime
    primary: int = 0
    entity_name: str = ""
    size: int = 0
    period: date | None = None
    accepted_at: datetime | None = None
    eight_k_items: list[FilingItem] = []


AnyFiling = StoredFiling | ListedFiling


def filer_cik(filing: AnyFiling) -> str:
    """Return the CIK of the filing's main filer, or "" if it has no entities."""
    return filing.entities[filing.primary].cik if filing.entities else ""


def address_at_edgar(filing: AnyFiling, file_name: str) -> str:
    """Return the SEC's address of a file in a filing."""
    return document_address(filing.accession_number, filer_cik(filing), file_name)


class NumberFields(Struct):
    accession_number: list[str]


class NumberHit(Struct):
    """A filing by its accession number; `sort` holds its sort values, in order."""

    fields: NumberFields
    sort: list[Any] = []


class IdFields(Struct):
    document_id: list[str]


def withdrawn_body(numbers: Sequence[str]) -> Clause:
    """Build the request for the withdrawal dates of these submissions, if EDGAR removed them."""
    moment = {"field": "withdrawn_at", "format": "strict_date_time_no_millis"}
    return {
        "query": {
            "bool": {
                "filter": [
                    {"ids": {"values": list(numbers)}},
                    {"exists": {"field": "withdrawn_at"}},
                ]
            }
        },
        "size": len(numbers),
        "track_total_hits": False,
        "_source": False,
        "docvalue_fields": [moment],
    }


class FormYears(NamedTuple):
    """A form type with the number of filings in each year that has any."""

    form_type: str
    years: dict[int, int]

    @property
    def total(self) -> int:
        return sum(self.years.values())


class _Year(Bucket):
    year: str = field(name="key_as_string")


class _Form(KeyedBucket):
    years: Buckets[_Year]


class _Spread(Struct):
    forms: Buckets[_Form]


async def spread_of(engine: Engine, cik: str) -> list[FormYears]:
    """Return a company's form types, the most common first; one engine request."""
    reply = await engine.search("filings", spread_body(cik), Struct)
    forms = decode(bytes(reply.aggregations), _Spread).forms.buckets
    return [
        FormYears(form.key, {int(bucket.year): bucket.count for bucket in form.years.buckets})
        for form in forms
    ]


# The name of the detail that adds withdrawals.
WITHDRAWN = "withdrawn"


class _Fields(Struct):
    withdrawn_at: list[str]


class _Hit(Struct):
    id: str = field(name="_id")
    fields: _Fields


async def withdrawn_since(engine: Engine, numbers: Iterable[str]) -> dict[str, str]:
    """Return since when filings have been withdrawn, by accession number; others are left out.

    The time is when an index of EDGAR first lacked the filing. Makes one engine request.
    """
    distinct = list(dict.fromkeys(numbers))
    if not distinct:
        return {}
    reply = await engine.search("ledger", withdrawn_body(distinct), _Hit)
    return {hit.id: hit.fields.withdrawn_at[0] for hit in reply.hits.hits}


class FilingPage(NamedTuple):
    """A window of filings; `total` counts all that match."""

    total: int
    filings: list[ListedFiling]


def listed_slots(search: FilingSearch) -> int:
    """Return how many search slots a page of filings takes; each is listed with its documents."""
    return 1 + search.window.size // _LISTED_OF_A_SLOT


async def look_up_filings(context: SearchContext, search: FilingSearch) -> FilingPage:
    """Return the filings that match.

    Makes one engine request, and one for criteria of entities or figures.
    """
    await require_for_lookup(context.engine, search.criteria)
    if of_reports(search.criteria):
        body = reports_body(search, await cik_lists(context, search.criteria))
        numbers = await context.engine.search("documents", body, NumberHit)
        return FilingPage(numbers.total, await listed_filings(context.engine, numbers.hits.hits))
    if search.sort_by == "entity_name" and await filings_have_sort_keys(context.engine):
        search = msgspec.structs.replace(search, sort_by="entity_name_key")
    body = filings_body(search, await cik_lists(context, search.criteria))
    reply = await context.engine.search("filings", body, SortedHit[ListedFiling])
    return FilingPage(reply.total, [hit.source for hit in reply.hits.hits])


async def require_for_lookup(engine: Engine, criteria: FilingCriteria) -> None:
    """Raise StoredByOlderVersion if the searched entries lack a field of the criteria."""
    if of_reports(criteria):
        await require_for_criteria(engine, DocumentCriteria(None, criteria))
    else:
        await require_for_filings(engine, criteria)


async def listed_filings(engine: Engine, hits: Sequence[NumberHit]) -> list[ListedFiling]:
    """Return the filings with these numbers, in order.

    A filing that is being loaded again is left out.
    """
    if not hits:
        return []
    numbers = [hit.fields.accession_number[0] for hit in hits]
    reply = await engine.search("filings", known_filings_body(numbers), SortedHit[ListedFiling])
    filings = {hit.source.accession_number: hit.source for hit in reply.hits.hits}
    return [filings[number] for number in numbers if number in filings]


async def filings_of(engine: Engine, numbers: Sequence[str]) -> list[StoredFiling]:
    """Return the stored filings among these accession numbers, with most of their fields."""
    body = known_filings_body(numbers)
    reply = await engine.search("filings", body, SourceHit[StoredFiling])
    return [hit.source for hit in reply.hits.hits]


async def filing_of(engine: Engine, number: str) -> StoredFiling:
    """Return the filing with this accession number; raises NotFound if it is not stored."""
    for filing in await filings_of(engine, [number]):
        return filing
    raise NotFound(f"there is no filing {number}")


async def sections_of_filing(engine: Engine, number: str) -> list[StoredSection]:
    """Return the sections of the filing with this accession number, in order."""
    body = sections_body("accession_number", number)
    reply = await engine.search("sections", body, SourceHit[StoredSection])
    return [hit.source for hit in reply.hits.hits]


async def searched_documents(engine: Engine, number: str) -> set[str]:
    """Return the ids of the searchable documents of a filing."""
    of_filing = {"term": {"accession_number": number}}
    reply = await engine.search("documents", searched_body(of_filing), FieldsHit[IdFields])
    return {hit.fields.document_id[0] for hit in reply.hits.hits}


async def searched_among(engine: Engine, document_ids: Collection[str]) -> set[str]:
    """Return which of these documents are searchable.

    Makes one engine request, or none without documents.
    """
    if not document_ids:
        return set()
    body = searched_body({"terms": {"document_id": sorted(document_ids)}})
    reply = await engine.search("documents", body, FieldsHit[IdFields])
    return {hit.fields.document_id[0] for hit in reply.hits.hits}


async def sections_of_document(engine: Engine, document_id: str) -> list[StoredSection]:
    """Return the sections of a document, in order."""
    body = sections_body("document_id", document_id)
    reply = await engine.search("sections", body, SourceHit[StoredSection])
    return [hit.source for hit in reply.hits.hits]


class CheckedFilings(NamedTuple):
    """A window of filings, and a line about each value that no stored filing has.

    `withdrawn` gives since when filings are withdrawn, by number; None if not requested.
    """

    page: FilingPage
    errors: list[str]
    withdrawn: dict[str, str] | None


async def look_up_and_check(context: SearchContext, search: FilingSearch) -> CheckedFilings:
    """Look up a window of filings, and check for values that no stored filing has."""
    page = await look_up_filings(context, search)
    return await check_filings(context, search, page)


async def check_filings(
    context: SearchContext, search: FilingSearch, page: FilingPage
) -> CheckedFilings:
    """Check a page of filings for values of the search that no stored filing has."""
    result = Found(
        page.total,
        frozenset(filing.form_type for filing in page.filings),
        frozenset(cik for filing in page.filings for cik in filing.ciks),
    )
    table = await context.tickers.table()
    unknown = await or_default(
        NOTHING_UNKNOWN, unknown_values, search.criteria, result, table, context.known
    )
    absent: list[AbsentValue] = []
    if not page.total:
        absent = await or_default([], absent_values, context, "filings", search.criteria)
    withdrawn = None
    if WITHDRAWN in search.details:
        numbers = (filing.accession_number for filing in page.filings)
        withdrawn = await withdrawn_since(context.engine, numbers)
    return CheckedFilings(page, [*filter_errors(unknown), *absent_errors(absent)], withdrawn)
