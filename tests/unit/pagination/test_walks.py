"""Bodies of walks."""

from datetime import UTC, datetime, timedelta

from edgar_search.search.pagination import next_page_body
from edgar_search.search.snapshots import (
    expired_snapshots_body,
    idle_snapshots_body,
    listed_snapshots_body,
    open_snapshots_body,
)

NOW = datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_page_becomes_what_follows_a_row() -> None:
    page = {"query": {}, "from": 0, "size": 3, "sort": ["x"], "track_total_hits": True}
    assert next_page_body(page, ["a", 1], counted=False) == {
        "query": {},
        "from": 0,
        "size": 3,
        "sort": ["x"],
        "track_total_hits": False,
        "search_after": ["a", 1],
    }
    assert next_page_body(page, None, counted=True) == page


def test_open_snapshots_are_counted() -> None:
    first = {"first": {"min": {"field": "expires_at"}}}
    assert open_snapshots_body("someone", NOW) == {
        "query": {"range": {"expires_at": {"gt": "2024-01-02T03:04:05.000+00:00"}}},
        "size": 0,
        "track_total_hits": True,
        "aggs": {**first, "own": {"filter": {"term": {"account": "someone"}}, "aggs": first}},
    }


def test_open_snapshots_are_listed_by_their_end_with_what_a_delete_needs() -> None:
    assert listed_snapshots_body(NOW, 200) == {
        "query": {"range": {"expires_at": {"gt": "2024-01-02T03:04:05.000+00:00"}}},
        "size": 200,
        "sort": [{"expires_at": "asc"}],
        "track_total_hits": False,
        "seq_no_primary_term": True,
    }


def test_idle_snapshots_are_counted() -> None:
    idle = {"range": {"expires_at": {"lte": "2024-01-02T03:08:05.000+00:00"}}}
    assert idle_snapshots_body(NOW, NOW + timedelta(minutes=4)) == {
        "query": {"range": {"expires_at": {"gt": "2024-01-02T03:04:05.000+00:00"}}},
        "size": 0,
        "track_total_hits": True,
        "aggs": {"idle": {"filter": idle}},
    }


def test_expired_snapshots_are_found_as_they_are_stored() -> None:
    assert expired_snapshots_body(NOW, 100) == {
        "query": {"range": {"expires_at": {"lte": "2024-01-02T03:04:05.000+00:00"}}},
        "size": 100,
        "sort": ["_doc"],
        "track_total_hits": False,
        "_source": False,
        "seq_no_primary_term": True,
    }
