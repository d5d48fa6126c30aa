"""The first amount of a row of a table by its label, times the scale of its table."""

import time
from decimal import Decimal

import pytest

from edgar_search.document.labelled_rows import LabelledAmount, labelled_amounts

TEXT = """The results follow. Long-term debt rose to 900.

BALANCE SHEETS

(In millions, except per share)

\t2024\t2023
Cash\t$1,234\t$(56)
Long-term debt, net:
Long\u2013Term  Debt, less current part\t\t1,250.5\t900
Earnings per share\t$ 1.25\t
Margin\t12.5%\t
Shares outstanding\t100\t90

Other text.

\tNumber\tNumber
Cash\t7\t8
Stores\t(3)\t2
"""
PLAIN = """
BALANCE SHEET
(In thousands, except share data)
                               1995       1994
Cash .................... $   1,234  $     987
Loss                          (56)        (7)
Common shares                   10          9
"""


def only(text: str, label: str) -> LabelledAmount | None:
    (found,) = labelled_amounts(text, [label])
    if found is not None:
        assert text[found.start : found.end].replace(" ", "") == found.text.replace(" ", "")
    return found


@pytest.mark.parametrize(
    ("text", "label", "filed", "value", "unit"),
    [
        (TEXT, "cash", "1234", "1234000000", "In millions, except per share"),
        (TEXT, "Long-term debt", "1250.5", "1250500000", "In millions, except per share"),
        (TEXT, "earnings per share", "1.25", "1.25", None),
        (TEXT, "Margin", "12.5", "12.5", None),
        (TEXT, "shares", "100", "100000000", "In millions, except per share"),
        (TEXT, "Stores", "-3", "-3", None),
        (PLAIN, "cash", "1234", "1234000", "In thousands, except share data"),
        (PLAIN, "LOSS", "-56", "-56000", "In thousands, except share data"),
        (PLAIN, "common shares", "10", "10", None),
    ],
)
def test_amount_of_a_row_has_the_scale_of_its_table(
    text: str, label: str, filed: str, value: str, unit: str | None
) -> None:
    found = only(text, label)
    assert found is not None
    assert (found.filed, found.value, found.unit) == (Decimal(filed), Decimal(value), unit)


@pytest.mark.parametrize("label", ["debt", "Cas", "Other text", "goodwill"])
def test_rows_that_do_not_begin_with_a_label_have_no_amount(label: str) -> None:
    assert only(TEXT, label) is None


def test_labels_are_found_in_one_reading() -> None:
    found = labelled_amounts(TEXT, ["stores", "goodwill", "cash"])
    assert [each and each.text for each in found] == ["(3)", None, "$1,234"]


def test_long_hostile_texts_are_read_in_time() -> None:
    began = time.thread_time()
    for line in ("a\t" * 50, "a  " * 50, "1  2\n\n", "\t\t1\n(in thousands)\n"):
        labelled_amounts(f"{line}\n" * 20_000, ["cash", "a a"])
    assert time.thread_time() - began < 20
