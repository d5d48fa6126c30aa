"""Request bodies for passages of documents."""

from collections.abc import Mapping, Sequence

from edgar_search.search.clauses import Clause
from edgar_search.search.snippet import MARK_END, MARK_START
from edgar_search.stored.passage import passage_id


def passages_body(clauses: Sequence[Clause], document_ids: Sequence[str]) -> Clause:
    """Of each document the passage that matches the clauses best, whole and with marks."""
    return {
        "query": {
            "bool": {
                "filter": [{"terms": {"document_id": list(document_ids)}}],
                "should": list(clauses),
                "minimum_should_match": 1,
            }
        },
        "collapse": {"field": "document_id"},
        "size": len(document_ids),
        "sort": [{"_score": "desc"}, {"number": "asc"}],
        "track_total_hits": False,
        "_source": False,
        "docvalue_fields": ["document_id", "number"],
        "highlight": {
            "type": "unified",
            "number_of_fragments": 0,
            "pre_tags": [MARK_START],
            "post_tags": [MARK_END],
            "fields": {"text": {}},
        },
    }


def beginnings_body(counts: Mapping[str, int]) -> Clause:
    """Of each document so many of its first passages."""
    ids = [passage_id(key, number) for key, count in counts.items() for number in range(count)]
    return {
        "query": {"ids": {"values": ids}},
        "size": len(ids),
        "sort": ["_doc"],
        "track_total_hits": False,
    }
