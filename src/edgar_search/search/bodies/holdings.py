"""Request body for what an installation holds."""

from datetime import date

from edgar_search.search.clauses import Clause


def holdings_body() -> Clause:
    """The number of all filings, and their first and last day."""
    return {
        "size": 0,
        "track_total_hits": True,
        "aggs": {
            "first": {"min": {"field": "filing_date", "format": "yyyy-MM-dd"}},
            "last": {"max": {"field": "filing_date", "format": "yyyy-MM-dd"}},
        },
    }


def last_day_body(most: date) -> Clause:
    """The last day of filings up to `most`."""
    return {
        "query": {"range": {"filing_date": {"lte": most.isoformat()}}},
        "size": 0,
        "track_total_hits": False,
        "aggs": {"last": {"max": {"field": "filing_date", "format": "yyyy-MM-dd"}}},
    }
