"""What alert triggers match, as values and as clauses of the engine; pure."""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

from msgspec import Struct

from edgar_search.search.clauses import document_clause
from edgar_search.search.language import Node
from edgar_search.search.v1_bodies import HIT_FIELDS, filter_clauses
from edgar_search.web.v1.parameters import Filters

Clause = dict[str, Any]


class WatchParams(Struct, frozen=True):
    """What a trigger matches: the documents that a search with these would find.

    Without a query it is the first document of each filing.
    """

    query: Node | None
    filters: Filters


def watch_clause(params: WatchParams, ticker_ciks: Sequence[str]) -> Clause:
    """Documents that match; `ticker_ciks` are the CIKs of the filters' tickers."""
    filters = filter_clauses(params.filters, ticker_ciks)
    if params.query is None:
        return {"bool": {"filter": [*filters, {"term": {"first": True}}]}}
    return {"bool": {"must": [document_clause(params.query)], "filter": filters}}


def watched_body(
    params: WatchParams,
    ticker_ciks: Sequence[str],
    *,
    since: datetime,
    until: datetime,
    limit: int,
    offset: int,
) -> Clause:
    """Documents that match and became searchable in a time, newest first, and how many each day."""
    bounds = {"gt": since, "lte": until}
    moments = {name: moment.isoformat(timespec="milliseconds") for name, moment in bounds.items()}
    loaded = {"range": {"loaded_at": moments}}
    return {
        "query": {"bool": {"must": [watch_clause(params, ticker_ciks)], "filter": [loaded]}},
        "from": offset,
        "size": limit,
        "sort": [{"loaded_at": "desc"}, {"document_id": "asc"}],
        "track_scores": True,
        "track_total_hits": True,
        "stored_fields": "_none_",
        "docvalue_fields": HIT_FIELDS,
        "aggs": {"days": _days(since.date(), until.date())},
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
