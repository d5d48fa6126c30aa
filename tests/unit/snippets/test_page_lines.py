"""Headers and footers of pages: their words make no part of a passage good."""

import pytest

from edgar_search.search.snippets.page_lines import after_page_lines, outside_page_lines
from tests.unit.snippets.test_snippet import shown as snippet


@pytest.mark.parametrize(
    "line",
    [
        "NOTES TO CONSOLIDATED FINANCIAL STATEMENTS (Continued)",
        "Notes to Condensed Consolidated Financial Statements (Unaudited) - (Continued)",
        "Note 2\u2014Financial Instruments (Continued)",
        "Table of Contents",
    ],
)
def test_marks_in_page_lines_are_known(line: str) -> None:
    text = f"before\n  {line}\nThe notes of the table."
    starts = [text.index(line), text.index("notes of")]
    assert outside_page_lines(text, starts, ["Note", "notes"]) == [False, True]
    assert outside_page_lines(text, starts, ["sales", "rose"]) is None


@pytest.mark.parametrize(
    "line", ["Notes to the reader", "Note 2 is on sales", "Table of contents of it", "1,234"]
)
def test_others_are_not(line: str) -> None:
    assert outside_page_lines(line, [0], ["note"]) == [True]


def test_part_begins_after_them() -> None:
    text = (
        "It. \u2026 73 \u2026 NOTES TO FINANCIAL STATEMENTS \u2026 Sales rose \u2026 74 \u2026 more"
    )
    start, sales = text.index("73"), text.index("Sales")
    assert after_page_lines(text, start, sales) == sales
    assert after_page_lines(text, start, start + 1) == start
    assert after_page_lines(text, sales, len(text)) == sales


def test_snippet_is_not_that_of_a_header() -> None:
    header = "NOTES TO {CONSOLIDATED} {FINANCIAL} STATEMENTS\n"
    text = header + "Words of no interest. " * 30 + "\nThe {financial} notes were sold.\n"
    shown = snippet(text, begins=False)
    assert shown.endswith("The <mark>financial</mark> notes were sold.")
    assert "CONSOLIDATED" not in shown

    only = snippet(header + "Sales rose.")
    assert "<mark>CONSOLIDATED</mark>" in only
