"""Parts of a query that a snippet should show: not the filer's own name."""

import pytest

from edgar_search.search.criteria import DocumentCriteria
from edgar_search.search.language import parse
from edgar_search.search.language.tree import query_text
from edgar_search.search.reading.names import Names
from edgar_search.search.reading.question import read_question
from edgar_search.search.results import DocumentFields, DocumentHit
from edgar_search.search.snippets.meant import (
    asked_years,
    little_words,
    meant_leaves,
    small_words,
)
from edgar_search.stored.filings import entity_value


def meant(criteria: DocumentCriteria, name: str = "APPLE INC") -> str:
    entities = [entity_value(0, "0000320193", name)]
    fields = DocumentFields(["x-1"], ["x"], ["10-K"], ["2024-01-01"], [1], entities)
    return " ".join(map(query_text, meant_leaves(criteria, DocumentHit(fields, 1.0))))


@pytest.mark.parametrize(
    ("query", "name", "expected"),
    [
        ("Apple margins", "APPLE INC", "margins"),
        ("apple margins", "APPLE INC", "margins"),
        ('"Super Micro" directors', "SUPER MICRO COMPUTER, INC.", "directors"),
        ("capital requirements", "CAPITAL ONE CORP", "capital requirements"),
        ("capital one requirements", "CAPITAL ONE CORP", "requirements"),
        ("Apple margins", "PEAR INC", "Apple margins"),
        ("Apple", "APPLE INC", "Apple"),
        ("apple* margins NOT debt", "APPLE INC", "apple* margins"),
    ],
)
def test_names_of_its_filers_are_left_out(query: str, name: str, expected: str) -> None:
    assert meant(DocumentCriteria(parse(query)), name) == expected


def test_ticker_of_a_question_is_left_out_for_its_holder_only() -> None:
    def found(cik: str) -> str:
        reading = read_question("AAPL gross margins", Names({"aapl": [cik]}), asks_names=True)
        return meant(DocumentCriteria(reading.node, reading=reading))

    assert (found("0000320193"), found("0000789019")) == ("gross margins", "gross margins AAPL")


def test_company_of_a_question_is_told_in_the_documents_of_another_one() -> None:
    names = Names({"apple": ["0000320193"], "nokia": ["0000924613"]})
    reading = read_question("Apple Nokia dispute", names, asks_names=True)
    assert meant(DocumentCriteria(reading.node, reading=reading)) == "dispute Nokia"


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Over how many years did they amortize licenses?", {"over", "many", "years"}),
        ("What severance Mark Okerstrom got?", {"mark", "got?"}),
        ("mark of a trade", set()),
        ('"first" license', set()),
    ],
)
def test_words_of_a_question_that_tell_little(question: str, expected: set[str]) -> None:
    reading = read_question(question, asks_names=True)
    assert {*map(query_text, little_words(reading.node, reading.boosts))} == expected


def test_years_of_a_question_are_those_of_its_periods() -> None:
    assert asked_years(read_question("plan of March 2026, FY2025, 3000 units")) == {"2025", "2026"}


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("How many shares will be issued?", True),
        ("What percentage of voting power do insiders hold?", True),
        ("What was the total amount of debt?", True),
        ("Apple total net sales", True),
        ("legacy revenue q2 fy2002", True),
        ("texas instruments number of employees 2006", True),
        ("Who gave revenue guidance?", False),
        ("Why did the auditor resign?", False),
        ("Who owns a share of the mine?", False),
        ("sales tax in many states", False),
    ],
)
def test_question_for_a_number(question: str, asked: bool) -> None:
    assert read_question(question).asks_number is asked


@pytest.mark.parametrize(
    ("question", "small", "expected"),
    [
        ("US HomeCare merger", {"us"}, "HomeCare merger"),
        ("verdict of May, damages", {"may"}, "verdict damages"),
        ("may verdict", set(), "may verdict"),
        ('"May" verdict', set(), '"May" verdict'),
        ("US", {"us"}, "US"),
    ],
)
def test_capitals_tell_words_from_the_small_ones(
    question: str, small: set[str], expected: str
) -> None:
    reading = read_question(question)
    assert small_words(reading.node) == small
    assert meant(DocumentCriteria(reading.node, reading=reading), "PEAR INC") == expected
