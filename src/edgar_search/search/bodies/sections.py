"""Request bodies for sections of reports."""

from collections.abc import Mapping
from typing import Literal

from edgar_search.search.clauses import Clause

# A form has some twenty items.
_MAX_SECTIONS = 1_000


def sections_body(field: Literal["document_id", "accession_number"], value: str) -> Clause:
    """The sections of a document or of a filing, in order."""
    return {
        "query": {"bool": {"filter": [{"term": {field: value}}]}},
        "size": _MAX_SECTIONS,
        "sort": [{"document_id": "asc"}, {"number": "asc"}],
        "track_total_hits": False,
    }


def sections_at_body(places: Mapping[str, int]) -> Clause:
    """Of each document, by its id, the section in which a place of its text lies."""
    at = [
        [
            {"term": {"document_id": document_id}},
            {"range": {"text_start": {"lte": place}}},
            {"range": {"text_end": {"gt": place}}},
        ]
        for document_id, place in places.items()
    ]
    return {
        "query": {"bool": {"should": [{"bool": {"filter": each}} for each in at]}},
        "size": len(at),
        "sort": ["_doc"],
        "version": True,
        "track_total_hits": False,
    }
