"""Bullets and labels of lists that stand alone in a line or cell, and the text of each."""

import re

from edgar_search.text.rules import CELL_SEPARATOR

_BULLETS = "\u00b7\u2022\u2219\u25a0\u25aa\u25b8\u25ba\u25cb\u25cf\u25e6\u27a2\u220e"
ANY_BULLET = f"{_BULLETS}*"  # in a regular expression's set
BULLETS = frozenset(ANY_BULLET)
# Before a text only, as it is something else before a number: a dash that is no amount, a letter of
# a font of symbols that was read as if of another; and what lists are counted by.
_SIGN = r"[^\w\s$%()]|[^\x00-\x7f\s]|o"
_LABEL = r"\([0-9]{1,2}\)|\([A-Za-z]{1,4}\)|(?:[0-9]{1,2}|[A-Za-z]|[ivxIVX]{2,4})[.)]"
_OF_TEXT = re.compile(rf"(?:{_SIGN}|{_LABEL})\Z")
LONGEST_LABEL = 6
_BEGINS_TEXT = re.compile(r"[^\W\d_]|[\"'(\u201c\u2018]")

_IN_ROW = re.compile(
    # A bullet before its text, in any column of a list; a star there stands for an amount.
    rf"{CELL_SEPARATOR}(?:(?<={CELL_SEPARATOR}[{_BULLETS}]{CELL_SEPARATOR})(?=[^\W\d_])"
    # What ends the cell before.
    rf"|(?=[.:;,](?:{CELL_SEPARATOR}|\Z)))"
)


def begins(first: str, text: str) -> bool:
    """Whether a line or cell that is no more than `first` is the bullet or label of `text`."""
    return first in BULLETS or (
        _OF_TEXT.match(first) is not None and _BEGINS_TEXT.match(text) is not None
    )


def with_joined_cells(row: str) -> str:
    """Return a row in which a blank is between a bullet or label, or a stop, and its text.

    It is as long as it was.
    """
    at = row.find(CELL_SEPARATOR)
    if at <= LONGEST_LABEL and begins(row[:at], row[at + 1 :]):
        row = f"{row[:at]} {row[at + 1 :]}"
    return _IN_ROW.sub(" ", row) if CELL_SEPARATOR in row else row
