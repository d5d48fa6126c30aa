"""Accession numbers, CIKs and document ids."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgar_search.edgar.identifiers import (
    ACCESSION_NUMBER,
    accession_number_in,
    accession_of,
    document_id,
    format_cik,
    is_accession_number,
    parse_accession_number,
    parse_cik,
    split_document_id,
    submission_path,
)

NUMBER = "0009990001-25-000012"
ARABIC = NUMBER.replace("9", "\N{ARABIC-INDIC DIGIT NINE}")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (NUMBER, True),
        ("000999000125000012", False),
        (f"{NUMBER}-1", False),
        (f"{NUMBER}\n", False),
        (f" {NUMBER}", False),
        (ARABIC, False),
        ("", False),
    ],
)
def test_accession_number_has_its_dashes_and_nothing_around_it(text: str, expected: bool) -> None:
    assert is_accession_number(text) is expected


@pytest.mark.parametrize("text", [NUMBER, "000999000125000012", "0009990001-25000012"])
def test_accession_number_may_come_without_dashes(text: str) -> None:
    assert parse_accession_number(text) == NUMBER


@pytest.mark.parametrize("text", ["0009990001-25-00001", f"{NUMBER}\n", f"{NUMBER}-1", ARABIC, ""])
def test_what_is_no_accession_number_is_none(text: str) -> None:
    assert parse_accession_number(text) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"full {NUMBER}.txt, not 0009990002-25-000013", NUMBER),
        (f"{NUMBER}.0123456789abcdef.gz", NUMBER),
        (f"{ARABIC}.txt", None),
        ("full-submission.txt", None),
    ],
)
def test_first_accession_number_in_a_text(text: str, expected: str | None) -> None:
    assert accession_number_in(text) == expected


def test_pattern_is_a_part_of_those_of_bytes_too() -> None:
    assert re.fullmatch(f"x{ACCESSION_NUMBER}".encode(), b"x" + NUMBER.encode())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1", "0000000001"),
        ("0009990001", "0009990001"),
        ("00009990001", None),
        ("-1", None),
        ("1\n", None),
        ("\N{ARABIC-INDIC DIGIT NINE}", None),
        ("", None),
    ],
)
def test_cik_has_ten_digits(text: str, expected: str | None) -> None:
    assert parse_cik(text) == expected


@given(st.integers(0, 9_999_999_999))
def test_cik_of_a_number_is_that_of_its_digits(number: int) -> None:
    assert format_cik(number) == parse_cik(str(number))


@given(st.from_regex(re.compile(ACCESSION_NUMBER), fullmatch=True), st.integers(1, 999_999_999))
def test_document_id_is_read_as_it_is_written(accession_number: str, number: int) -> None:
    made = document_id(accession_number, number)
    assert split_document_id(made) == (accession_number, number)
    assert accession_of(made) == accession_number


def test_submission_lies_below_its_cik_without_zeros() -> None:
    assert submission_path("0009990001", NUMBER) == f"edgar/data/9990001/{NUMBER}.txt"
