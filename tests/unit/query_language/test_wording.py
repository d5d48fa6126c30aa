"""How a query is written out, and said in words."""

import pytest

from edgar_search.search.language import ALL, described, parse, with_forms, written

CASES = [
    ("Goodwill", "Goodwill", "the word `goodwill`"),
    ('"goodwill"', '"goodwill"', "the word `goodwill`"),
    ("10-K", "10-K", "the phrase `10 k`"),
    ("\u201cfair  value\u201d", '"fair value"', "the phrase `fair value`"),
    ('"fair value"~1', '"fair value"~1', "the words `fair` `value` at most 1 move apart"),
    ('"fair value"~5', '"fair value"~5', "the words `fair` `value` at most 5 moves apart"),
    ('"fair"~5', '"fair"~5', "the word `fair`"),
    ("Impair*", "impair*", "a word like `impair*`"),
    ("a b", "a AND b", "the word `a` and the word `b`"),
    ("a or b", "a AND or AND b", "the word `a` and the word `or` and the word `b`"),
    ("((a)) OR (b)", "a OR b", "the word `a` or the word `b`"),
    ("a b OR c", "(a AND b) OR c", "(the word `a` and the word `b`) or the word `c`"),
    ("a (b OR c)", "a AND (b OR c)", "the word `a` and (the word `b` or the word `c`)"),
    ("a NOT b c", "a AND c NOT b", "the word `a` and the word `c`, without the word `b`"),
    ("a NOT (b c)", "a NOT (b AND c)", "the word `a`, without (the word `b` and the word `c`)"),
    ("a & b", "a AND b", "the word `a` and the word `b`"),
]


@pytest.mark.parametrize(("query", "text", "meaning"), CASES)
def test_query_is_written_out_and_said(query: str, text: str, meaning: str) -> None:
    tree = parse(query)
    assert (written(tree), described(tree)) == (text, meaning)


def test_forms_of_a_word_are_said_and_not_written() -> None:
    tree = with_forms(parse("swap Swap"), ALL)
    assert written(tree) == "swap AND Swap"
    forms = "`swaps` `swap's` `swapped` `swapping` `swappings`"
    assert described(tree) == f"the word `swap` or a form of it ({forms}) and the word `swap`"
