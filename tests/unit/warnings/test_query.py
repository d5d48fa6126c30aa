"""Queries that probably mean something else, and queries that only look so."""

import pytest

from edgar_search.search.language import parse
from edgar_search.search.warnings.query_text import find_query_warnings

AND = "write AND, or nothing, if both sides are wanted"
FIELDS = "a query cannot name fields; filters such as ticker and form_type are parameters"
DISTANCE = "a distance comes after a phrase, as in "
QUOTE = "a distance comes directly after the closing quote, as in "
FUZZY = "fuzzy words and boosts are not possible; `*` matches the end of a word"


def sure(query: str) -> list[str]:
    return [str(doubt.warning) for doubt in find_query_warnings(parse(query)) if doubt.sure]


def unsure(query: str) -> list[str]:
    return [str(doubt.warning) for doubt in find_query_warnings(parse(query)) if not doubt.sure]


@pytest.mark.parametrize(
    ("query", "place", "right"),
    [
        ("goodwill and impairment", "`and` at character 10", AND),
        ("GOODWILL and IMPAIRMENT", "`and` at character 10", AND),
        ('"interest rate" and swap*', "`and` at character 17", AND),
        ("swaps or futures", "`or` at character 7", "write OR if one side is enough"),
        ("gain or loss of the bank", "`or` at character 6", "write OR if one side is enough"),
        ("swaps x or y", "`or` at character 9", "write OR if one side is enough"),
        ("Apple or Microsoft", "`or` at character 7", "write OR if one side is enough"),
        ("(a b) or (c d)", "`or` at character 7", "write OR if one side is enough"),
        ("customers not bank", "`not` at character 11", "write NOT to exclude the word after it"),
        ("a1 NEAR b1", "`NEAR` at character 4", DISTANCE + '"a1 b1"~10'),
        ("a1 near/5 b1", "`near/5` at character 4", DISTANCE + '"a1 b1"~5'),
        ("a1 W/99 b1", "`W/99` at character 4", DISTANCE + '"a1 b1"~50'),
        ("a1 /7 b1", "`/7` at character 4", DISTANCE + '"a1 b1"~7'),
        ('"a b" NEAR/3 c', "`NEAR/3` at character 7", DISTANCE + '"a b c"~3'),
        ("NEAR(a1, b1, 5)", "`NEAR` at character 1", DISTANCE + '"goodwill impairment"~10'),
        ("impair* NEAR/2 b", "`NEAR/2` at character 9", DISTANCE + '"goodwill impairment"~2'),
        ('"a b" ~5', "`~5` at character 7", QUOTE + '"a b"~5'),
        ('"a b" ~99', "`~99` at character 7", QUOTE + '"a b"~50'),
        ("a b ~5", "`~5` at character 5", QUOTE + '"goodwill impairment"~5'),
        ("goodwill~2", "`goodwill~2` at character 1", FUZZY),
        ("x goodwill^2", "`goodwill^2` at character 3", FUZZY),
        ("company:Apple", "`company:Apple` at character 1", FIELDS),
        ("risk TITLE:foo", "`TITLE:foo` at character 6", FIELDS),
        ("ticker: AAPL", "`ticker:` at character 1", FIELDS),
    ],
)
def test_what_is_read_as_text(query: str, place: str, right: str) -> None:
    assert sure(query) == [f"query: {place} is read as text to find; {right}"]


@pytest.mark.parametrize(
    "query", ["'material weakness' audit", "\u2018material weakness\u2019 audit"]
)
def test_single_quotes_around_several_words(query: str) -> None:
    assert sure(query) == [
        "query: the single quotes at character 1 are read as apostrophes; write a phrase in"
        ' double quotes: "material weakness"'
    ]


@pytest.mark.parametrize(
    "query",
    [
        "goodwill AND impairment",
        '"research and development"',
        "\u201cprofit or loss\u201d",
        "and",
        "and goodwill",
        "goodwill or",
        "Bank and Trust",
        "Procter and Gamble settlement",
        "whether or not impaired",
        "including but not limited to",
        "loss of and gain",
        "merger agreement and plan of merger",
        "the parties hereto and their successors",
        "near term debt",
        "NEAR TERM DEBT",
        "and/or",
        "24/7 support",
        "1/2 share",
        '"goodwill impairment"~5',
        "http://www.example.com",
        "10:30",
        "x^2",
        "'goodwill'",
        "shareholders' equity of the company's directors",
        "'90s bonds' yield",
        "O'Reilly",
        "401(k) R&D AT&T 10-K/A U.S.",
        "impair* hed*ing",
    ],
)
def test_what_was_probably_meant_so(query: str) -> None:
    assert find_query_warnings(parse(query)) == ()


def test_word_with_a_colon_may_stand_in_texts() -> None:
    assert sure("dei:EntityRegistrantName") == []
    assert len(unsure("dei:EntityRegistrantName")) == 1


def test_each_kind_is_named_once_in_the_order_of_the_query() -> None:
    doubts = find_query_warnings(parse("company:a company:b or swaps and x1 or y1 and z1"))
    assert [doubt.position for doubt in doubts] == [1, 21, 30]
    assert [doubt.text.split("`")[1] for doubt in doubts] == ["company:a", "or", "and"]


def test_long_word_is_shown_by_its_beginning() -> None:
    (sentence,) = sure("company:" + "x" * 900)
    assert sentence.startswith("query: `company:" + "x" * 32 + "...` at character 1 ")
    assert len(sentence) < 200
