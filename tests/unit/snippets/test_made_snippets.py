"""Snippets that were made before: the same ones, and never those of anything else."""

from typing import Any

import pytest

from edgar_search.search.language import parse
from edgar_search.search.query.matching import positive_leaves
from edgar_search.search.snippets.marks import Shown
from edgar_search.search.snippets.snippet import (
    MARK_END,
    MARK_START,
    cached_located_snippets,
    cached_snippet,
    leaves_of,
    located_snippets,
    snippet,
)


def leaves_in(query: str) -> Shown:
    return leaves_of(tuple(positive_leaves(parse(query))))


LEAVES = leaves_in("goodwill OR charge")
FILLER = "words of no interest " * 30
PASSAGE = (
    f"{MARK_START}goodwill{MARK_END} and {MARK_START}Goodwill{MARK_END} {FILLER}"
    f"a {MARK_START}charge{MARK_END} to {MARK_START}goodwill{MARK_END}"
)


def made(passage: str = PASSAGE, **other: Any) -> str:
    return cached_snippet(passage, **{"begins": False, "ends": False, "leaves": LEAVES, **other})


def test_made_snippet_is_that_of_its_passage_and_made_once() -> None:
    once = made()
    # Another text of the same characters, as the next reply has it.
    assert made(PASSAGE[:1] + PASSAGE[1:]) is once
    assert once == snippet(PASSAGE, MARK_START, MARK_END, begins=False, ends=False, leaves=LEAVES)


@pytest.mark.parametrize(
    "other",
    [
        {"passage": PASSAGE.replace("a ", "A ")},
        {"passage": PASSAGE.replace(MARK_START, "").replace(MARK_END, "")},
        {"begins": True, "passage": PASSAGE[-40:]},
        {"ends": True},
        {"leaves": leaves_in("goodwill")},
    ],
)
def test_each_part_of_the_question_makes_another_snippet(other: dict[str, Any]) -> None:
    asked = {"passage": PASSAGE, "begins": False, "ends": False, "leaves": LEAVES, **other}
    before, found = made(asked["passage"]), made(**other)
    expected = snippet(asked.pop("passage"), MARK_START, MARK_END, **asked)
    assert found == expected
    assert found != (made() if other.keys() == {"passage"} else before)


def test_placed_snippet_is_made_once_too() -> None:
    asked: dict[str, Any] = {"begins": True, "ends": True, "leaves": LEAVES}
    asked |= {"figures": False, "heads": False, "most": 2}
    once = cached_located_snippets(PASSAGE, **asked)
    assert cached_located_snippets(PASSAGE[:1] + PASSAGE[1:], **asked) is once
    assert once == located_snippets(PASSAGE, MARK_START, MARK_END, **asked)


def test_very_long_passage_is_not_remembered() -> None:
    long = PASSAGE + "x" * 10_000
    assert made(long) == made(long)
    assert made(long) is not made(long)


def test_equal_queries_have_the_same_leaves() -> None:
    assert leaves_in("goodwill OR charge") is LEAVES
    assert leaves_in("goodwill OR charges") is not LEAVES
