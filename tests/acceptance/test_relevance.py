"""A small judged set over the real corpus: neither long reports nor short ones always win.

For each query it is plain which kind of document answers it: the long report of a period (or a
prospectus), or a short notice of an event. Judged are the first ten hits, by the kind of document.
`docs/decisions/0008-bm25-as-it-is.md` has what other parameters of BM25 give.
"""

import statistics

from evaluation.judged import ASKS_FOR_NOTICES, ASKS_FOR_REPORTS, LONG_FORMS
from tests.acceptance.service import Service

# What is measured is in `docs/decisions/0025-closeness.md`; a shift of a few hits is no regression.
LEAST_REPORTS, LEAST_NOTICES = 0.8, 0.65


def share_of_long(service: Service, query: str) -> float:
    """Return the share of long documents among the first ten hits."""
    items = service.search(query=query, limit=10)["items"]
    kinds = [_kind(service, item["accnum"], item["document_id"], item["ciks"]) for item in items]
    return statistics.mean(kind in LONG_FORMS for kind in kinds)


def test_reports_are_first_where_reports_are_asked_for(service: Service) -> None:
    share = statistics.mean(share_of_long(service, query) for query in ASKS_FOR_REPORTS)
    assert share >= LEAST_REPORTS


def test_notices_are_first_where_notices_are_asked_for(service: Service) -> None:
    share = statistics.mean(1 - share_of_long(service, query) for query in ASKS_FOR_NOTICES)
    assert share >= LEAST_NOTICES


def _kind(service: Service, accession_number: str, document_id: str, ciks: list[str]) -> str:
    """Return the document's own form type, which only a look-up shows."""
    for filing in service.lookup(cik=",".join(ciks))["filings"]:
        if filing["accnum"] == accession_number:
            return next(
                str(document["form_type"])
                for document in filing["documents"]
                if document["document_id"] == document_id
            )
    raise AssertionError(f"a look-up does not find {accession_number}")
