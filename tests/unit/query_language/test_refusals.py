"""Refusals of the query language, and their messages."""

import pytest

from edgar_search.errors import BadRequest
from edgar_search.search.language import QueryError, parse
from tests.unit.query_language.trees import nested

OPERAND = "write a word, a phrase or a group there"
POSITIVE = "write a word to find beside it, as in `a NOT b`"
PLACE = "write `*` between letters or digits, or at the end of a word, as in `impair*`"
MARKS = "at most 5 `?` in 50 characters come after a `*`"
LITERALS = "at least 3 characters come before the first wildcard, as in `abc*`"

# query, position, what is wrong, what would be right
REFUSALS = [
    # Nothing to search for
    ("", 0, "nothing to search for", "write at least one word"),
    ("  \t\x00\xa0 ", 0, "nothing to search for", "write at least one word"),
    ("\u200b\xad", 0, "nothing to search for", "write at least one word"),
    ("&", 1, "no letters or digits", "write at least one word"),
    ("  & -", 3, "no letters or digits", "write at least one word"),
    ("(&) OR NOT &", 1, "no letters or digits", "write at least one word"),
    ('"?"', 1, "no letters or digits", "write at least one word"),
    # A missing operand
    ("AND a", 1, "AND with nothing before it", OPERAND),
    ("OR a", 1, "OR with nothing before it", OPERAND),
    ("a AND", 3, "AND with nothing after it", OPERAND),
    ("a OR", 3, "OR with nothing after it", OPERAND),
    ("a NOT", 3, "NOT with nothing after it", OPERAND),
    ("NOT", 1, "NOT with nothing after it", OPERAND),
    ("AND", 1, "AND with nothing before it", OPERAND),
    ("a AND AND b", 7, "AND directly after AND", OPERAND),
    ("a OR OR b", 6, "OR directly after OR", OPERAND),
    ("a AND OR b", 7, "OR directly after AND", OPERAND),
    ("a OR AND b", 6, "AND directly after OR", OPERAND),
    ("a NOT AND b", 7, "AND directly after NOT", OPERAND),
    ("a NOT OR b", 7, "OR directly after NOT", OPERAND),
    ("a (AND b)", 4, "AND with nothing before it", OPERAND),
    ("(a OR) b", 4, "OR with nothing after it", OPERAND),
    ("(a NOT) b", 4, "NOT with nothing after it", OPERAND),
    ("(NOT) b", 2, "NOT with nothing after it", OPERAND),
    ("& AND", 3, "AND with nothing after it", OPERAND),
    ("a ()", 3, "nothing between the parentheses", OPERAND),
    ("()", 1, "nothing between the parentheses", OPERAND),
    ("a OR ( )", 6, "nothing between the parentheses", OPERAND),
    ("AND()", 1, "AND with nothing before it", OPERAND),
    ('a ""', 3, "nothing between the quotes", "write a word or a phrase in them"),
    ('a " \xad "', 3, "nothing between the quotes", "write a word or a phrase in them"),
    ("\u201c\u201d", 1, "nothing between the quotes", "write a word or a phrase in them"),
    # Only something to exclude
    ("NOT a", 1, "NOT with nothing wanted beside it", POSITIVE),
    ("NOT a NOT b", 1, "NOT with nothing wanted beside it", POSITIVE),
    ("a OR NOT b", 6, "NOT with nothing wanted beside it", POSITIVE),
    ("NOT a OR b", 1, "NOT with nothing wanted beside it", POSITIVE),
    ("a (NOT b)", 4, "NOT with nothing wanted beside it", POSITIVE),
    ("a NOT (NOT b)", 8, "NOT with nothing wanted beside it", POSITIVE),
    ("& NOT b", 3, "NOT with nothing wanted beside it", POSITIVE),
    ("NOT & NOT b", 7, "NOT with nothing wanted beside it", POSITIVE),
    ("NOT (a b)", 1, "NOT with nothing wanted beside it", POSITIVE),
    ("NOT NOT a", 5, "NOT directly after NOT", POSITIVE),
    ("a NOT NOT b", 7, "NOT directly after NOT", POSITIVE),
    # A dash for NOT
    ("-a", 1, "`-` before a word, a phrase or a group", "use NOT to exclude"),
    ("a -b", 3, "`-` before a word, a phrase or a group", "use NOT to exclude"),
    ("a --b", 3, "`-` before a word, a phrase or a group", "use NOT to exclude"),
    ("a -$5", 3, "`-` before a word, a phrase or a group", "use NOT to exclude"),
    ("a \u2013b", 3, "`-` before a word, a phrase or a group", "use NOT to exclude"),
    ("(-a)", 2, "`-` before a word, a phrase or a group", "use NOT to exclude"),
    ('a -"b"', 3, "`-` before a word, a phrase or a group", "use NOT to exclude"),
    ("a -(b)", 3, "`-` before a word, a phrase or a group", "use NOT to exclude"),
    ('"a"-b', 4, "`-` before a word, a phrase or a group", "use NOT to exclude"),
    # Pairs
    ('a "b', 3, "a quote that is never closed", "quotes come in pairs"),
    ('"a" b"', 6, "a quote that is never closed", "quotes come in pairs"),
    ("(a", 1, "a parenthesis that is never closed", "parentheses come in pairs"),
    ("((a)", 1, "a parenthesis that is never closed", "parentheses come in pairs"),
    ("(a (b", 4, "a parenthesis that is never closed", "parentheses come in pairs"),
    ("f(a b", 2, "a parenthesis that is never closed", "parentheses come in pairs"),
    ("a)", 2, "a closing parenthesis that was never opened", "parentheses come in pairs"),
    ("(a)) b", 4, "a closing parenthesis that was never opened", "parentheses come in pairs"),
    (")(", 1, "a closing parenthesis that was never opened", "parentheses come in pairs"),
    # Wildcards
    ('"impair*"', 8, "`*` inside quotes", "write a wildcard outside of quotes"),
    ("*impair", 1, "`*` in the wrong place", PLACE),
    ("*", 1, "`*` in the wrong place", PLACE),
    ("a * b", 3, "`*` in the wrong place", PLACE),
    ("(*impair)", 2, "`*` in the wrong place", PLACE),
    ("impair *", 8, "`*` in the wrong place", PLACE),
    ("a&*", 1, "a wildcard in more than one word", "write the words apart"),
    ("abc-*def", 5, "`*` in the wrong place", PLACE),
    ("abc*-def", 4, "`*` in the wrong place", PLACE),
    ("abc*,def*", 4, "`*` in the wrong place", PLACE),
    ("abc***,def*", 4, "`*` in the wrong place", PLACE),
    ("abc*d,*ef", 7, "`*` in the wrong place", PLACE),
    ("\u200ba\xadbc*-def", 6, "`*` in the wrong place", PLACE),
    ("10-K*", 1, "a wildcard in more than one word", "write the words apart"),
    ("a well-known*", 3, "a wildcard in more than one word", "write the words apart"),
    ("page?id=3", 1, "a wildcard in more than one word", "write the words apart"),
    ("\u6771\u4eac*", 1, "a wildcard in more than one word", "write the words apart"),
    ("abc?*", 1, "a wildcard in more than one word", "write the words apart"),
    ("a" * 255 + "*", 1, "a wildcard in more than one word", "write the words apart"),
    ("a fo*", 3, "too little before a wildcard", LITERALS),
    ("te?t", 1, "too little before a wildcard", LITERALS),
    ("a*bcde", 1, "too little before a wildcard", LITERALS),
    ("abc*d??????e", 1, "too much after a wildcard", MARKS),
    ("a abc*d?" + "e" * 49, 3, "too much after a wildcard", MARKS),
    ("$$$ab*", 1, "too little before a wildcard", LITERALS),
    ("aaa* bbb* ccc* ddd* eee* fff*", 26, "more than 5 words with wildcards", "fewer are needed"),
    ("aaa* " * 4 + "NOT (bbb* OR c?c)", 34, "too little before a wildcard", LITERALS),
    (
        "aaa* " * 4 + "NOT (bbb* OR ccc?c)",
        34,
        "more than 5 words with wildcards",
        "fewer are needed",
    ),
    # Slop
    ('"a b"~51', 6, "the number after `~` is more than 50", "0 to 50 is possible"),
    ('c "a b"~' + "9" * 900, 8, "the number after `~` is more than 50", "0 to 50 is possible"),
    # What is too much, or no character
    ("a" * 1001, 1001, "longer than 1,000 characters", "shorten it"),
    (" " * 5000, 1001, "longer than 1,000 characters", "shorten it"),
    ("a \ud800", 3, "half of a surrogate pair", "send whole characters"),
    ('"\udfff"', 2, "half of a surrogate pair", "send whole characters"),
    ("\ud83d\ude00", 1, "half of a surrogate pair", "send whole characters"),
    (nested(21), 7, "AND and OR nested more than 20 deep", "use fewer parentheses"),
    (
        "x NOT " + nested(20),
        7,
        "AND and OR nested more than 20 deep",
        "use fewer parentheses",
    ),
]


@pytest.mark.parametrize(
    ("query", "position", "wrong", "right"), REFUSALS, ids=[ascii(row[0])[:40] for row in REFUSALS]
)
def test_refusal(query: str, position: int, wrong: str, right: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(query)
    place = f" at character {position}" if position else ""
    assert str(caught.value) == f"query: {wrong}{place}; {right}"
    assert caught.value.message == str(caught.value)
    assert caught.value.position == position


def test_refusal_is_a_bad_request() -> None:
    assert issubclass(QueryError, BadRequest)
    assert QueryError.status == 400


def test_message_is_one_sentence_for_the_user() -> None:
    with pytest.raises(QueryError) as caught:
        parse("a OR")
    assert str(caught.value) == (
        "query: OR with nothing after it at character 3; write a word, a phrase or a group there"
    )
