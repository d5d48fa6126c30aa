"""Request bodies for documents, and for many searches over the same few of them."""

from collections.abc import Callable, Sequence
from datetime import date
from typing import Any

from edgar_search.search.clauses import Clause
from edgar_search.search.criteria import (
    DocumentCriteria,
    DocumentField,
    DocumentSearch,
    Interval,
    Order,
    Window,
)
from edgar_search.search.filters import CikLists, document_query

_FILING_DATE = {"field": "filing_date", "format": "strict_date"}
_ACCEPTED_AT = {"field": "accepted_at", "format": "strict_date_time_no_millis"}
# What a hit shows of a document and its filing.
HIT_FIELDS: list[Any] = [
    "document_id",
    "accession_number",
    "form_type",
    _FILING_DATE,
    "entities",
    "file_name",
    "passages",
]
# The same with everything that is kept of a document beside its text.
FULL_HIT_FIELDS: list[Any] = [
    *HIT_FIELDS,
    "document_type",
    "description",
    "size",
    "sics",
    _ACCEPTED_AT,
]

# What an answer may include of a document and its filing.
DETAIL_FIELDS: list[Any] = [
    *HIT_FIELDS,
    "document_type",
    "description",
    _ACCEPTED_AT,
    {"field": "period", "format": "strict_date"},
    "items",
    "first",
    "archived",
    "text_sha256",
    "_version",
]

_ORDERS: dict[DocumentField, Callable[[Order], list[Clause]]] = {
    "_score": lambda order: [{"_score": order}, {"filing_date": "desc"}],
    "filing_date": lambda order: [{"filing_date": order}],
    "filing": lambda order: [{"filing_date": order}, {"accession_number": order}],
}


def count_body(query: Clause) -> Clause:
    """How many documents match."""
    return {"query": query, "size": 0, "track_total_hits": True}


def documents_body(
    search: DocumentSearch, ciks: CikLists, fields: Sequence[Any] = HIT_FIELDS
) -> Clause:
    """Documents that match, with these fields of each."""
    return page_body(document_query(search.criteria, ciks), search, fields)


def page_body(query: Clause, search: DocumentSearch, fields: Sequence[Any]) -> Clause:
    """The window of a search over what `query` matches, with these fields of each hit."""
    return {
        "query": query,
        "from": search.window.start,
        "size": search.window.size,
        "sort": [*_ORDERS[search.sort_by](search.order), {"document_id": "asc"}],
        # Every hit has its score, in whatever order they come.
        "track_scores": search.sort_by != "_score",
        "track_total_hits": True,
        # Even an id is a stored field, and reading it unpacks what stands beside it: the recovery
        # copy of whole texts. Without stored fields a page takes a quarter of the time.
        "stored_fields": "_none_",
        "docvalue_fields": list(fields),
    }


def new_documents_body(
    criteria: DocumentCriteria, ciks: CikLists, interval: Interval, window: Window
) -> Clause:
    """Documents that match and became searchable in a time, newest first, and how many each day."""
    bounds = {"gt": interval.since, "lte": interval.until}
    moments = {name: moment.isoformat(timespec="milliseconds") for name, moment in bounds.items()}
    loaded = {"range": {"loaded_at": moments}}
    return {
        "query": {"bool": {"must": [document_query(criteria, ciks)], "filter": [loaded]}},
        "from": window.start,
        "size": window.size,
        "sort": [{"loaded_at": "desc"}, {"document_id": "asc"}],
        "track_scores": True,
        "track_total_hits": True,
        "stored_fields": "_none_",
        "docvalue_fields": HIT_FIELDS,
        "aggs": {"days": _days(interval.since.date(), interval.until.date())},
    }


def matching_body(clauses: Sequence[Clause], document_ids: Sequence[str]) -> Clause:
    """Each of the documents that is there, with the numbers of the clauses that match it.

    The clauses are compound ones. They stand under `should`, so that their scores are those of a
    search, over several shards too.
    """
    named = [
        {kind: {**inner, "_name": str(number)}}
        for number, clause in enumerate(clauses)
        for kind, inner in clause.items()
    ]
    return {
        "query": {
            "bool": {
                "filter": [{"terms": {"document_id": list(document_ids)}}],
                "should": named,
                "minimum_should_match": 0,
            }
        },
        "size": len(document_ids),
        "sort": ["_doc"],
        "track_total_hits": False,
        "stored_fields": "_none_",
        "docvalue_fields": HIT_FIELDS,
    }


def _days(first: date, last: date) -> Clause:
    """The number of documents of each day (UTC), also of days that have none."""
    return {
        "date_histogram": {
            "field": "loaded_at",
            "calendar_interval": "day",
            "format": "strict_date",
            "min_doc_count": 0,
            "extended_bounds": {"min": first.isoformat(), "max": last.isoformat()},
        }
    }
