"""Documents with any operand: which operands count, what matches, what a hit lacks."""

import pytest

from edgar_search.search.language import parse
from edgar_search.search.query.boosts import person_clause
from edgar_search.search.query.matching import document_clause
from edgar_search.search.query.operands import any_operands, match_any, missing_operands
from edgar_search.search.reading.question import Boosts, Person


def named(query: str, name: str) -> dict[str, object]:
    """Return the clause of an operand that a hit reports by a name."""
    return {"query_string": {**document_clause(parse(query))["query_string"], "_name": name}}


def test_operands_count_once_each() -> None:
    assert len(any_operands(parse("goodwill Goodwill impair* (a1 OR b1) NOT c1"))) == 3
    assert len(any_operands(parse('x1 y1 "b c d e f g h i j k"~2'))) == 3


def test_expensive_phrases_are_all_asked_for() -> None:
    # Eleven words of a loose phrase are more than a third of what is allowed.
    assert match_any(parse('x1 y1 "b c d e f g h i j k l"~2')) is None


@pytest.mark.parametrize("query", ["a1", "a1 NOT c1", "a1 OR b1 OR c1", '"a1 b1 c1"', "a1 A1"])
def test_single_operand_is_asked_for(query: str) -> None:
    assert match_any(parse(query)) is None


def test_no_query_has_no_operands() -> None:
    assert match_any(None) is None


def test_any_operand_matches_and_nothing_excluded() -> None:
    assert match_any(parse("a1 b1 NOT (d1 OR e1) NOT f1")) == {
        "bool": {
            "should": [named("a1", "0"), named("b1", "1")],
            "minimum_should_match": 1,
            "must_not": [document_clause(parse("d1 OR e1")), document_clause(parse("f1"))],
        }
    }


def test_documents_of_whom_a_question_names_match_without_a_score() -> None:
    person = Person(("tim", "timothy"), "cook")
    assert match_any(parse("a1"), Boosts(ciks=("0000000001",), persons=(person,))) == {
        "bool": {
            "should": [
                named("a1", "0"),
                {"constant_score": {"filter": person_clause(person), "boost": 0.0}},
                {"constant_score": {"filter": {"terms": {"ciks": ["0000000001"]}}, "boost": 0.0}},
            ],
            "minimum_should_match": 1,
        }
    }


def test_hit_tells_what_it_lacks() -> None:
    operands = any_operands(parse('agate "beryl citrine" (diamond OR emerald)'))
    assert missing_operands(operands, ["0"]) == ('"beryl citrine"', "(diamond OR emerald)")
    assert missing_operands(operands, ["2", "1", "0"]) == ()
