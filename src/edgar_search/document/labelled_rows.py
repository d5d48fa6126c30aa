"""Rows of a document's tables by their labels, read from a match of the label; pure."""

from decimal import Decimal
from typing import NamedTuple

from edgar_search.document.matches import CONTEXT, ShownMatch
from edgar_search.document.tables import amount_of
from edgar_search.text.words import CELL_SEPARATOR


class LabelledAmount(NamedTuple):
    """The first amount of a row, as text and number, and its position in the document's text."""

    text: str
    value: Decimal
    start: int
    end: int


def amount_behind(match: ShownMatch) -> LabelledAmount | None:
    """Return the first amount of the row whose first cell begins with a match.

    None if the match does not begin a line, if no amount follows, or if it may be cut off.
    """
    if match.before.rpartition("\n")[2].strip(f" {CELL_SEPARATOR}"):
        return None
    row, newline, _ = match.after.partition("\n")
    cells = row.split(CELL_SEPARATOR)
    # The context ends in the middle of the row: its last cell may continue.
    if not newline and len(match.after) > CONTEXT // 2:
        cells.pop()
    place = match.end
    for number, cell in enumerate(cells):
        amount = amount_of(cell) if number else None
        if amount is not None:
            start = place + len(cell) - len(cell.lstrip())
            return LabelledAmount(cell.strip(), amount.value, start, start + len(cell.strip()))
        place += len(cell) + 1
    return None
