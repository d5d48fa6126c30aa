"""Request bodies for what belongs to users; pure."""

from datetime import datetime
from typing import Any

from edgar_search.stored.user_item import REMOVED, Area

Clause = dict[str, Any]


def items_body(
    account: str, area: Area, state: str | None, *, offset: int = 0, size: int = 0
) -> Clause:
    """An account's items of an area, of one state or of all, newest first; never removed ones."""
    clauses: list[Clause] = [{"term": {"account": account}}, {"term": {"area": area}}]
    if state is not None:
        clauses.append({"term": {"state": state}})
    return {
        "query": {"bool": {"filter": clauses, "must_not": [{"term": {"state": REMOVED}}]}},
        "from": offset,
        "size": size,
        "sort": [{"created_at": "desc"}, {"id": "asc"}],
        "track_total_hits": True,
        "seq_no_primary_term": True,
    }


def area_body(area: Area, state: str, size: int, after: str | None) -> Clause:
    """Items of an area and state, of all accounts, in the order of their ids, behind `after`."""
    clauses: list[Clause] = [{"term": {"area": area}}, {"term": {"state": state}}]
    body: Clause = {
        "query": {"bool": {"filter": clauses}},
        "size": size,
        "sort": [{"id": "asc"}],
        "track_total_hits": False,
        "seq_no_primary_term": True,
    }
    return body if after is None else {**body, "search_after": [after]}


def calls_body(
    account: str,
    after: datetime | None,
    until: datetime | None,
    endpoint: str | None,
    *,
    offset: int = 0,
    size: int = 0,
) -> Clause:
    """An account's calls, newest first; `after` itself is excluded, `until` is not."""
    clauses: list[Clause] = [{"term": {"account": account}}]
    bounds = {"gt": after, "lte": until}
    moments = {name: _moment(moment) for name, moment in bounds.items() if moment}
    if moments:
        clauses.append({"range": {"at": moments}})
    if endpoint is not None:
        clauses.append({"term": {"endpoint": endpoint}})
    return {
        "query": {"bool": {"filter": clauses}},
        "from": offset,
        "size": size,
        "sort": [{"at": "desc"}, {"id": "desc"}],
        "track_total_hits": True,
    }


def days_body(account: str, since: datetime) -> Clause:
    """How many calls an account made on each day (UTC) since a moment."""
    days = {"field": "at", "calendar_interval": "day", "format": "yyyy-MM-dd"}
    made = [{"term": {"account": account}}, {"range": {"at": {"gte": _moment(since)}}}]
    return {
        "query": {"bool": {"filter": made}},
        "size": 0,
        "track_total_hits": False,
        "aggs": {"days": {"date_histogram": {**days, "min_doc_count": 1}}},
    }


def _moment(moment: datetime) -> str:
    # As the index has it: to the millisecond, in the one form that its mapping takes.
    return moment.isoformat(timespec="milliseconds")


def filing_body(accession_number: str) -> Clause:
    """The filing of this accession number with the ids of its documents."""
    return {
        "query": {"ids": {"values": [accession_number]}},
        "size": 1,
        "_source": ["documents.document_id"],
    }


def filings_of_body(cik: str) -> Clause:
    """Whether any filing has an entity of this CIK."""
    query = {"bool": {"filter": [{"term": {"ciks": cik}}]}}
    return {"query": query, "size": 1, "terminate_after": 1, "_source": ["documents.document_id"]}
