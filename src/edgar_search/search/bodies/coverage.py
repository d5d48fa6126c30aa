"""Request body for what the ledger has of each day and form."""

from collections.abc import Sequence
from datetime import date
from typing import Any

from edgar_search.search.clauses import Clause
from edgar_search.search.criteria import CoverageCriteria

# Pairs in one reply of the engine, far below its bound on buckets.
PAGE = 2_000
PERCENTS = (50, 90, 99)
# Days of one question: a year has about 80,000 pairs of day and form.
MAX_DAYS = 366
# Of what became searchable in the last day.
LAST_PERCENTS = (50.0, 95.0)
# What tells that each step of getting filings last came to its end.
LEDGER_STEPS = {"list": "listed_at", "fetch": "fetched_at", "load": "searchable_at"}


def coverage_body(criteria: CoverageCriteria, after: dict[str, Any] | None) -> Clause:
    """Counts and lags for each day and form, in that order, from the pair `after` on."""
    filters = _filters(criteria)
    day = {"field": "filing_date", "calendar_interval": "day", "format": "yyyy-MM-dd"}
    pairs: Clause = {
        "size": PAGE,
        "sources": [{"day": {"date_histogram": day}}, {"form": {"terms": {"field": "form_type"}}}],
    }
    if after is not None:
        pairs["after"] = after
    return {
        "query": {"bool": {"filter": filters}},
        "size": 0,
        "track_total_hits": False,
        "aggs": {"pairs": {"composite": pairs, "aggs": _measures()}},
    }


def missing_body(criteria: CoverageCriteria, size: int) -> Clause:
    """Entries of what waits or was refused, newest first."""
    searchable = {"bool": {"filter": _visible()}}
    return {
        "query": {
            "bool": {
                "filter": _filters(criteria),
                "must_not": [searchable, {"term": {"status": "deleted"}}],
            }
        },
        "size": size,
        "sort": [{"filing_date": "desc"}, {"form_type": "asc"}, {"seen_at": "desc"}],
        "track_total_hits": True,
        "_source": ["status", "source", "seen_at", "reason", "form_type", "filing_date"],
    }


def missing_days_body(criteria: CoverageCriteria) -> Clause:
    """The business days of a range of which EDGAR lists nothing; a range has 366 at most."""
    return {
        "query": {"range": {"day": _bounds(criteria)}},
        "size": MAX_DAYS,
        "sort": [{"day": "asc"}],
        "track_total_hits": False,
    }


def future_body(last: date, size: int) -> Clause:
    """Entries of what is loaded and has a date after `last`, the latest first."""
    filters = [{"term": {"status": "loaded"}}, {"range": {"filing_date": {"gt": last.isoformat()}}}]
    return {
        "query": {"bool": {"filter": filters}},
        "size": size,
        "sort": [{"filing_date": "desc"}],
        "track_total_hits": True,
    }


def withdrawn_body(numbers: Sequence[str]) -> Clause:
    """The body for those of these submissions that EDGAR has removed, and since when."""
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


def _bounds(criteria: CoverageCriteria) -> Clause:
    return {"gte": criteria.first_day.isoformat(), "lte": criteria.last_day.isoformat()}


def _filters(criteria: CoverageCriteria) -> list[Clause]:
    filters: list[Clause] = [{"range": {"filing_date": _bounds(criteria)}}]
    if criteria.form_types:
        filters.append({"terms": {"form_type": list(criteria.form_types)}})
    return filters


def _visible() -> list[Clause]:
    return [{"term": {"status": "loaded"}}, {"exists": {"field": "searchable_at"}}]


def _measures() -> Clause:
    visible = _visible()
    return {
        "listed": {"filter": {"exists": {"field": "listed_at"}}},
        "searchable": {"filter": {"bool": {"filter": visible}}},
        "refused": {"filter": {"term": {"status": "refused"}}},
        "deleted": {"filter": {"term": {"status": "deleted"}}},
        "withdrawn": {"filter": {"exists": {"field": "withdrawn_at"}}},
        "accepted_lag": {"percentiles": {"field": "accepted_lag", "percents": list(PERCENTS)}},
        "listed_lag": {"percentiles": {"field": "listed_lag", "percents": list(PERCENTS)}},
    }


def ledger_body() -> Clause:
    """How many submissions have each status, when one was loaded last, and how long they took."""
    lag = {"percentiles": {"field": "listed_lag", "percents": list(LAST_PERCENTS)}}
    day = {"range": {"searchable_at": {"gte": "now-1d"}}}
    return {
        "size": 0,
        "track_total_hits": False,
        "aggs": {
            "status": {"terms": {"field": "status", "size": 10}},
            "newest": {"max": {"field": "loaded_at"}},
            **{step: {"max": {"field": field}} for step, field in LEDGER_STEPS.items()},
            "day": {"filter": day, "aggs": {"lag": lag}},
            "pending": {
                "filter": {"term": {"status": "pending"}},
                "aggs": {"since": {"min": {"field": "claimed_at"}}},
            },
        },
    }
