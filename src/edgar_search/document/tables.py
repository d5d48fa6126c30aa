"""Tables of a text: their positions, their cells by row and column, and their amounts; pure.

A text preserves the columns of its tables: the cells of a row are separated by tabs, and tables of
plain text keep their blanks (`edgar_search.text.columns`, `edgar_search.text.plain`).
"""

import re
from collections.abc import Iterable, Sequence
from decimal import Decimal
from typing import NamedTuple

from edgar_search.text.columns import NOTE_MARK, POINTS, Cell, lay_out, whole_cells
from edgar_search.text.words import CELL_SEPARATOR


class Line(NamedTuple):
    """A line by its position in the whole text."""

    text: str
    start: int

    @property
    def end(self) -> int:
        """The position after its last character."""
        return self.start + len(self.text)


class Amount(NamedTuple):
    """A number as filed, negative if it is in parentheses; `unit` is its sign, such as $ or %."""

    value: Decimal
    unit: str | None


class Naming(NamedTuple):
    """The line that names a table, and what the text says of its amounts; None if unknown.

    `unit` is text such as "in millions, except per share", and `scale` the factor of amounts.
    """

    heading: str | None
    unit: str | None
    scale: int | None


class TableCells(NamedTuple):
    """The cells of a table and their amounts; rows have equal length, "" is an empty cell."""

    rows: list[list[str]]
    amounts: list[list[Amount | None]]


class TablePlace(NamedTuple):
    """The lines of a table, and the lines above it that may name it."""

    lines: Sequence[Line]
    above: Sequence[Line]

    @property
    def start(self) -> int:
        """The position of its first character."""
        return self.lines[0].start

    @property
    def end(self) -> int:
        """The position after its last character."""
        return self.lines[-1].end


# Rows at the top of a table that may belong to its head.
_LONGEST_HEAD = 30
# Lines above a table that may give its name and unit, and their greatest lengths.
_MOST_ABOVE, _LONGEST_HEADING, _LONGEST_UNIT = 6, 200, 120
_SEVERAL_CELLS = re.compile(rf"[^{CELL_SEPARATOR}]{CELL_SEPARATOR}+[^{CELL_SEPARATOR}]")
_GAP = "  "  # separates cells of plain text
# Lines of a table in plain text are this wide at most: as wide as paper.
_WIDE = 90
# Short lines at the margin between rows: headings within a statement, which may extend over its
# figures, and lines of a label, which end before them.
_MOST_BETWEEN, _MOST_OF_LABEL = 3, 12


def text_lines(text: str, start: int = 0) -> list[Line]:
    """Split a text that begins at position `start` of the whole text into lines."""
    lines = []
    for line in text.split("\n"):
        lines.append(Line(line, start))
        start += len(line) + 1
    return lines


def is_row(line: Line) -> bool:
    """Return True if a line is a row of a table; in plain text, blanks separate cells."""
    return CELL_SEPARATOR in line.text or _GAP in line.text


def table_places(lines: Sequence[Line]) -> list[TablePlace]:
    """Find the tables among lines, in order: at least two rows, one of them with several cells."""
    tables: list[TablePlace] = []
    behind = 0
    for first, last in _spans(lines):
        above: list[Line] = []
        for line in reversed(lines[behind:first]):
            if line.text.strip():
                above.append(line)
            if len(above) == _MOST_ABOVE:
                break
        tables.append(TablePlace(lines[first:last], above))
        behind = last
    return tables


def table_size(table: TablePlace) -> tuple[int, int]:
    """Return how many rows and columns a table has."""
    rows = list(map(len, _rows(table.lines)))
    return len(rows), max(rows)


def table_cells(table: TablePlace) -> TableCells:
    """Return the cells of a table; check its size before, since this is not bounded."""
    rows = _rows(table.lines)
    width = max(map(len, rows))
    rows = [[*row, *[""] * (width - len(row))] for row in rows]
    return TableCells(rows, _amounts(rows))


def line_cells(table: TablePlace) -> Iterable[tuple[int, list[Cell]]]:
    """Yield the position of each table line with cells, and the positions of cells within it.

    Empty cells are left out.
    """
    has_tabs = _has_tabs(table.lines)
    for line in table.lines:
        cells = _tab_cells(line.text) if has_tabs else _fixed_cells(line.text)
        if cells:
            yield line.start, cells


