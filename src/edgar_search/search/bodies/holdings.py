"""Request body for what an installation holds."""

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
