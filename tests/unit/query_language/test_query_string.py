"""The text of a tree: whole, read back, and whatever a word holds."""

import os
import random

import pytest
from hypothesis import given, seed, settings
from hypothesis import strategies as st

from edgar_search.search.language import And, Node, Or, Phrase, QueryError, Wildcard, Word, parse
from edgar_search.search.query.matching import compile_tree
from tests.unit.query_language.query_string_reader import read
from tests.unit.query_language.trees import nested

SEED = int(os.environ.get("EDGAR_SEARCH_TEST_SEED") or random.randrange(2**32))


@pytest.fixture(autouse=True)
def _say_the_seed() -> None:
    print(f"EDGAR_SEARCH_TEST_SEED={SEED}")


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Goodwill", '"Goodwill"'),
        ("10-K/A", '"10-K/A"'),
        ('"material weakness"', '"material weakness"'),
        ('"material weakness"~3', '"material weakness"~3'),
        ('"material weakness"~0', '"material weakness"'),
        ("Impair*", "impair*"),
        ("wom?n*", "wom?n*"),
        ("title:foo*", r"title\:foo*"),
        ("o'clo*", r"o\'clo*"),
        ("abc__d?e", r"abc\_\_d?e"),
        ("a b", '+"a" +"b"'),
        ("a NOT b", '+"a" -"b"'),
        ("a OR b", '"a" "b"'),
        ("a OR b c", '"a" (+"b" +"c")'),
        ("(a OR b) c", '+("a" "b") +"c"'),
        ("a NOT (b NOT c)", '+"a" -(+"b" -"c")'),
        (
            '("interest rate" AND swap*) NOT (libor OR x y)',
            '+"interest rate" +swap* -("libor" (+"x" +"y"))',
        ),
        # The operators of the engine's own syntax
        ("a && b || !c", '+"a" +"b" +"!c"'),
        ('"a OR b" "NOT c" "x TO y"', '+"a OR b" +"NOT c" +"x TO y"'),
        ("field:x [a /b/ c~2 d^3 <e", '+"field:x" +"[a" +"/b/" +"c~2" +"d^3" +"<e"'),
        (r"C:\new\x", r'"C:\\new\\x"'),
        (r'"ends in \"', r'"ends in \\"'),
        # Twice is once
        ("a a", '+"a"'),
        ("a OR a", '"a"'),
        ('a "a" "a"~1', '+"a" +"a"~1'),
        ("(a b) OR (a b) OR c", '(+"a" +"b") "c"'),
        ("(a a) OR a", '(+"a") "a"'),
    ],
)
def test_text_of_a_query(query: str, text: str) -> None:
    assert compile_tree(parse(query)) == text


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("swap", '"swap" "swaps"'),
        ("a swap", '+"a" +("swap" "swaps")'),
        ("a OR swap", '"a" ("swap" "swaps")'),
        ("swap OR swap", '("swap" "swaps")'),
        ("a NOT swap", '+"a" -("swap" "swaps")'),
        ("swap OR (a swap)", '("swap" "swaps") (+"a" +("swap" "swaps"))'),
        ("swap swap", '+("swap" "swaps")'),
    ],
)
def test_forms_of_a_word_are_alternatives(query: str, text: str) -> None:
    assert compile_tree(with_swaps(parse(query))) == text


def with_swaps(node: Node) -> Node:
    """Return the tree, in which `swap` and `swaps` are forms of each other."""
    match node:
        case And(positive, negative):
            return And(tuple(map(with_swaps, positive)), tuple(map(with_swaps, negative)))
        case Or(operands):
            return Or(tuple(map(with_swaps, operands)))
        case Word("swap" | "swaps" as text, position):
            return Word(text, position, ("swaps" if text == "swap" else "swap",))
        case _:
            return node


def test_quote_of_a_text_is_escaped() -> None:
    assert compile_tree(Word('\u05d0"\u05d1', 1)) == '"\u05d0\\"\u05d1"'


def test_backslash_of_a_pattern_is_escaped() -> None:
    assert compile_tree(Wildcard("ab\\c*", 1)) == "ab\\\\c*"


