"""Request bodies of walks: what goes on after a row, and the views that are open; pure."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from edgar_search.search.clauses import Clause


def walked_body(page: Clause, after: Sequence[Any] | None, *, counted: bool) -> Clause:
    """The body of a first page as that of what follows a row, whose sort values are `after`.

    `counted` asks how many match in all.
    """
    body = {**page, "track_total_hits": counted}
    return body if after is None else {**body, "search_after": list(after)}


def open_snapshots_body(account: str, now: datetime) -> Clause:
    """How many snapshots are open, of this account too, and when the first of them expire."""
    first = {"first": {"min": {"field": "expires_at"}}}
    return {
        "query": {"range": {"expires_at": {"gt": _moment(now)}}},
        "size": 0,
        "track_total_hits": True,
        "aggs": {**first, "own": {"filter": {"term": {"account": account}}, "aggs": first}},
    }


def listed_snapshots_body(now: datetime, size: int) -> Clause:
    """Up to `size` snapshots that are open, as they are stored, those that expire first."""
    return {
        "query": {"range": {"expires_at": {"gt": _moment(now)}}},
        "size": size,
        "sort": [{"expires_at": "asc"}],
        "track_total_hits": False,
        "seq_no_primary_term": True,
    }


def idle_snapshots_body(now: datetime, idle_until: datetime) -> Clause:
    """How many snapshots are open, and how many of these expire by `idle_until`."""
    return {
        "query": {"range": {"expires_at": {"gt": _moment(now)}}},
        "size": 0,
        "track_total_hits": True,
        "aggs": {"idle": {"filter": {"range": {"expires_at": {"lte": _moment(idle_until)}}}}},
    }


def expired_snapshots_body(now: datetime, size: int) -> Clause:
    """Up to `size` snapshots that have expired, as they are stored."""
    return {
        "query": {"range": {"expires_at": {"lte": _moment(now)}}},
        "size": size,
        "sort": ["_doc"],
        "track_total_hits": False,
        "_source": False,
        "seq_no_primary_term": True,
    }


def _moment(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds")
