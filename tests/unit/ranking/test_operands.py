"""Documents that lack operands: what is asked, which rows are shown, how they score."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgar_search.search.criteria import Window
from edgar_search.search.language import And, parse
from edgar_search.search.query.matching import document_clause
from edgar_search.search.query.operands import (
    RelaxedQuery,
    at_least,
    choose_level,
    levels,
    match_relaxed,
    missing_operands,
    relax,
    relaxed_warning,
    shift_window,
)
from edgar_search.search.results import DocumentFields, DocumentHit, rank_below, relevance


def of(query: str) -> And:
    """The AND whose operands may be absent."""
    node = relax(parse(query))
    assert node is not None
    return node


@pytest.mark.parametrize(
    "query",
    [
        "a1",
        "a1 NOT c1",
        "a1 OR b1 OR c1",
        '"a1 b1 c1"',
        "a1 A1",
        'a1 "a1"',
        # Eleven words of a loose phrase are more than a third of what is allowed.
        'x1 y1 "b c d e f g h i j k l"~2',
    ],
)
def test_what_is_not_loosened(query: str) -> None:
    assert relax(parse(query)) is None


def test_no_query_is_not_loosened() -> None:
    assert relax(None) is None


def test_operands_count_once_each() -> None:
    assert len(of("goodwill Goodwill impair* (a1 OR b1) NOT c1").positive) == 3
    assert len(of('x1 y1 "b c d e f g h i j k"~2').positive) == 3


def test_clause_is_whole() -> None:
    node = of("a1 b1 c1 NOT (d1 OR e1) NOT f1")
    operands = [document_clause(parse(word))["query_string"] for word in ("a1", "b1", "c1")]
    assert match_relaxed(RelaxedQuery(node, 2)) == {
        "bool": {
            "should": [
                {"query_string": {**each, "_name": str(place)}}
                for place, each in enumerate(operands)
            ],
            "minimum_should_match": 2,
            "must_not": [
                document_clause(parse("a1 b1 c1")),
                document_clause(parse("d1 OR e1")),
                document_clause(parse("f1")),
            ],
        }
    }


def test_counted_are_documents_with_at_least_so_many_and_nothing_excluded() -> None:
    some = document_clause(parse("a1 OR b1 OR c1"))
    some["query_string"]["minimum_should_match"] = 1
    excluded = [document_clause(parse("d1"))]
    assert at_least(of("a1 b1 c1 NOT d1"), 1) == {"bool": {"must": [some], "must_not": excluded}}


def test_levels_go_down_to_any() -> None:
    assert levels(of("a1 b1")) == [1]
    assert levels(of("a1 b1 c1 d1")) == [3, 2, 1]
    assert levels(of(" ".join(f"a{n}" for n in range(20)))) == [19, 18, 17, 16, 15, 14, 13, 1]


@pytest.mark.parametrize(
    ("counts", "expected"), [([10, 50, 99], 3), ([9, 10, 99], 2), ([0, 9, 99], 1), ([0, 0, 2], 1)]
)
def test_as_many_operands_as_ten_documents_have(counts: list[int], expected: int) -> None:
    assert choose_level([3, 2, 1], counts) == expected


def test_hit_tells_what_it_lacks() -> None:
    node = of('agate "beryl citrine" (diamond OR emerald)')
    assert missing_operands(node, ["0"]) == ('"beryl citrine"', "(diamond OR emerald)")
    assert missing_operands(node, ["2", "1", "0"]) == ()


@pytest.mark.parametrize(
    ("window", "rows", "expected"),
    [
        ((0, 20), 3, (0, 17)),
        ((0, 2), 3, (0, 0)),
        ((0, 3), 3, (0, 0)),
        ((2, 5), 3, (0, 2)),
        ((3, 5), 3, (0, 2)),
        ((20, 40), 3, (17, 37)),
        ((0, 20), 0, (0, 20)),
    ],
)
def test_rows_of_the_others(window: tuple[int, int], rows: int, expected: tuple[int, int]) -> None:
    assert shift_window(Window(*window), rows) == Window(*expected)


def hit(score: float) -> DocumentHit:
    return DocumentHit(DocumentFields(["x"], ["x"], ["x"], ["2024-01-01"], [1]), score)


@given(whole=st.floats(0.001, 1e4), other=st.floats(0.001, 1e4))
def test_scores_are_in_the_two_halves(whole: float, other: float) -> None:
    first, second = hit(whole), hit(other)
    rank_below([first], [second], of("a1 b1"))
    assert relevance(first.score) == pytest.approx((1 + relevance(whole)) / 2)
    assert relevance(second.score) == pytest.approx(relevance(other) / 2)
    assert relevance(second.score) < 0.5 < relevance(first.score)


@pytest.mark.parametrize(
    ("query", "least", "expected"),
    [
        (
            "a1 b1 c1 d1",
            3,
            "operands: 1 document has all 4 operands of the query;"
            " 1,234 documents have all but one, and come after",
        ),
        (
            "a1 b1 c1 d1",
            1,
            "operands: 1 document has all 4 operands of the query;"
            " 1,234 documents have at least 1, not all, and come after",
        ),
        (
            "a1 b1",
            1,
            "operands: 1 document has both operands of the query;"
            " 1,234 documents have all but one, and come after",
        ),
    ],
)
def test_warning_says_how_many(query: str, least: int, expected: str) -> None:
    assert relaxed_warning(RelaxedQuery(of(query), least), 1, 1_234) == expected
