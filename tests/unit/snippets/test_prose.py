"""The share of prose in a text: the count by bytes is the count by words."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgar_search.search.snippets.parts import prose

# Kinds of letters, of blanks, of what separates, and what no single byte stands for.
CHARACTERS = " \n\t\u2026|ab.1\u00bd\u00b2_\u00e9\u201c\u2022\x85\xa0\u2003\x81\u03a9\u4e00"


def counted(text: str) -> float:
    """Return the same as its definition says it, word by word."""
    unfolded = text.count("\t") + text.count("\n\n")
    words = text.split()
    letters = sum(re.match(r"[^\W\d_]", word) is not None for word in words)
    separators = words.count("\u2026") + words.count("|") + unfolded
    return (letters - separators / 2) / max(1, len(words) + unfolded)


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("", 0),
        ("our sales were low", 1),
        ("sales 1,000 2,000 rose", 1 / 2),
        ("sales | 10 \u2026 12", (1 - 1) / 5),
        ("sales\t10", (1 - 1 / 2) / 3),
        ("\u201cFair value\u201d \u00e9tat", 2 / 3),
        ("\u03a9mega 5", 1 / 2),
    ],
)
def test_share_of_words(text: str, share: float) -> None:
    assert prose(text) == share


@given(st.text(CHARACTERS, max_size=40))
def test_any_text_counts_as_word_by_word(text: str) -> None:
    assert prose(text) == counted(text)
