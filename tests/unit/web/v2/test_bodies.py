"""Bodies of Version 2, whole."""

from datetime import UTC, date, datetime

from edgar_search.search.clauses import document_clause
from edgar_search.search.index_members import IndexMembers
from edgar_search.search.language import Word
from edgar_search.search.tickers import TickerTable
from edgar_search.search.v2_bodies import (
    documents_body,
    entities_body,
    entity_clauses,
    filings_body,
)
from edgar_search.stored.tickers import StoredTickers, TickerRow
from edgar_search.web.v2.entity_parameters import EntityFilters, Window
from edgar_search.web.v2.filing_parameters import FilingFilters, FilingParams, FullTextParams

ROWS = [TickerRow("A", "0000000001", "NYSE"), TickerRow("B", "0000000002", "OTC")]
TABLE = TickerTable([StoredTickers("made up", datetime(2024, 1, 1, tzinfo=UTC), ROWS)])
MEMBERS = IndexMembers({"GSPC": ["A"]})


def test_clauses_of_all_entity_filters() -> None:
    filters = EntityFilters(
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

    def part(field: str, pattern: str) -> object:
        return {"wildcard": {field: {"value": pattern, "case_insensitive": True}}}

    def any_of(*clauses: object) -> object:
        return {"bool": {"should": list(clauses), "minimum_should_match": 1}}

    assert entity_clauses(filters, TABLE, MEMBERS) == [
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
        any_of(part("name", "*a\\*b*"), part("former_names.name", "*a\\*b*")),
        {"bool": {"must_not": [part("name", "*c*"), part("name", "*d*")]}},
    ]


def test_nothing_asked_is_no_clause() -> None:
    assert entity_clauses(EntityFilters(), TABLE, MEMBERS) == []


def test_body_for_entities() -> None:
    assert entities_body([{"a": 1}], Window(5, 7)) == {
        "query": {"bool": {"filter": [{"a": 1}]}},
        "from": 5,
        "size": 2,
        "sort": [{"cik": "asc"}],
        "track_total_hits": True,
    }


FILTERS = FilingFilters(
    form_types=("8-K",),
    excluded_form_types=("4",),
    first_day=date(2024, 1, 1),
    last_day=date(2024, 2, 1),
    items=("2.02",),
    exclude_amendments=True,
)
WANTED = [
    {"terms": {"form_type": ["8-K"]}},
    {"bool": {"should": [{"term": {"items": "2.02"}}], "minimum_should_match": 1}},
    {"range": {"filing_date": {"gte": "2024-01-01", "lte": "2024-02-01"}}},
]
UNWANTED = [{"terms": {"form_type": ["4"]}}, {"wildcard": {"form_type": {"value": "*/A"}}}]


def test_body_for_filings() -> None:
    params = FilingParams((), FILTERS, Window(0, 10), "report_date", "asc")
    assert filings_body(params, ["0000000001"]) == {
        "query": {
            "bool": {"filter": [{"terms": {"ciks": ["0000000001"]}}, *WANTED], "must_not": UNWANTED}
        },
        "from": 0,
        "size": 10,
        "sort": [
            {"period": {"order": "asc", "missing": "_last"}},
            {"accession_number": "asc"},
        ],
        "track_total_hits": True,
        "_source": {"excludes": ["series", "others", "group_members"]},
    }


def test_entity_filters_that_nobody_matches_match_nothing() -> None:
    body = filings_body(FilingParams((), FilingFilters(), Window()), [])
    assert body["query"] == {"bool": {"filter": [{"match_none": {}}], "must_not": []}}


def test_body_for_documents() -> None:
    params = FullTextParams(
        query=Word("a", 1),
        ciks=("0000000003",),
        entities=EntityFilters(),
        filters=FILTERS,
        numbers=("0000000001-24-000001",),
        prefixes=("0000000001-2",),
        window=Window(100, 200),
        sort_by="_score",
    )
    numbers = [
        {"prefix": {"accession_number": "0000000001-2"}},
        {"terms": {"accession_number": ["0000000001-24-000001"]}},
    ]
    assert documents_body(params, None) == {
        "query": {
            "bool": {
                "must": [document_clause(Word("a", 1))],
                "filter": [
                    *WANTED,
                    {"terms": {"ciks": ["0000000003"]}},
                    {"bool": {"should": numbers, "minimum_should_match": 1}},
                ],
                "must_not": UNWANTED,
            }
        },
        "from": 100,
        "size": 100,
        "sort": [{"_score": "desc"}, {"filing_date": "desc"}, {"document_id": "asc"}],
        "track_scores": True,
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
            "document_type",
            "description",
            "size",
            "sics",
            {"field": "accepted_at", "format": "strict_date_time_no_millis"},
        ],
    }
