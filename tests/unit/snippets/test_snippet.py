"""The part of a passage that a hit shows."""

import html
import re

import pytest

from edgar_search.search.snippets.marks import MARK_END, MARK_START, Shown, Span, own_leaf, unmark
from edgar_search.search.snippets.snippet import (
    SnippetRequest,
    make_snippets,
)

WORDS = " ".join(f"w{number:03d}" for number in range(400))


def with_marks(text: str) -> str:
    return text.replace("{", MARK_START).replace("}", MARK_END)


def shown(marked: str, *, begins: bool = True, ends: bool = True, leaves: Shown = own_leaf) -> str:
    """Return the snippet of a text whose marks are written as braces."""
    return make_snippets(SnippetRequest(with_marks(marked), begins, ends, leaves))[0].html


def text_of(html_text: str) -> str:
    """Return the text of a snippet, without marks and ellipses."""
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
    assert shown("x" * 280 + " {sales} " + "y" * 280) == ("...<mark>sales</mark>...")


def test_mark_inside_a_longer_word_is_shown_with_it() -> None:
    assert shown("see {10}-{K} now") == "see <mark>10</mark>-<mark>K</mark> now"


def test_five_hundred_marks() -> None:
    found = shown(" ".join(["{the}"] * 500))
    assert found == " ".join(["<mark>the</mark>"] * 75) + "..."


def test_passage_without_marks_is_shown_from_its_beginning() -> None:
    assert shown(WORDS).startswith("w000 w001 ")


def test_marks_are_places_in_the_text_without_them() -> None:
    spans = [Span(2, 4), Span(6, 7)]
    assert unmark(with_marks("a {bc} {}d{e}")) == ("a bc de", spans, ["bc", "e"])


def test_bracket_and_full_stop_of_the_word_are_marked_with_it() -> None:
    assert shown("a {401(k}) plan (the {plan}) of the {U.S}. and the {swap}.") == (
        "a <mark>401(k)</mark> plan (the <mark>plan</mark>) of the <mark>U.S.</mark>"
        " and the <mark>swap</mark>."
    )


def test_white_space_is_folded() -> None:
    text = "{Net} sales\t1,234\t5,678\nCost\t12\n\nThe {net}\nloss"
    assert shown(text) == (
        "<mark>Net</mark> sales | 1,234 | 5,678 \u2026 Cost | 12 \u2026 The <mark>net</mark> loss"
    )


def test_mark_across_a_line_end_is_one() -> None:
    assert shown("an {interest\nrate} swap") == "an <mark>interest rate</mark> swap"


def test_part_begins_with_a_sentence_where_one_is_near() -> None:
    found = shown(f"{WORDS[:999]}. Then it was of Acme Inc. We {{hedge}} the risk. {WORDS}")
    assert found.startswith("...Then it was of Acme Inc. We <mark>hedge</mark> the risk. w000 ")


def test_part_begins_with_a_line_rather_than_a_sentence() -> None:
    found = shown(f"{WORDS[:1000]} so. It ends.\n\nMarket Risk\n\nWe {{hedge}}. {WORDS}")
    assert found.startswith("...Market Risk \u2026 We <mark>hedge</mark>. w000 ")


def test_little_of_another_sentence_is_left_out_at_the_end() -> None:
    text = f"{{sales}} {WORDS[:264]}. The next {WORDS}"
    assert shown(text) == f"<mark>sales</mark> {WORDS[:264]}...."


def test_closest_of_parts_with_the_same_leaves_wins() -> None:
    near = "{net} {sales} rose"
    found = shown(f"{{net}} {WORDS[:200]} {{sales}} {WORDS} {near}")
    assert found.endswith(" <mark>net</mark> <mark>sales</mark> rose")


def test_prose_wins_over_rows() -> None:
    rows = "".join(f"{{sales}}\t{number}\t{number}\n" for number in range(1000, 1040))
    found = shown(f"{rows}\nOur {{sales}} of new products in other countries were low.\n\n{rows}")
    assert "Our <mark>sales</mark> of new products in other countries were low." in found


def test_leaf_with_two_words_counts_once() -> None:
    both = {"impaired": "impair*", "impairment": "impair*", "goodwill": "goodwill"}
    found = shown(
        f"{{impaired}} {{impairment}} {WORDS} {{goodwill}} was {{impaired}}",
        leaves=lambda mark: frozenset([both[mark]]),
    )
    assert found.endswith(" <mark>goodwill</mark> was <mark>impaired</mark>")
