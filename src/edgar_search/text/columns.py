"""The columns of a table, as a reader sees them.

Tables of filings have many more columns in their markup than figures: for space, and for "$", "("
and ")" in cells of their own. The parts of an amount are joined, bullets too, and columns in which
no cell begins are left out. Two columns of the markup are one if a cell covers both, and no row has
text in both; a head over several columns of figures stays above the first of them.
"""

import re
from collections.abc import Sequence

BULLETS = (
    "\u2022\u00b7\u25cf\u25cb\u25e6\u25aa\u25a0\u25ab\u25a1\u2023\u2043\u2219\u25ba\u27a2\u2756\u2713\u25c6"
    "\uf0b7\uf0a7"
)
# A cell with text: its first column in the markup, the one behind its last, and the text.
Cell = tuple[int, int, str]
# The number of a column, and the text that begins there.
PlacedCell = tuple[int, str]

# Cells with a part of an amount only: what comes before a number, and what comes behind one.
_SIGN = "$\u20ac\u00a3\u00a5"
_BEFORE = re.compile(rf"[A-Z]{{0,2}}\$\s?\(?|[{_SIGN}]\s?\(?|\(")
_AMOUNT_BEGINS = re.compile(r"[0-9(.\-\u2013\u2014]|(?i:nil|none|n/?[am])\Z")
_BEHIND = re.compile(r"[)%\u00a2]|\)\s?%|%\s?\)")
_AMOUNT_ENDS = tuple("0123456789)-\u2013\u2014")
# A bullet in a cell of its own; some signs are one only at the beginning of a row, before a text.
_BULLETS = frozenset(BULLETS)
_BULLETS_OF_TEXT = frozenset("-\u2013\u2014*o\u00a7\u00a8\u00a1\u00d8\u00fc")
_TEXT_BEGINS = re.compile('[A-Za-z"\u201c(]')
_FIGURE = re.compile(r"[^A-Za-z]*[0-9\u2013\u2014-][^A-Za-z]*")
# More columns than real tables have: they are taken as they come.
_MOST_USED = 300


def lay_out(rows: Sequence[list[Cell]]) -> list[list[PlacedCell]]:
    """Return the cells of each row, each with its column; the first column is 0."""
    placed = [whole_cells(row) for row in rows]
    if all(len(row) < 2 for row in placed) and not any(row and row[0][0] for row in placed):
        return [[(0, text) for _, _, text in row] for row in placed]
    number = _columns(placed)
    return [[(number[start], text) for start, _, text in row] for row in placed]


def whole_cells(row: list[Cell]) -> list[Cell]:
    """Join the parts of each amount of a row, and a bullet to its text."""
    if len(row) < 2:
        return row
    cells = row[:1]
    before = row[0][2]
    for cell in row[1:]:
        text = cell[2]
        joint = None
        if len(before) < 6 or text[0] in ")%\u00a2":
            joint = _joint(before, text, len(cells) == 1)
        if joint is None:
            before = text
            cells.append(cell)
        else:
            before = f"{before}{joint}{text}"
            cells[-1] = cells[-1][0], cell[1], before
    return cells


def _joint(before: str, text: str, begins_row: bool) -> str | None:
    """Return what joins two cells with text, None if they stay apart."""
    if len(text) < 4 and _BEHIND.fullmatch(text) and before.endswith(_AMOUNT_ENDS):
        return ""
    if len(before) > 5:
        return None
    if _BEFORE.fullmatch(before) and _AMOUNT_BEGINS.match(text):
        return ""
    is_bullet = before in _BULLETS or (
        begins_row and before in _BULLETS_OF_TEXT and _TEXT_BEGINS.match(text)
    )
    return " " if is_bullet else None


class _Columns:
    """Columns of the markup in which cells begin, in groups of neighbours that are one column."""

    def __init__(self, placed: list[list[Cell]]) -> None:
        rows: dict[int, int] = {}
        figures: set[int] = set()
        for number, row in enumerate(placed):
            bit = 1 << number
            for start, _, text in row:
                rows[start] = rows.get(start, 0) | bit
                if start not in figures and _FIGURE.fullmatch(text):
                    figures.add(start)
        self.used = sorted(rows)
        self.rows = [rows[start] for start in self.used]  # as bits, of each group at its first
        self.figures = [start in figures for start in self.used]
        self.first = list(range(len(self.used)))  # of the group of each column

    def join(self, first: int, last: int) -> bool:
        """Make one group of those from column `first` to `last`, unless a row has text in two."""
        group = self.first[first]
        groups = sorted({self.first[column] for column in range(first, last + 1)})
        rows = 0
        for each in groups:
            if rows & self.rows[each]:
                return False
            rows |= self.rows[each]
        self.rows[group] = rows
        self.figures[group] = any([self.figures[each] for each in groups])
        for column in range(first, len(self.used)):
            if column > last and self.first[column] not in groups:
                break
            self.first[column] = group
        return True

    def groups_of_figures(self, first: int, last: int) -> list[int]:
        """Return the first columns of the groups with figures among these columns."""
        groups = {self.first[column] for column in range(first, last + 1)}
        return sorted([group for group in groups if self.figures[group]])


def _columns(placed: list[list[Cell]]) -> dict[int, int]:
    """Return the number of the column of a cell, by its first one in the markup."""
    if not any([end - start > 1 for row in placed for start, end, _ in row]):
        used = sorted({start for row in placed for start, _, _ in row})
        return {start: number for number, start in enumerate(used)}
    columns = _Columns(placed)
    if len(columns.used) <= _MOST_USED:
        index = {start: number for number, start in enumerate(columns.used)}
        spans = {
            (end - start, start, end, bool(_FIGURE.fullmatch(text)))
            for row in placed
            for start, end, text in row
            if end - start > 1
        }
        for _, start, end, is_figure in sorted(spans):
            first = last = index[start]
            while last + 1 < len(columns.used) and columns.used[last + 1] < end:
                last += 1
            if last == first:
                continue
            figures = columns.groups_of_figures(first, last)
            if not ((is_figure or len(figures) < 2) and columns.join(first, last)) and figures:
                columns.join(first, max(first, figures[0]))
    numbers: dict[int, int] = {}
    for column, start in enumerate(columns.used):
        group = columns.first[column]
        begins = group == column
        numbers[start] = (numbers[columns.used[column - 1]] + begins) if column else 0
    return numbers
