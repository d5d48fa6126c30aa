"""Headings of parts, and mentions of parts that are not headings."""

import pytest

from ingest.reading.sections.boundaries import part_headings
from tests.unit.sections.test_sections import text_of_report


def numbers(line: str) -> list[int]:
    report = text_of_report(f"<html><p>{line}</p><p>Next</p>")
    return [part.number for part in part_headings(report)]


@pytest.mark.parametrize(
    "line",
    [
        "PART II",
        "Part II.",
        "PART TWO - OTHER INFORMATION",
        "Part&nbsp;II",
        "P<small>ART</small> II",
        "<b>PART</b> <i>II</i>",
        "PART II<br>Item 5",
        "PART II. OTHE</span><span>R INFORMATION",
        "PART I<b>I</b>",
        "PART T<b>WO</b>",
        "PART II — OTHER INFORMATION",
    ],
)
def test_a_part_and_its_title_are_a_heading(line: str) -> None:
    assert numbers(line) == [2]


@pytest.mark.parametrize(
    "line",
    [
        "Part II, Item 8 of this report",
        "Part II of the form",
        "PART II (continued)",
        "Party II",
        "Part V",
        "Part II 12",
        "See Part II",
        "Partial",
    ],
)
def test_other_lines_are_none(line: str) -> None:
    assert numbers(line) == []


def test_in_plain_text_a_line_ends_the_heading() -> None:
    text = "x\nPART II\nItem 5. Market\nPart II of it\n  PART III\n"
    assert [part.number for part in part_headings(text_of_report(text))] == [2, 3]
