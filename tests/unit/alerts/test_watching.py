"""Request bodies for what alert triggers match."""

from datetime import UTC, datetime

from edgar_search.alerts.watching import WatchParams, watch_clause, watched_body
from edgar_search.search.language import parse
from edgar_search.search.v1_bodies import HIT_FIELDS, beginnings_body, documents_body
from edgar_search.web.v1.parameters import Filters, SearchParams

FILTERS = Filters(ciks=("0000320193",), tickers=("AAPL",), form_types=("10-K",))
CLAUSES = [
    {"terms": {"ciks": ["0000320193"]}},
    {"terms": {"ciks": ["0000000001"]}},
    {"terms": {"form_type": ["10-K"]}},
]


def test_trigger_with_a_query_asks_what_a_search_asks() -> None:
    for query in ("net sales", '"net sales" NOT loss', "a OR word*"):
        search = documents_body(SearchParams(parse(query), FILTERS), ["0000000001"])
        assert watch_clause(WatchParams(parse(query), FILTERS), ["0000000001"]) == search["query"]


def test_trigger_without_a_query_asks_for_first_documents() -> None:
    assert watch_clause(WatchParams(None, FILTERS), ["0000000001"]) == {
        "bool": {"filter": [*CLAUSES, {"term": {"first": True}}]}
    }


def test_ticker_that_nobody_has_is_not_dropped() -> None:
    assert watch_clause(WatchParams(None, Filters(tickers=("NOPE",))), []) == {
        "bool": {"filter": [{"terms": {"ciks": []}}, {"term": {"first": True}}]}
    }


def test_trial_is_newest_first_with_the_number_of_each_day() -> None:
    params = WatchParams(None, Filters())
    body = watched_body(
        params,
        [],
        since=datetime(2024, 1, 1, 12, tzinfo=UTC),
        until=datetime(2024, 1, 31, 12, tzinfo=UTC),
        limit=50,
        offset=100,
    )
    loaded = {"gt": "2024-01-01T12:00:00.000+00:00", "lte": "2024-01-31T12:00:00.000+00:00"}
    assert body == {
        "query": {
            "bool": {
                "must": [{"bool": {"filter": [{"term": {"first": True}}]}}],
                "filter": [{"range": {"loaded_at": loaded}}],
            }
        },
        "from": 100,
        "size": 50,
        "sort": [{"loaded_at": "desc"}, {"document_id": "asc"}],
        "track_scores": True,
        "track_total_hits": True,
        "stored_fields": "_none_",
        "docvalue_fields": HIT_FIELDS,
        "aggs": {
            "days": {
                "date_histogram": {
                    "field": "loaded_at",
                    "calendar_interval": "day",
                    "format": "strict_date",
                    "min_doc_count": 0,
                    "extended_bounds": {"min": "2024-01-01", "max": "2024-01-31"},
                }
            }
        },
    }


def test_beginnings_are_the_first_passages() -> None:
    assert beginnings_body(["0000320193-24-000001-1", "0000320193-24-000001-2"]) == {
        "query": {"ids": {"values": ["0000320193-24-000001-1#0", "0000320193-24-000001-2#0"]}},
        "size": 2,
        "track_total_hits": False,
        "_source": ["document_id", "text"],
    }
