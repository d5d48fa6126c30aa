"""Text rules: one form for what is indexed and asked, and the engine's own tokens."""

import re
import time
import unicodedata
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgar_search.text.words import (
    CELL_SEPARATOR,
    CLASSES,
    INVISIBLE,
    lower,
    normalise,
    token_spans,
    tokens,
)

# As the lucene-core jars 10.3.2 and 10.5.0 answer: StandardTokenizer, then LowerCaseFilter.
ENGINE_TOKENS = [
    ("U.S. Steel", ["u.s", "steel"]),
    ("3.5 1,234.5 1;2 1:2", ["3.5", "1,234.5", "1;2", "1", "2"]),
    ("o'clock can't 'quoted'", ["o'clock", "can't", "quoted"]),
    ("foo_bar _x_ __ a__b", ["foo_bar", "_x_", "a__b"]),
    ("10-K/A AT&T Q&A", ["10", "k", "a", "at", "t", "q", "a"]),
    ("a:b note: x", ["a:b", "note", "x"]),
    ("$1,000,000.00 (5%)", ["1,000,000.00", "5"]),
    ("1,a a,1 1.a a.1", ["1", "a", "a", "1", "1", "a", "a", "1"]),
    ("x.y.z...w", ["x.y.z", "w"]),
    ("rock'n'roll 90's 1'2", ["rock'n'roll", "90", "s", "1'2"]),
    ("don\u2019t", ["don\u2019t"]),
    ("401(k)", ["401", "k"]),
    ("Nestl\xe9 Nestle\u0301", ["nestl\xe9", "nestle\u0301"]),
    ("a.\xe9 x,y \xe9.b", ["a.\xe9", "x", "y", "\xe9.b"]),
    # Ideographs and hiragana one by one, katakana and hangul in runs
    ("\u6771\u4eac\u90fd", ["\u6771", "\u4eac", "\u90fd"]),
    ("\u3072\u3089", ["\u3072", "\u3089"]),
    ("\u30ab\u30bf\u30ab \u30ab_\u30bf", ["\u30ab\u30bf\u30ab", "\u30ab_\u30bf"]),
    ("\u30aba a\u30ab \u30ab_a", ["\u30ab", "a", "a", "\u30ab", "\u30ab_a"]),
    ("\ud55c\uad6d\uc5b4 \ud55ca", ["\ud55c\uad6d\uc5b4", "\ud55ca"]),
    ("\u0e44\u0e17\u0e22 \u0e44a", ["\u0e44\u0e17\u0e22", "\u0e44", "a"]),
    ("\U00020000\U0001d400\U0001d401", ["\U00020000", "\U0001d400\U0001d401"]),
    # Hebrew: a single quote after a letter, a double quote between two
    ('\u05d0\u05d1"\u05d2 \u05d0\' \u05d0" x', ['\u05d0\u05d1"\u05d2', "\u05d0'", "\u05d0", "x"]),
    ('\u05d0"\u05d1.\u05d2', ['\u05d0"\u05d1', "\u05d2"]),
    ("\u05d0.\u05d1'", ["\u05d0.\u05d1"]),
    # Emoji
    ("Apple\xae \xa9 2020 x\u2122", ["apple", "\xae", "\xa9", "2020", "x", "\u2122"]),
    ("\u2764\ufe0f \U0001f600", ["\u2764\ufe0f", "\U0001f600"]),
    ("\U0001f468\u200d\U0001f469", ["\U0001f468\u200d\U0001f469"]),
    ("\U0001f44d\U0001f3fd a\U0001f3fd", ["\U0001f44d\U0001f3fd", "a\U0001f3fd"]),
    ("\U0001f3fd", ["\U0001f3fd"]),
    ("\U0001f1fa\U0001f1f8\U0001f1eb \U0001f1fa", ["\U0001f1fa\U0001f1f8"]),
    ("1\ufe0f\u20e3 #\ufe0f\u20e3 *\u20e3 # *", ["1\ufe0f\u20e3", "#\ufe0f\u20e3", "*\u20e3"]),
    ("\u2139\ufe0f\u200d\u2764 \u2139a", ["\u2139\ufe0f\u200d\u2764", "\u2139a"]),
    ("\u2764\ufe0f\U000e0067\U000e007f", ["\u2764\ufe0f\U000e0067\U000e007f"]),
    # Digits and letters of other scripts and widths
    ("\uff11\uff12\uff0c\uff13 \uff21\uff22", ["\uff11\uff12\uff0c\uff13", "\uff41\uff42"]),
    ("\u0661\u066b\u0662 \u0967", ["\u0661\u066b\u0662", "\u0967"]),
    ("\u2166 \u24b6", ["\u2176", "\u24d0"]),
    # Case, each code point by itself
    ("\u03a3\u0391\u03a3 \u0130I \u1e9e", ["\u03c3\u03b1\u03c3", "ii", "\xdf"]),
    ("\u01c5 \u2126 \u212a", ["\u01c6", "\u03c9", "k"]),
    # What extends a character, and what is none
    ("a\xadb a\u200bb a\u2060b", ["a\xadb", "a", "b", "a\u2060b"]),
    ("a\u0308\u20ddb \xbd \xb2 x\xb2", ["a\u0308\u20ddb", "x"]),
    ("\u2014a\u2014 \u201cb\u201d \u2022c", ["a", "b", "c"]),
    ("a\xa0b a\u202fb a\x00b", ["a", "b", "a\u202fb", "a", "b"]),
    # Unknown to Unicode 12.1: an ideograph of 13, a letter of 14; reserved for an emoji of 14
    ("\U00031350 \u2c2f \U0001fae0", ["\U0001fae0"]),
]