def _tab_cells(line: str) -> list[Cell]:
    cells: list[Cell] = []
    start = 0
    for piece in line.split(CELL_SEPARATOR):
        if text := piece.strip():
            begins = start + piece.index(text)
            cells.append((begins, begins + len(text), text))
        start += len(piece) + 1
    return cells


def _rows(lines: Sequence[Line]) -> list[list[str]]:
    """Return the cells of each row, without empty ones at its end."""
    if _has_tabs(lines):
        return [line.text.split(CELL_SEPARATOR) for line in lines]
    return _fixed_rows(lines)


def _has_tabs(lines: Sequence[Line]) -> bool:
    return any(CELL_SEPARATOR in line.text for line in lines)


def _spans(lines: Sequence[Line]) -> Iterable[tuple[int, int]]:
    """Yield the first line of each table and the line after its last, by number."""
    at = 0
    while at < len(lines):
        line = lines[at].text
        if CELL_SEPARATOR in line:
            end = last = at
            count = 0
            while end < len(lines) and lines[end].text.strip():
                if CELL_SEPARATOR in lines[end].text:
                    last, count = end, count + bool(_SEVERAL_CELLS.search(lines[end].text))
                end += 1
            if count and last > at:
                yield at, last + 1
            at = last + 1
        elif _GAP in line:
            table_end = _fixed_end(lines, at)
            if table_end.rows > 1:
                yield at, table_end.behind
            # A later line without cells would lead to the same end, unless this line ends the
            # table.
            at = table_end.behind if table_end.rows else max(table_end.looked_at, at + 1)
        else:
            at += 1


# Currencies as tables name them beside amounts.
_CURRENCY = (
    r"(?:[A-Z]{1,3})?\$|[\u20ac\u00a3\u00a5\u20a9\u20aa\u20b9]"
    r"|(?:USD|EUR|GBP|CHF|JPY|CAD|AUD|RMB|CNY|INR|NIS|KRW|SEK|NOK|DKK|Rs\.?|Ps\.?)"
)
# A number, its sign, and signs of negative numbers, which ledgers write after the number.
_AMOUNT = re.compile(
    r"(?P<opened>\()?\s?(?:(?P<minus>[-\u2212\u2013])|\+)?\s?"
    rf"(?P<currency>{_CURRENCY})?\s*"
    r"(?P<minus2>[-\u2212\u2013]\s?)?(?P<opened2>\()?\s*"
    r"(?P<digits>[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?|\.[0-9]+)"
    rf"\s?(?P<closed>\))?\s?(?P<share>%|\u00a2|{POINTS})?\s?(?P<closed2>\))?"
)
_MINUS_BEHIND = re.compile(r"(\$?\s?(?:[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|[0-9]*\.[0-9]+))-")
_SMALL_MINUS_BEHIND = re.compile("[0-9]{1,3}-")
_NOTHING = "-0-"
# Footnote marks belong to a figure but not to its value, and so does a single letter after it.
_MARKS = re.compile(
    rf"(?<=[0-9)%\u00a2])(?:\s?{NOTE_MARK}(?:[ ,]{{0,2}}{NOTE_MARK})*|\s(?:[a-l]|[ivx]{{2,4}}))\Z"
)
# "12 3/8", "6-1/2%", "3/4%": fractions in prices and rates.
_FRACTION = re.compile(
    r"(?<![0-9.,/])(?:([0-9]{1,4})[ -])?([0-9]{1,2})/(2|4|8|16|32|64)(?![0-9/])(?=(\s?%)?)"
)
_FRACTION_SIGNS = {
    sign: str(Decimal(eighths) / 8)[1:]
    for eighths, sign in enumerate("\u215b\u00bc\u215c\u00bd\u215d\u00be\u215e", 1)
}
_FRACTION_SIGN = re.compile(f"(?<=[0-9])\\s?([{''.join(_FRACTION_SIGNS)}])")
_FULL_WIDTH = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}
_MOST_DIGITS = 40
_LEADING_ZERO = re.compile("0[0-9]+")
_WHOLE = re.compile("[0-9]+")
_NOTE = re.compile(r"\([0-9]{1,2}\)")


def without_note_marks(text: str) -> str:
    """Remove the footnote marks after a figure."""
    marks = _MARKS.search(text)
    return text[: marks.start()] if marks else text


