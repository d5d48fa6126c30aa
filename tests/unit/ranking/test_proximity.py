"""The parts of a query that are looked for close together, whole."""

from typing import Any

import pytest

from edgar_search.search.language import And, Word, parse
from edgar_search.search.query.proximity import proximity_clause


def sources(query: str, broad: tuple[str, ...] = ()) -> list[Any]:
    """Return the sources of the clause; none if there is no clause."""
    clause = proximity_clause(parse(query), broad)
    if clause is None:
        return []
    found: list[Any] = close(clause)["intervals"]
    return found


def close(clause: Any) -> Any:
    """Return a clause for words within this distance."""
    return clause["bool"]["should"][0]["constant_score"]["filter"]["intervals"]["text"]["all_of"]


def neighbours(query: str, broad: tuple[str, ...] = ()) -> list[Any]:
    """Return the pairs of sources of which one follows the other."""
    clause = proximity_clause(parse(query), broad)
    assert clause is not None
    pairs = [each["intervals"]["text"]["all_of"] for each in clause["bool"]["should"][2:]]
    assert all((pair["ordered"], pair["max_gaps"]) == (True, 0) for pair in pairs)
    return [pair["intervals"] for pair in pairs]


def match(text: str, ordered: bool = True, max_gaps: int = 0) -> Any:
    return {"match": {"query": text, "ordered": ordered, "max_gaps": max_gaps}}


def test_clause_is_whole() -> None:
    words = [match("climate"), match("change")]
    together = {"intervals": words, "ordered": False, "max_gaps": 50}
    near = {"intervals": {"text": {"all_of": together}}}
    sentence = {**together, "max_gaps": 15}
    beside = {"intervals": words, "ordered": True, "max_gaps": 0}
    assert proximity_clause(parse("climate change")) == {
        "bool": {
            "should": [
                {"constant_score": {"filter": near, "boost": 4.0}},
                {"intervals": {"text": {"all_of": sentence, "boost": 3.0}}},
                {"intervals": {"text": {"all_of": beside, "boost": 3.0}}},
            ]
        }
    }


def test_neighbours_are_those_of_the_query() -> None:
    assert neighbours("x1 of y1 (a1 OR b1) con* z1", ("con*",)) == [
        [match("y1"), {"any_of": {"intervals": [match("a1"), match("b1")]}}]
    ]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("a1 b NOT c", [match("a1"), match("b")]),
        ("Apple GOODWILL apple", [match("apple"), match("goodwill")]),
        ("10-K 401(k)", [match("10-k"), match("401(k)")]),
        ('x1 "material weakness"', [match("x1"), match("material weakness")]),
        ('x1 "material weakness"~3', [match("x1"), match("material weakness", False, 3)]),
        ("x1 impair*", [match("x1"), {"wildcard": {"pattern": "impair*"}}]),
        (
            'x1 (swap* OR "rate cap")',
            [
                match("x1"),
                {"any_of": {"intervals": [{"wildcard": {"pattern": "swap*"}}, match("rate cap")]}},
            ],
        ),
        ("board of the directors", [match("board"), match("directors")]),
        ("x1 y1 (b1 c1 OR d1)", [match("x1"), match("y1")]),
        ("b1 c1 d1 e1 f1 g1 h1 i1", [match(f"{letter}1") for letter in "bcdefghi"]),
    ],
)
def test_what_is_looked_for(query: str, expected: list[Any]) -> None:
    assert sources(query) == expected


@pytest.mark.parametrize(
    "query",
    [
        "goodwill",
        "goodwill OR impairment",
        '"goodwill impairment"',
        "goodwill NOT impairment",
        "goodwill of the",
        "goodwill (b1 c1 OR d1)",
        "b1 c1 d1 e1 f1 g1 h1 i1 j1",
        # Eleven words of a loose phrase are more than a third of what is allowed.
        'x1 "b c d e f g h i j k l"~2',
        'rate "NOT"',
        "x1 (c1 OR d1 OR e1 OR f1 OR g1 OR h1 OR i1 OR j1)",
    ],
)
def test_what_has_nothing_to_stand_close(query: str) -> None:
    assert sources(query) == []


def test_words_that_stand_anywhere_are_looked_for_in_a_phrase() -> None:
    assert sources('x1 "of the"') == [match("x1"), match("of the")]


def test_wildcard_that_is_too_wide_is_left_out_and_an_alternative_with_it() -> None:
    query = "x1 y1 con* (con* OR z1) imp*"
    assert sources(query, ("con*",)) == [match("x1"), match("y1"), sources("x1 imp*")[1]]


def test_word_may_stand_in_any_of_its_forms() -> None:
    clause = proximity_clause(And((Word("CEO", 1), Word("resign", 5, ("resigned",)))))
    assert clause is not None
    resign = {"any_of": {"intervals": [match("resign"), match("resigned")]}}
    assert close(clause)["intervals"] == [match("ceo"), resign]
