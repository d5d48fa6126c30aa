"""Texts cut into passages."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgar_search.text.words import normalise, token_spans, tokens
from ingest.reading.transform import cut


def pieces(text: str, target: int) -> list[str]:
    return [text[start:end] for start, end in cut(text, target)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("moss", ["moss"]),
        ("moss grows on", ["moss grows ", "on"]),
        ("moss grow\n\na b c", ["moss grow\n\n", "a b c"]),
        ("moss gr\na b c d", ["moss gr\n", "a b c d"]),
        ("moss 1\tfern 2", ["moss 1\t", "fern 2"]),
        ("mossgr. It is so", ["mossgr. ", "It is so"]),
        ("mossgr.x It is so", ["mossgr.x It ", "is so"]),
        ("a b mossgrowson x", ["a b ", "mossgrowson ", "x"]),
        ("a\nbcdefghijklm", ["a\n", "bcdefghijklm"]),
    ],
)
def test_where_a_passage_ends(text: str, expected: list[str]) -> None:
    assert pieces(text, 12) == expected


def test_default_length() -> None:
    text = "Moss grows on stones. " * 1000
    lengths = [end - start for start, end in cut(text)]
    assert set(lengths[:-1]) == {1980}


def test_run_without_white_space_is_cut_between_tokens() -> None:
    assert pieces("abc-def-ghi-jkl-mno-pqr", 5) == ["abc-", "def-", "ghi-", "jkl-", "mno-", "pqr"]
    assert pieces("東京都庁舎東京都庁舎", 4) == ["東京都庁", "舎東京都", "庁舎"]
    assert pieces("-" * 10, 4) == ["----", "----", "--"]


def test_token_is_never_cut() -> None:
    assert pieces("-" + "a" * 30 + "-b", 5) == ["-", "a" * 30, "-b"]
    assert pieces("x" * 30, 5) == ["x" * 30]


@pytest.mark.parametrize("unit", ["x-", "x", "東", "-", "x ", "moss\n"])
def test_long_texts_take_little_time(unit: str) -> None:
    text = unit * 300_000
    assert "".join(pieces(text, 2000)) == text


TEXTS = st.text(st.sampled_from("abé1 \t\n.,_'-東ゴก\u0301\u202f"), max_size=150) | st.text()


@settings(max_examples=500, database=None, print_blob=True, deadline=None)
@given(TEXTS, st.integers(1, 20))
def test_any_text(text: str, target: int) -> None:
    text = normalise(text)
    spans = list(token_spans(text))
    passages = cut(text, target)
    assert "".join(text[start:end] for start, end in passages) == text
    inside = {at for start, end in spans for at in range(start + 1, end)}
    assert not inside & {start for start, _ in passages}
    longest = max((end - start for start, end in spans), default=0)
    assert all(0 < end - start <= max(2 * target, longest) for start, end in passages)
    assert [t for start, end in passages for t in tokens(text[start:end])] == tokens(text)
