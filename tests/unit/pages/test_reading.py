"""A part of a text as HTML: paragraphs, tables, marks and anchors."""

import html
import random
import re

import pytest

from edgar_search.web.pages.text_html import Anchor, Mark, TableFiles, as_html


def shown(text: str, *marks: tuple[int, int], start: int = 0) -> str:
    numbered = [Mark(number, *place) for number, place in enumerate(marks, 1)]
    return str(as_html(text, start, numbered, []))


def test_lines_are_paragraphs() -> None:
    assert shown("One.\nTwo.\n\nThree.") == "<p>One.</p>\n<p>Two.</p>\n<p>Three.</p>"


def test_headings_are_bold() -> None:
    page = str(as_html("RISK FACTORS\nItem 7. Results\nSales rose.", 0, [], [Anchor("item7", 13)]))
    assert page == (
        "<p class=title>RISK FACTORS</p>\n"
        '<p class=title><a id="item7"></a>Item 7. Results</p>\n<p>Sales rose.</p>'
    )


def test_page_numbers_and_heads_that_come_back_are_dimmed() -> None:
    pages = "\n".join(f"Moss {number} grew.\n{number}\nTable of Contents" for number in (1, 2, 3))
    assert shown(f"{pages}\nF-4\nIt ended in 1999.") == "\n".join(
        [
            *(
                f"<p>Moss {number} grew.</p>\n<p class=dim>{number}</p>\n"
                "<p class=dim>Table of Contents</p>"
                for number in (1, 2, 3)
            ),
            "<p class=dim>F-4</p>",
            "<p>It ended in 1999.</p>",
        ]
    )


def test_boxes_look_like_boxes_and_keep_their_characters() -> None:
    assert shown("\xa8 Transition report, \xfd annual, na\xefve \xa8x") == (
        "<p><span class=empty>\xa8</span> Transition report, "
        "<span class=crossed>\xfd</span> annual, na\xefve \xa8x</p>"
    )


def test_rows_are_a_table() -> None:
    assert shown("Sales\t1\t2\nCosts\t3\t4\nAnd so on.") == (
        "<div class=table tabindex=0><table><tr><td>Sales</td><td>1</td><td>2</td></tr>"
        "<tr><td>Costs</td><td>3</td><td>4</td></tr></table></div>\n<p>And so on.</p>"
    )


def test_rows_with_empty_cells_and_those_between_rows_are_one_table() -> None:
    assert shown("In thousands\n\t2020\t2019\nMoss:\nSales\t\t2") == (
        "<p>In thousands</p>\n<div class=table tabindex=0><table>"
        "<tr><td></td><td>2020</td><td>2019</td></tr><tr><td colspan=3>Moss:</td></tr>"
        "<tr><td>Sales</td><td></td><td>2</td></tr></table></div>"
    )


def test_a_table_of_plain_text_keeps_its_blanks() -> None:
    assert shown("       2020\nMoss:\nSales     2\n\nEnd.", (19, 24)) == (
        "<div class=table tabindex=0><pre>\n       2020\nMoss:\n"
        'S<mark id="m1">ales </mark>    2</pre></div>\n<p>End.</p>'
    )


def test_a_table_has_links_to_its_files_before_it() -> None:
    tables = TableFiles([105], '/document/"1"/table')
    page = str(as_html("Moss\na\tb\nc\td\n\nEnd.", 100, [], [], tables))
    links = [
        f'<a href="/document/&#34;1&#34;/table?start=105&amp;format={form}">{name}</a>'
        for form, name in (("csv", "CSV"), ("xlsx", "Excel"), ("json", "JSON"))
    ]
    before, _, after = page.partition(f"<p class=files>this table as {' '.join(links)}</p>")
    assert (before, after[:18]) == ("<p>Moss</p>\n", "\n<div class=table ")


