"""Heads of columns above a row that a snippet shows."""

import pytest

from edgar_search.search.snippets.column_heads import column_heads
from edgar_search.search.snippets.marks import own_leaf
from edgar_search.search.snippets.snippet import MARK_END, MARK_START, located_snippets

ROWS = "".join(f"Line {number}\t$ {number},100\t$ {number},200\n" for number in range(1, 12))
TABLE = f"Results\n\tYear ended 2009\t2008\n{ROWS}Goodwill\t$ 7,700\t$ 6,600\nThe end.\n"
AT = TABLE.index("Goodwill")


def test_heads_are_the_nearest_row_above_that_has_no_amount() -> None:
    assert column_heads(TABLE, AT, AT) == "Year ended 2009 | 2008"


@pytest.mark.parametrize(
    ("text", "at", "begin"),
    [
        (TABLE, AT, 0),
        (TABLE, TABLE.index("The end"), AT),
        (
            TABLE.replace("Line 5", "A paragraph of another table, which is longer. " * 2 + "\n"),
            AT,
            AT,
        ),
        ("Goodwill\t$ 7,700", 0, 0),
        ("", 0, 0),
    ],
    ids=["shown", "no row", "another table", "no heads", "nothing"],
)
def test_no_heads(text: str, at: int, begin: int) -> None:
    at = text.index("Goodwill") if "another" in text else at
    assert column_heads(text, at, max(begin, at) if "another" in text else begin) == ""


def test_row_has_its_heads_if_a_number_is_asked_for() -> None:
    marked = TABLE.replace("Goodwill", f"{MARK_START}Goodwill{MARK_END}")

    def made(figures: bool) -> str:
        asked = {"begins": False, "ends": False, "leaves": own_leaf, "figures": figures}
        (found,) = located_snippets(marked, MARK_START, MARK_END, **asked)  # type: ignore[arg-type]
        assert TABLE[slice(*found.marks[0])] == "Goodwill"
        assert "ended" not in TABLE[slice(*found.place)]
        return found.html

    assert made(figures=True).startswith("Year ended 2009 | 2008 \u2026 ...")
    assert made(figures=False).startswith("...")
