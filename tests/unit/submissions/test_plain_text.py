"""EDGAR's plain text."""

import codecs

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgar_search.edgar.envelope import decode_bytes, plain_text


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (b"plain", "plain"),
        ("naïve — café".encode(), "naïve — café"),
        (codecs.BOM_UTF8 + "é".encode(), "é"),
        (b"the company\x92s \x93word\x94", "the company’s “word”"),
        (b"\x81 \x8d \x8f \x90 \x9d \x92", "\x81 \x8d \x8f \x90 \x9d ’"),
        (codecs.BOM_UTF16_LE + "aé".encode("utf-16-le"), "aé"),
        (codecs.BOM_UTF16_BE + "aé".encode("utf-16-be"), "aé"),
        (b"a\0b", "a b"),
        (b"", ""),
    ],
)
def test_bytes(body: bytes, text: str) -> None:
    assert decode_bytes(body) == text


@settings(database=None, print_blob=True)
@given(st.binary() | st.binary().map(lambda tail: codecs.BOM_UTF16_LE + tail))
def test_any_bytes_are_characters(body: bytes) -> None:
    text = decode_bytes(body)
    assert "\0" not in text
    assert text.encode().decode() == text


@pytest.mark.parametrize(
    "tag",
    ["<PAGE>", "</PAGE>", "<page>", "<TABLE>", "</Table>", "<CAPTION>", "<S>", "<C>", "<FN>"]
    + ["</FN>", "<F1>", "<F12>", "<R>"],
)
def test_tags_are_no_text(tag: str) -> None:
    assert plain_text(f"one{tag}two") == "one two"


@pytest.mark.parametrize("text", ["<jane@example.com>", "x < y and y > z", "<b>", "<F123>", "<>"])
def test_other_angle_brackets_are_text(text: str) -> None:
    assert plain_text(text) == text


def test_schedule() -> None:
    schedule = "<TABLE> <S> <C>\n<TOTAL-ASSETS>  1,234\n<PP&E>  5\n<EPS-PRIMARY> (.10)\n</TABLE>"
    assert plain_text(schedule, schedule=True).split() == ["1,234", "5", "(.10)"]
    assert "<TOTAL-ASSETS>" in plain_text(schedule)
