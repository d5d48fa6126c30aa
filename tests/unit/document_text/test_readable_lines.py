"""Rulers, amounts and bullets; and that no word is touched."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgar_search.text.document_text import finished_text
from edgar_search.text.words import normalise, tokens

MAX_SECONDS = 5.0  # far above what any of the long texts needs, far below what a square would take


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n----------\nb", "a\n---\nb"),
        ("a\n=====\t======  ====\nb", "a\n===\nb"),
        ("moss........... 17", "moss... 17"),
        ("moss . . . . . . . 17", "moss ... 17"),
        ("- - - - - - -", "---"),
        ("moss ... --- __ 17", "moss ... --- __ 17"),
        ("Moss\t---\t---", "Moss\t---\t---"),
        ("______________\nName", "___\nName"),
        ("By: ______________ (Name)", "By: ___ (Name)"),
        ("Signature______", "Signature______"),
        ("______Signature", "______Signature"),
        ("caf\u00e9______", "caf\u00e9______"),
        ("______\u6771", "______\u6771"),
        ("\u05d0'______", "\u05d0'______"),
        ("moss'______", "moss'___"),
        ("\u2022\nMoss", "\u2022 Moss"),
        ("Fern\n\n\u2022\n\n\nMoss", "Fern\n\n\u2022 Moss"),
        ("\u2022\tMoss\t17", "\u2022 Moss\t17"),
        ("Moss\n\u2022", "Moss\n\u2022"),
        ("-\n5", "-\n5"),
        ("a\n\n\n\n\nb", "a\n\nb"),
    ],
)
def test_line_is(text: str, expected: str) -> None:
    assert finished_text(text) == expected


PIECES = st.sampled_from(
    ["-", "=", ".", "_", "*", " ", "\t", "\n", "$", "(", ")", "%", "\u2022", "\u2014", "\xa0"]
    + ["____", "....", "----", ". . . .", "- - - -", "a", "7", "'", ":", ",", "\u20ac", "\xe9", "o"]
    + ["\u6771", "\u05d0", "\ufe0f\u20e3", "\u202f", "\u0301", "\u00ad", "\U0001f600", "US$", "#"]
)


@settings(max_examples=1000, deadline=None, print_blob=True)
@given(st.lists(PIECES | st.characters(), max_size=40).map("".join))
def test_any_text_keeps_its_words_and_is_normalised(text: str) -> None:
    text = text.replace("\r", "\n")
    found = finished_text(text)
    assert tokens(found) == tokens(normalise(text))
    assert found == normalise(found)
    assert "\n\n\n" not in found


@pytest.mark.parametrize(
    "unit",
    ["-", "_", "a____ ", ". ", "- ", "$\t", "\t)", "7\t%", "\u2022\n", "\n---\t", "o\t", "--- "],
    ids=ascii,
)
def test_time_does_not_grow_faster_than_the_text(unit: str) -> None:
    began = time.process_time()
    finished_text(unit * (2_000_000 // len(unit)))
    assert time.process_time() - began < MAX_SECONDS
