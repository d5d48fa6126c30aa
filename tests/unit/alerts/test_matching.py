"""Matches: many queries in one request, and what a notification keeps of one."""

import pytest

from edgar_search.alerts.matcher import document_match
from edgar_search.search.criteria import DocumentCriteria
from edgar_search.search.language import Word, parse
from edgar_search.search.results import DocumentFields, DocumentHit
from edgar_search.search.reverse_search import MAX_LEAVES, MAX_QUERIES, groups, leaf_count
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


def test_groups_are_bounded_by_queries_and_by_leaves() -> None:
    assert list(groups([])) == []
    assert list(groups([1] * (MAX_QUERIES + 1))) == [
        range(MAX_QUERIES),
        range(MAX_QUERIES, MAX_QUERIES + 1),
    ]
    assert list(groups([MAX_LEAVES + 1, 1, MAX_LEAVES])) == [range(1), range(1, 2), range(2, 3)]
    assert list(groups([1, 1, 1], most=2)) == [range(2), range(2, 3)]


def test_leaves_are_counted_through_groups() -> None:
    assert leaf_count(None) == 1
    assert leaf_count(parse("a")) == 1
    assert leaf_count(parse('(a OR "b c") dog* NOT e')) == 4


def test_forms_of_a_word_count_as_often_as_they_are_sent() -> None:
    assert leaf_count(Word("swap", 1, ("swaps", "swapped"))) == 5
