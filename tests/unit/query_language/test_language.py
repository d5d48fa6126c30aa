"""The meaning of each form of the query language."""

import pytest

from edgar_search.search.language import And, Node, Or, Phrase, Wildcard, Word, parse
from tests.unit.query_language.trees import nested, placeless


def word(text: str) -> Word:
    return Word(text, 0)


def phrase(text: str, slop: int = 0) -> Phrase:
    return Phrase(text, slop, 0)


def wildcard(pattern: str) -> Wildcard:
    return Wildcard(pattern, 0)


def all_of(*positive: Node, without: tuple[Node, ...] = ()) -> And:
    return And(positive, without)


def any_of(*operands: Node) -> Or:
    return Or(operands)


a, b, c, d, x = map(word, "abcdx")

OPERATORS = [
    ("a", a),
    ("  a  ", a),
    ("a b", all_of(a, b)),
    ("a AND b", all_of(a, b)),
    ("a OR b", any_of(a, b)),
    ("a NOT b", all_of(a, without=(b,))),
    ("NOT b a", all_of(a, without=(b,))),
    ("a AND NOT b", all_of(a, without=(b,))),
    ("a NOT b NOT c", all_of(a, without=(b, c))),
    ("NOT b a NOT c d", all_of(a, d, without=(b, c))),
    ("a AND NOT (b OR c)", all_of(a, without=(any_of(b, c),))),
    ("a NOT (b c)", all_of(a, without=(all_of(b, c),))),
    ("a NOT (b NOT c)", all_of(a, without=(all_of(b, without=(c,)),))),
    # NOT before AND before OR
    ("a OR b c", any_of(a, all_of(b, c))),
    ("a b OR c d", any_of(all_of(a, b), all_of(c, d))),
    ("a AND b OR c AND d", any_of(all_of(a, b), all_of(c, d))),
    ("a OR b NOT c", any_of(a, all_of(b, without=(c,)))),
    ("(a OR b) c", all_of(any_of(a, b), c)),
    ("a (b OR c) d", all_of(a, any_of(b, c), d)),
    # AND in AND and OR in OR are one, a group of one is none
    ("a (b c) d", all_of(a, b, c, d)),
    ("(a b) AND (c d)", all_of(a, b, c, d)),
    ("(a NOT b) (c NOT d)", all_of(a, c, without=(b, d))),
    ("a OR (b OR (c OR d))", any_of(a, b, c, d)),
    ("((a))", a),
    ("((a) (b))", all_of(a, b)),
    # An operator is a whole word in capitals
    ("a and b", all_of(a, word("and"), b)),
    ("a or not b", all_of(a, word("or"), word("not"), b)),
    ("a And b", all_of(a, word("And"), b)),
    ("a AND, b", all_of(a, word("AND,"), b)),
    ("ANDa ORb NOTc", all_of(word("ANDa"), word("ORb"), word("NOTc"))),
    ('"AND"', phrase("AND")),
    ('a AND"b"', all_of(a, phrase("b"))),
    ('"a"AND"b"', all_of(phrase("a"), phrase("b"))),
    ("(a)OR(b)", any_of(a, b)),
    ("a NOT(b)", all_of(a, without=(b,))),
]

