"""Comma-separated values that people open: texts that a spreadsheet would calculate stay texts."""

import csv
import io
import re
from collections.abc import Sequence
from typing import Any

# With one of these a spreadsheet takes a text for a formula, which may fetch or send something; the
# wide forms are read so by those of East Asia.
_FORMULA_BEGINS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
# Only a number, with separators and a percent sign, can be taken for nothing else.
_NUMBER = re.compile(r"[+-]?(?:[0-9][0-9,]*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?%?")


def csv_lines(rows: Sequence[Sequence[Any]], *, raw: bool = False) -> bytes:
    """Return rows as comma-separated values, texts in quotes; `raw` leaves texts as they are."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerows(rows if raw else (map(without_formula, row) for row in rows))
    return text.getvalue().encode()


def without_formula(cell: Any) -> Any:
    """Return a text with an apostrophe before what a spreadsheet would take for a formula.

    Numbers and everything else are returned as they are.
    """
    if not isinstance(cell, str) or not cell.startswith(_FORMULA_BEGINS):
        return cell
    return cell if _NUMBER.fullmatch(cell) else f"'{cell}"
