"""Request bodies, whole."""

from datetime import date
from typing import Any

import pytest

from edgar_search.search.clauses import document_clause
from edgar_search.search.language import Word
from edgar_search.search.v1_bodies import (
    documents_body,
    filings_body,
    filter_clauses,
    passages_body,
)
from edgar_search.web.v1.parameters import Filters, LookupParams, SearchParams

EVERYTHING = Filters(
    ciks=("0000000001", "0000000002"),
    tickers=("A", "B"),
    sics=("3571",),
    form_types=("10-K", "8-K"),
    from_date=date(2024, 1, 1),
    to_date=date(2024, 12, 31),
)
CLAUSES: list[dict[str, Any]] = [
    {"terms": {"ciks": ["0000000001", "0000000002"]}},
    {"terms": {"ciks": ["0000000003"]}},
    {"terms": {"sics": ["3571"]}},
    {"terms": {"form_type": ["10-K", "8-K"]}},
    {"range": {"filing_date": {"gte": "2024-01-01", "lte": "2024-12-31"}}},
]


def test_body_for_filings() -> None:
    assert filings_body(LookupParams(EVERYTHING, 7), ["0000000003"]) == {
        "query": {"bool": {"filter": CLAUSES}},
        "size": 7,
        "sort": [{"filing_date": "desc"}, {"accession_number": "desc"}],
        "track_total_hits": True,
    }


def test_body_for_documents() -> None:
    params = SearchParams(Word("goodwill", 1), EVERYTHING, ("x-1", "x-2"), 20, 40)
    ids = {"terms": {"document_id": ["x-1", "x-2"]}}
    assert documents_body(params, ["0000000003"]) == {
        "query": {
            "bool": {
                "must": [document_clause(Word("goodwill", 1))],
                "filter": [*CLAUSES, ids],
            }
        },
        "from": 40,
        "size": 20,
        "sort": [{"_score": "desc"}, {"filing_date": "desc"}, {"document_id": "asc"}],
        "track_total_hits": True,
        "stored_fields": "_none_",
        "docvalue_fields": [
            "document_id",
            "accession_number",
            "form_type",
            {"field": "filing_date", "format": "strict_date"},
            "entities",
            "file_name",
            "passages",
        ],
    }


def test_body_for_documents_without_filters() -> None:
    body = documents_body(SearchParams(Word("a", 1), Filters()), [])
    assert body["query"] == {"bool": {"must": [document_clause(Word("a", 1))], "filter": []}}


def test_body_for_passages() -> None:
    clause = document_clause(Word("goodwill", 1))
    assert passages_body([clause], ["x-1", "x-2"]) == {
        "query": {
            "bool": {
                "filter": [{"terms": {"document_id": ["x-1", "x-2"]}}],
                "should": [clause],
                "minimum_should_match": 1,
            }
        },
        "collapse": {"field": "document_id"},
        "size": 2,
        "sort": [{"_score": "desc"}, {"number": "asc"}],
        "track_total_hits": False,
        "_source": False,
        "docvalue_fields": ["document_id", "number"],
        "highlight": {
            "type": "unified",
            "number_of_fragments": 0,
            "pre_tags": ["\ufdd0"],
            "post_tags": ["\ufdd1"],
            "fields": {"text": {}},
        },
    }


def test_nothing_asked_gives_no_clause() -> None:
    assert filter_clauses(Filters(), []) == []


def test_tickers_that_nobody_has_match_nothing() -> None:
    assert filter_clauses(Filters(tickers=("NOPE",)), []) == [{"terms": {"ciks": []}}]


@pytest.mark.parametrize(
    ("filters", "bounds"),
    [
        (Filters(from_date=date(2024, 1, 1)), {"gte": "2024-01-01"}),
        (Filters(to_date=date(2024, 1, 1)), {"lte": "2024-01-01"}),
    ],
)
def test_range_may_be_open_on_one_side(filters: Filters, bounds: dict[str, str]) -> None:
    assert filter_clauses(filters, []) == [{"range": {"filing_date": bounds}}]
