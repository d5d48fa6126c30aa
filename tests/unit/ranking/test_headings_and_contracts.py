"""Headings that have all of a query, and contracts filed as exhibits."""

import re
from typing import Any

import pytest

from edgar_search.search.language import parse
from edgar_search.search.query.matching import document_clause
from edgar_search.search.query.scoring import below_contracts, heading_clauses

QUERY: dict[str, Any] = {"match_all": {}}


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


def test_contracts_are_lower_unless_the_query_names_one() -> None:
    lower = below_contracts(QUERY, parse("goodwill tax"))["boosting"]
    assert (lower["positive"], lower["negative_boost"]) == (QUERY, 0.85)
    value = lower["negative"]["regexp"]["document_type"]["value"]
    types = ("EX-1", "EX-10", "EX-10.1", "EX-99.1", "EX-13", "EX-101.INS", "10-K")
    assert [each for each in types if re.fullmatch(value, each)] == ["EX-1", "EX-10", "EX-10.1"]
    for query in ('"credit Agreement" fee', "indenture", "bylaws OR charter"):
        assert below_contracts(QUERY, parse(query)) is QUERY
