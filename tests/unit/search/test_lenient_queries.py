"""Queries as EDGAR's full-text search reads them."""

import pytest

from edgar_search.search.language import QueryError, parse
from edgar_search.search.language.lenient import read_leniently


@pytest.mark.parametrize(
    ("query", "read"),
    [
        ("technology phase jon", "technology phase jon"),
        ('"material weakness"', '"material weakness"'),
        ("\u201cmaterial weakness\u201d", '"material weakness"'),
        # EDGAR's page encodes twice.
        ("%22material%20weakness%22", '"material weakness"'),
        ("-word other", "NOT word other"),
        ('other -"a phrase"', 'other NOT "a phrase"'),
        ("NOT word other", "NOT word other"),
        ("a OR -b", "a NOT b"),
        ("ford OR chevy", "ford OR chevy"),
        ("OR ford OR", "ford"),
        ("ford AND OR chevy", "ford AND chevy"),
        ("ford or chevy", "ford or chevy"),
        ("account*", "account*"),
        ("ab*", "ab"),
        ("fo*rd", "ford"),
        ("R&D*", "R&D"),
        ('"unclosed phrase', '"unclosed phrase"'),
        ('a "" b', "a b"),
        ('"a*b" c', '"a b" c'),
        ("(foo bar) NEAR(5) baz~2 [x]", "foo bar NEAR 5 baz 2 x"),
        ("10-K $5 -", "10-K $5"),
        ("", ""),
        ("*", ""),
        ("*ford", ""),
        (" - + ( ", ""),
    ],
)
def test_everything_is_read(query: str, read: str) -> None:
    assert read_leniently(query) == read
    if read:
        parse(read)


def test_only_exclusions_and_long_queries_are_refused() -> None:
    for query in ("-a", 'NOT "a b" -c', "a " * 600):
        with pytest.raises(QueryError):
            read_leniently(query)
