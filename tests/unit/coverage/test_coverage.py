"""Bodies for coverage and for what an installation has, whole."""

from datetime import date

from edgar_search.search.coverage import corpus_statistics_body, coverage_body, missing_body
from edgar_search.search.criteria import CoverageCriteria

CRITERIA = CoverageCriteria(date(2024, 1, 1), date(2024, 1, 31), ("10-K", "8-K"))


def percentiles(field: str) -> object:
    return {"percentiles": {"field": field, "percents": [50, 90, 99]}}


def test_body_for_coverage() -> None:
    visible = [{"term": {"status": "loaded"}}, {"exists": {"field": "searchable_at"}}]
    day = {"field": "filing_date", "calendar_interval": "day", "format": "yyyy-MM-dd"}
    sources = [{"day": {"date_histogram": day}}, {"form": {"terms": {"field": "form_type"}}}]
    assert coverage_body(CRITERIA, None) == {
        "query": {
            "bool": {
                "filter": [
                    {"range": {"filing_date": {"gte": "2024-01-01", "lte": "2024-01-31"}}},
                    {"terms": {"form_type": ["10-K", "8-K"]}},
                ]
            }
        },
        "size": 0,
        "track_total_hits": False,
        "aggs": {
            "pairs": {
                "composite": {"size": 2_000, "sources": sources},
                "aggs": {
                    "listed": {"filter": {"exists": {"field": "listed_at"}}},
                    "searchable": {"filter": {"bool": {"filter": visible}}},
                    "refused": {"filter": {"term": {"status": "refused"}}},
                    "deleted": {"filter": {"term": {"status": "deleted"}}},
                    "withdrawn": {"filter": {"exists": {"field": "withdrawn_at"}}},
                    "accepted_lag": percentiles("accepted_lag"),
                    "listed_lag": percentiles("listed_lag"),
                },
            }
        },
    }


def test_next_page_begins_after_the_last_pair() -> None:
    after = {"day": "2024-01-02", "form": "10-K"}
    composite = coverage_body(CRITERIA, after)["aggs"]["pairs"]["composite"]
    assert composite["after"] == after


def test_body_for_what_is_missing() -> None:
    visible = [{"term": {"status": "loaded"}}, {"exists": {"field": "searchable_at"}}]
    assert missing_body(CRITERIA, 7) == {
        "query": {
            "bool": {
                "filter": [
                    {"range": {"filing_date": {"gte": "2024-01-01", "lte": "2024-01-31"}}},
                    {"terms": {"form_type": ["10-K", "8-K"]}},
                ],
                "must_not": [{"bool": {"filter": visible}}, {"term": {"status": "deleted"}}],
            }
        },
        "size": 7,
        "sort": [{"filing_date": "desc"}, {"form_type": "asc"}, {"seen_at": "desc"}],
        "track_total_hits": True,
        "_source": ["status", "source", "seen_at", "reason", "form_type", "filing_date"],
    }


def test_holdings_are_counted_exactly_with_their_first_and_last_day() -> None:
    assert corpus_statistics_body() == {
        "size": 0,
        "track_total_hits": True,
        "aggs": {
            "first": {"min": {"field": "filing_date", "format": "yyyy-MM-dd"}},
            "last": {"max": {"field": "filing_date", "format": "yyyy-MM-dd"}},
        },
    }
