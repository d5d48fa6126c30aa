"""Requests to Elasticsearch for filings of documents, whole."""

from edgar_search.search.criteria import DocumentCriteria, DocumentSearch, Window
from edgar_search.search.groups import groups_body, members_body

QUERY = {"term": {"text": "goodwill"}}


def test_filings() -> None:
    search = DocumentSearch(DocumentCriteria(None), Window(20, 30), grouped=True)
    assert groups_body(QUERY, search) == {
        "query": QUERY,
        "from": 20,
        "size": 10,
        "sort": [{"_score": "desc"}, {"filing_date": "desc"}, {"document_id": "asc"}],
        "track_scores": False,
        "track_total_hits": True,
        "stored_fields": "_none_",
        "docvalue_fields": ["accession_number"],
        "collapse": {"field": "accession_number"},
    }


def test_documents_of_filings() -> None:
    numbers = ["0009990411-21-000001", "0009990411-21-000000"]
    best = {
        "size": 5,
        "sort": [{"_score": "desc"}, {"document_id": "asc"}],
        "track_scores": True,
        "stored_fields": "_none_",
        "docvalue_fields": ["document_id"],
    }
    among = {"field": "accession_number", "include": numbers, "size": 2, "shard_size": 2}
    assert members_body(QUERY, numbers, ["document_id"]) == {
        "query": {"bool": {"must": [QUERY], "filter": [{"terms": {"accession_number": numbers}}]}},
        "size": 0,
        "track_total_hits": False,
        "aggs": {"filings": {"terms": among, "aggs": {"best": {"top_hits": best}}}},
    }
