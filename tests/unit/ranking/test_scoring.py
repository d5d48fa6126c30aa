"""Clauses that score beside the filter: words with forms, phrases of the most common words."""

import math
from typing import Any

import pytest
from msgspec import structs

from edgar_search.search.language import And, Leaf, Node, Or, Phrase, Wildcard, Word
from edgar_search.search.query.matching import document_clause
from edgar_search.search.query.scoring import (
    form_weights,
    operand_clause,
    scores_apart,
    scoring_clauses,
    scoring_words,
    weigh_forms,
)

SWAP = Word("Swap,", 1, ("swaps", "swapped"))
LOAN = Word("loan", 1)
RATE = Phrase("interest rate", 2, 1)


def term(token: str, boost: float) -> dict[str, Any]:
    return {"term": {"text": {"value": token, "boost": boost}}}


SWAP_CLAUSE = {
    "dis_max": {"queries": [term("swap", 1.0), term("swaps", 0.5), term("swapped", 0.5)]}
}


def test_word_counts_full_and_its_best_form_half() -> None:
    assert scoring_clauses(SWAP) == [SWAP_CLAUSE]


def test_each_wanted_operand_counts_once() -> None:
    assert scoring_clauses(And((SWAP, LOAN, SWAP, RATE), (Word("x", 1),))) == [
        SWAP_CLAUSE,
        document_clause(LOAN),
        document_clause(RATE),
    ]


def test_alternatives_count_where_they_match() -> None:
    tree = Or((SWAP, And((LOAN, SWAP), (RATE,))))
    both = {
        "bool": {
            "must": [document_clause(LOAN), SWAP_CLAUSE],
            "must_not": [document_clause(RATE)],
        }
    }
    assert scoring_clauses(tree) == [
        {"bool": {"should": [SWAP_CLAUSE, both], "minimum_should_match": 1}}
    ]


def test_forms_are_found_wherever_they_stand() -> None:
    trees: list[Node] = [SWAP, And((LOAN,), (SWAP,)), Or((LOAN, And((LOAN, SWAP))))]
    assert all(map(scores_apart, trees))
    assert not scores_apart(And((LOAN, RATE)))


@pytest.mark.parametrize(
    ("leaf", "words"),
    [
        (Phrase("Of the Company", 0, 1), ["company"]),
        (Phrase("the terms of the terms", 3, 1), ["terms"]),
        (Phrase("of the of", 0, 1), ["of", "the"]),
        (Word("in-the-money", 1), ["money"]),
        (Phrase("cost of goods sold", 0, 1), []),
        (Phrase("interest rate", 0, 1), []),
        (Word("the", 1), []),
        (Word("the", 1, ("them",)), []),
        (Wildcard("of*", 1), []),
    ],
)
def test_phrase_with_two_of_the_commonest_words_scores_by_the_others(
    leaf: Leaf, words: list[str]
) -> None:
    assert list(scoring_words(leaf)) == words


YEAR = Phrase("end of the year", 0, 1)
YEAR_WORDS = {"bool": {"should": [term("end", 1.0), term("year", 1.0)]}}
YEAR_ALTERNATIVE = {"bool": {"filter": [document_clause(YEAR)], "must": [YEAR_WORDS]}}


def test_phrase_that_surely_matches_is_not_looked_for_again() -> None:
    assert scores_apart(YEAR)
    assert scoring_clauses(YEAR) == [YEAR_WORDS]
    assert scoring_clauses(And((LOAN, YEAR))) == [document_clause(LOAN), YEAR_WORDS]


def test_rare_form_weighs_no_more_than_its_word_does() -> None:
    counts = {"swap": 500, "swaps": 900, "swapped": 2}
    common, rare = form_weights(And((LOAN, SWAP)), counts, 1_000)

    def rarity(count: int) -> float:
        return math.log(1 + (1_000 - count + 0.5) / (count + 0.5))

    assert common == 0.5
    assert rare * rarity(2) == pytest.approx(0.5 * rarity(500), rel=0.01)


def test_weights_of_forms_are_in_the_order_of_the_query() -> None:
    other = Word("rate", 9, ("rates",))
    node = And((SWAP, Or((LOAN, other))), (other,))
    weighed = weigh_forms(node, iter([0.5, 0.1, 0.2, 0.3]))
    swap, rate = (structs.replace(SWAP, weights=(0.5, 0.1)), structs.replace(other, weights=(0.2,)))
    assert weighed == And((swap, Or((LOAN, rate))), (structs.replace(other, weights=(0.3,)),))
    assert operand_clause(swap) == {
        "dis_max": {"queries": [term("swap", 1.0), term("swaps", 0.5), term("swapped", 0.1)]}
    }


def test_phrase_that_may_be_absent_scores_only_where_it_stands() -> None:
    assert [operand_clause(each) for each in (LOAN, YEAR)] == [
        document_clause(LOAN),
        YEAR_ALTERNATIVE,
    ]
    should = [document_clause(LOAN), YEAR_ALTERNATIVE]
    assert scoring_clauses(Or((LOAN, YEAR))) == [
        {"bool": {"should": should, "minimum_should_match": 1}}
    ]
