"""Marks and their ends."""

import pytest

from edgar_search.search.language import Leaf, Word, parse
from edgar_search.search.query.matching import positive_leaves, positive_words
from edgar_search.search.snippets.marks import (
    MARK_END,
    MARK_START,
    Span,
    leaves_shown,
    with_ends,
    without_marks,
    without_other_years,
)


@pytest.mark.parametrize(
    ("text", "mark", "whole"),
    [
        ("the 401(k) plan", "401(k", "401(k)"),
        ("Rule 13(a)(1) says", "13(a)(1", "13(a)(1)"),
        ("(the plan) says", "plan", "plan"),
        ("(see 16(a))", "16(a", "16(a)"),
        ("in the U.S. today", "U.S", "U.S."),
        ("in the U.S.", "the U.S", "the U.S."),
        ("the swap.", "swap", "swap"),
        ("of 3.5. Then", "3.5", "3.5"),
        ("at sec.gov. Then", "sec.gov", "sec.gov"),
    ],
)
def test_end_of_the_word_is_marked(text: str, mark: str, whole: str) -> None:
    start = text.index(mark)
    assert with_ends(text, Span(start, start + len(mark))) == Span(start, start + len(whole))


def with_marks(text: str) -> str:
    """Return a text whose marks are written as brackets, marked as in replies."""
    return text.replace("[", MARK_START).replace("]", MARK_END)


def same(query: str, one: str, other: str) -> bool:
    shown = leaves_shown(positive_leaves(parse(query)))
    assert shown(one)
    return shown(one) == shown(other)


@pytest.mark.parametrize(
    ("query", "one", "other", "expected"),
    [
        ("goodwill charge", "Goodwill", "GOODWILL", True),
        ("goodwill charge", "goodwill", "charge", False),
        ("impair* charge", "impaired", "impairment", True),
        ("10-K/A", "10-K/A", "10-k/a", True),
        ('"net sales" "net loss"', "net sales", "net loss", False),
        ('"net sales"~3 loss', "net product sales", "sales, net", True),
        # Marks that overlap are one.
        ('"interest rate" swap "rate swap"', "interest rate swap", "swap", False),
    ],
)
def test_leaves_are_told_apart(query: str, one: str, other: str, expected: bool) -> None:
    assert same(query, one, other) is expected


def test_forms_show_their_word() -> None:
    leaves: list[Leaf] = [Word("resign", 1, ("resigned",)), Word("director", 8)]
    shown = leaves_shown(leaves)
    assert shown("Resigned") == shown("resign") != shown("director")


def test_excluded_leaves_are_not_shown() -> None:
    assert leaves_shown(positive_leaves(parse("goodwill NOT charge")))("charge") == frozenset()


def test_commonest_words_show_nothing_beside_others() -> None:
    shown = leaves_shown(positive_leaves(parse("cost of goods")))
    assert (len(shown("cost")), len(shown("of"))) == (1, 0)
    assert len(leaves_shown(positive_leaves(parse("of the")))("of")) == 1


def test_word_that_tells_little_counts_less_than_another() -> None:
    first, many, wireless = positive_leaves(parse("first many wireless"))
    shown = leaves_shown([first, many, wireless], {first, many})
    assert len(shown("first") | shown("many")) < len(shown("wireless"))
    alone = leaves_shown([first, many], {first, many})
    assert len(alone("first")) == len(alone("many")) == 1


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("in [March] 2003", "in March 2003"),
        ("on [June] [30], 2006", "on June 30, 2006"),
        ("on [June] [30], 2007", "on [June] [30], 2007"),
        ("at [JUNE] 30, 2006 and 2007", "at [JUNE] 30, 2006 and 2007"),
        ("at [June] 30, 2006 and 2005", "at June 30, 2006 and 2005"),
        ("of [march], [30] 2003", "of [march], [30] 2003"),
        ("[March] to [June] 2007", "[March] to [June] 2007"),
    ],
)
def test_days_of_other_years_are_not_marked(marked: str, expected: str) -> None:
    text = with_marks(marked)
    assert without_other_years(text, {"2007"}) == with_marks(expected)
    assert without_other_years(text, ()) == text


def test_words_of_a_phrase_are_leaves_where_they_are_asked_for() -> None:
    shown = leaves_shown(positive_words(parse('"interest rate"')))
    assert shown("interest") != shown("rate")


def test_what_marks_show_is_said_anew_after_very_many_of_them() -> None:
    shown = leaves_shown(positive_leaves(parse("goodwill impair*")))
    first = shown("impaired")
    for number in range(2_000):
        assert shown(f"impair{number}") == first
    assert shown("impaired") == first != shown("Goodwill")


def test_words_are_left_unmarked_as_they_are_written() -> None:
    marked = with_marks("[us] and the [US] [used] [may]")
    assert without_marks(marked, ["us", "may"]) == with_marks("us and the [US] [used] may")
    all_unmarked = with_marks("for [us] it [may]")
    assert without_marks(all_unmarked, ["us", "may"]) == all_unmarked
