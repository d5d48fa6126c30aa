"""Columns of the tables in plain text."""

import re

from edgar_search.text.rules import CELL_SEPARATOR

_TABLE = re.compile("(<(?i:/?table)>)")
# Two blanks, but for those behind a sentence; or more.
_GAP = re.compile(r"  (?: ++|(?<![.:;?!]  ))")


def with_columns(text: str) -> str:
    """Return plain text whose columns are apart by CELL_SEPARATOR between <TABLE> and </TABLE>."""
    inside = False
    pieces = _TABLE.split(text)
    for place, piece in enumerate(pieces):
        if place % 2:
            inside = piece[1] != "/"
        elif inside:
            pieces[place] = _GAP.sub(CELL_SEPARATOR, piece)
    return "".join(pieces)
