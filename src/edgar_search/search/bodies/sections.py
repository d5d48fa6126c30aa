"""Request bodies for sections of reports."""

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
