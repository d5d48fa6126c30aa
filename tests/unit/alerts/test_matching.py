"""What a notification keeps of a match."""

import pytest

from edgar_search.alerts.matcher import document_match
from edgar_search.search.criteria import DocumentCriteria
from edgar_search.search.language import parse
from edgar_search.search.results import DocumentFields, DocumentHit
from edgar_search.stored.user_items import DocumentMatch

HIT = DocumentHit(
    DocumentFields(
        document_id=["0000000002-24-000001-1"],
        accession_number=["0000000002-24-000001"],
        form_type=["SC 13D"],
        filing_date=["2024-01-31"],
        passages=[3],
        entities=["0000 0000000002 Filer Ltd", "0001 0000000001 Subject Inc"],
        file_name=["d.htm"],
    ),
    45.0,
)


@pytest.mark.parametrize(("query", "score"), [("stars", 0.75), (None, 1.0)])
def test_match_is_kept_as_the_document_was_then(query: str | None, score: float) -> None:
    criteria = DocumentCriteria(None if query is None else parse(query))
    assert document_match(criteria, HIT, "a <mark>b</mark>") == DocumentMatch(
        related_company_names=["Filer Ltd", "Subject Inc"],
        ciks=["0000000002", "0000000001"],
        accnum="0000000002-24-000001",
        filename="d.htm",
        filing_date="2024-01-31",
        form_type="SC 13D",
        snippet="a <mark>b</mark>",
        score=score,
        document_id="0000000002-24-000001-1",
    )
