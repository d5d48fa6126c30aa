"""Citations, found again in another text."""

import pytest

from edgar_search.document.citations import CITED, Citation, CitedPlace, find_citation

PAGE = (
    "Item 7. Management's Discussion\nThe following table shows our net sales by year.\n"
    "Net sales\t2,590\t2,301\nCost of sales\t1,200\t1,100\n"
    "Net sales grew by 12.6 percent in the year, mostly in the north of our region.\n"
)
GREW = "grew by 12.6 percent"


def cite(text: str, quote: str, *, after: int = 0) -> Citation:
    start = text.index(quote, after)
    end = start + len(quote)
    return Citation(
        start, len(quote), text[max(0, start - CITED) : start], quote, text[end : end + CITED]
    )


def place(status: str, text: str, words: str) -> CitedPlace:
    start = text.index(words)
    return CitedPlace(status, start, start + len(words))  # type: ignore[arg-type]


def find(text: str, citation: Citation) -> CitedPlace:
    return find_citation([(0, text)], citation)


def test_words_at_their_place_are_the_same() -> None:
    assert find(PAGE, cite(PAGE, GREW)) == place("same", PAGE, GREW)


def test_words_that_moved_are_where_they_are_now() -> None:
    now = "A cover page.\n" + PAGE
    assert find(now, cite(PAGE, GREW)) == place("moved", now, GREW)


def test_empty_cells_and_joined_ones_are_no_change_of_words() -> None:
    now = PAGE.replace("Net sales\t2,590\t2,301", "\tNet sales\t\t2,590\t\t2,301")
    moved = place("moved", now, "2,590\t\t2,301")
    assert find(now, cite(PAGE, "2,590\t2,301")) == moved


def test_other_words_between_the_same_sides_are_a_change() -> None:
    now = "A cover page.\n" + PAGE.replace(GREW, "fell by 3 percent")
    assert find(now, cite(PAGE, GREW)) == place("changed", now, "fell by 3 percent")


def test_words_with_one_side_have_moved() -> None:
    now = "New.\n" + PAGE.replace(", mostly in the north", " and nowhere")
    assert find(now, cite(PAGE, GREW)) == place("moved", now, GREW)


def test_long_words_that_are_there_once_have_moved() -> None:
    now = f"In another place it {GREW}, they say."
    assert find(now, cite(PAGE, GREW)) == place("moved", now, GREW)


@pytest.mark.parametrize("now", [f"It {GREW}, and so it {GREW}.", "Nothing of it.", ""])
def test_words_without_their_sides_are_gone_unless_they_are_there_once(now: str) -> None:
    assert find(now, cite(PAGE, GREW)) == CitedPlace("gone")


def test_short_words_are_not_found_by_chance() -> None:
    assert find("A quarter of 12.6 percent.", cite(PAGE, "12.6")) == CitedPlace("gone")


def test_of_several_places_the_nearest_counts() -> None:
    now = PAGE * 3
    second = now.index(GREW, len(PAGE))
    found = find("  " + now, cite(now, GREW, after=len(PAGE)))
    assert found == CitedPlace("moved", second + 2, second + 2 + len(GREW))


@pytest.mark.parametrize(("words", "status"), [(GREW, "moved"), ("fell by 3 percent", "changed")])
def test_without_the_words_their_length_decides(words: str, status: str) -> None:
    now = "A cover page.\n" + PAGE.replace(GREW, words)
    asked = cite(PAGE, GREW)._replace(quote="")
    assert find(now, asked) == place(status, now, words)


def test_pieces_keep_their_places() -> None:
    found = find_citation([(0, "Nothing"), (700, PAGE)], cite(PAGE, GREW))
    assert found == CitedPlace("moved", 700 + PAGE.index(GREW), 700 + PAGE.index(GREW) + len(GREW))


def test_signs_of_patterns_are_characters() -> None:
    now = "x " + PAGE.replace("by year.", "by year (see note [2] *).")
    asked = cite(now[2:], "note [2] *")
    assert find(now, asked) == place("moved", now, "note [2] *")


# A text as it was read before sentences went on over page breaks, and as it is now.
PAGES = (
    "The company owes the amounts that its consoli-\ndated statements show, and the\n\n- 12 -\n\n"
    "MOSS & SONS INC.\n\ntrustee was told of it in May, when nothing else was said of them.\n\n"
    "A new paragraph begins here, of other things, which are not told on this page.\n"
)
READ_ON = (
    "The company owes the amounts that its consolidated\nstatements show, and the\n"
    "trustee was told of it in May, when nothing else was said of them.\n\n- 12 -\n\n"
    "MOSS & SONS INC.\n\n"
    "A new paragraph begins here, of other things, which are not told on this page.\n"
)
OVER = "show, and the\n\n- 12 -\n\nMOSS & SONS INC.\n\ntrustee was told"


@pytest.mark.parametrize(
    ("then", "now"),
    [
        ("owes the amounts that its consoli-\ndated", "owes the amounts that its consolidated"),
        ("dated statements show", "dated\nstatements show"),
        (OVER, "show, and the\ntrustee was told"),
        (
            PAGES[PAGES.index("show") : PAGES.index(", of other")],
            READ_ON[READ_ON.index("show") : READ_ON.index(", of other")],
        ),
        ("trustee was told of it", "trustee was told of it"),
    ],
)
def test_words_over_a_page_break_or_a_line_end_have_moved(then: str, now: str) -> None:
    assert find(READ_ON, cite(PAGES, then)) == place("moved", READ_ON, now)


def test_line_that_is_gone_is_a_change() -> None:
    now = READ_ON.replace("MOSS & SONS INC.\n\n", "")
    assert find(now, cite(PAGES, OVER)) == place("changed", now, "show, and the\ntrustee was told")
