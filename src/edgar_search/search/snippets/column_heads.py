"""Column headings of a table, for a snippet that shows a row without them; pure."""

import re

from edgar_search.search.snippets.folding import CELL
from edgar_search.text.words import CELL_SEPARATOR

# A passage has at most about forty rows.
_MOST_LINES, _MOST_CHARS = 40, 120
# A longer line without cells is a paragraph, above which another table ends; but some labels of
# following rows are longer.
_LONGEST_LABEL, _LONGEST_OF_ROWS = 60, 120
_AMOUNT = re.compile(r"\$|\d,\d{3}|\d\.\d|\d ?%")
# Two numbers at the end, each in its own cell; not the years of a heading.
_SMALL_NUMBERS = re.compile(rf"(?:{CELL_SEPARATOR}\(?\d{{1,3}}\)?){{2}}\s*\Z")
_HEAD = re.compile(r"\b(?:19|20)\d\d\b|\b(?:ended|months|weeks|quarter|year)\b", re.IGNORECASE)
# As in the footer of a page.
_NO_HEAD = re.compile(r"\bpage \d|\u00a9|\bcopyright\b", re.IGNORECASE)


def column_heads(text: str, at: int, begin: int) -> str:
    """Return the column headings of the row at a position, as one line.

    Empty if there is no row at it, or if the headings are not between the beginning of the text and
    `begin`, where the shown text starts.
    """
    start = text.rfind("\n", 0, at) + 1
    end = text.find("\n", at)
    _, separator, cells = text[start : end if end >= 0 else len(text)].partition(CELL_SEPARATOR)
    values = separator + cells
    if not (_AMOUNT.search(values) or _SMALL_NUMBERS.search(values)):
        return ""
    for line in reversed(text[:start].split("\n")[-_MOST_LINES - 1 : -1]):
        start -= len(line) + 1
        if CELL_SEPARATOR not in line:
            label = line.strip()
            if len(label) > (_LONGEST_OF_ROWS if label.endswith(":") else _LONGEST_LABEL):
                return ""
        elif _HEAD.search(line) and not _AMOUNT.search(line) and not _NO_HEAD.search(line):
            cells = CELL.join(filter(None, map(str.strip, line.split(CELL_SEPARATOR))))
            return cells if start < begin and len(cells) <= _MOST_CHARS else ""
    return ""
