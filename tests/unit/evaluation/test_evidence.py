"""Questions with evidence are whole, and their figures are what they say."""

import pytest

from evaluation.evidence import (
    EvidenceFigures,
    EvidenceQuestion,
    evidence_figures,
    evidence_questions,
    shares,
)

QUESTION = EvidenceQuestion(
    "id", "a person", "what was it?", False, "0000000001-20-000001-2", "rose to Smith's 5 million"
)


def test_half_of_the_questions_are_held_out() -> None:
    questions = evidence_questions()
    assert len({question.id for question in questions}) == len(questions) >= 60
    assert sum(question.held_out for question in questions) == len(questions) // 2


@pytest.mark.parametrize(
    "text",
    [
        "it rose to Smith's 5 million",
        "it rose\tto\n Smith\u2019s 5 million",
        "it <mark>rose</mark> to | Smith's \u2026 5 million",
        "it rose to Smith&#x27;s 5 million",
    ],
)
def test_evidence_is_found_in_texts_and_snippets(text: str) -> None:
    assert QUESTION.is_in(["another", text])


def test_other_words_are_no_evidence() -> None:
    assert not QUESTION.is_in(["it rose to Smith's 6 million"])


def test_any_document_of_the_filing_is_the_right_report() -> None:
    found = ["0000000001-20-000002-1", "0000000001-20-000001-1"]
    assert evidence_figures(QUESTION, found, []) == EvidenceFigures(False, True, False, False)


def test_report_after_the_first_ten_is_not_found() -> None:
    found = [*["0000000001-20-000002-1"] * 10, QUESTION.document_id]
    assert not evidence_figures(QUESTION, found, []).in_ten


def test_shares_are_over_all_questions() -> None:
    found = EvidenceFigures(first=True, in_ten=True, shown=False, zero=False)
    none = EvidenceFigures(first=False, in_ten=False, shown=False, zero=True)
    assert shares([found, none]) == (0.5, 0.5, 0.0, 1)
