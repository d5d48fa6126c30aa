"""What is asked of the ledger for `/v1/coverage`: parameters and request body; pure."""

from datetime import date, timedelta
from typing import Any

from msgspec import Struct

from edgar_search.errors import BadRequest
from edgar_search.web.parameters import Parameters, Raw
from edgar_search.web.v1.endpoints import COVERAGE, DEFAULT_DAYS, MAX_DAYS

# Pairs in one reply of the engine, far below its bound on buckets.
PAGE = 2_000
PERCENTS = (50, 90, 99)


class CoverageParams(Struct, frozen=True):
    """Days of filing, both included, and form types; none means all."""

    from_date: date
    to_date: date
    form_types: tuple[str, ...] = ()


def coverage_params(raw: Raw, today: date) -> CoverageParams:
    """The parameters of `/v1/coverage`; BadRequest names what is wrong."""
    parameters = Parameters(raw, COVERAGE.parameters)
    first, last = parameters.days()
    last = last or (max(first, today) if first else today)
    first = first or _days_before(last, DEFAULT_DAYS - 1)
    if (last - first).days >= MAX_DAYS:
        raise BadRequest(f"from_date: {first} to {last} is more than {MAX_DAYS} days; ask in parts")
    return CoverageParams(first, last, parameters.upper("form_type"))


def _days_before(day: date, days: int) -> date:
    """The day so many days earlier, or the first that there is."""
    return day - min(timedelta(days), day - date.min)


def coverage_body(params: CoverageParams, after: dict[str, Any] | None) -> dict[str, Any]:
    """Counts and lags for each day and form, in that order, from the pair `after` on."""
    days = {"gte": params.from_date.isoformat(), "lte": params.to_date.isoformat()}
    filters: list[dict[str, Any]] = [{"range": {"filing_date": days}}]
    if params.form_types:
        filters.append({"terms": {"form_type": list(params.form_types)}})
    day = {"field": "filing_date", "calendar_interval": "day", "format": "yyyy-MM-dd"}
    pairs: dict[str, Any] = {
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


def _measures() -> dict[str, Any]:
    visible = [{"term": {"status": "loaded"}}, {"exists": {"field": "searchable_at"}}]
    return {
        "listed": {"filter": {"exists": {"field": "listed_at"}}},
        "searchable": {"filter": {"bool": {"filter": visible}}},
        "refused": {"filter": {"term": {"status": "refused"}}},
        "deleted": {"filter": {"term": {"status": "deleted"}}},
        "accepted_lag": {"percentiles": {"field": "accepted_lag", "percents": list(PERCENTS)}},
        "listed_lag": {"percentiles": {"field": "listed_lag", "percents": list(PERCENTS)}},
    }
