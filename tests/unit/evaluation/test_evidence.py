"""Questions with evidence are whole, and their figures are what they say."""

from pathlib import Path

import pytest
from msgspec import structs

from evaluation.evidence import (
    QUESTIONS,
    REPORTS,
    TYPED,
    EvidenceFigures,
    EvidenceQuestion,
    evidence_figures,
    evidence_questions,
    shares,
)

QUESTION = EvidenceQuestion(
    "id", "a person", "what was it?", False, "0000000001-20-000001-2", "rose to Smith's 5 million"
)


@pytest.mark.parametrize(("path", "least"), [(QUESTIONS, 60), (TYPED, 120), (REPORTS, 60)])
def test_half_of_the_questions_are_held_out(path: Path, least: int) -> None:
    questions = evidence_questions(path)
    assert len({question.id for question in questions}) == len(questions) >= least
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
    assert evidence_figures(QUESTION, found, [], []) == EvidenceFigures(
        first=False, in_ten=True, shown_first=False, shown_few=False, shown=False, zero=False
    )


def test_report_after_the_first_ten_is_not_found() -> None:
    found = [*["0000000001-20-000002-1"] * 10, QUESTION.document_id]
    assert not evidence_figures(QUESTION, found, [], []).in_ten


def test_shares_are_over_all_questions() -> None:
    found = EvidenceFigures(True, True, shown_first=False, shown_few=False, shown=True, zero=False)
    none = EvidenceFigures(False, False, shown_first=False, shown_few=False, shown=False, zero=True)
    assert shares([found, none]) == (0.5, 0.5, 0.0, 0.0, 0.5, 1)


def test_questions_without_evidence_do_not_count_for_snippets() -> None:
    shown = EvidenceFigures(True, True, shown_first=True, shown_few=True, shown=True, zero=False)
    asks_for_none = structs.replace(QUESTION, evidence="")
    none = evidence_figures(asks_for_none, [], ["a text"], ["a text"])
    assert shares([shown, none]) == (0.5, 0.5, 1.0, 1.0, 1.0, 1)
