"""Letters stand for marks inside of words only, and texts come back as they were."""

import pytest

from bench.peers.stand_ins import with_letters, with_marks
from edgar_search.text.words import tokens


@pytest.mark.parametrize(
    "text", ["U.S. units", "1,234.5 in all", "the Company's", "a_b ____ c.", "10-K; 4:5", "x. y"]
)
def test_a_text_comes_back(text: str) -> None:
    assert with_marks(with_letters(text)) == text


@pytest.mark.parametrize("text", ["U.S. units", "1,234.5 in all", "the Company's", "10-K, 4:5 a:b"])
def test_runs_of_letters_and_digits_are_the_service_s_words(text: str) -> None:
    written = with_letters(text.lower())
    runs = "".join(char if char.isalnum() else " " for char in written).split()
    assert [with_marks(run) for run in runs] == tokens(text)
