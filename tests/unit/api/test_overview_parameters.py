"""The parameters of the endpoints that report a search as a whole."""

from datetime import date

import pytest

from edgar_search.api.check import check_params
from edgar_search.api.facets import facets_params
from edgar_search.errors import BadRequest
from edgar_search.search.criteria import DocumentCriteria, FacetSearch, FilingCriteria
from edgar_search.search.language import Word
from tests.support.refusals import NO_QUERY

ALL = ("form_type", "document_type", "year", "month", "company", "sic", "state")


def facets(**raw: str) -> FacetSearch:
    return facets_params({name: [value] for name, value in raw.items()})


def check(**raw: str) -> DocumentCriteria:
    return check_params({name: [value] for name, value in raw.items()}).criteria


def test_facets_of_a_query() -> None:
    criteria = DocumentCriteria(Word("goodwill", 1), all_documents=True)
    assert facets(query="goodwill") == FacetSearch(criteria, ALL, 20)


def test_facets_with_everything() -> None:
    params = facets(query="goodwill", sic="1", ids="x", operands="most", by="sic,year", limit="500")
    criteria = DocumentCriteria(
        Word("goodwill", 1), FilingCriteria(sic=("0001",)), ("x",), all_documents=True
    )
    assert params == FacetSearch(criteria, ("sic", "year"), 500, "most")


def test_a_filter_is_enough_for_facets() -> None:
    filings = FilingCriteria(from_date=date(2024, 1, 2))
    criteria = DocumentCriteria(None, filings, all_documents=True)
    assert facets(from_date="2024-01-02").criteria == criteria


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({}, "`query` is missing, and so is every filter; give one of them"),
        (
            {"query": " ", "word_forms": "all", "by": "sic"},
            "`query` is missing, and so is every filter; give one of them",
        ),
        ({"query": "a", "limit": "501"}, "`limit` must be from 1 to 500, not 501"),
        ({"query": "a", "by": "sics"}, f"`by` may have {', '.join(ALL)}, auditor, not `sics`"),
        ({"query": "a OR"}, "query: OR with nothing after it at character 3; write a word, a"),
        ({"query": "a", "sort": "newest"}, "`sort` is not a parameter; known are api_key, query,"),
    ],
)
def test_refused_facets(raw: dict[str, str], message: str) -> None:
    with pytest.raises(BadRequest) as caught:
        facets(**raw)
    assert str(caught.value).startswith(message)


def test_check_takes_what_a_search_finds_by() -> None:
    criteria = DocumentCriteria(Word("goodwill", 1), FilingCriteria(state=("NY",)))
    assert check(query="goodwill", state="ny") == criteria


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        ({"state": "NY"}, NO_QUERY),
        ({"query": "a", "limit": "1"}, "`limit` is not a parameter; known are api_key, query,"),
    ],
)
def test_refused_checks(raw: dict[str, str], message: str) -> None:
    with pytest.raises(BadRequest) as caught:
        check(**raw)
    assert str(caught.value).startswith(message)
