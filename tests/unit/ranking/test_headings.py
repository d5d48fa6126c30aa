"""Headings that have all of a query."""

import pytest

from edgar_search.search.language import parse
from edgar_search.search.query.boosts import heading_clauses
from edgar_search.search.query.matching import document_clause


def test_headings_score_if_they_have_all_that_is_wanted() -> None:
    words = [document_clause(parse(each), "headings") for each in ("goodwill", '"sales tax"')]
    assert heading_clauses(parse('goodwill of "sales tax" impair* NOT patent')) == [
        {"constant_score": {"filter": {"bool": {"filter": words}}, "boost": 4.0}}
    ]


@pytest.mark.parametrize(
    "query", ["goodwill", "goodwill the of", "impair*", " ".join(f"word{n}" for n in range(17))]
)
def test_headings_do_not_score_for(query: str) -> None:
    assert heading_clauses(parse(query)) == []
