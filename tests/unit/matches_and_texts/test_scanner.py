"""What is found in a text, however it is read and in whatever pieces it comes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgar_search.document.token_matcher import (
    FastMatcher,
    NeedsTokenMatcher,
    Scanner,
    TokenMatcher,
    search_terms,
    tail,
    token_count,
)
from edgar_search.search.language import parse
from edgar_search.search.snippets.marks import Span
from edgar_search.text.words import token_spans
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