MAX_SECONDS = 5.0  # far above what any of the long texts needs, far below what a square would take


@pytest.mark.parametrize(("text", "expected"), ENGINE_TOKENS)
def test_tokens_are_those_of_the_engine(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


def test_spans_are_in_code_points() -> None:
    assert list(token_spans("\U0001d400b, c")) == [(0, 2), (4, 5)]


@pytest.mark.parametrize(
    ("text", "lengths"),
    [
        ("a" * 255, [255]),
        ("a" * 256, [255, 1]),
        ("a" * 600, [255, 255, 90]),
        ("1," * 200, [255, 143]),
        # 127 pairs are 254 units; half a pair is not in the scanner's view
        ("\U0001d400" * 200, [127, 73]),
        ("a" + "\U0001d400" * 200, [128, 73]),
        ("\xe9" * 300, [255, 45]),
        # The scanner must see the letter that makes a token of what comes before it
        ("_" * 300 + "ab", [255, 1]),
        ("_" * 254 + "a", [255]),
        ("a" + "_" * 300, [255]),
        ("_" * 300, []),
        ("\u200d" * 300 + "\u2764", [255]),
        # Cut after 254 letters, the full stop joins nothing
        ("a" * 254 + ".b", [254, 1]),
        ("a" * 255 + ".b", [255, 1]),
    ],
)
def test_long_token_is_cut_where_the_engine_cuts_it(text: str, lengths: list[int]) -> None:
    assert [end - start for start, end in token_spans(text)] == lengths


@pytest.mark.parametrize(
    ("repeated", "times", "end"),
    [
        ("_", 2_000_000, ""),
        ("_", 2_000_000, "a"),
        ("\xe9_", 500_000, ""),
        ("\u200d", 1_000_000, "\u2764"),
        (".", 2_000_000, ""),
        ("a", 2_000_000, ""),
        ("a,", 500_000, ""),
        ("\xe9'", 500_000, ""),
        ("#", 2_000_000, ""),
        ("\u6771", 500_000, ""),
    ],
    ids=ascii,
)
def test_time_does_not_grow_faster_than_the_text(repeated: str, times: int, end: str) -> None:
    text = repeated * times + end
    began = time.process_time()
    for _ in token_spans(text):
        pass
    assert time.process_time() - began < MAX_SECONDS


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=80))
def test_spans_are_in_order_and_do_not_overlap(text: str) -> None:
    spans = list(token_spans(text))
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=40), st.text(max_size=40))
def test_tokens_of_lines_are_tokens_of_their_text(first: str, second: str) -> None:
    assert tokens(f"{first}\n{second}") == tokens(first) + tokens(second)


def test_no_character_is_in_two_classes() -> None:
    spans = []
    for ranges in CLASSES.values():
        for span in ranges.split():
            first, _, last = span.partition("-")
            spans.append((int(first, 16), int(last or first, 16)))
    spans.sort()
    assert all(first <= last for first, last in spans)
    assert all(before[1] < after[0] for before, after in pairwise(spans))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("as it is", "as it is"),
        ("e\u0301", "\xe9"),
        ("\u212b", "\xc5"),
        ("\u2018a\u2019 \u201bb", "'a' 'b"),
        ("\u201cquoted\u201d \u2013 kept", "\u201cquoted\u201d \u2013 kept"),
        ("\ufb00 \ufb01 \ufb02 \ufb03 \ufb04 \ufb05 \ufb06", "ff fi fl ffi ffl st st"),
        ("co\xadop\u200bera\u200dte\ufeff", "cooperate"),
        ("\u200e\u202aa\u202e\u2060\u2064\u2066\u2069", "a"),
        ("\u2065a\u206a", "\u2065a\u206a"),
        ("e\u200b\u0301", "\xe9"),
        ("  a \t b\xa0\u2003c  ", "a\tb c"),
        ("\t a\t \tb  c\t", "\ta\t\tb c"),
        ("a\u200b\t\u200b\tb", "a\t\tb"),
        (" \t \n\t\na\tb", "\n\na\tb"),
        ("a  \n\n  b", "a\n\nb"),
        ("a\x0cb\x85c\u2028d\x1ee", "a b c d e"),
        (" \n ", "\n"),
        ("full\uff21width \xb2 \u2122", "full\uff21width \xb2 \u2122"),
        ("a\x00b", "a\x00b"),
    ],
)
def test_normalise(text: str, expected: str) -> None:
    assert normalise(text) == expected


