"""Heads of the columns of a table, for a snippet that shows a row without them; pure."""

import re

from edgar_search.search.snippets.folding import CELL
from edgar_search.text.words import CELL_SEPARATOR

# A passage has some forty rows at most.
_MOST_LINES, _MOST_CHARS = 40, 120
# A longer line without cells is a paragraph, above which another table ends.
_LONGEST_LABEL = 60
_AMOUNT = re.compile(r"\$|\d,\d{3}|\d\.\d|\d ?%")
_HEAD = re.compile(r"\b(?:19|20)\d\d\b|\b(?:ended|months|weeks|quarter|year)\b", re.IGNORECASE)


def column_heads(text: str, at: int, begin: int) -> str:
    """Return the heads of the columns of the row at a place, in a line.

    It is empty if no row is there, or if its heads are not in the text between its beginning and
    `begin`, from which the text is shown.
    """
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    row = text[start : end if end >= 0 else len(text)]
    if CELL_SEPARATOR not in row or not _AMOUNT.search(row):
        return ""
    for line in reversed(text[:start].split("\n")[-_MOST_LINES - 1 : -1]):
        start -= len(line) + 1
        if CELL_SEPARATOR not in line:
            if len(line.strip()) > _LONGEST_LABEL:
                return ""
        elif _HEAD.search(line) and not _AMOUNT.search(line):
            cells = CELL.join(filter(None, map(str.strip, line.split(CELL_SEPARATOR))))
            return cells if start < begin and len(cells) <= _MOST_CHARS else ""
    return ""
