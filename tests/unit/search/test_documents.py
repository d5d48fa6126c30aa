"""Bodies for documents, whole, as each API version asks."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from typing import Any

from edgar_search.search.criteria import (
    DocumentCriteria,
    DocumentSearch,
    FilingCriteria,
    Interval,
    Window,
)
from edgar_search.search.language import Word, parse
from edgar_search.search.query.body import (
    FULL_HIT_FIELDS,
    HIT_FIELDS,
    CikLists,
    document_query,
    page_body,
    score_query,
)
from edgar_search.search.query.matching import Clause, document_clause
from edgar_search.search.query.proximity import proximity_clause
from edgar_search.search.reverse_search import matching_body
from edgar_search.search.search import new_documents_body

FIELDS: list[Any] = [
    "document_id",
    "accession_number",
    "form_type",
    {"field": "filing_date", "format": "strict_date"},
    "entities",
    "file_name",
    "passages",
]
FILINGS = FilingCriteria(
    cik=("0000000001", "0000000002"),
    ticker=("A", "B"),
    sic=("3571",),
    form_type=("10-K", "8-K"),
    from_date=date(2024, 1, 1),
    to_date=date(2024, 12, 31),
)


def sent(
    search: DocumentSearch, ciks: CikLists, fields: Sequence[Any] = HIT_FIELDS, close: bool = False
) -> Clause:
    """Return the body for the window of a search, with proximity or without."""
    return page_body(score_query(search, ciks, ()).clause(close), search, fields)


def test_body_for_version_1() -> None:
    criteria = DocumentCriteria(Word("goodwill", 1), FILINGS, ("x-1", "x-2"))
    search = DocumentSearch(criteria, Window(40, 60))
    body = sent(search, [["0000000003"]])
    assert {**body, "query": matching(body["query"])} == {
        "query": {
            "bool": {
                "must": [document_clause(Word("goodwill", 1))],
                "filter": [
                    {"terms": {"ciks": ["0000000001", "0000000002"]}},
                    {"terms": {"sics": ["3571"]}},
                    {"terms": {"form_type": ["10-K", "8-K"]}},
                    {"range": {"filing_date": {"gte": "2024-01-01", "lte": "2024-12-31"}}},
                    {"terms": {"ciks": ["0000000003"]}},
                    {"terms": {"document_id": ["x-1", "x-2"]}},
                ],
            }
        },
        "from": 40,
        "size": 20,
        "sort": [{"_score": "desc"}, {"filing_date": "desc"}, {"document_id": "asc"}],
        "track_scores": False,
        "track_total_hits": True,
        "stored_fields": "_none_",
        "docvalue_fields": FIELDS,
    }


def test_proximity_scores_beside_what_matches() -> None:
    node = parse("net sales")
    search = DocumentSearch(DocumentCriteria(node, FILINGS), Window(0, 20))
    plain = sent(search, [])
    scores = [proximity_clause(node)]
    assert sent(search, [], close=True) == {
        **plain,
        "query": {"bool": {"must": [plain["query"]], "should": scores}},
    }


def matching(query: Any) -> Any:
    """Return the query without scores that are added to it."""
    added = query.get("bool", {}).keys() == {"must", "should"}
    return query["bool"]["must"][0] if added else query


def version_2(**sort: Any) -> DocumentSearch:
    filings = FilingCriteria(
        cik=("0000000003",),
        form_type=("8-K",),
        excluded_form_types=("4",),
        from_date=date(2024, 1, 1),
        to_date=date(2024, 2, 1),
        item=("2.02",),
        original=True,
        numbers=("0000000001-24-000001",),
        number_prefixes=("0000000001-2",),
    )
    return DocumentSearch(DocumentCriteria(Word("a", 1), filings), Window(100, 200), **sort)


def test_body_for_version_2() -> None:
    numbers = [
        {"prefix": {"accession_number": "0000000001-2"}},
        {"terms": {"accession_number": ["0000000001-24-000001"]}},
    ]
    body = sent(version_2(), [], FULL_HIT_FIELDS)
    assert {**body, "query": matching(body["query"])} == {
        "query": {
            "bool": {
                "must": [document_clause(Word("a", 1))],
                "filter": [
                    {"terms": {"ciks": ["0000000003"]}},
                    {"terms": {"form_type": ["8-K"]}},
                    {"terms": {"items": ["2.02"]}},
                    {"range": {"filing_date": {"gte": "2024-01-01", "lte": "2024-02-01"}}},
                    {"bool": {"must_not": [{"wildcard": {"form_type": {"value": "*/A"}}}]}},
                    {"bool": {"should": numbers, "minimum_should_match": 1}},
                ],
                "must_not": [{"terms": {"form_type": ["4"]}}],
            }
        },
        "from": 100,
        "size": 100,
        "sort": [{"_score": "desc"}, {"filing_date": "desc"}, {"document_id": "asc"}],
        "track_scores": False,
        "track_total_hits": True,
        "stored_fields": "_none_",
        "docvalue_fields": [
            *FIELDS,
            "document_type",
            "description",
            "size",
            "sics",
            {"field": "accepted_at", "format": "strict_date_time_no_millis"},
        ],
    }


def test_body_by_date_asks_for_scores_too() -> None:
    body = sent(version_2(sort_by="filing_date", order="asc"), [])
    assert body["sort"] == [{"filing_date": "asc"}, {"document_id": "asc"}]
    assert body["track_scores"] is True


def test_trigger_with_a_query_matches_what_a_search_matches() -> None:
    ciks = [["0000000001"]]
    for query in ("net sales", '"net sales" NOT loss', "a OR word"):
        criteria = DocumentCriteria(parse(query), FILINGS)
        search = sent(DocumentSearch(criteria, Window(0, 20)), ciks)
        assert document_query(criteria, ciks) == matching(search["query"])
    # What a wildcard matches adds to the score of a search, and to nothing else.
    criteria = DocumentCriteria(parse("a OR word*"), FILINGS)
    search = sent(DocumentSearch(criteria, Window(0, 20)), ciks)
    assert document_query(criteria, ciks) == matching(search["query"])


def test_new_documents_are_newest_first_with_the_number_of_each_day() -> None:
    interval = Interval(datetime(2024, 1, 1, 12, tzinfo=UTC), datetime(2024, 1, 31, 12, tzinfo=UTC))
    loaded = {"gt": "2024-01-01T12:00:00.000+00:00", "lte": "2024-01-31T12:00:00.000+00:00"}
    assert new_documents_body(DocumentCriteria(None), [], interval, Window(100, 150)) == {
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


def test_each_clause_has_its_number_and_every_document_is_asked_for() -> None:
    one = {"bool": {"must": [{"term": {"text": "a"}}], "filter": []}}
    two = {"bool": {"filter": [{"term": {"first": True}}]}}
    assert matching_body([one, two], ["0009990101-21-000001-1", "0009990101-21-000001-2"]) == {
        "query": {
            "bool": {
                "filter": [
                    {"terms": {"document_id": ["0009990101-21-000001-1", "0009990101-21-000001-2"]}}
                ],
                "should": [
                    {"bool": {"must": [{"term": {"text": "a"}}], "filter": [], "_name": "0"}},
                    {"bool": {"filter": [{"term": {"first": True}}], "_name": "1"}},
                ],
                "minimum_should_match": 0,
            }
        },
        "size": 2,
        "sort": ["_doc"],
        "track_total_hits": False,
        "stored_fields": "_none_",
        "docvalue_fields": HIT_FIELDS,
    }
