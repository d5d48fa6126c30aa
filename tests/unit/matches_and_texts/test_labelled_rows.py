"""The first amount of a row of a table, after a match of its label."""

from decimal import Decimal

import pytest

from edgar_search.document.labelled_rows import LabelledAmount, amount_behind
from edgar_search.document.matches import ShownMatch


def match(before: str, after: str, text: str = "Total assets") -> ShownMatch:
    return ShownMatch(100, 100 + len(text), text, before, after, None, "", "")


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("x\n", "\t$\t1,234\t987\ny", LabelledAmount("1,234", Decimal(1234), 115, 120)),
        ("", "\t(12)\n", LabelledAmount("(12)", Decimal(-12), 113, 117)),
        ("x\n ", ", net\t 5 \n", LabelledAmount("5", Decimal(5), 119, 120)),
        ("the ", "\t5\n", None),
        ("x\n", " rose to 5\n6", None),
        ("x\n", "\t" + "word " * 30 + "\t12", None),
    ],
)
def test_amount_behind_a_label(before: str, after: str, expected: LabelledAmount | None) -> None:
    assert amount_behind(match(before, after)) == expected
