"""Headings of parts, and mentions of parts that are not headings."""

import pytest

from ingest.reading.sections.boundaries import part_headings
from ingest.reading.sections.markup import Markup


def numbers(line: bytes) -> list[int]:
    return [part.number for part in part_headings(Markup(b"<html><p>" + line + b"</p><p>Next</p>"))]


@pytest.mark.parametrize(
    "line",
    [
        b"PART II",
        b"Part II.",
        b"PART TWO - OTHER INFORMATION",
        b"Part&nbsp;II",
        b"P<small>ART</small> II",
        b"<b>PART</b> <i>II</i>",
        b"PART II<br>Item 5",
        b"PART II. OTHE</span><span>R INFORMATION",
        b"PART I<b>I</b>",
        b"PART T<b>WO</b>",
        b"PART II \xe2\x80\x94 OTHER INFORMATION",
    ],
)
def test_a_part_and_its_title_are_a_heading(line: bytes) -> None:
    assert numbers(line) == [2]


@pytest.mark.parametrize(
    "line",
    [
        b"Part II, Item 8 of this report",
        b"Part II of the form",
        b"PART II (continued)",
        b"Party II",
        b"Part V",
        b"Part II 12",
        b"See Part II",
        b"Partial",
    ],
)
def test_other_lines_are_none(line: bytes) -> None:
    assert numbers(line) == []


def test_in_plain_text_a_line_ends_the_heading() -> None:
    text = b"x\nPART II\nItem 5. Market\nPart II of it\n  PART III\n"
    assert [part.number for part in part_headings(Markup(text))] == [2, 3]