ODD = st.sampled_from("ae\u0301\u0327\u2019\ufb03\xad\u200b\ufeff \t\n\xa0\u2028\u1112\u1161\u212b")


def each_rule_in_turn(text: str) -> str:
    """Return the result of `normalise`, without any short cut."""
    text = re.sub(f"[{INVISIBLE}]", "", text)
    for plain, chars in {"'": "\u2018\u2019\u201b", "st": "\ufb05\ufb06"}.items():
        text = re.sub(f"[{chars}]", plain, text)
    for char in "\ufb00\ufb01\ufb02\ufb03\ufb04":
        text = text.replace(char, unicodedata.normalize("NFKC", char))
    text = unicodedata.normalize("NFC", text)
    rows = []
    for line in text.split("\n"):
        cells = [" ".join(re.split(r"\s+", cell)).strip(" ") for cell in line.split("\t")]
        while len(cells) > 1 and not cells[-1]:
            cells.pop()
        rows.append("\t".join(cells))
    return "\n".join(rows)


@settings(max_examples=1000, deadline=None, print_blob=True)
@given(st.text(st.one_of(ODD, st.characters()), max_size=40))
def test_normalise_takes_no_short_cut_too_many(text: str) -> None:
    assert normalise(text) == each_rule_in_turn(text)


def test_separator_of_cells_is_white_space_to_every_rule() -> None:
    assert CELL_SEPARATOR.isspace()
    assert tokens(f"10{CELL_SEPARATOR}5 a{CELL_SEPARATOR}b") == ["10", "5", "a", "b"]


@settings(max_examples=500, deadline=None)
@given(st.text(st.one_of(ODD, st.characters(codec="utf-8")), max_size=40))
def test_normalise_twice_changes_nothing(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    assert unicodedata.is_normalized("NFC", once)
    assert once.count("\n") == text.count("\n")


MARKS = st.text(st.sampled_from("\u0301\u0327\u0344\u0f73\u0323"), min_size=25, max_size=70)


@pytest.mark.parametrize("marks", ["\u0301", "\u0301\u0300\u0323", "\u0344", "\u0f73"], ids=ascii)
def test_time_for_marks_on_one_letter_does_not_grow_with_their_square(marks: str) -> None:
    began = time.process_time()
    normalise("a" + marks * (500_000 // len(marks)))
    assert time.process_time() - began < MAX_SECONDS


def test_as_many_marks_as_a_letter_may_have_are_sorted_and_more_are_left() -> None:
    ordered = "\u0323" * 15 + "\u0300" * 15
    assert normalise("e\u0301 x" + "\u0300\u0323" * 15) == "\xe9 x" + ordered
    more = "x" + "\u0300\u0323" * 16
    assert normalise(f"e\u0301{more}e\u0301") == f"\xe9{more}\xe9"


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(MARKS, st.text(st.one_of(ODD, st.characters()), max_size=3))))
def test_normalise_twice_changes_nothing_where_letters_have_many_marks(pieces: list[str]) -> None:
    once = normalise("".join(pieces))
    assert normalise(once) == once


def test_lower_keeps_the_length_of_a_text() -> None:
    # Places in the one are places in the other.
    for number in {*range(0x110000)} - {*range(0xD800, 0xE000)}:
        char = chr(number)
        assert len(lower(char)) == 1
        assert lower(f"a{char}") == f"a{lower(char)}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ABC", "abc"),
        ("\xc9T\xc9", "\xe9t\xe9"),
        ("\u039f\u03a3", "\u03bf\u03c3"),
        ("\u0130", "i"),
        ("*?", "*?"),
    ],
)
def test_lower_takes_each_code_point_by_itself(text: str, expected: str) -> None:
    assert lower(text) == expected
