"""Docstrings and pages are held to plain English."""

import pytest

from tests.plain_english import check_docstrings, find_phrases


@pytest.mark.parametrize(
    "text",
    [
        "what is to be said of the question",
        "after so many seconds",
        "a name that is no\nsetting",
        "the key stands in the header",
        "later, for it has no size",
        "skipped where there is none",
    ],
)
def test_phrase_is_refused(text: str) -> None:
    assert len(list(find_phrases("page.md", text))) == 1


@pytest.mark.parametrize(
    "text",
    [
        "there is no index, and it is no longer needed",
        "so many files that the disk is full",
        "`*` stands for the end of a word",
        "the folder where filings are",
        "the code `where none` is not prose",
        "```\nwhere none\n```",
    ],
)
def test_plain_english_is_let_through(text: str) -> None:
    assert list(find_phrases("page.md", text)) == []


def test_finding_names_the_line_and_the_replacement() -> None:
    (found,) = find_phrases("page.md", "one\ntwo so many three")
    assert str(found) == "page.md:2: 'so many': write 'a number of', 'this many', or the number"


def test_opening_of_a_docstring_is_refused() -> None:
    (found,) = check_docstrings("m.py", 'def f():\n    """Whether it is there."""\n')
    assert (
        str(found)
        == "m.py:2: a docstring begins with 'Whether': 'Return True if'; 'True if' for a property"
    )


@pytest.mark.parametrize("text", ["How many there are.", "Which filings.", "If it is there."])
def test_opening_with_a_question_is_refused(text: str) -> None:
    (found,) = check_docstrings("m.py", f'"""{text}"""\n')
    assert found.message.startswith(f"a docstring begins with '{text.split()[0]}'")


def test_docstring_that_begins_with_a_noun_is_let_through() -> None:
    assert list(check_docstrings("m.py", '"""Words, and what they are."""\n')) == []
