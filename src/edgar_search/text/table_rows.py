"""Tables of HTML as lines: a row is one, its cells apart by CELL_SEPARATOR.

All ways to read HTML put marks into the text where tables, rows and cells begin and end. Where rows
are to be lines is decided here, of the marks alone, so that all ways have the same form.
"""

from edgar_search.text.words import CELL_SEPARATOR

# White space to `normalise`, and in no text before the marks are put there.
TABLE, TABLE_END, ROW, CELL = "\x1d", "\x1c", "\x1e", "\x1f"
# White space, but no blank: a line that holds it is an empty line of the text.
EMPTY_LINE = "\n\v\n"

_MARKS = (TABLE, TABLE_END, ROW, CELL)
_MOST_IN_LINES = 200  # characters in a cell of several lines: a heading or an address, no prose


def without_marks(html: str) -> str:
    """Return `html` with blanks for characters that would be taken for marks."""
    for mark in _MARKS:
        if mark in html:
            html = html.replace(mark, " ")
    return html


def with_rows(marked: str) -> str:
    """Return a text with lines for its rows, as its marks give them, and without marks.

    A row is a line, unless a cell of it holds a table, or several lines that are long: such a
    table is there for the layout, and its cells are read as blocks, each from a line of its own. So
    is a row with one cell only. Empty cells and rows are nothing.
    """
    if CELL_SEPARATOR in marked:
        marked = marked.replace(CELL_SEPARATOR, " ")
    pieces: list[str] = []
    from_tables = marked.split(TABLE)
    for number, from_table in enumerate(from_tables, 1):
        stretches = from_table.split(TABLE_END)
        for place, stretch in enumerate(stretches, 1):
            after_start = place == 1 < number
            before_end = place < len(stretches) or number == len(from_tables)
            pieces.append(_lines(stretch, after_start, before_end))
    return EMPTY_LINE.join(pieces)


def _lines(stretch: str, after_start: bool, before_end: bool) -> str:
    """Return the text between two marks of tables, without marks.

    Text that is not after a table's start and before a table's end is not a row: it is the rest of
    one that holds a table, or outside of tables.
    """
    if CELL not in stretch:
        return stretch.replace(ROW, "\n")
    rows = stretch.split(ROW)
    first, end = 0 if after_start else 1, len(rows) if before_end else len(rows) - 1
    rows[first:end] = [
        _row(row) if CELL in row else row for row in rows[first:end] if row and not row.isspace()
    ]
    return "\n".join(rows).replace(CELL, "\n")


def _row(content: str) -> str:
    cells = [*filter(None, map(str.strip, content.split(CELL)))]
    if len(cells) < 2:
        return "".join(cells)
    row = CELL_SEPARATOR.join(cells)
    if "\n" not in row:
        return row
    if len(row) > _MOST_IN_LINES and any(map(_is_prose, cells)):
        return "\n".join(cells)
    return row.replace("\n", " ")


def _is_prose(cell: str) -> bool:
    return len(cell) > _MOST_IN_LINES and "\n" in cell
