"""Request bodies for filings as groups of the documents that match."""

from collections.abc import Sequence
from typing import Any

from edgar_search.search.bodies.documents import page_body
from edgar_search.search.clauses import Clause
from edgar_search.search.criteria import DocumentSearch

# Documents of a filing that are shown.
MOST_SHOWN = 5


def groups_body(query: Clause, search: DocumentSearch) -> Clause:
    """The window of filings by the first of their documents in the order of a search."""
    return {
        **page_body(query, search, ["accession_number"]),
        "collapse": {"field": "accession_number"},
    }


def members_body(query: Clause, numbers: Sequence[str], fields: Sequence[Any]) -> Clause:
    """Of the filings of these accession numbers: how many documents match, and the best of them."""
    best = {
        "size": MOST_SHOWN,
        "sort": [{"_score": "desc"}, {"document_id": "asc"}],
        "track_scores": True,
        "stored_fields": "_none_",
        "docvalue_fields": list(fields),
    }
    among = {"field": "accession_number", "include": list(numbers), "size": len(numbers)}
    return {
        "query": {
            "bool": {
                "must": [query],
                "filter": [{"terms": {"accession_number": list(numbers)}}],
            }
        },
        "size": 0,
        "track_total_hits": False,
        "aggs": {
            "filings": {
                "terms": {**among, "shard_size": len(numbers)},
                "aggs": {"best": {"top_hits": best}},
            }
        },
    }


def numbers_body(query: Clause, size: int) -> Clause:
    """The accession numbers of the documents that match, which are `size` at most."""
    return {
        "query": query,
        "size": size,
        "sort": ["_doc"],
        "track_total_hits": False,
        "stored_fields": "_none_",
        "docvalue_fields": ["accession_number"],
    }
