"""Comma-separated values for people: texts that a spreadsheet would calculate stay texts."""

import csv
import io
import re
from collections.abc import Sequence
from typing import Any

# A text that begins with one of these is a formula to a spreadsheet, and may fetch or send
# something; the wide forms are read as such in East Asia.
_FORMULA_BEGINS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
# Only a number, with separators and a percent sign, cannot be mistaken for anything else.
_NUMBER = re.compile(r"[+-]?(?:[0-9][0-9,]*(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?%?")


def csv_lines(rows: Sequence[Sequence[Any]], *, raw: bool = False) -> bytes:
    """Return rows as comma-separated values with quoted texts; `raw` leaves texts as they are."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, quoting=csv.QUOTE_NONNUMERIC)
    writer.writerows(rows if raw else (map(without_formula, row) for row in rows))
    return text.getvalue().encode()


def without_formula(cell: Any) -> Any:
    """Put an apostrophe before a text that a spreadsheet would take for a formula.

    Numbers and everything else are returned as they are.
    """
    if not isinstance(cell, str) or not cell.startswith(_FORMULA_BEGINS):
        return cell
    return cell if _NUMBER.fullmatch(cell) else f"'{cell}"
