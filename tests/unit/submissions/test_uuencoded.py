"""Uuencoded bodies."""

import binascii

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edgar_search.edgar.document import decode, decoded_length, is_uuencoded

PICTURE = bytes(range(256)) * 3 + b"end"


def encoded(data: bytes, end: bytes = b"\n", last: bytes = b"`\nend\n") -> bytes:
    lines = [binascii.b2a_uu(data[at : at + 45]) for at in range(0, len(data), 45)]
    return (b"begin 644 a picture.gif\n" + b"".join(lines) + last).replace(b"\n", end)


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r", b"\n\n"])
@pytest.mark.parametrize("last", [b"`\nend\n", b" \nend\n", b"end\n", b""])
def test_line_ends_and_missing_end(end: bytes, last: bytes) -> None:
    body = encoded(PICTURE, end, last)
    assert is_uuencoded(body)
    assert decode(body) == PICTURE
    assert decoded_length(body) == len(PICTURE)


@pytest.mark.parametrize("trailing", [b" ", b"X", b"  ", b"=="])
def test_trailing_bytes_on_lines(trailing: bytes) -> None:
    body = encoded(PICTURE).replace(b"\n", trailing + b"\n").replace(b"gif" + trailing, b"gif")
    body = body.replace(b"`" + trailing, b"`")
    assert decode(body) == PICTURE
    assert decoded_length(body) == len(PICTURE)


def test_blanks_cut_off_by_an_editor() -> None:
    data = bytes(90)
    body = b"\n".join(line.rstrip() for line in encoded(data).split(b"\n"))
    assert decode(body) == data
    assert decoded_length(body) == 90


def test_leading_white_space() -> None:
    assert decode(b"\n \r\n" + encoded(PICTURE)) == PICTURE


@pytest.mark.parametrize(
    "body",
    [b"", b"begin 644", b"beginning 644 a", b"begin 9 a\n", b"x begin 644 a\n", b"begin the"],
)
def test_something_else(body: bytes) -> None:
    assert not is_uuencoded(body)
    assert (decode(body), decoded_length(body)) == (b"", 0)


@settings(database=None, print_blob=True)
@given(st.binary(max_size=500))
def test_any_file(data: bytes) -> None:
    assert decode(encoded(data)) == data
    assert decoded_length(encoded(data)) == len(data)


@settings(database=None, print_blob=True)
@given(st.binary(max_size=300))
def test_any_lines(lines: bytes) -> None:
    body = b"begin 644 a\n" + lines
    assert len(decode(body)) == decoded_length(body)