def amount_of(text: str) -> Amount | None:
    """Return a cell's number; None if it has words, or no number that is certain.

    "(1,234)" is -1234, and so are "(1,234) (1)" and "1,234-"; "6 1/2%" is 6.5. Leading zeros belong
    to a name, not to a number.
    """
    bare = without_note_marks(text.strip()) if len(text) < _MOST_DIGITS else ""
    if not bare.isascii():
        bare = _FRACTION_SIGN.sub(
            lambda sign: _FRACTION_SIGNS[sign[1]], bare.translate(_FULL_WIDTH)
        )
    if bare == _NOTHING:
        return Amount(Decimal(0), None)
    bare = _MINUS_BEHIND.sub(r"-\1", bare) if bare.endswith("-") else bare
    if "/" in bare:
        bare = _FRACTION.sub(_decimal_text, bare)
    match = _AMOUNT.fullmatch(bare)
    if match is None or _LEADING_ZERO.fullmatch(match["digits"]):
        return None
    opened = [name for name in ("opened", "opened2") if match[name]]
    closed = [name for name in ("closed", "closed2") if match[name]]
    if len(opened) != len(closed) or len(opened) > 1 or (match["currency"] and match["share"]):
        return None
    value = Decimal(match["digits"].replace(",", ""))
    negative = bool(opened or match["minus"] or match["minus2"])
    return Amount(-value if negative else value, match["currency"] or match["share"])


def _decimal_text(fraction: re.Match[str]) -> str:
    """Convert a fraction to a decimal, unless it may be a date or a ratio."""
    whole, over, under = fraction[1], int(fraction[2]), int(fraction[3])
    is_rate = whole or fraction[4] or fraction.string[: fraction.start()].endswith("$")
    if not (is_rate and over < under and over % 2):
        return fraction[0]
    return str(int(whole or 0) + Decimal(over) / under)


def _amounts(rows: Sequence[Sequence[str]]) -> list[list[Amount | None]]:
    amounts = [list(map(amount_of, row)) for row in rows]
    for row, cells in zip(amounts, rows, strict=True):
        # The number of a note precedes the note.
        if _NOTE.fullmatch(cells[0]) and any(cells[1:]):
            row[0] = None
    for column in range(len(rows[0])):
        # CUSIPs and other names of equal length, some of which begin with a zero.
        names = {len(row[column]) for row in rows if _LEADING_ZERO.fullmatch(row[column])}
        for row, cells in zip(amounts, rows, strict=True):
            if len(cells[column]) in names and _WHOLE.fullmatch(cells[column]):
                row[column] = None
        # A single "345-" may be the number of a form.
        if any(_MINUS_BEHIND.fullmatch(row[column]) for row in rows):
            for row, cells in zip(amounts, rows, strict=True):
                if _SMALL_MINUS_BEHIND.fullmatch(cells[column]):
                    row[column] = Amount(-Decimal(cells[column][:-1]), None)
    return amounts


_SCALES = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
# A number of millions is an amount, not a unit.
_SCALE = re.compile(
    r"(?<![0-9])(?<![0-9] )(?<!\bten )(?<!\btens of )(?<!hundred )(?<!hundreds of )"
    r"\b(thousand|million|billion)s?\b"
    r"|(?<![0-9.,])\(?\$?\s?0{3}(?:'?s|\s+omitted|\))|\$000\b|'000s?\b",
    re.IGNORECASE,
)
_IN_PARENTHESES = re.compile(r"\(([^()]*)\)")
_UNIT_BEGINS = re.compile(
    r"\(|'000|[a-z]{0,3}[$\u20ac\u00a3\u00a5]|(?:rmb|cny|eur|euros?|gbp|cad|chf|jpy|yen|nis|inr)\b"
    r"|(?:amounts|dollars?|u\.s\.|us\b|usd|in\b|all|stated|expressed|unaudited|shares|figures"
    r"|thousands|millions|billions)",
    re.IGNORECASE,
)
_YEAR = re.compile("(?:19|20)[0-9]{2}")
# Years, page numbers, rulers, parts of a statement and remarks on it are no names of tables.
_NAMELESS = re.compile(
    r"[^A-Za-z]*|F-[0-9]+|[ivx]+|table of contents|\W*(?:un)?audited\W*|\W*as (?:re)?stated\W*"
    r"|\W*cont(?:inued|'?d|\.)\W*|(?:total )?assets:?|liabilities(?: and .{0,60})?:?",
    re.IGNORECASE,
)
# A sentence that introduces several tables gives the unit of each.
_INTRODUCES = re.compile(r"\btables?\b|^notes?\b", re.IGNORECASE)
# The period of a statement is below its title.
_PERIOD = re.compile(
    r"(?:(?:for|as of|at|as at|the|and|or|three|six|nine|twelve|thirteen|twenty-six|thirty-nine"
    r"|fifty-two|fiscal|calendar|years?|quarters?|quarterly|months?|weeks?|periods?|ended|ending|end"
    r"|through|to|in|from|inception|january|february|march|april|may|june|july|august|september"
    r"|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b|[\d\W])+",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.;])\s+(?=[A-Z])")


