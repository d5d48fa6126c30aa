"""Requests to Elasticsearch that count documents by their values, whole."""

from typing import Any

import pytest

from edgar_search.search.facets import FACETS, facets_body, filings_body, values_body

QUERY = {"term": {"text": "goodwill"}}
MONTHS = {
    "date_histogram": {
        "field": "filing_date",
        "calendar_interval": "month",
        "format": "yyyy-MM",
        "min_doc_count": 1,
    }
}


def values(field: str) -> dict[str, Any]:
    return {"terms": {"field": field, "size": 1_000, "shard_size": 1_000}}


def test_all_facets() -> None:
    assert facets_body(QUERY, FACETS) == {
        "query": QUERY,
        "size": 0,
        "track_total_hits": True,
        "aggs": {
            "form_type": values("form_type"),
            "document_type": values("document_type"),
            "company": values("ciks"),
            "sic": values("sics"),
            "state": values("states"),
            "month": MONTHS,
        },
    }


@pytest.mark.parametrize("names", [("year",), ("month",), ("month", "year")])
def test_years_are_counted_by_months(names: tuple[str, ...]) -> None:
    assert facets_body(QUERY, names)["aggs"] == {"month": MONTHS}


def test_known_values() -> None:
    counted = {"size": 2, "shard_size": 2, "include": ["0000000002", "0000000001"]}
    assert values_body(QUERY, {"company": ("0000000002", "0000000001")}) == {
        "query": QUERY,
        "size": 0,
        "track_total_hits": False,
        "aggs": {"company": {"terms": {"field": "ciks", **counted}}},
    }


def test_filings() -> None:
    filings = {"size": 10_000, "shard_size": 10_000, "execution_hint": "map"}
    assert filings_body(QUERY) == {
        "query": QUERY,
        "size": 0,
        "track_total_hits": False,
        "terminate_after": 10_001,
        "aggs": {
            "filings": {"terms": {"field": "accession_number", **filings}},
            "found": {"stats_bucket": {"buckets_path": "filings>_count"}},
        },
    }
