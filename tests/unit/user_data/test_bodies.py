"""Request bodies for what belongs to users."""

from datetime import UTC, datetime

from edgar_search.user_data.items import calls_body, items_body


def test_items_are_the_accounts_of_one_area_newest_first() -> None:
    assert items_body("u", "favorites", None, offset=2, size=3) == {
        "query": {
            "bool": {
                "filter": [{"term": {"account": "u"}}, {"term": {"area": "favorites"}}],
                "must_not": [{"term": {"state": "removed"}}],
            }
        },
        "from": 2,
        "size": 3,
        "sort": [{"created_at": "desc"}, {"id": "asc"}],
        "track_total_hits": True,
        "seq_no_primary_term": True,
    }


def test_state_is_one_more_filter() -> None:
    filters = items_body("u", "notifications", "unread")["query"]["bool"]["filter"]
    assert filters[2:] == [{"term": {"state": "unread"}}]


def test_calls_are_those_after_a_moment_and_until_another() -> None:
    after, until = datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 2, 1, 0, 0, 0, 1500, UTC)
    bounds = {"gt": "2024-01-01T00:00:00.000+00:00", "lte": "2024-02-01T00:00:00.001+00:00"}
    assert calls_body("u", after, until, "v1/lookup", offset=2, size=3) == {
        "query": {
            "bool": {
                "filter": [
                    {"term": {"account": "u"}},
                    {"range": {"at": bounds}},
                    {"term": {"endpoint": "v1/lookup"}},
                ]
            }
        },
        "from": 2,
        "size": 3,
        "sort": [{"at": "desc"}, {"id": "desc"}],
        "track_total_hits": True,
    }


def test_calls_without_bounds_are_all_of_the_account() -> None:
    query = calls_body("u", None, None, None)["query"]
    assert query == {"bool": {"filter": [{"term": {"account": "u"}}]}}