def unit_of(text: str) -> tuple[str, int] | None:
    """Parse the unit and scale of amounts in a heading: "(in thousands)" means 1,000."""
    for inside in _IN_PARENTHESES.findall(text):
        scale = _SCALE.search(inside) or (_SCALE.search(f"({inside})") if inside else None)
        if scale and len(inside) <= _LONGEST_UNIT:
            return " ".join(inside.split()), _scale(scale)
    plain = " ".join(text.strip(" ()").split())
    plain += ")" if plain.count("(") > plain.count(")") else ""
    scale = _SCALE.search(plain)
    if scale and len(plain) <= _LONGEST_UNIT and _UNIT_BEGINS.match(plain):
        return plain, _scale(scale)
    return None


def _scale(match: re.Match[str]) -> int:
    return _SCALES[match[1].lower()] if match[1] else 1_000


def table_naming(table: TablePlace) -> Naming:
    """Return the heading, unit and scale that a table's head or the lines above it give."""
    head = table.lines[:_LONGEST_HEAD]
    is_plain = not _has_tabs(head)
    inside: list[str] = []
    titles: list[str] = []
    for row in _rows(head):
        if any(not _YEAR.fullmatch(without_note_marks(cell)) and amount_of(cell) for cell in row):
            break
        cells = list(filter(None, row))
        # A head of columns begins farther to the right; on paper all heads do.
        begins = len(titles) == len(inside)
        if begins and len(cells) == 1 and (cells[0].isupper() if is_plain else row[0]):
            titles += cells
        inside += cells
    unit = next(filter(None, map(unit_of, inside)), None)
    named = [title for title in reversed(titles) if not _NAMELESS.fullmatch(title)]
    heading = period = None
    if len(titles) < len(inside):
        heading, period = _name([each for each in named if unit_of(each) is None])
    for text in _texts_above(table) if heading is None or unit is None else ():
        unit_found = unit_of(text)
        if not unit_found and _NAMELESS.fullmatch(text):
            continue
        is_unit = unit_found and _UNIT_BEGINS.match(text) and len(text) <= _LONGEST_UNIT
        if heading and not is_unit:
            unit = unit or (unit_found if _INTRODUCES.search(text) else None)
            break
        unit = unit or unit_found
        if is_unit:
            continue
        if _PERIOD.fullmatch(_IN_PARENTHESES.sub("", text)):
            period = period or text
            continue
        heading = _heading(text)
        if heading is None or unit:
            break
    return Naming(heading or period, *(unit or (None, None)))


def _name(titles: Sequence[str]) -> tuple[str | None, str | None]:
    """Return the first title that says more than a period, and the first that gives a period."""
    name = next((title for title in titles if not _PERIOD.fullmatch(title)), None)
    return name, next((title for title in titles if _PERIOD.fullmatch(title)), None)


def _texts_above(table: TablePlace) -> Iterable[str]:
    """Yield the lines above a table, up to a row, joining a parenthesis that spans two lines."""
    closing = ""
    for line in table.above:
        if is_row(line):
            return
        text = f"{line.text.strip()} {closing}".strip()
        closing = text if text.count(")") > text.count("(") and not closing else ""
        if not closing:
            yield text


def _heading(text: str) -> str | None:
    """Return a short line, or the last sentence of a longer line that introduces a table."""
    last = _SENTENCE_END.split(text)[-1]
    if len(text) <= _LONGEST_HEADING and not text.endswith("."):
        return text
    return last if last.endswith(":") and len(last) <= 2 * _LONGEST_HEADING else None


# Plain text.

