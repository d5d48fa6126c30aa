"""The columns of a table, as a reader sees them.

Tables in filings have many more columns in their markup than on the page: for spacing, and for "$",
"(" and ")" in cells of their own. The parts of an amount are joined, and so are bullets and their
text; columns in which no cell begins are dropped. Two columns of the markup are one if a cell spans
both and no row has text in both; a heading over several columns of figures stays above the first of
them.

A footnote mark in a cell of its own is joined to the cell before it if both are in one column:
"(1)" after "1,234" is a mark below a shared heading, and -1 below two.
"""

import re
from collections.abc import Container, Sequence

from edgar_search.text.raised import SUBSCRIPTS, SUPERSCRIPTS

BULLETS = (
    "\u2022\u00b7\u25cf\u25cb\u25e6\u25aa\u25a0\u25ab\u25a1\u2023\u2043\u2219\u25ba\u27a2\u2756\u2713\u25c6"
    "\uf0b7\uf0a7"
)
# A cell with text: its first markup column, the column after its last, and the text.
Cell = tuple[int, int, str]
# The number of a column, and the text that begins there.
PlacedCell = tuple[int, str]

# Cells with only part of an amount: signs before a number, and endings after one.
_SIGN = "$\u20ac\u00a3\u00a5"
_BEFORE = re.compile(rf"[A-Z]{{0,2}}\$\s*\(?|[{_SIGN}]\s*\(?|\(\s*(?:[A-Z]{{0,2}}\$|[{_SIGN}])?")
_AMOUNT_BEGINS = re.compile(r"[0-9(.\-\u2013\u2014]|(?i:nil|none|n/?[am])\Z")
_SIGN_BEGINS = re.compile(rf"(?:[A-Z]{{0,2}}\$|[{_SIGN}])\s*[0-9.]*")
_AMOUNT_ENDS = tuple("0123456789)-\u2013\u2014")
_FORMED = f"[{SUPERSCRIPTS}{SUBSCRIPTS}][{SUPERSCRIPTS}{SUBSCRIPTS},; ]*"
_NOTE = r"(?:[0-9]{1,2}|[A-Za-z]{1,2}|[ivx]{3,4}|\*{1,3}|[\u2020\u2021])"
NOTE_MARK = (
    rf"(?:{_FORMED}|\({_NOTE}(?:,\s?{_NOTE}){{0,4}}\)|\[{_NOTE}(?:,\s?{_NOTE}){{0,4}}\]"
    r"|\*{1,3}|[\u2020\u2021\u00a7]{1,2})"
)
POINTS = r"(?:ppts?|pps?|pts|bps?|p)\.?"
_BEHIND = re.compile(rf"(?:[)%\u00a2]|\)\s?%|%\s?\))(?:\s?{NOTE_MARK})*")
# Signs that close an amount that is still open.
_CLOSES = re.compile(rf"\)\s*(?:%|\u00a2|{POINTS})?(?:\s?{NOTE_MARK})*|(?:%|\u00a2|{POINTS})\s?\)")
_OPEN = re.compile(rf"[A-Z]{{0,2}}[{_SIGN}]?\s?\(\s?[A-Z]{{0,2}}[{_SIGN}]?\s?[0-9.,]+\s?%?")
_UNIT = re.compile(POINTS)
_BEHIND_BEGINS = ")%\u00a2pb"  # the first characters of all of these
_MARK = re.compile(rf"{NOTE_MARK}(?:[ ,]?{NOTE_MARK})*|[a-l]")
_FORMED_MARK = re.compile(_FORMED)
_DECIMALS = re.compile(r"\.[0-9]+\s?(?:%|\)|%\s?\))?")
_MARK_BEGINS = f"([*.\u2020\u2021\u00a7{SUPERSCRIPTS}{SUBSCRIPTS}abcdefghijkl"
_LONGEST_MARK = 20
_AMOUNT = re.compile(rf"[A-Z]{{0,2}}[{_SIGN}]?[\s(]*[A-Z]{{0,2}}[{_SIGN}]?\s?[0-9][0-9,.]*[\s)%]*")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
# Not a percentage: money, and headings, beside which "%" heads a column of its own.
_NO_RATE = re.compile(rf"[{_SIGN}]|(?:(?<![0-9,.])(?:19|20)[0-9]{{2}}|[A-Za-z]{{2}}\))\Z")
_LARGE = re.compile("[0-9],[0-9]{3}|[0-9]{4}|[0-9][.][0-9]|[$%]")
# A bullet in its own cell; some signs are bullets only at the beginning of a row, before text.
_BULLETS = frozenset(BULLETS)
_BULLETS_OF_TEXT = frozenset("-\u2013\u2014*o\u00a7\u00a8\u00a1\u00d8\u00fc")
_TEXT_BEGINS = re.compile('[A-Za-z"\u201c(]')
_FIGURE = re.compile(r"[^A-Za-z]*[0-9\u2013\u2014-][^A-Za-z]*")
# More columns than real tables have: such tables are not laid out.
_MOST_USED = 300


def lay_out(rows: Sequence[list[Cell]]) -> list[list[PlacedCell]]:
    """Return the cells of each row with their columns; the first column is 0."""
    behind = _columns_behind(rows)
    placed = [whole_cells(row, behind) for row in rows]
    if all(len(row) < 2 for row in placed) and not any(row and row[0][0] for row in placed):
        return [[(0, text) for _, _, text in row] for row in placed]
    number = _columns(placed)
    return [[(number[start], text) for start, _, text in row] for row in placed]


