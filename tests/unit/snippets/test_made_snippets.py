"""Snippets that were made before: the same ones, and never those of anything else."""

from typing import Any

import pytest

from edgar_search.search.language import parse
from edgar_search.search.query.matching import positive_leaves
from edgar_search.search.snippets.marks import MARK_END, MARK_START, Shown
from edgar_search.search.snippets.parts import BY_NUMBER, BY_QUESTION, BY_WORDS, Wanted
from edgar_search.search.snippets.snippet import (
    SnippetRequest,
    leaves_of,
    make_snippets,
    snippets_of,
)


def leaves_in(query: str) -> Shown:
    return leaves_of(tuple(positive_leaves(parse(query))))


LEAVES = leaves_in("goodwill OR charge")
FILLER = "words of no interest " * 30
PASSAGE = (
    f"{MARK_START}goodwill{MARK_END} and {MARK_START}Goodwill{MARK_END} {FILLER}"
    f"a {MARK_START}charge{MARK_END} to {MARK_START}goodwill{MARK_END}"
)


REQUEST = SnippetRequest(PASSAGE, begins=False, ends=False, leaves=LEAVES, most=2)


def test_made_snippets_are_of_their_passage_and_made_once() -> None:
    once = snippets_of(REQUEST)
    # Another text of the same characters, as the next reply has it.
    assert snippets_of(REQUEST._replace(marked=PASSAGE[:1] + PASSAGE[1:])) is once
    assert once == make_snippets(REQUEST)


# Two parts with the word: one of prose alone, and one of shorter words with two amounts.
_CHARGE = f"a {MARK_START}charge{MARK_END}"
OF_TWO = (
    f"It was said that there is {_CHARGE} for that, and that it will be what is needed then. "
    f"{'It is of no interest at all. ' * 20}"
    f"It is {_CHARGE} of $3.5 million and one of $4.5 million, FY20 2020 20-F 99-1 7-7 1-2."
)


@pytest.mark.parametrize(
    "other",
    [
        {"marked": PASSAGE.replace("a ", "A ")},
        {"marked": PASSAGE.replace(MARK_START, "").replace(MARK_END, "")},
        {"begins": True, "marked": PASSAGE[-40:]},
        {"ends": True},
        {"leaves": leaves_in("goodwill")},
        {"most": 1},
        {"marked": OF_TWO, "wanted": BY_QUESTION},
    ],
)
def test_each_part_of_the_request_makes_other_snippets(other: dict[str, Any]) -> None:
    before, changed = snippets_of(REQUEST), REQUEST._replace(**other)
    assert snippets_of(changed) == make_snippets(changed)
    assert snippets_of(changed) != before


def test_very_long_passage_is_not_remembered() -> None:
    long = PASSAGE + "x" * 10_000
    request = REQUEST._replace(marked=long)
    assert snippets_of(request) == snippets_of(request)
    assert snippets_of(request) is not snippets_of(request)


def test_equal_queries_have_the_same_leaves() -> None:
    assert leaves_in("goodwill OR charge") is LEAVES
    assert leaves_in("goodwill OR charges") is not LEAVES


@pytest.mark.parametrize(
    ("wanted", "is_first"), [(BY_WORDS, True), (BY_QUESTION, False), (BY_NUMBER, False)]
)
def test_questions_prefer_a_part_with_amounts(wanted: Wanted, is_first: bool) -> None:
    made = make_snippets(SnippetRequest(OF_TWO, True, True, leaves_in("charge"), wanted))
    assert (made[0].place.start == 0) is is_first
