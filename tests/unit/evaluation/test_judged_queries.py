"""The judged queries are whole, and their figures are what they say."""

from math import log2

import pytest

from edgar_search.api.search import search_params
from evaluation.judged_queries import (
    QUESTIONS,
    Figures,
    JudgedQuery,
    figures,
    judged_queries,
)
from evaluation.ranking import VARIANTS, means, search_parameters, supported_variants


def judged(judgements: dict[str, int]) -> JudgedQuery:
    return JudgedQuery("id", "a person", "word", judgements)


def test_there_are_queries_of_several_people() -> None:
    queries = judged_queries()
    assert len(queries) >= 60
    assert len({query.person for query in queries}) >= 8
    assert sum(len(query.judgements) for query in queries) >= 1_200
    assert sum(bool(query.parameters) for query in queries) >= 20


def test_an_id_names_one_query() -> None:
    ids = [query.id for query in judged_queries()]
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("query", judged_queries(), ids=lambda query: query.id)
def test_a_judged_query_is_whole(query: JudgedQuery) -> None:
    assert query.need
    assert set(query.judgements.values()) <= {0, 1, 2, 3}
    assert query.reasons.keys() <= query.judgements.keys()
    # Else its figures say nothing.
    assert query.relevant


def test_half_of_the_questions_are_held_out() -> None:
    questions = judged_queries(QUESTIONS)
    assert len({question.id for question in questions}) == len(questions) >= 50
    assert sum(question.held_out for question in questions) == len(questions) // 2


@pytest.mark.parametrize("question", judged_queries(QUESTIONS), ids=lambda question: question.id)
def test_a_question_has_an_answer(question: JudgedQuery) -> None:
    assert set(question.judgements.values()) <= {0, 1, 2, 3}
    assert question.relevant


@pytest.mark.parametrize("query", judged_queries(), ids=lambda query: query.id)
def test_the_endpoint_takes_a_judged_query(query: JudgedQuery) -> None:
    raw = {name: [value] for name, value in search_parameters(query, {}).items()}
    assert search_params(raw, max_window=100).window.size == 20


def test_the_best_order_has_the_figures_1() -> None:
    query = judged({"a": 3, "b": 2, "c": 0})
    assert figures(query, ["a", "b", "c"]) == Figures(1.0, 1.0, zero=False, unjudged=0)


def test_a_lower_place_is_worth_less() -> None:
    query = judged({"a": 3, "b": 0})
    assert figures(query, ["b", "a"]).ndcg == pytest.approx(1 / log2(3))


def test_a_higher_judgement_is_worth_more() -> None:
    query = judged({"a": 3, "b": 1})
    assert figures(query, ["b"]).ndcg == pytest.approx((2**1 - 1) / (2**3 - 1 + 1 / log2(3)))


def test_what_is_after_the_first_ten_has_no_gain_and_is_found() -> None:
    query = judged({"a": 3} | {f"n{place}": 0 for place in range(10)})
    found = [*(f"n{place}" for place in range(10)), "a"]
    assert figures(query, found) == Figures(0.0, 1.0, zero=False, unjudged=0)


def test_what_only_touches_the_need_need_not_be_found() -> None:
    query = judged({"a": 2, "b": 1})
    assert figures(query, ["a"]).recall == 1


def test_no_more_has_to_be_found_than_there_is_room_for() -> None:
    query = judged({f"a{place}": 3 for place in range(30)})
    assert figures(query, [f"a{place}" for place in range(20)]).recall == 1


def test_unjudged_hits_are_counted_and_have_no_gain() -> None:
    query = judged({"a": 3})
    assert figures(query, ["b"]) == Figures(0.0, 0.0, zero=False, unjudged=1)


def test_no_hits_are_a_zero() -> None:
    assert figures(judged({"a": 3}), []) == Figures(0.0, 0.0, zero=True, unjudged=0)


def test_means_are_over_all_queries() -> None:
    found = Figures(1.0, 0.5, zero=False, unjudged=2)
    assert means([found, Figures(0.0, 0.0, zero=True, unjudged=0)]) == (0.5, 0.25, 1, 2)


def test_a_variant_is_measured_where_its_parameters_are_declared() -> None:
    assert "exact" in supported_variants()
    assert supported_variants().items() <= VARIANTS.items()