WORDS = [
    ("10-K/A", word("10-K/A")),
    ("AT&T", word("AT&T")),
    ("\u6771\u4eac", word("\u6771\u4eac")),
    ("profit & loss", all_of(word("profit"), word("loss"))),
    ("a - b", all_of(a, b)),
    ("a -- b", all_of(a, b)),
    ("a , b", all_of(a, b)),
    ("a OR &", a),
    ("& OR a", a),
    ("a AND &", a),
    ("NOT & a", a),
    ("a NOT &", a),
    ("(&) a", a),
    ("a NOT (& OR &)", a),
    ('a "&"', a),
    ("a (& b)", all_of(a, b)),
    ("well-known", word("well-known")),
    ("a- b-", all_of(word("a-"), word("b-"))),
    ("$5 +x", all_of(word("$5"), word("+x"))),
    # Nothing but quotes, parentheses, wildcards and operators is more than a character
    ("title:foo", word("title:foo")),
    ("a/b", word("a/b")),
    ("a^2", word("a^2")),
    ("a~2 b~", all_of(word("a~2"), word("b~"))),
    ("[a TO b]", all_of(word("[a"), word("TO"), word("b]"))),
    ("<a> {b} c\\", all_of(word("<a>"), word("{b}"), word("c\\"))),
    ("a && b || !c", all_of(a, b, word("!c"))),
    ("what? a", all_of(word("what?"), a)),
    ("?a ? a?", all_of(word("?a"), word("a?"))),
]

PARENTHESES = [
    ("401(k)", word("401(k)")),
    ("401(k) plan", all_of(word("401(k)"), word("plan"))),
    ("16(a)", word("16(a)")),
    ("(16(a))", word("16(a)")),
    ("f(a(b))", word("f(a(b))")),
    ("f(a)b", word("f(a)b")),
    ("f(AND)", word("f(AND)")),
    ("f()", word("f()")),
    ("\xe9(a)", word("\xe9(a)")),
    ("e\u0301(a)", word("\xe9(a)")),
    ("xAND(a)", word("xAND(a)")),
    ("a(b c)", all_of(a, b, c)),
    ("foo(bar baz)", all_of(word("foo"), word("bar"), word("baz"))),
    ("a(b OR c)", all_of(a, any_of(b, c))),
    ('a("b")', all_of(a, phrase("b"))),
    ("a AND(b)", all_of(a, b)),
    ("a OR(b)", any_of(a, b)),
    (".(a)", a),
    ('"a"(b)', all_of(phrase("a"), b)),
    ("13(a)(1)", word("13(a)(1)")),
    ("13(a)(1)(ii)-2", word("13(a)(1)(ii)-2")),
    ("rule 13(a)(1) plan", all_of(word("rule"), word("13(a)(1)"), word("plan"))),
    ("(13(a)(1))", word("13(a)(1)")),
    ("13(a)(b OR c)", all_of(word("13(a)"), any_of(b, c))),
    ("13(a) (b)", all_of(word("13(a)"), b)),
    ("(a)(b)", all_of(a, b)),
    ("a OR(b)(c)", any_of(a, all_of(b, word("c")))),
    ("(a)b", all_of(a, b)),
]

PHRASES = [
    ('"a b"', phrase("a b")),
    ('" a   b "', phrase("a b")),
    ('"a b"~3', phrase("a b", 3)),
    ('"a b"~0', phrase("a b")),
    ('"a b"~50 c', all_of(phrase("a b", 50), c)),
    ('"a b"~007', phrase("a b", 7)),
    ('"a b"~', phrase("a b")),
    ('"a b" ~3', all_of(phrase("a b"), word("~3"))),
    ('"a b"~x', all_of(phrase("a b"), word("~x"))),
    ('"a b"~3x', all_of(phrase("a b", 3), x)),
    ('foo"bar"', all_of(word("foo"), phrase("bar"))),
    ('"a""b"', all_of(phrase("a"), phrase("b"))),
    ('"a"b', all_of(phrase("a"), b)),
    ('"a (b) OR c? -d"', phrase("a (b) OR c? -d")),
    ('NOT "a b" c', all_of(c, without=(phrase("a b"),))),
]

