"""Reverse search for rows: many filters on the rows of the same few documents."""

from collections.abc import Collection, Sequence
from datetime import date, timedelta
from typing import Any, Generic, NamedTuple, TypeVar

from msgspec import Struct, field

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import Kind
from edgar_search.engine.replies import Buckets, SourceHit, TopHits
from edgar_search.errors import EngineFault
from edgar_search.ownership.row_filters import RowsOfName
from edgar_search.search.criteria import Window
from edgar_search.search.query.body import HIT_FIELDS
from edgar_search.search.query.matching import Clause
from edgar_search.search.results import DayCount, DocumentFields
from edgar_search.search.reverse_search import MAX_QUERIES
from edgar_search.stored.ownership import StoredRow

T = TypeVar("T")
# Buckets in one request; Elasticsearch makes at most 65,536.
_BUCKETS = 60_000
# Filings on a page of groups; a month of all forms has a few pages.
_PAGE = 10_000


class MatchingRows(NamedTuple):
    """The first row of a document that passes a list of filters, and the number of all."""

    place: int
    document_id: str
    row: StoredRow
    rows: int


class RowMatches(NamedTuple):
    """Documents with matching rows, and the indices of filters that Elasticsearch refuses."""

    found: list[MatchingRows]
    refused: list[int]


class _Document(Struct, Generic[T]):
    key: str
    count: int = field(name="doc_count")
    first: TopHits[SourceHit[T]]


class _Matched(Struct, Generic[T]):
    documents: Buckets[_Document[T]]


def rows_by_document(clauses: Sequence[Sequence[Clause]], scope: Clause, documents: int) -> Clause:
    """Build the search for documents whose rows match each list of clauses, and their first."""
    by_document = {
        "terms": {"field": "document_id", "size": documents},
        "aggs": {"first": {"top_hits": {"size": 1, "sort": [{"number": "asc"}]}}},
    }
    return {
        "query": {"bool": {"filter": [scope]}},
        "size": 0,
        "track_total_hits": False,
        "aggs": {
            str(index): {
                "filter": {"bool": {"filter": list(each)}},
                "aggs": {"documents": by_document},
            }
            for index, each in enumerate(clauses)
        },
    }


async def match_rows(
    engine: Engine,
    rows: RowsOfName,
    clauses: Sequence[Sequence[Clause]],
    document_ids: Collection[str],
    most: int = MAX_QUERIES,
) -> RowMatches:
    """Match the rows of these documents with each list of clauses, `most` lists in a request."""
    matches: list[MatchingRows] = []
    refused: list[int] = []
    size = max(1, min(most, _BUCKETS // max(1, len(document_ids))))
    pending = [range(at, min(at + size, len(clauses))) for at in range(0, len(clauses), size)]
    scope = {"terms": {"document_id": sorted(document_ids)}}
    while pending:
        indices = pending.pop()
        body = rows_by_document([clauses[index] for index in indices], scope, len(document_ids))
        answer = dict[str, _Matched[rows.stored]]  # type: ignore[name-defined]
        try:
            matched = await engine.aggregate(rows.kind, body, answer)
        except EngineFault:
            # A single list is more than Elasticsearch accepts; the others must not fail with it.
            if len(indices) == 1:
                refused.append(indices[0])
            else:
                middle = len(indices) // 2
                pending += [indices[:middle], indices[middle:]]
            continue
        matches += (
            MatchingRows(
                indices[int(number)], bucket.key, bucket.first.hits.hits[0].source, bucket.count
            )
            for number, group in matched.items()
            for bucket in group.documents.buckets
        )
    return RowMatches(sorted(matches, key=lambda match: match[:2]), refused)


class StandingDocument(Struct):
    """A document, with the version under which it was written."""

    fields: DocumentFields
    version: int = field(name="_version")


async def standing_documents(
    engine: Engine, document_ids: Collection[str]
) -> dict[str, StandingDocument]:
    """Read which of these documents exist, with their versions, in one request."""
    body = {
        "query": {"bool": {"filter": [{"terms": {"document_id": sorted(document_ids)}}]}},
        "size": len(document_ids),
        "sort": ["_doc"],
        "track_total_hits": False,
        "_source": False,
        "version": True,
        "docvalue_fields": HIT_FIELDS,
    }
    hits = (await engine.search("documents", body, StandingDocument)).hits.hits
    return {hit.fields.document_id[0]: hit for hit in hits}


class FilingsWithRows(NamedTuple):
    """A window of documents with matching rows, newest first, counted in all and by day."""

    found: list[MatchingRows]
    total: int
    days: list[DayCount]


class _FilingKey(Struct):
    day: int
    document: str


class _Filing(Struct):
    key: _FilingKey


class _FilingPage(Struct):
    buckets: list[_Filing]
    after_key: dict[str, Any] | None = None


class _Filings(Struct):
    filings: _FilingPage


async def documents_with_rows(
    engine: Engine,
    rows: RowsOfName,
    clauses: Sequence[Clause],
    first: date,
    last: date,
    window: Window,
) -> FilingsWithRows:
    """Find the documents filed on these days with rows that match the clauses."""
    filed = {"range": {"filing_date": {"gte": str(first), "lte": str(last)}}}
    every = await _all_documents(engine, rows.kind, [*clauses, filed])
    counts = dict.fromkeys(_days(first, last), 0)
    for key in every:
        counts[_day(key.day)] += 1
    shown = [key.document for key in every[window.start : window.start + window.size]]
    matched = (await match_rows(engine, rows, [clauses], shown)).found if shown else []
    by_document = {key.document_id: key for key in matched}
    documents = [by_document[key] for key in shown if key in by_document]
    return FilingsWithRows(
        documents, len(every), [DayCount(str(day), count) for day, count in counts.items()]
    )


async def _all_documents(engine: Engine, kind: Kind, clauses: Sequence[Clause]) -> list[_FilingKey]:
    keys: list[_FilingKey] = []
    after: dict[str, Any] | None = None
    while True:
        composite: dict[str, Any] = {
            "size": _PAGE,
            "sources": [
                {"day": {"terms": {"field": "filing_date", "order": "desc"}}},
                {"document": {"terms": {"field": "document_id", "order": "desc"}}},
            ],
        }
        if after is not None:
            composite["after"] = after
        body = {
            "query": {"bool": {"filter": list(clauses)}},
            "size": 0,
            "track_total_hits": False,
            "aggs": {"filings": {"composite": composite}},
        }
        page = (await engine.aggregate(kind, body, _Filings)).filings
        keys += [bucket.key for bucket in page.buckets]
        after = page.after_key
        if after is None or len(page.buckets) < _PAGE:
            return keys


def _days(first: date, last: date) -> list[date]:
    return [first + timedelta(days=number) for number in range((last - first).days + 1)]


def _day(milliseconds: int) -> date:
    return date(1970, 1, 1) + timedelta(milliseconds=milliseconds)
