"""Comma-separated values for people, without texts that a spreadsheet would take for formulas."""

import csv
import io
import re
from collections.abc import Sequence
from typing import Any

# A spreadsheet takes a text that begins with one of these for a formula, which may fetch or send
# data; in East Asia the wide forms count too.
_FORMULA_BEGINS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
# Only a number, with separators and a percent sign, cannot be anything else.
_NUMBER = re.compile(r"[+-]?(?:[0-9][0-9,]*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?%?")


def csv_lines(rows: Sequence[Sequence[Any]], *, raw: bool = False) -> bytes:
    """Write rows as comma-separated values with quoted texts; `raw` leaves texts as filed."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerows(rows if raw else (map(without_formula, row) for row in rows))
    return text.getvalue().encode()


def without_formula(cell: Any) -> Any:
    """Put an apostrophe before a text that a spreadsheet would take for a formula.

    Numbers and other values are returned unchanged.
    """
    if not isinstance(cell, str) or not cell.startswith(_FORMULA_BEGINS):
        return cell
    return cell if _NUMBER.fullmatch(cell) else f"'{cell}"
