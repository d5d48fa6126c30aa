"""The form of an API key."""

import hashlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgar_search.access.api_keys import is_well_formed, key_hash, new_key
from edgar_search.metrics.masking import without_keys

# Fixed, so that a change of the checksum, which would refuse all keys there are, fails here.
KEY = "sk_live_0123456789ABCDEFGHIJKLMG92o0"
CHARACTERS = st.characters(codec="utf-8")


def test_new_key_has_its_prefix_and_28_characters_of_base62() -> None:
    assert re.fullmatch(r"sk_live_[0-9A-Za-z]{28}", new_key())


def test_new_key_is_well_formed() -> None:
    assert all(is_well_formed(new_key()) for _ in range(100))


def test_new_keys_differ() -> None:
    assert len({new_key() for _ in range(1000)}) == 1000


def test_checksum_is_that_of_the_keys_there_are() -> None:
    assert is_well_formed(KEY)


@given(at=st.integers(0, len(KEY) - 1), char=CHARACTERS)
def test_any_changed_character_is_noticed(at: int, char: str) -> None:
    changed = KEY[:at] + char + KEY[at + 1 :]
    assert is_well_formed(changed) is (changed == KEY)


@given(at=st.integers(0, len(KEY)), char=CHARACTERS)
def test_any_added_character_is_noticed(at: int, char: str) -> None:
    assert not is_well_formed(KEY[:at] + char + KEY[at:])


@given(at=st.integers(0, len(KEY) - 1))
def test_any_missing_character_is_noticed(at: int) -> None:
    assert not is_well_formed(KEY[:at] + KEY[at + 1 :])


@given(at=st.integers(0, len(KEY) - 2))
def test_two_neighbours_in_the_wrong_order_are_noticed(at: int) -> None:
    swapped = KEY[:at] + KEY[at + 1] + KEY[at] + KEY[at + 2 :]
    assert is_well_formed(swapped) is (swapped == KEY)


@given(text=st.text())
def test_any_text_can_be_asked_about(text: str) -> None:
    assert not is_well_formed(text)


def test_hash_is_sha_256_in_hexadecimal() -> None:
    assert key_hash("sk_live_é") == hashlib.sha256("sk_live_é".encode()).hexdigest()


def test_text_keeps_nothing_of_a_key() -> None:
    assert without_keys(f"cik: {KEY} is no CIK") == "cik: sk_live_... is no CIK"


def test_keys_without_a_gap_between_them_all_go() -> None:
    assert without_keys(f"x {KEY * 3} y") == "x sk_live_... y"


def test_key_in_capitals_is_a_key_too() -> None:
    assert without_keys(f"unknown ticker: {KEY.upper()}") == "unknown ticker: sk_live_..."


def test_text_without_a_key_stays_as_it_is() -> None:
    assert without_keys("sk_live is no key") == "sk_live is no key"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.AbC-_9 b", "a ... b"),
        ("eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0.", "..."),
        ("x=eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ4In0&y", "x=...&y"),
        ("eyJ is no token, nor is www.sec.gov", "eyJ is no token, nor is www.sec.gov"),
    ],
)
def test_nothing_of_a_token_is_left_in_a_text(text: str, expected: str) -> None:
    assert without_keys(text) == expected
