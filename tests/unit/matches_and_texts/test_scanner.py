"""Matches in a text, however it is read and in whatever pieces it comes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgar_search.document.token_matcher import (
    FastMatcher,
    LoosePhrase,
    NeedsTokenMatcher,
    Scanner,
    SearchTerms,
    TokenMatcher,
    search_terms,
    smallest_windows,
    tail,
    token_count,
)
from edgar_search.search.language import parse, with_forms
from edgar_search.search.snippets.marks import Span
from edgar_search.text.words import token_spans
from tests.oracle import matches as oracle
from tests.unit.matches_and_texts.made_texts import QUERIES, queries, texts


def scanned(text: str, query: str, cuts: list[int]) -> list[Span]:
    scanner = Scanner(search_terms(parse(query)))
    found: list[Span] = []
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        found += scanner.feed(start, text[start:end])
    return found + scanner.finish()


@given(texts, queries, st.data())
def test_pieces_match_as_the_whole_does(text: str, query: str, data: st.DataObject) -> None:
    whole = sorted(TokenMatcher(search_terms(parse(query))).spans(text))
    between = [end for _, end in token_spans(text)]
    cuts = data.draw(st.lists(st.sampled_from(between), unique=True).map(sorted)) if between else []
    assert scanned(text, query, cuts) == whole


@given(
    texts,
    st.sampled_from([query for query in QUERIES if FastMatcher.serves(search_terms(parse(query)))]),
)
def test_quick_way_finds_the_same(text: str, query: str) -> None:
    sought = search_terms(parse(query))
    assert FastMatcher(sought).spans(text) == TokenMatcher(sought).spans(text)


def test_gap_in_the_text_is_not_matched_across() -> None:
    scanner = Scanner(search_terms(parse('"net sales"')))
    assert scanner.feed(0, "the net ") == []
    assert scanner.feed(100, "sales of net ") == []
    assert scanner.feed(113, "sales") == [Span(109, 118)]
    assert scanner.finish() == []


def test_match_is_given_once_nothing_can_come_before_it() -> None:
    scanner = Scanner(search_terms(parse('net OR "net of sales"')))
    first = "net and " + "gross and " * 10 + "net "
    assert scanner.feed(0, first) == [Span(0, 3)]
    net = len(first) - 4
    second = "of sales and all the rest of it, and what else there may be"
    assert scanner.feed(len(first), second) == [Span(net, net + 3), Span(net, net + 12)]
    assert scanner.finish() == []


def test_memory_is_that_of_a_few_pieces() -> None:
    scanner = Scanner(search_terms(parse('"net sales"~3')))
    piece = "net sales " * 200
    for number in range(50):
        scanner.feed(number * len(piece), piece)
        assert len(scanner._carried) <= len(piece)
        assert len(scanner._waiting) < 20


def test_text_without_white_space_is_not_quick_for_phrases() -> None:
    sought = search_terms(parse('"a b"'))
    text = "a,b," * 1_000
    with pytest.raises(NeedsTokenMatcher):
        FastMatcher(sought).spans(text)
    assert len(scanned(text, '"a b"', [])) == 1_000


@pytest.mark.parametrize("query", ['"net sales"~2', " OR ".join(f"word{n}" for n in range(21))])
def test_loose_phrases_and_many_words_are_not_looked_for_one_by_one(query: str) -> None:
    assert not FastMatcher.serves(search_terms(parse(query)))


@given(texts, st.integers(1, 12))
def test_tail_has_its_tokens(text: str, count: int) -> None:
    end = tail(text, count)
    assert text.endswith(end)
    assert token_count(end, count) == token_count(text, count)
    spans = [span for span in token_spans(text) if span[0] >= len(text) - len(end)]
    shifted = [
        (start + len(text) - len(end), after + len(text) - len(end))
        for start, after in token_spans(end)
    ]
    assert shifted == spans


def test_leaves_are_told_apart_and_each_is_there_once() -> None:
    query = (
        'net OR NET OR "net sales" OR 10-K OR impair* OR "net sales"~3 OR "net"~4 OR "net sales"'
    )
    assert search_terms(parse(query)) == SearchTerms(
        words=frozenset({"net"}),
        patterns=("impair*",),
        phrases=(("net", "sales"), ("10", "k")),
        loose=(LoosePhrase(("net", "sales"), 3),),
    )


def test_forms_are_words_of_their_own() -> None:
    assert search_terms(with_forms(parse("retire"), "all")).words >= {
        "retire",
        "retired",
        "retirement",
    }


def test_what_is_excluded_is_not_looked_for() -> None:
    assert search_terms(parse('net NOT (sales OR "of the" OR impair*)')) == search_terms(
        parse("net")
    )


def test_reach_is_how_far_apart_a_match_may_be() -> None:
    assert search_terms(parse("net OR sal*")).reach == 0
    assert search_terms(parse('"a b c" OR net')).reach == 2
    assert search_terms(parse('"a b c" OR "a b"~7')).reach == 8


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
