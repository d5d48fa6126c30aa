"""What scores where words have forms, whole."""

from typing import Any

from edgar_search.search.clauses import document_clause
from edgar_search.search.language import And, Node, Or, Phrase, Word
from edgar_search.search.scoring import has_forms, scoring_clauses

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
    assert all(map(has_forms, trees))
    assert not has_forms(And((LOAN, RATE)))
