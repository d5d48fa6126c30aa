"""Properties of the snippet of any passage."""

import html
import os
import re
from itertools import pairwise

from hypothesis import given, seed
from hypothesis import strategies as st

from edgar_search.search.snippets.folding import fold
from edgar_search.search.snippets.marks import MARK_END, MARK_START, Span, unmark
from edgar_search.search.snippets.parts import MAX_LENGTH
from edgar_search.search.snippets.snippet import (
    LocatedSnippet,
    SnippetRequest,
    make_snippets,
)

SEED = int(os.environ.get("EDGAR_SEARCH_TEST_SEED", "20261122"))
print(f"EDGAR_SEARCH_TEST_SEED={SEED}")

# No dots, so that an ellipsis is one; markup, so that escaping shows; long ones, which are cut.
WORDS = st.sampled_from(
    ["a", "A", "<b>", "&amp;", "東京", "sales" * 7, "</mark>", '"' * 290, "é" * 310]
)
MARKED = WORDS.map(lambda word: MARK_START + word + MARK_END)
SPACE = st.sampled_from([" ", "\n\n", "\n", "\t", " ---- ", "\n====\n"])
PIECES = st.lists(SPACE | WORDS | MARKED, max_size=80).map("".join)
# A passage is marked somewhere, else it would not have been found.
PASSAGES = st.tuples(PIECES, MARKED, PIECES).map("".join)


def made(passage: str, most: int) -> list[LocatedSnippet]:
    return make_snippets(SnippetRequest(passage, begins=True, ends=True, most=most))


def shown(passage: str) -> str:
    return made(passage, 1)[0].html


def folded(passage: str) -> tuple[str, list[Span]]:
    """Return the text of one line, and where it is marked."""
    text, spans, _ = unmark(passage)
    line = fold(text)
    starts = line.places(span.start for span in spans)
    ends = line.places(span.end for span in spans)
    return line.text, list(map(Span, starts, ends))


def text_of(found: str) -> str:
    return html.unescape(re.sub("</?mark>", "", found.removeprefix("...").removesuffix("...")))


def marks_of(found: str) -> list[str]:
    return [html.unescape(mark) for mark in re.findall("<mark>(.*?)</mark>", found, re.DOTALL)]


def letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


@seed(SEED)
@given(passage=PASSAGES)
def test_places_are_those_of_what_is_shown(passage: str) -> None:
    first, *others = made(passage, 3)
    assert first.html == shown(passage)
    text = " " * 100 + unmark(passage)[0]
    for placed in (each.shift(100) for each in (first, *others)):
        assert letters(text[slice(*placed.place)]) == letters(text_of(placed.html))
        assert [letters(text[slice(*mark)]) for mark in placed.marks] == list(
            map(letters, marks_of(placed.html))
        )


@seed(SEED)
@given(passage=PASSAGES)
def test_further_snippets_are_beside_each_other_and_have_marks(passage: str) -> None:
    found = made(passage, 3)
    places = sorted(each.place for each in found)
    assert all(each.end <= next_one.start for each, next_one in pairwise(places))
    assert all(each.marks for each in found)


@seed(SEED)
@given(passage=PASSAGES)
def test_text_is_a_part_of_the_passage_and_not_too_long(passage: str) -> None:
    text, _ = folded(passage)
    found = text_of(shown(passage))
    assert found in text
    assert len(found) <= MAX_LENGTH
    assert found == found.strip()


@seed(SEED)
@given(passage=PASSAGES)
def test_there_is_a_mark_and_every_mark_is_marked_text(passage: str) -> None:
    text, spans = folded(passage)
    words = [text[span.start : span.end] for span in spans]
    marks = marks_of(shown(passage))
    assert marks != []
    assert [mark for mark in marks if not any(mark in word for word in words)] == []


@seed(SEED)
@given(passage=PASSAGES)
def test_marks_are_the_only_markup(passage: str) -> None:
    without_marks = re.sub("</?mark>", "", shown(passage))
    assert not re.search("[<>]|&(?!lt;|gt;|amp;)", without_marks)


@seed(SEED)
@given(passage=PASSAGES)
def test_cut_is_at_white_space_or_at_a_mark_and_has_its_ellipsis(passage: str) -> None:
    text, spans = folded(passage)
    found = shown(passage)
    part = text_of(found)
    begins = {span.start for span in spans}
    ends = {span.end for span in spans}

    def is_right(start: int) -> bool:
        end = start + len(part)
        whole_start = start == 0 or text[start - 1].isspace() or start in begins
        whole_end = text[end : end + 1].strip() == "" or end in ends or len(part) == MAX_LENGTH
        left = found.startswith("...") is bool(text[:start].strip())
        right = found.endswith("...") is bool(text[end:].strip())
        return whole_start and whole_end and left and right

    assert [start for start in range(len(text)) if text.startswith(part, start) and is_right(start)]


@seed(SEED)
@given(passage=PASSAGES)
def test_no_part_of_this_length_shows_more_different_words(passage: str) -> None:
    text, spans = folded(passage)
    counts = [0]
    for first in spans:
        within = [s for s in spans if first.start <= s.start and s.end - first.start <= MAX_LENGTH]
        counts.append(len({text[span.start : span.end].casefold() for span in within}))
    shown_words = {mark.casefold() for mark in marks_of(shown(passage))}
    assert len(shown_words) >= max(counts)
