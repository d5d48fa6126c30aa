"""The smallest windows of loose phrases, against a look at every position."""

from hypothesis import given
from hypothesis import strategies as st

from edgar_search.document.token_matcher import LoosePhrase, smallest_windows
from tests.oracle import matches as oracle

letters = st.sampled_from("abcd")


def windows(words: list[str], phrase: list[str], slop: int) -> list[tuple[int, int]]:
    places = [[at for at, word in enumerate(words) if word == wanted] for wanted in phrase]
    return smallest_windows(LoosePhrase(tuple(phrase), slop), places)


@given(
    st.lists(letters, max_size=30),
    st.lists(letters, min_size=2, max_size=5),
    st.integers(1, 8),
)
def test_windows_are_those_that_the_oracle_finds(
    words: list[str], phrase: list[str], slop: int
) -> None:
    assert windows(words, phrase, slop) == oracle.smallest_windows(words, phrase, slop)


def test_window_is_no_longer_than_it_must_be() -> None:
    assert windows(list("axbxaxb"), ["a", "b"], 1) == [(0, 2), (4, 6)]
    # Two moves turn a pair around.
    assert windows(list("axbxaxb"), ["b", "a"], 3) == [(0, 2), (2, 4), (4, 6)]


def test_word_that_stands_twice_in_the_phrase_needs_two_places() -> None:
    assert windows(list("axb"), ["a", "a"], 5) == []
    assert windows(list("axa"), ["a", "a"], 1) == [(0, 2)]


def test_word_that_is_nowhere_leaves_no_window() -> None:
    assert windows(list("aaa"), ["a", "b"], 5) == []


@given(st.lists(letters, max_size=40), st.integers(1, 12))
def test_windows_of_two_words_are_those_too(words: list[str], slop: int) -> None:
    assert windows(words, ["a", "b"], slop) == oracle.smallest_windows(words, ["a", "b"], slop)
