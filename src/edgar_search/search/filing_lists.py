"""Filings as EDGAR lists them: by day, by company, and the latest; with only a few fields."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

from msgspec import Struct

from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import Buckets, SortedHit, SourceHit
from edgar_search.search.query.matching import Clause
from edgar_search.stored.filings import StoredFilingValues

# Filings in one request: some megabytes.
_PAGE = 2_000


class ListedParty(Struct, frozen=True, gc=False):
    """An entity of a filing, and its role in it."""

    cik: str
    name: str
    role: str = ""
    filing_values: list[StoredFilingValues] = []


class ListedFile(Struct, frozen=True, gc=False):
    """A document of a filing, without its text."""

    document_id: str
    form_type: str
    description: str = ""
    file_name: str = ""
    size: int = 0


class ListedFiling(Struct, frozen=True):
    """A filing with the fields that lists show; `size` is the whole submission's size in bytes."""

    accession_number: str
    form_type: str
    filing_date: date
    entities: list[ListedParty]
    documents: list[ListedFile] = []
    period: date | None = None
    accepted_at: datetime | None = None
    items: list[str] = []
    size: int = 0


class ListPage(NamedTuple):
    """Filings of one page, and the total number."""

    total: int
    filings: list[ListedFiling]


_ROW = ("accession_number", "form_type", "filing_date", "entities.cik", "entities.name")
_WHOLE = (
    *(*_ROW, "entities.role", "entities.filing_values", "documents", "period"),
    *("accepted_at", "items", "size"),
)
_BY_NUMBER: Clause = {"accession_number": "asc"}


def day_body(day: date, after: Sequence[Any]) -> Clause:
    """Build the request for a day's filings after one of them, ordered by accession number."""
    body: Clause = {
        "query": {"bool": {"filter": [{"term": {"filing_date": day.isoformat()}}]}},
        "size": _PAGE,
        "sort": [_BY_NUMBER],
        "track_total_hits": False,
        "_source": list(_ROW),
    }
    return {**body, "search_after": list(after)} if after else body


def company_body(cik: str, start: int, size: int) -> Clause:
    """Build the request for filings of an entity, oldest first, from the row `start`."""
    return {
        "query": {"bool": {"filter": [{"term": {"ciks": cik}}]}},
        "from": start,
        "size": size,
        "sort": [{"filing_date": "asc"}, _BY_NUMBER],
        "track_total_hits": True,
        "_source": list(_WHOLE),
    }


def latest_body(clauses: Sequence[Clause], start: int, size: int) -> Clause:
    """Build the request for the most recently accepted filings."""
    latest = {"order": "desc", "missing": "_last"}
    return {
        "query": {"bool": {"filter": list(clauses)}},
        "from": start,
        "size": size,
        "sort": [{"filing_date": "desc"}, {"accepted_at": latest}, {"accession_number": "desc"}],
        "track_total_hits": True,
        "_source": list(_WHOLE),
    }


async def filings_of_day(engine: Engine, day: date) -> list[ListedFiling]:
    """Return all filings of a day, by accession number, without their documents."""
    filings: list[ListedFiling] = []
    after: Sequence[Any] = ()
    while True:
        reply = await engine.search("filings", day_body(day, after), SortedHit[ListedFiling])
        hits = reply.hits.hits
        filings += [hit.source for hit in hits]
        if len(hits) < _PAGE:
            return filings
        after = hits[-1].sort


class _Day(Struct):
    key_as_string: date


class _DaysReply(Struct):
    days: Buckets[_Day]


def days_body(first: date, last: date) -> Clause:
    """Build the request for the days of a range that have filings."""
    between = {"gte": first.isoformat(), "lte": last.isoformat()}
    histogram = {
        "field": "filing_date",
        "calendar_interval": "day",
        "min_doc_count": 1,
        "format": "strict_date",
    }
    return {
        "query": {"bool": {"filter": [{"range": {"filing_date": between}}]}},
        "size": 0,
        "track_total_hits": False,
        "aggs": {"days": {"date_histogram": histogram}},
    }


async def days_of_filings(engine: Engine, first: date, last: date) -> list[date]:
    """Return the days of a range that have filings, in order."""
    reply = await engine.aggregate("filings", days_body(first, last), _DaysReply)
    return [bucket.key_as_string for bucket in reply.days.buckets]


async def filings_of_entity(engine: Engine, cik: str, start: int, size: int) -> ListPage:
    """Return filings of an entity, oldest first, from the row `start`."""
    reply = await engine.search("filings", company_body(cik, start, size), SourceHit[ListedFiling])
    return ListPage(reply.total, [hit.source for hit in reply.hits.hits])


# The forms on which insiders report their own holdings.
_INSIDERS: Clause = {"terms": {"form_type": ["3", "3/A", "4", "4/A", "5", "5/A"]}}


async def latest_filings(
    engine: Engine,
    start: int,
    size: int,
    *,
    form_type: str = "",
    cik: str = "",
    before: date | None = None,
    insiders: bool | None = None,
) -> ListPage:
    """Return the most recently accepted filings.

    May be limited to forms with a prefix, to one entity, to filing dates up to a day, and to the
    reports of insiders or to all others.
    """
    clauses: list[Clause] = []
    if form_type:
        clauses.append({"prefix": {"form_type": {"value": form_type}}})
    if cik:
        clauses.append({"term": {"ciks": cik}})
    if before:
        clauses.append({"range": {"filing_date": {"lte": before.isoformat()}}})
    if insiders is not None:
        clauses.append(_INSIDERS if insiders else {"bool": {"must_not": [_INSIDERS]}})
    body = latest_body(clauses, start, size)
    reply = await engine.search("filings", body, SourceHit[ListedFiling])
    return ListPage(reply.total, [hit.source for hit in reply.hits.hits])
