"""Events near filings: how they are written, and the windows that their days become."""

from datetime import date

import pytest

from edgar_search.api.lookup import lookup_params
from edgar_search.errors import BadRequest
from edgar_search.search.criteria import FilingCriteria, JoinedEvent
from edgar_search.search.joined_events import events_body, events_text, read_events
from edgar_search.search.query.body import cik_window, filing_query


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ("8-K:4.01,365d", (JoinedEvent("8-K", "4.01", 365),)),
        ("8-k : 5 , 1D", (JoinedEvent("8-K", "5", 1),)),
        (
            "8-K:4.01,365d before,4:p,90d  after",
            (JoinedEvent("8-K", "4.01", 365, "before"), JoinedEvent("4", "P", 90, "after")),
        ),
        ("4:P,9d,4:P,9d", (JoinedEvent("4", "P", 9),)),
    ],
)
def test_events_are_read_and_written(text: str, events: tuple[JoinedEvent, ...]) -> None:
    assert read_events(text) == events
    assert read_events(events_text(events)) == events


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("8-K:4.01", "each event has a number of days behind it, such as `8-K:4.01,365d`"),
        ("10-K:1,3d", "an event is an 8-K with an item (`8-K:4.01`) or a transaction of Form 4"),
        ("8-K:4.01,365", "the days must be from `1d` to `1100d`, or such as `90d after`"),
        ("8-K:4.01,0d", "the days must be from `1d` to `1100d`"),
        ("8-K:4.01,1101d", "the days must be from `1d` to `1100d`"),
        ("8-K:P,3d", "`P` is no item of an 8-K, such as 4.01"),
        ("8-K:99.99,3d", "`99.99` is no item of an 8-K, such as 4.01"),
        ("4:Y,3d", "codes of transactions are P, S, V,"),
        ("4:P,1d,4:S,1d,4:A,1d", "may have at most 2 events"),
        ("4:P,٣d", "the days must be from"),
    ],
)
def test_wrong_events_are_refused(text: str, error: str) -> None:
    with pytest.raises(BadRequest) as refused:
        lookup_params({"with": [text]})
    assert str(refused.value).startswith("`with`")
    assert error in str(refused.value)


def test_a_filing_must_be_within_a_window_of_its_company() -> None:
    one, other = date(2020, 1, 1), date(2020, 2, 1)
    windows = [
        cik_window("1", one, other),
        cik_window("2", one, other),
        cik_window("2", other, other),
    ]

    (clause,) = filing_query(FilingCriteria(), [windows])["bool"]["filter"]
    first, second = clause["bool"]["should"]
    assert first["bool"]["filter"] == [
        {"terms": {"ciks": ["1", "2"]}},
        {"range": {"filing_date": {"gte": "2020-01-01", "lte": "2020-02-01"}}},
    ]
    assert second["bool"]["filter"][0] == {"terms": {"ciks": ["2"]}}
    assert filing_query(FilingCriteria(), [[]])["bool"]["filter"] == [{"match_none": {}}]


def test_events_are_looked_up_near_the_dates_of_the_search_only() -> None:
    (event,) = read_events("8-K:4.01,30d")
    criteria = FilingCriteria(cik=("0000000001",), from_date=date(2020, 3, 1), to_date=date.max)

    filters = events_body(event, criteria, [["0000000002"]])["query"]["bool"]["filter"]
    assert filters[2:] == [
        {"terms": {"ciks": ["0000000002"]}},
        {"terms": {"ciks": ["0000000001"]}},
        {"range": {"filing_date": {"gte": "2020-01-31", "lte": "9999-12-31"}}},
    ]
