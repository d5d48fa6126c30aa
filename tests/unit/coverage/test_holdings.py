"""The request for what an installation holds, whole."""

from edgar_search.search.coverage import corpus_statistics_body


def test_holdings_are_counted_exactly_with_their_first_and_last_day() -> None:
    assert corpus_statistics_body() == {
        "size": 0,
        "track_total_hits": True,
        "aggs": {
            "first": {"min": {"field": "filing_date", "format": "yyyy-MM-dd"}},
            "last": {"max": {"field": "filing_date", "format": "yyyy-MM-dd"}},
        },
    }
