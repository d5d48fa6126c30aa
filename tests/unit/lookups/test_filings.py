"""Bodies for filings, whole, as each API version asks."""

from datetime import date

import pytest

from edgar_search.search.criteria import EntityCriteria, FilingCriteria, FilingSearch, Window
from edgar_search.search.filings import filings_body, known_filings_body, listed_slots


def test_body_for_version_1() -> None:
    criteria = FilingCriteria(
        cik=("0000000001", "0000000002"),
        ticker=("A", "B"),
        sic=("3571",),
        form_type=("10-K", "8-K"),
        from_date=date(2024, 1, 1),
        to_date=date(2024, 12, 31),
    )
    assert filings_body(FilingSearch(criteria, Window(0, 7)), [["0000000003"]]) == {
        "query": {
            "bool": {
                "filter": [
                    {"terms": {"ciks": ["0000000001", "0000000002"]}},
                    {"terms": {"sics": ["3571"]}},
                    {"terms": {"form_type": ["10-K", "8-K"]}},
                    {"range": {"filing_date": {"gte": "2024-01-01", "lte": "2024-12-31"}}},
                    {"terms": {"ciks": ["0000000003"]}},
                ]
            }
        },
        "from": 0,
        "size": 7,
        "sort": [
            {"filing_date": {"order": "desc", "missing": "_last"}},
            {"accession_number": "desc"},
        ],
        "track_total_hits": True,
        "_source": True,
    }


def test_body_for_version_2() -> None:
    criteria = FilingCriteria(
        entities=(EntityCriteria(states=("DE",)),),
        form_type=("8-K",),
        excluded_form_types=("4",),
        from_date=date(2024, 1, 1),
        to_date=date(2024, 2, 1),
        item=("2.02", "9.01"),
        original=True,
    )
    search = FilingSearch(criteria, Window(5, 15), "period", "asc")
    assert filings_body(search, [["0000000001"]]) == {
        "query": {
            "bool": {
                "filter": [
                    {"terms": {"form_type": ["8-K"]}},
                    {"terms": {"items": ["2.02", "9.01"]}},
                    {"range": {"filing_date": {"gte": "2024-01-01", "lte": "2024-02-01"}}},
                    {"bool": {"must_not": [{"wildcard": {"form_type": {"value": "*/A"}}}]}},
                    {"terms": {"ciks": ["0000000001"]}},
                ],
                "must_not": [{"terms": {"form_type": ["4"]}}],
            }
        },
        "from": 5,
        "size": 10,
        "sort": [
            {"period": {"order": "asc", "missing": "_last"}},
            {"accession_number": "asc"},
        ],
        "track_total_hits": True,
        "_source": True,
    }


def test_filings_of_a_large_window_come_without_what_few_read() -> None:
    bodies = [
        filings_body(FilingSearch(FilingCriteria(), Window(0, size)), ()) for size in (1_001, 1_002)
    ]
    assert [body["_source"] for body in bodies] == [
        True,
        {"excludes": ["series", "others", "group_members"]},
    ]


def test_body_for_known_filings() -> None:
    numbers = ["0000000001-24-000001", "0000000001-24-000002"]
    assert known_filings_body(numbers) == {
        "query": {"bool": {"filter": [{"terms": {"accession_number": numbers}}]}},
        "size": 2,
        "track_total_hits": False,
        "_source": {"excludes": ["series", "others", "group_members"]},
    }


@pytest.mark.parametrize(("window", "slots"), [((0, 49), 1), ((0, 50), 2), ((900, 1000), 3)])
def test_list_takes_a_slot_more_for_each_50_filings(window: tuple[int, int], slots: int) -> None:
    assert listed_slots(FilingSearch(FilingCriteria(), Window(*window))) == slots
