"""Tables of HTML as lines: one for each row, with cells separated by CELL_SEPARATOR.

Every HTML reader puts marks into the text where tables, rows and cells begin and end. Which rows
become lines is decided here, from the marks alone, so that all readers agree. An empty cell stays
if it keeps a column's position, so that figures are below their headings:
`edgar_search.text.columns` finds the columns.
"""

import re
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from edgar_search.text.columns import Cell, PlacedCell, lay_out
from edgar_search.text.words import CELL_SEPARATOR, INVISIBLE

# White space to `normalise`, and in no text before marks are added.
TABLE, TABLE_END, ROW, CELL = "\x1d", "\x1c", "\x1e", "\x1f"
# Ends the column and row counts after a CELL that spans several.
SPAN = "\x1b"
# White space, but not a blank: a line with it becomes an empty line of the text.
EMPTY_LINE = "\n\v\n"

TABLE_MARKS = (TABLE, TABLE_END, ROW, CELL, SPAN)
_MOST_IN_LINES = 200  # characters in a cell of several lines: a heading or an address, not prose
# HTML's own bounds.
_MOST_COLUMNS, _MOST_ROWS = 1_000, 65_534
_MOST_HELD = 100  # cells that span rows at once; more than in any real table
_SPANS = re.compile(r"\s(col|row)span\s*=\s*[\"']?\s*\+?([0-9]{1,9})", re.IGNORECASE)
_NOTHING = re.compile(rf"[{INVISIBLE}\s]*")
_CELL_MARK = re.compile(f"{CELL}(?:[0-9]+,[0-9]+{SPAN})?")


def cell_mark(attributes: str) -> str:
    """Return the mark of a cell, given the attributes of its tag."""
    spans = {"col": 1, "row": 1}
    for name, number in _SPANS.findall(attributes):
        spans[name.lower()] = max(1, int(number))
    columns, rows = min(spans["col"], _MOST_COLUMNS), min(spans["row"], _MOST_ROWS)
    return CELL if columns == rows == 1 else f"{CELL}{columns},{rows}{SPAN}"


class _Table(Struct):
    """The rows of a table that contain text, and where their lines go in the stretches.

    `held` lists cells of rows above that span the next row: first column, column after the last,
    rows left.
    """

    rows: list[list[Cell]] = []
    places: list[tuple[list[str], int]] = []
    held: list[tuple[int, int, int]] = []

    def add(self, contents: list[str], has_spans: bool) -> bool:
        """Add a row; return True if it has text."""
        if not (has_spans or self.held):
            row = [
                (at, at + 1, text)
                for at, content in enumerate(contents)
                if content and (text := content.strip()) and (text.isascii() or _is_text(text))
            ]
        else:
            row = self._cells_with_spans(contents)
        if row:
            self.rows.append(row)
        return bool(row)

    def _cells_with_spans(self, contents: list[str]) -> list[Cell]:
        """Return the non-empty cells of a row with spans; cells of rows above may hold columns."""
        row: list[Cell] = []
        held = self.held
        begun: list[tuple[int, int, int]] = []
        place = at = 0
        for content in contents:
            while place < len(held) and held[place][0] <= at:
                at = max(at, held[place][1])
                place += 1
            behind = at + 1
            if SPAN in content:
                spans, _, content = content.partition(SPAN)
                columns, rows = _numbers(spans)
                behind = at + columns
                if rows > 1:
                    begun.append((at, behind, rows))
            if content and (text := content.strip()) and (text.isascii() or _is_text(text)):
                row.append((at, behind, text))
            at = behind
        if held or begun:
            self.held = sorted([(a, b, n - 1) for a, b, n in held + begun if n > 1])[:_MOST_HELD]
        return row

    def write(self) -> None:
        """Write the line of each row into its stretch."""
        for cells, (lines, place) in zip(lay_out(self.rows), self.places, strict=True):
            lines[place] = _line(cells)


def with_rows(marked: str) -> str:
    """Replace the marks of tables in a text by a line for each row.

    A row is a line, unless one of its cells contains a table or several long lines: such a table is
    there for layout, and its cells are read as blocks, each beginning a line. So is a row with a
    single cell. Rows without text are dropped, and so are empty cells after the last one with text
    and columns that no row of the table needs.
    """
    if CELL_SEPARATOR in marked:
        marked = marked.replace(CELL_SEPARATOR, " ")
    stretches: list[list[str]] = []
    tables: list[_Table] = []
    opened: list[_Table] = []
    from_tables = marked.split(TABLE)
    for number, from_table in enumerate(from_tables, 1):
        if number > 1:
            opened.append(_Table())
            tables.append(opened[-1])
        parts = from_table.split(TABLE_END)
        for place, stretch in enumerate(parts, 1):
            if place > 1 and opened:
                opened.pop()
            after_start = place == 1 < number
            before_end = place < len(parts) or number == len(from_tables)
            table = opened[-1] if opened else _Table()
            stretches.append(_lines(stretch, table, after_start, before_end))
            if not opened:
                tables.append(table)
    for table in tables:
        if table.rows:
            table.write()
    return EMPTY_LINE.join(
        [_CELL_MARK.sub("\n", "\n".join(lines)) if lines else "" for lines in stretches]
    )


def _lines(stretch: str, table: _Table, after_start: bool, before_end: bool) -> list[str]:
    """Return the lines between two marks of tables, and add rows to `table`.

    Text that is not between a table's start and end is not a row: it is outside of tables, or the
    rest of a row that contains one.
    """
    if CELL not in stretch:
        return [stretch.replace(ROW, "\n")]
    rows = stretch.split(ROW)
    first = 0 if after_start else 1
    end = max(first, len(rows) if before_end else len(rows) - 1)
    lines = rows[:first]
    for row in rows[first:end]:
        if CELL not in row:
            if row and not row.isspace():
                lines.append(row)
            continue
        before, *contents = row.split(CELL)
        if before and not before.isspace():
            contents.insert(0, before)
        if table.add(contents, SPAN in row):
            table.places.append((lines, len(lines)))
            lines.append("")
    lines += rows[end:]
    return lines


@lru_cache(1_000)
def _numbers(spans: str) -> tuple[int, int]:
    columns, rows = spans.split(",")
    return int(columns), int(rows)


def _is_text(text: str) -> bool:
    return _NOTHING.fullmatch(text) is None


def _line(cells: Sequence[PlacedCell]) -> str:
    texts = [text for _, text in cells]
    if not texts:
        return ""
    if "\n" in "".join(texts):
        long = sum(map(len, texts)) + len(texts) > _MOST_IN_LINES
        if len(texts) == 1 and (long or cells[0][0] == 0):
            return texts[0]
        if long and any(map(_is_prose, texts)):
            return "\n".join(texts)
        texts = [text.replace("\n", " ") for text in texts]
    pieces: list[str] = []
    at = 0
    for (column, _), text in zip(cells, texts, strict=True):
        pieces.append(CELL_SEPARATOR * (column - at) + text)
        at = column
    return "".join(pieces)


def _is_prose(cell: str) -> bool:
    return len(cell) > _MOST_IN_LINES and "\n" in cell