def test_rows_of_plain_text_are_one_table_over_blank_lines_and_rulers() -> None:
    assert shown("        2020  2019\n\n---\n\n    Sales   1     2\n\nEnd.", (29, 34)) == (
        "<div class=table tabindex=0><pre>\n        2020  2019\n\n---\n\n    "
        '<mark id="m1">Sales</mark>   1     2</pre></div>\n<p>End.</p>'
    )


@pytest.mark.parametrize(
    ("length", "look"), [(80, ""), (81, " class=wide"), (101, " class=widest")]
)
def test_long_rows_of_plain_text_lose_their_indent_and_have_smaller_letters(
    length: int, look: str
) -> None:
    row = "a  " + "1" * (length - 3)
    assert shown(f"     {row}\n     b  2") == (
        f"<div class=table tabindex=0><pre{look}>\n{row}\nb  2</pre></div>"
    )


def test_markup_in_a_text_is_text() -> None:
    assert shown('<script>&"\n<b>\t</b>', (1, 7)) == (
        '<p>&lt;<mark id="m1">script</mark>&gt;&amp;&#34;</p>\n'
        "<div class=table tabindex=0><table>"
        "<tr><td>&lt;b&gt;</td><td>&lt;/b&gt;</td></tr></table></div>"
    )


def test_mark_over_cells_and_lines_has_its_id_once() -> None:
    assert shown("a b\tc\nd e", (2, 7)) == (
        "<div class=table tabindex=0><table>"
        '<tr><td>a <mark id="m1">b</mark></td><td><mark>c</mark></td></tr>'
        "</table></div>\n<p><mark>d</mark> e</p>"
    )


def test_marks_that_overlap_have_each_their_id() -> None:
    assert shown("a b c d", (0, 3), (2, 5)) == (
        '<p><mark id="m1">a b</mark><mark id="m2"> c</mark> d</p>'
    )


def test_mark_within_another_is_a_place() -> None:
    assert shown("a b c", (0, 5), (2, 3)) == (
        '<p><mark id="m1">a b c</mark><mark id="m2"></mark></p>'
    )


def test_places_are_those_of_the_whole_text() -> None:
    assert shown("b c", (100, 101), (102, 103), start=100) == (
        '<p><mark id="m1">b</mark> <mark id="m2">c</mark></p>'
    )


def test_mark_that_began_before_the_part_is_shown() -> None:
    assert shown("b c", (90, 101), start=100) == '<p><mark id="m1">b</mark> c</p>'


def test_anchor_stands_before_its_line_and_the_mark_of_now_is_another() -> None:
    found = as_html("x\nItem 1", 0, [Mark(1, 2, 6, now=True)], [Anchor("item1", 2)])
    assert str(found) == (
        '<p>x</p>\n<p class=title><a id="item1"></a><a id="at"></a>'
        '<mark id="m1" class=now>Item</mark> 1</p>'
    )


def test_lines_as_on_paper_are_joined_but_for_short_ones() -> None:
    wide = "word " * 15
    text = "\n".join([wide.strip()] * 21 + ["short", wide.strip()])
    assert shown(text).count("<p>") == 1
    assert shown(text).count("<br>") == 1


@pytest.mark.parametrize("seed", range(20))
def test_any_text_is_all_there_and_every_mark_is_what_it_is_of(seed: int) -> None:
    rng = random.Random(seed)
    text = "".join(rng.choices("ab <&\t\n\u00e9", k=300))
    starts = sorted(rng.sample(range(290), 12))
    marks = [(start, start + rng.randint(1, 9)) for start in starts]
    found = shown(text, *marks)
    words = html.unescape(re.sub(r"<[^>]+>", " ", found)).split()
    assert "".join(words) == "".join(text.split()), f"seed {seed}"
    assert re.findall(r'id="m(\d+)"', found) == [str(n + 1) for n in range(12)], f"seed {seed}"


def test_a_cell_of_words_is_not_set_to_the_right() -> None:
    words = "Annual report pursuant to section 13 or 15(d) of the Act"
    assert f"<td>x</td><td class=prose>{words}</td>" in as_html(f"x\t{words}\ny\t1", 0, [], [])