_RULER = re.compile(r"(?=.{3})[-=_.\s*]*|[=_]*")
# Blanks separate cells, and so do the dots that lead from a label to its amount.
_BETWEEN_CELLS = re.compile(r"\s{2,}|\s?\.(?:\s?\.){2,}\s*")
# A dollar sign that follows a label, or the figure of the previous column.
_GLUED = re.compile(
    r"([A-Za-z].*(?:[^\s$(](?= )|[a-z.:)])"
    r"|(?:\$ ?)?\(? ?[0-9][0-9,.]*[)%]?(?:\([0-9a-z]{1,2}\))?)"
    r" ?(\$(?: ?\(?[0-9][0-9,.]*\)?)?)"
)
# Two blanks between sentences separate no cells.
_SENTENCE_GAP = re.compile(r"(?<=[a-z)][.;:]) {2}(?=[A-Z(])")
# A parenthesis may be closed after blanks: "(  5)".
_SIGNS_ALONE = frozenset(("-", "$", "(", "$("))
_GROUPS, _HAS_WORDS = re.compile("[0-9 ]+"), re.compile("[A-Za-z]")
# A head of columns begins farther to the right than the labels of rows.
_HEAD_BEGINS = 15


def _fixed_rows(lines: Sequence[Line]) -> list[list[str]]:
    """Return the rows of a table in plain text, by the columns of characters on paper."""
    rows = [_fixed_cells(line.text) for line in lines]
    found = []
    for row in lay_out([row for row in rows if row]):
        cells: list[str] = []
        for column, text in row:
            cells += [""] * (column - len(cells))
            cells.append(text)
        found.append(cells)
    return found


def _fixed_cells(line: str) -> list[Cell]:
    """Return the cells of a line by their characters; none for a ruler."""
    cells: list[Cell] = []
    start = len(line) - len(line.lstrip())
    for match in _BETWEEN_CELLS.finditer(line, start):
        if match.start() > start:
            cells += _apart(start, line[start : match.start()])
        start = match.end()
    if start < len(line):
        cells += _apart(start, line[start:])
    return whole_cells([cell for cell in cells if not _RULER.fullmatch(cell[2])])


def _apart(start: int, text: str) -> list[Cell]:
    """Split amounts that one blank separates into cells; other text is one cell.

    A dollar sign after a label belongs to the amount, which may be farther to the right.
    """
    whole = [(start, start + len(text), text)]
    if glued := _GLUED.fullmatch(text):
        return [
            (start, start + glued.end(1), glued[1]),
            (start + glued.start(2), start + len(text), glued[2]),
        ]
    # Digits alone may be a name in groups, such as a CUSIP.
    if " " not in text or _HAS_WORDS.search(text) or _GROUPS.fullmatch(text):
        return whole
    if amount_of(text) is not None:
        return whole
    words = [(start + match.start(), match[0]) for match in re.finditer(r"\S+", text)]
    cells = whole_cells([(at, at + len(word), word) for at, word in words])
    is_row = all(amount_of(cell) or cell in _SIGNS_ALONE for _, _, cell in cells)
    return cells if is_row else whole


class _FixedEnd(NamedTuple):
    """The end of a table in plain text.

    It counts the rows with several cells, and gives the line after the last of them, and the line
    after all that were examined.
    """

    rows: int
    behind: int
    looked_at: int


def _fixed_end(lines: Sequence[Line], at: int) -> _FixedEnd:
    """Find the end of the table whose first line is `at`.

    A table ends where the text continues at the margin, and where another head begins.
    """
    last, end, rows = at, at, 0
    between = of_label = figures_begin = 0
    after_gap = has_figures = False
    while end < len(lines):
        text = lines[end].text
        if CELL_SEPARATOR in text:
            break
        if not text.strip() or _RULER.fullmatch(text):
            after_gap = True
        elif _GAP in text and _GAP in _SENTENCE_GAP.sub(" ", text):
            cells = _fixed_cells(text)
            figures = [
                start for start, _, cell in cells if amount_of(cell) and not _YEAR.fullmatch(cell)
            ]
            is_head = bool(cells) and not figures and cells[0][0] >= _HEAD_BEGINS
            if after_gap and has_figures and is_head and len(cells) > 1:
                break
            if len(cells) > 1:
                last, rows = end, rows + 1
                has_figures = has_figures or bool(figures)
                if behind := [start for start in figures if start > cells[0][0]]:
                    figures_begin = min(figures_begin or _WIDE, *behind)
            between, of_label, after_gap = 0, 0, False
        elif len(text) <= figures_begin and of_label < _MOST_OF_LABEL:
            of_label += 1
        elif len(text) <= _WIDE and not text.endswith(".") and between < _MOST_BETWEEN:
            between += 1
        else:
            break
        end += 1
    return _FixedEnd(rows, last + 1, end)