WILDCARDS = [
    ("000?\xbd", word("000?\xbd")),
    ("abc?d??\xbd", Wildcard("abc?d", 0)),
    ("impair*", wildcard("impair*")),
    ("IMPAIR*", wildcard("impair*")),
    ("impair*,", wildcard("impair*")),
    ("(impair*)", wildcard("impair*")),
    ("$impair*...", wildcard("impair*")),
    ("impair**", wildcard("impair*")),
    ("impair*?", wildcard("impair*")),
    ("hed*ing", wildcard("hed*ing")),
    ("hed***ing*", wildcard("hed*ing*")),
    ("wom?n", wildcard("wom?n")),
    ("wom??n", wildcard("wom??n")),
    ("wom?*n", wildcard("wom?*n")),
    ("2024*", wildcard("2024*")),
    ("U.S*", wildcard("u.s*")),
    ("foo_*", wildcard("foo_*")),
    ("don\u2019*", wildcard("don'*")),
    ("caf\u0065\u0301*", wildcard("caf\xe9*")),
    ("\u0130\u03a3\u03a3*", wildcard("i\u03c3\u03c3*")),
    ("a NOT impair*", all_of(a, without=(wildcard("impair*"),))),
    ("what?", word("what?")),
    ("wom?-n", word("wom?-n")),
]

CHARACTERS = [
    ("\u201ca b\u201d", phrase("a b")),
    ("\u201ea b\u201f", phrase("a b")),
    ("\xaba b\xbb", phrase("a b")),
    ("\u2039a b\u203a", phrase("a b")),
    ("\uff02a b\uff02", phrase("a b")),
    ('\u201ca b"~2', phrase("a b", 2)),
    ("10\u2011K", word("10-K")),
    ("a \u2014 b \u2212 c", all_of(a, b, c)),
    ("a\xa0b\u2003c", all_of(a, b, c)),
    ("a\x00b\x1fc\x85d", all_of(a, b, c, d)),
    ("a\tAND\nb", all_of(a, b)),
    ("co\xadop", word("coop")),
    ("a A\u200bN\u200bD b", all_of(a, b)),
    ("\ufeffa", a),
    ("o\u2019clock", word("o'clock")),
    ("\ufb01ling", word("filing")),
    ("e\u0301", word("\xe9")),
    ('"e\u0301 \ufb01"', phrase("\xe9 fi")),
    ("\U0001f600", word("\U0001f600")),
]


@pytest.mark.parametrize(
    ("query", "expected"),
    OPERATORS + WORDS + PARENTHESES + PHRASES + WILDCARDS + CHARACTERS,
    ids=lambda value: ascii(value) if isinstance(value, str) else "",
)
def test_parse(query: str, expected: Node) -> None:
    assert placeless(parse(query)) == placeless(expected)


def test_positions_are_the_users_own_characters() -> None:
    query = "\u200ba\xad \u201cb\u201d~2 (\U0001f600 OR abc*)"
    assert parse(query) == And(
        (
            Word("a", 2),
            Phrase("b", 2, 5),
            Or((Word("\U0001f600", 12), Wildcard("abc*", 17))),
        )
    )


def test_query_of_a_thousand_characters() -> None:
    query = "a" + " b" * 499 + " "
    tree = parse(query)
    assert isinstance(tree, And)
    assert len(tree.positive) == 500


@pytest.mark.parametrize("depth", [1, 20, 499])
def test_parentheses_around_one_word_collapse(depth: int) -> None:
    assert parse("(" * depth + "a" + ")" * depth) == Word("a", depth + 1)


def test_five_words_with_wildcards() -> None:
    tree = parse("aaa* bbb*b ccc* ddd?d eee*")
    assert isinstance(tree, And)
    assert len(tree.positive) == 5


def test_twenty_levels() -> None:
    tree: Node = parse(nested(20))
    levels = 0
    while isinstance(tree, And | Or):
        tree = (tree.positive if isinstance(tree, And) else tree.operands)[-1]
        levels += 1
    assert levels == 20


def test_levels_that_collapse_do_not_count() -> None:
    assert isinstance(parse("(a " * 60 + ")" * 60), And)
    assert isinstance(parse("(a OR " * 60 + "b" + ")" * 60), Or)