def whole_cells(row: list[Cell], behind: Container[int] = ()) -> list[Cell]:
    """Join the parts of each amount of a row, and each bullet with its text.

    The columns `behind` have marks and decimals that belong to the cell before them.
    """
    if len(row) < 2:
        return row
    cells = row[:1]
    before = row[0][2]
    for cell in row[1:]:
        text = cell[2]
        joint = None
        if len(before) < 6 or text[0] in _BEHIND_BEGINS or before[-1] == "(":
            joint = _joint(before, text, len(cells) == 1)
        if joint is None and text[0] in _MARK_BEGINS:
            joint = _joint_of_mark(cells[-1], cell, behind)
        if joint is None:
            before = text
            cells.append(cell)
        else:
            before = f"{before}{joint}{text}"
            cells[-1] = cells[-1][0], cell[1], before
    return cells


def _joint(before: str, text: str, begins_row: bool) -> str | None:
    """Return the text that joins two cells, or None if they stay apart."""
    if text[0] in _BEHIND_BEGINS and len(text) < _LONGEST_MARK:
        if before.endswith(_AMOUNT_ENDS):
            if _BEHIND.fullmatch(text):
                return None if text[0] == "%" and _NO_RATE.search(before) else ""
            if _UNIT.fullmatch(text) and _AMOUNT.fullmatch(before):
                return " "
        if _OPEN.fullmatch(before) and _CLOSES.fullmatch(text):
            return "" if text[0] in ")%\u00a2" else " "
    if len(before) > 5 or (before[-1].isalnum() and before not in _BULLETS_OF_TEXT):
        return None
    if _BEFORE.fullmatch(before) and (
        _AMOUNT_BEGINS.match(text) or (before == "(" and _SIGN_BEGINS.fullmatch(text))
    ):
        return ""
    is_bullet = before in _BULLETS or (
        begins_row and before in _BULLETS_OF_TEXT and _TEXT_BEGINS.match(text)
    )
    return " " if is_bullet else None


def _joint_of_mark(before: Cell, cell: Cell, behind: Container[int]) -> str | None:
    """Return the text that joins a mark or decimals to the cell before; None if none does."""
    start, _, text = cell
    if len(text) < _LONGEST_MARK and start - before[1] <= 1:
        if _FORMED_MARK.fullmatch(text):
            return ""
        if start in behind:
            if _DECIMALS.fullmatch(text):
                return "" if before[2][-1:].isdigit() and "." not in before[2] else None
            return " " if _MARK.fullmatch(text) else None
    return None


def _columns_behind(rows: Sequence[list[Cell]]) -> set[int]:
    """Return the markup columns that only hold marks or decimals of the cells before them.

    A column with its own heading holds values.
    """
    candidates = {
        start
        for row in rows
        for start, _, text in row[1:]
        if text[0] in _MARK_BEGINS and len(text) < _LONGEST_MARK and _is_behind(text)
    }
    if not candidates:
        return candidates
    first = next((n for n, row in enumerate(rows) if any(map(_is_amount, row[1:]))), len(rows))
    heads = [cell for row in rows[:first] for cell in row]
    for row in rows:
        for number, (start, _, text) in enumerate(row):
            if start in candidates and not (
                number and _belongs(row[number - 1], start, text, heads)
            ):
                candidates.discard(start)
    return candidates


def _is_behind(text: str) -> bool:
    return bool(_MARK.fullmatch(text) or _DECIMALS.fullmatch(text))


def _is_amount(cell: Cell) -> bool:
    return bool(_AMOUNT.fullmatch(cell[2])) and not _YEAR.fullmatch(cell[2])


def _belongs(before: Cell, start: int, text: str, heads: Sequence[Cell]) -> bool:
    """Return True if a cell may continue the cell before it."""
    if _CLOSES.fullmatch(text) or _BEHIND.fullmatch(text) or _UNIT.fullmatch(text):
        return True
    if not _is_behind(text) or start - before[1] > 1:
        return False
    above = [head for head in heads if head[0] <= start < head[1]]
    if any(head[0] > before[0] for head in above):
        return False
    if above or any(head[0] for head in heads):
        return True
    # Without headings, a mark follows a larger number or text.
    return bool(_LARGE.search(before[2]) or not text[-2].isdigit()) if len(text) > 1 else True


class _Columns:
    """The markup columns in which cells begin, grouped into columns of the page."""

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
        # bit masks, by the first column of each group
        self.rows = [rows[start] for start in self.used]
        self.figures = [start in figures for start in self.used]
        self.first = list(range(len(self.used)))  # the group of each column

    def join(self, first: int, last: int) -> bool:
        """Merge the columns from `first` to `last`, unless a row has text in two of them."""
        group = self.first[first]
        groups = sorted({self.first[column] for column in range(first, last + 1)})
        rows = 0
        for other in groups:
            if rows & self.rows[other]:
                return False
            rows |= self.rows[other]
        self.rows[group] = rows
        self.figures[group] = any([self.figures[other] for other in groups])
        for column in range(first, len(self.used)):
            if column > last and self.first[column] not in groups:
                break
            self.first[column] = group
        return True

    def groups_of_figures(self, first: int, last: int) -> list[int]:
        """Return the first columns of the groups in this range that contain figures."""
        groups = {self.first[column] for column in range(first, last + 1)}
        return sorted([group for group in groups if self.figures[group]])


def _columns(placed: list[list[Cell]]) -> dict[int, int]:
    """Number the page's columns, by the first markup column of their cells."""
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