# What may end a quote or mean something outside of one, and what may not.
HOSTILE = st.lists(
    st.sampled_from(
        [
            '"',
            "\\",
            '\\"',
            '"~3',
            "(",
            ")",
            "+",
            "-",
            "!",
            "&&",
            "||",
            ":",
            "/",
            "^2",
            "~",
            "[",
            "{",
        ]
        + ["<", "AND", "OR", "NOT", "TO", "*", "?", " ", "\u3000", "\n", "a", "\\u0022", "\u0301"]
    )
    | st.characters(),
    min_size=1,
    max_size=12,
).map("".join)
PATTERNS = st.tuples(HOSTILE, st.sampled_from("*?"), HOSTILE | st.just("")).map("".join)
FORMED = st.lists(HOSTILE, min_size=2, max_size=4, unique=True)
LEAVES = (
    HOSTILE.map(lambda text: Word(text, 0))
    | FORMED.map(lambda texts: Word(texts[0], 0, tuple(texts[1:])))
    | st.builds(Phrase, HOSTILE, st.integers(0, 50), st.just(0))
    | PATTERNS.map(lambda pattern: Wildcard(pattern, 0))
)


def _groups(inner: st.SearchStrategy[Node]) -> st.SearchStrategy[Node]:
    some = st.lists(inner, min_size=1, max_size=3).map(tuple)
    several = st.lists(inner, min_size=2, max_size=4).map(tuple)
    return st.builds(And, several) | st.builds(And, some, some) | st.builds(Or, several)


TREES: st.SearchStrategy[Node] = st.recursive(LEAVES, _groups, max_leaves=12)


@seed(SEED)
@settings(max_examples=100)
@given(TREES)
def test_text_read_back_is_the_tree(tree: Node) -> None:
    assert read(compile_tree(tree)) == once(tree)


@pytest.mark.long
@seed(SEED)
@settings(max_examples=10_000)
@given(TREES)
def test_text_of_very_many_trees_read_back_is_the_tree(tree: Node) -> None:
    assert read(compile_tree(tree)) == once(tree)


@seed(SEED)
@settings(max_examples=500)
@given(HOSTILE, HOSTILE)
def test_no_text_leaves_its_quotes(text: str, other: str) -> None:
    """Each stays one operand, whatever is in it."""
    tree = And((Word(text, 0),), (Word(other, 0),))
    assert read(compile_tree(tree)) == And((Phrase(text, 0, 0),), (Phrase(other, 0, 0),))


@seed(SEED)
@settings(max_examples=500)
@given(HOSTILE)
def test_whatever_is_asked_is_read_back(query: str) -> None:
    try:
        tree = parse(query)
    except QueryError:
        return
    assert read(compile_tree(tree)) == once(tree)


@pytest.mark.parametrize(
    "query",
    [
        nested(20),
        " OR ".join(f"a{n}" for n in range(120)),
        '"a b" ' * 160,
        "\u6771" * 1_000,
    ],
)
def test_deep_and_long_queries_are_read_back(query: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Some cost more than a query may; a tree is written all the same.
    monkeypatch.setattr("edgar_search.search.language.parser.check_cost", lambda tree: None)
    tree = parse(query)
    assert read(compile_tree(tree)) == once(tree)


def once(node: Node) -> Node:
    """Return the tree parsed from the text of `node`."""
    match _once(node):
        case Or((operand,)):
            return operand
        case other:
            return other


def _once(node: Node) -> Node:
    """Return the tree with words as phrases and each wanted operand once."""
    match node:
        case And(positive, negative):
            return And(_distinct(positive), tuple(map(_once, negative)))
        case Or(operands):
            return Or(_distinct(operands))
        case Word(text, _, ()):
            return Phrase(text, 0, 0)
        case Word(text, _, forms):
            return Or(tuple(Phrase(each, 0, 0) for each in (text, *forms)))
        case Phrase(text, slop, _):
            return Phrase(text, slop, 0)
        case Wildcard(pattern, _):
            return Wildcard(pattern, 0)


def _distinct(nodes: tuple[Node, ...]) -> tuple[Node, ...]:
    return tuple(dict.fromkeys(map(_once, nodes)))
