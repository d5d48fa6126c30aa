"""The part of a passage that a hit shows."""

import html
import re

import pytest

from edgar_search.search.snippet import Span, snippet, unmark

WORDS = " ".join(f"w{number:03d}" for number in range(400))


def shown(marked: str, *, begins: bool = True, ends: bool = True) -> str:
    """The snippet of a text whose marks are written as braces."""
    return snippet(marked, "{", "}", begins=begins, ends=ends)


def text_of(html_text: str) -> str:
    """The text of a snippet, without marks and ellipses."""
    return html.unescape(re.sub("</?mark>", "", html_text).removeprefix("...").removesuffix("..."))


def mark(text: str, word: str) -> str:
    return re.sub(rf"\b{word}\b", "{" + word + "}", text)


def test_short_passage_is_shown_whole() -> None:
    assert shown("net {sales} rose") == "net <mark>sales</mark> rose"


def test_text_left_out_by_the_passage_is_an_ellipsis() -> None:
    assert shown("net {sales} rose", begins=False, ends=False) == (
        "...net <mark>sales</mark> rose..."
    )


def test_ellipsis_stands_only_where_text_was_left_out() -> None:
    assert shown("a {b}", begins=False) == "...a <mark>b</mark>"
    assert shown("a {b}", ends=False) == "a <mark>b</mark>..."


def test_white_space_that_is_left_out_is_no_text() -> None:
    assert shown("\n\n  net {sales} \n") == "net <mark>sales</mark>"


def test_text_is_escaped() -> None:
    assert shown("<script>alert('x')</script> & {a<b} \"c\"") == (
        "&lt;script&gt;alert('x')&lt;/script&gt; &amp; <mark>a&lt;b</mark> \"c\""
    )


def test_marks_in_the_text_itself_are_text() -> None:
    assert shown("<mark>{a}</mark>") == "&lt;mark&gt;<mark>a</mark>&lt;/mark&gt;"


def test_several_marks() -> None:
    assert shown("{a} {b} c {a}") == "<mark>a</mark> <mark>b</mark> c <mark>a</mark>"


def test_mark_in_the_middle_has_its_surroundings_on_both_sides() -> None:
    found = shown(mark(WORDS, "w200"))
    assert found.startswith("...w171 ")
    assert found.endswith(" w229...")
    assert " <mark>w200</mark> " in found


def test_mark_at_the_beginning_has_more_after_it() -> None:
    found = shown(mark(WORDS, "w000"))
    assert found.startswith("<mark>w000</mark> w001 ")
    assert found.endswith(" w059...")


def test_mark_at_the_end_has_more_before_it() -> None:
    found = shown(mark(WORDS, "w399"))
    assert found.startswith("...w340 ")
    assert found.endswith(" <mark>w399</mark>")


@pytest.mark.parametrize("word", ["w000", "w001", "w100", "w398", "w399"])
def test_snippet_has_300_characters_at_most_and_nearly_as_many(word: str) -> None:
    assert 290 <= len(text_of(shown(mark(WORDS, word)))) <= 300


def test_part_with_the_most_different_words_wins() -> None:
    many = mark(mark(WORDS, "w300"), "w310").replace("w0", "{same} w0")
    found = shown(many)
    assert "<mark>w300</mark>" in found
    assert "<mark>w310</mark>" in found


def test_case_makes_no_different_words() -> None:
    found = shown("{Sales} {sales} {SALES} " + WORDS + " {net} {sales}")
    assert found.endswith(" <mark>net</mark> <mark>sales</mark>")


def test_more_marks_win_among_parts_with_the_same_words() -> None:
    found = shown("{sales} " + WORDS + " {sales} {sales}")
    assert found.endswith(" <mark>sales</mark> <mark>sales</mark>")


def test_first_of_equal_parts_wins() -> None:
    assert shown(f"{{sales}} {WORDS} {{sales}}").startswith("<mark>sales</mark> w000")


def test_phrase_longer_than_a_snippet_is_shown_from_its_beginning() -> None:
    found = shown(f"before {{{WORDS}}} after")
    assert found.startswith("...<mark>w000 w001 ")
    assert found.endswith(" w059</mark>...")
    assert len(text_of(found)) <= 300


def test_shorter_mark_wins_over_one_that_cannot_be_shown_whole() -> None:
    found = shown(f"{{{WORDS}}} the {{end}}")
    assert found.endswith(" w399 the <mark>end</mark>")
    assert found.count("<mark>") == 1


def test_word_longer_than_a_snippet_is_cut() -> None:
    assert shown("{" + "x" * 500 + "}") == "<mark>" + "x" * 300 + "</mark>..."


def test_word_is_left_out_where_it_does_not_fit_whole() -> None:
    assert shown("x" * 200 + " {sales} " + "y" * 200) == ("...<mark>sales</mark>...")


def test_mark_inside_a_longer_word_is_shown_with_it() -> None:
    assert shown("see {10}-{K} now") == "see <mark>10</mark>-<mark>K</mark> now"


def test_five_hundred_marks() -> None:
    found = shown(" ".join(["{the}"] * 500))
    assert found == " ".join(["<mark>the</mark>"] * 75) + "..."


def test_passage_without_marks_is_shown_from_its_beginning() -> None:
    assert shown(WORDS).startswith("w000 w001 ")


def test_marks_are_places_in_the_text_without_them() -> None:
    assert unmark("a {bc} {}d{e}", "{", "}") == ("a bc de", [Span(2, 4), Span(6, 7)])
