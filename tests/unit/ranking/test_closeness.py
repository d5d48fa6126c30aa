"""Reasons to show one passage rather than another."""

from typing import Any

import pytest

from edgar_search.search.language import Word, parse
from edgar_search.search.query.matching import positive_leaves
from edgar_search.search.snippets.preferences import preferences


def of(query: str) -> list[Any]:
    return [
        preference["constant_score"]["filter"]
        for preference in preferences(positive_leaves(parse(query)))
    ]


def kinds(query: str) -> list[str]:
    return [kind for clause in of(query) for kind in clause]


def close(query: str) -> list[list[str]]:
    """Return the texts of each group that is asked to be close."""
    return [
        [each["any_of"]["intervals"][0]["match"]["query"] for each in group["intervals"]]
        for clause in of(query)
        if "intervals" in clause
        for group in [clause["intervals"]["text"]["all_of"]]
    ]


def test_of_one_leaf_only_prose_is_preferred() -> None:
    assert kinds("goodwill") == ["bool"]


def test_leaves_count_once_each() -> None:
    assert kinds("goodwill Goodwill charge") == ["bool", *["query_string"] * 2, "intervals"]


@pytest.mark.parametrize(
    ("query", "groups"),
    [
        ("goodwill charge", [["goodwill", "charge"]]),
        ("cost of goods", [["cost", "goods"]]),
        ('"net sales" b c', [["net sales", "b"], ["b", "c"], ["net sales", "b", "c"]]),
        ("impair* charge goodwill", [["charge", "goodwill"]]),
        ('"net sales"~2 charge', []),
        ("goodwill NOT charge", []),
        (" ".join(f"w{number}" for number in range(9)), []),
    ],
)
def test_neighbours_and_all_are_asked_to_be_close(query: str, groups: list[list[str]]) -> None:
    assert close(query) == groups


def test_many_leaves_are_left_to_the_score() -> None:
    assert kinds(" OR ".join(f"w{number}" for number in range(17))) == ["bool"]


def test_words_that_tell_little_are_not_enough() -> None:
    leaves = positive_leaves(parse("first many wireless"))
    prose, telling, *others = preferences(leaves, little=leaves[:2], question=True)
    counted, (last_two, all_three) = others[:3], others[-2:]
    either, first, second = telling["dis_max"]["queries"]
    assert "wireless" in str(either) and "many" not in str(either)
    of_first = first["constant_score"]["filter"]["bool"]
    assert of_first["filter"] == [{"term": {"number": 0}}] and of_first["must_not"]
    assert second == {"constant_score": {"filter": {"term": {"number": 1}}, "boost": 100}}
    scores = [each["constant_score"]["boost"] for each in (first, prose, *counted)]
    # The first passage before prose, and far more for a word that tells than for the others.
    assert scores == [650, 500, 100, 100, 400]
    assert "many" in str(last_two) and "first" not in str(last_two)
    assert "first" in str(all_three)


def test_passages_near_the_beginning_of_a_question_score_more_unless_they_are_a_cover() -> None:
    leaves = positive_leaves(parse("wireless revenue"))
    *early, below_cover = [
        each for each in preferences(leaves, question=True) if "range" in str(each)
    ]
    found = []
    for each in early:
        (upto,) = each["constant_score"]["filter"]["bool"]["filter"]
        (cover,) = each["constant_score"]["filter"]["bool"]["must_not"]
        assert cover["bool"]["filter"] == [{"term": {"number": 0}}]
        assert {"match_phrase": {"text": "form 10-k"}} in cover["bool"]["should"]
        found.append((upto["range"]["number"]["lte"], each["constant_score"]["boost"]))
    assert found == [(0, 200), (2, 150), (8, 100)]
    assert below_cover["constant_score"]["boost"] == 450
    assert cover in below_cover["constant_score"]["filter"]["bool"]["must_not"]


def test_lists_of_contents_among_the_first_passages_score_less() -> None:
    preferred = preferences(positive_leaves(parse("wireless revenue")), question=True)
    (below_cover,) = (each for each in preferred if "table of contents" in str(each))
    _, contents, *_ = below_cover["constant_score"]["filter"]["bool"]["must_not"]
    place, names = contents["bool"]["filter"]
    assert place == {"range": {"number": {"lte": 3}}}
    assert {each["match_phrase"]["text"] for each in names["bool"]["should"]} == {
        "table of contents",
        "certain relationships and related transactions",
    }


def test_passages_without_a_telling_word_do_not_score_by_their_place() -> None:
    leaves = positive_leaves(parse("many wireless"))
    early = [
        each
        for each in preferences(leaves, question=True, little=leaves[:1])
        if "range" in str(each)
    ]
    assert all("wireless" in str(each) and "many" not in str(each) for each in early) and early


def test_passage_with_a_year_that_is_asked_for_scores_more() -> None:
    leaves = positive_leaves(parse("wireless revenue"))
    year = {"constant_score": {"filter": {"term": {"text": "2006"}}, "boost": 200}}
    assert year in preferences(leaves, question=True, years={"2006"})
    assert year not in preferences(leaves, question=True)


def test_form_of_a_word_may_be_the_close_one() -> None:
    (*_, near) = preferences([Word("resign", 1, ("resigned",)), Word("director", 2)])
    (first, _) = near["constant_score"]["filter"]["intervals"]["text"]["all_of"]["intervals"]
    assert [each["match"]["query"] for each in first["any_of"]["intervals"]] == [
        "resign",
        "resigned",
    ]
