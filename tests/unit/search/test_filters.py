"""Criteria to clauses, whole."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

import pytest

from edgar_search.search.criteria import DocumentCriteria, EntityCriteria, FilingCriteria
from edgar_search.search.language import And, Word
from edgar_search.search.query.body import (
    document_query,
    entity_clauses,
    filing_query,
    ticker_lists,
)
from edgar_search.search.query.matching import document_clause, name_clause, part_of_name
from edgar_search.search.query.scoring import scoring_clauses
from edgar_search.search.tickers import IndexMembers, TickerTable
from edgar_search.stored.entities import StoredTickers, TickerRow

ROWS = [TickerRow("A", "0000000001", "NYSE"), TickerRow("B", "0000000002", "OTC")]
TABLE = TickerTable([StoredTickers("made up", datetime(2024, 1, 1, tzinfo=UTC), ROWS)])
MEMBERS = IndexMembers({"GSPC": ["A"]})
FILINGS = FilingCriteria(cik=("0000320193",), ticker=("AAPL",), form_type=("10-K",))
CLAUSES: list[dict[str, Any]] = [
    {"terms": {"ciks": ["0000320193"]}},
    {"terms": {"form_type": ["10-K"]}},
    {"terms": {"ciks": ["0000000001"]}},
]


def filters(criteria: FilingCriteria, *ciks: Sequence[str]) -> Any:
    return filing_query(criteria, ciks)["bool"]["filter"]


def test_nothing_asked_gives_no_clause() -> None:
    assert filing_query(FilingCriteria(), []) == {"bool": {"filter": []}}


def test_tickers_that_nobody_has_match_nothing() -> None:
    criteria = FilingCriteria(ticker=("NOPE",))
    assert filters(criteria, *ticker_lists(criteria, TABLE)) == [{"match_none": {}}]


def test_entity_criteria_that_nobody_matches_match_nothing() -> None:
    criteria = FilingCriteria(entities=(EntityCriteria(sics=("3571",)),))
    assert filters(criteria, []) == [{"match_none": {}}]


def test_tickers_come_to_one_list_of_their_holders() -> None:
    assert ticker_lists(FilingCriteria(ticker=("A", "NOPE", "B")), TABLE) == [
        ["0000000001", "0000000002"]
    ]


def test_without_tickers_there_is_no_list() -> None:
    assert ticker_lists(FilingCriteria(), TABLE) == []


@pytest.mark.parametrize(
    ("criteria", "bounds"),
    [
        (FilingCriteria(from_date=date(2024, 1, 1)), {"gte": "2024-01-01"}),
        (FilingCriteria(to_date=date(2024, 1, 1)), {"lte": "2024-01-01"}),
    ],
)
def test_range_may_be_open_on_one_side(criteria: FilingCriteria, bounds: dict[str, str]) -> None:
    assert filters(criteria) == [{"range": {"filing_date": bounds}}]


def test_query_without_filters() -> None:
    assert document_query(DocumentCriteria(Word("a", 1)), []) == {
        "bool": {"must": [document_clause(Word("a", 1))], "filter": []}
    }


def test_query_with_forms_is_a_filter_with_its_scoring_beside_it() -> None:
    query = And((Word("a", 1), Word("swap", 3, ("swaps",))))
    assert document_query(DocumentCriteria(query, FilingCriteria(cik=("1",))), []) == {
        "bool": {
            "should": scoring_clauses(query),
            "filter": [{"terms": {"ciks": ["1"]}}, document_clause(query)],
        }
    }


def test_criteria_without_a_query_ask_for_first_documents() -> None:
    assert document_query(DocumentCriteria(None, FILINGS), [["0000000001"]]) == {
        "bool": {"filter": [*CLAUSES, {"term": {"first": True}}]}
    }


def test_ticker_that_nobody_has_is_not_dropped() -> None:
    criteria = DocumentCriteria(None, FilingCriteria(ticker=("NOPE",)))
    assert document_query(criteria, ticker_lists(criteria.filings, TABLE)) == {
        "bool": {"filter": [{"match_none": {}}, {"term": {"first": True}}]}
    }


def test_clauses_of_all_entity_criteria() -> None:
    criteria = EntityCriteria(
        ciks=("0000000009",),
        tickers=("A", "NEW"),
        index_tickers=("GSPC",),
        exchanges=("NYSE",),
        entity_types=("OPERATING",),
        name_includes=("a*b",),
        name_excludes=("c", "d"),
        sics=("3571",),
        states=("DE",),
        eins=("000000007",),
    )

    def any_of(*clauses: object) -> object:
        return {"bool": {"should": list(clauses), "minimum_should_match": 1}}

    assert entity_clauses(criteria, TABLE, MEMBERS) == [
        {"terms": {"cik": ["0000000009"]}},
        any_of({"terms": {"cik": ["0000000001"]}}, {"terms": {"tickers": ["NEW"]}}),
        {"terms": {"cik": ["0000000001"]}},
        any_of(
            {"terms": {"cik": ["0000000001"]}},
            {"term": {"exchanges": {"value": "NYSE", "case_insensitive": True}}},
        ),
        {"terms": {"sic": ["3571"]}},
        {"terms": {"state_of_incorporation": ["DE"]}},
        {"terms": {"ein": ["000000007"]}},
        any_of({"term": {"entity_type": {"value": "OPERATING", "case_insensitive": True}}}),
        name_clause("a*b"),
        {"bool": {"must_not": [part_of_name("c"), part_of_name("d")]}},
    ]


def test_no_entity_criteria_are_no_clause() -> None:
    assert entity_clauses(EntityCriteria(), TABLE, MEMBERS) == []


def test_filters_of_a_document_and_its_filing() -> None:
    filings = FilingCriteria(
        form_family=("10-K",),
        state=("VT", "NY"),
        item=("5.02",),
        document_type=("EX-99.1", "EX-99.2"),
        primary=True,
    )
    criteria = DocumentCriteria(None, filings)
    types = [
        {"term": {"document_type": {"value": each, "case_insensitive": True}}}
        for each in ("EX-99.1", "EX-99.2")
    ]
    assert document_query(criteria, []) == {
        "bool": {
            "filter": [
                {"terms": {"root_form": ["10-K"]}},
                {"terms": {"states": ["VT", "NY"]}},
                {"terms": {"items": ["5.02"]}},
                {"bool": {"should": types, "minimum_should_match": 1}},
                {"term": {"first": True}},
            ]
        }
    }
