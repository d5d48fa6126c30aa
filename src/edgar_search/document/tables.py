"""Tables of a text: where they are, their cells by row and column, and their amounts; pure.

A text keeps the columns of its tables: the cells of a row are between tabs, and tables of plain
text have their blanks as filed (`edgar_search.text.columns`, `edgar_search.text.plain`).
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
    """The line that names a table, and what the text says of its amounts; None is not known.

    `unit` is as "in millions, except per share", and `scale` the number that amounts are times.
    """

    heading: str | None
    unit: str | None
    scale: int | None


class TableCells(NamedTuple):
    """The cells of a table and their amounts; all rows have as many, "" is an empty one."""

    rows: list[list[str]]
    amounts: list[list[Amount | None]]


class TablePlace(NamedTuple):
    """The lines of a table, and those above that may name it."""

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


# Rows in which a table's own head ends.
_LONGEST_HEAD = 30
# Lines above a table that may say its name and unit, and the longest of them.
_MOST_ABOVE, _LONGEST_HEADING, _LONGEST_UNIT = 6, 200, 120
_SEVERAL_CELLS = re.compile(rf"[^{CELL_SEPARATOR}]{CELL_SEPARATOR}+[^{CELL_SEPARATOR}]")
_GAP = "  "  # parts cells of plain text
# In a table of plain text lines are as wide as paper.
_WIDE = 90
# Short lines at the margin between rows: sections of a statement, which may go over its figures,
# and the lines of a label, which ends before them.
_MOST_BETWEEN, _MOST_OF_LABEL = 3, 12


def text_lines(text: str, start: int = 0) -> list[Line]:
    """Return the lines of a text that begins at a position of the whole one."""
    lines = []
    for line in text.split("\n"):
        lines.append(Line(line, start))
        start += len(line) + 1
    return lines


def is_row(line: Line) -> bool:
    """True for a row of a table; in plain text blanks part its cells."""
    return CELL_SEPARATOR in line.text or _GAP in line.text


def table_places(lines: Sequence[Line]) -> list[TablePlace]:
    """The tables in lines, in order: of two rows at least, of which one has several cells."""
    found: list[TablePlace] = []
    behind = 0
    for first, last in _spans(lines):
        above: list[Line] = []
        for line in reversed(lines[behind:first]):
            if line.text.strip():
                above.append(line)
            if len(above) == _MOST_ABOVE:
                break
        found.append(TablePlace(lines[first:last], above))
        behind = last
    return found


def table_size(place: TablePlace) -> tuple[int, int]:
    """Return the numbers of rows and columns of a table."""
    rows = list(map(len, _rows(place.lines)))
    return len(rows), max(rows)


def table_cells(place: TablePlace) -> TableCells:
    """Return the cells of a table, whose size is known to be bounded."""
    rows = _rows(place.lines)
    width = max(map(len, rows))
    rows = [[*row, *[""] * (width - len(row))] for row in rows]
    return TableCells(rows, _amounts(rows))


def line_cells(place: TablePlace) -> Iterable[tuple[int, list[Cell]]]:
    """Yield the position of each line of a table with cells, and these by their characters in it.

    Empty cells are left out.
    """
    has_tabs = _has_tabs(place.lines)
    for line in place.lines:
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
    """Yield the numbers of the first line of each table and of the one after its last."""
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
            found = _fixed_end(lines, at)
            if found.rows > 1:
                yield at, found.behind
            # A later line without cells would lead to the same end; this one may be it.
            at = found.behind if found.rows else max(found.looked_at, at + 1)
        else:
            at += 1


# Currencies as tables name them beside their amounts.
_CURRENCY = (
    r"(?:[A-Z]{1,3})?\$|[\u20ac\u00a3\u00a5\u20a9\u20aa\u20b9]"
    r"|(?:USD|EUR|GBP|CHF|JPY|CAD|AUD|RMB|CNY|INR|NIS|KRW|SEK|NOK|DKK|Rs\.?|Ps\.?)"
)
# A number, its sign, and what stands for a negative one; ledgers have the sign after the number.
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
# Marks of footnotes belong to a figure, and are no part of its value; so is a letter apart.
_MARKS = re.compile(
    rf"(?<=[0-9)%\u00a2])(?:\s?{NOTE_MARK}(?:[ ,]{{0,2}}{NOTE_MARK})*|\s(?:[a-l]|[ivx]{{2,4}}))\Z"
)
# "12 3/8", "6-1/2%", "3/4%": the parts of a price or a rate.
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
    """Return a figure without the marks of footnotes after it."""
    marks = _MARKS.search(text)
    return text[: marks.start()] if marks else text


def amount_of(text: str) -> Amount | None:
    """Return the number that a cell has, None if it has words, or none that is sure.

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
        bare = _FRACTION.sub(_as_decimal, bare)
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


def _as_decimal(fraction: re.Match[str]) -> str:
    """Return a fraction as a decimal; as it is if it may be a date or a ratio."""
    whole, over, under = fraction[1], int(fraction[2]), int(fraction[3])
    is_rate = whole or fraction[4] or fraction.string[: fraction.start()].endswith("$")
    if not (is_rate and over < under and over % 2):
        return fraction[0]
    return str(int(whole or 0) + Decimal(over) / under)


def _amounts(rows: Sequence[Sequence[str]]) -> list[list[Amount | None]]:
    found = [list(map(amount_of, row)) for row in rows]
    for row, cells in zip(found, rows, strict=True):
        # A note's number stands before the note.
        if _NOTE.fullmatch(cells[0]) and any(cells[1:]):
            row[0] = None
    for column in range(len(rows[0])):
        # CUSIPs and other names of one length, of which some begin with a zero.
        names = {len(row[column]) for row in rows if _LEADING_ZERO.fullmatch(row[column])}
        for row, cells in zip(found, rows, strict=True):
            if len(cells[column]) in names and _WHOLE.fullmatch(cells[column]):
                row[column] = None
        # "345-" alone may be a number of a form.
        if any(_MINUS_BEHIND.fullmatch(row[column]) for row in rows):
            for row, cells in zip(found, rows, strict=True):
                if _SMALL_MINUS_BEHIND.fullmatch(cells[column]):
                    row[column] = Amount(-Decimal(cells[column][:-1]), None)
    return found


_SCALES = {"thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
# A number of millions is an amount, no unit.
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
# Years, page numbers, rulers, parts of a statement and remarks on it name no table.
_NAMELESS = re.compile(
    r"[^A-Za-z]*|F-[0-9]+|[ivx]+|table of contents|\W*(?:un)?audited\W*|\W*as (?:re)?stated\W*"
    r"|\W*cont(?:inued|'?d|\.)\W*|(?:total )?assets:?|liabilities(?: and .{0,60})?:?",
    re.IGNORECASE,
)
# A sentence that leads to several tables gives the unit of each.
_INTRODUCES = re.compile(r"\btables?\b|^notes?\b", re.IGNORECASE)
# The days of a statement stand below its title.
_PERIOD = re.compile(
    r"(?:(?:for|as of|at|as at|the|and|or|three|six|nine|twelve|thirteen|twenty-six|thirty-nine"
    r"|fifty-two|fiscal|calendar|years?|quarters?|quarterly|months?|weeks?|periods?|ended|ending|end"
    r"|through|to|in|from|inception|january|february|march|april|may|june|july|august|september"
    r"|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b|[\d\W])+",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.;])\s+(?=[A-Z])")


def unit_of(text: str) -> tuple[str, int] | None:
    """The unit of amounts that a heading gives, with its scale: "(in thousands)" is 1,000."""
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


def table_naming(place: TablePlace) -> Naming:
    """Return the heading, unit and scale that the head of a table or the lines above it give."""
    head = place.lines[:_LONGEST_HEAD]
    is_plain = not _has_tabs(head)
    inside: list[str] = []
    titles: list[str] = []
    for row in _rows(head):
        if any(not _YEAR.fullmatch(without_note_marks(cell)) and amount_of(cell) for cell in row):
            break
        cells = list(filter(None, row))
        # A head of columns stands farther to the right; on paper all heads do.
        begins = len(titles) == len(inside)
        if begins and len(cells) == 1 and (cells[0].isupper() if is_plain else row[0]):
            titles += cells
        inside += cells
    unit = next(filter(None, map(unit_of, inside)), None)
    named = [title for title in reversed(titles) if not _NAMELESS.fullmatch(title)]
    heading = period = None
    if len(titles) < len(inside):
        heading, period = _name([each for each in named if unit_of(each) is None])
    for text in _texts_above(place) if heading is None or unit is None else ():
        found = unit_of(text)
        if not found and _NAMELESS.fullmatch(text):
            continue
        is_unit = found and _UNIT_BEGINS.match(text) and len(text) <= _LONGEST_UNIT
        if heading and not is_unit:
            unit = unit or (found if _INTRODUCES.search(text) else None)
            break
        unit = unit or found
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
    """Return the first title that says more than days, and the first that says days."""
    name = next((title for title in titles if not _PERIOD.fullmatch(title)), None)
    return name, next((title for title in titles if _PERIOD.fullmatch(title)), None)


def _texts_above(place: TablePlace) -> Iterable[str]:
    """Yield the lines above a table, up to a row; a parenthesis over two of them is one line."""
    closing = ""
    for line in place.above:
        if is_row(line):
            return
        text = f"{line.text.strip()} {closing}".strip()
        closing = text if text.count(")") > text.count("(") and not closing else ""
        if not closing:
            yield text


def _heading(text: str) -> str | None:
    """Return a short line, or the last sentence of a longer one that leads to a table."""
    last = _SENTENCE_END.split(text)[-1]
    if len(text) <= _LONGEST_HEADING and not text.endswith("."):
        return text
    return last if last.endswith(":") and len(last) <= 2 * _LONGEST_HEADING else None


# Plain text.

_RULER = re.compile(r"(?=.{3})[-=_.\s*]*|[=_]*")
# Blanks part cells, and so do the dots that lead from a label to its amount.
_BETWEEN_CELLS = re.compile(r"\s{2,}|\s?\.(?:\s?\.){2,}\s*")
# A sign of dollars after a label, or after the figure of the column before.
_GLUED = re.compile(
    r"([A-Za-z].*(?:[^\s$(](?= )|[a-z.:)])"
    r"|(?:\$ ?)?\(? ?[0-9][0-9,.]*[)%]?(?:\([0-9a-z]{1,2}\))?)"
    r" ?(\$(?: ?\(?[0-9][0-9,.]*\)?)?)"
)
# Two blanks between sentences part no cells.
_SENTENCE_GAP = re.compile(r"(?<=[a-z)][.;:]) {2}(?=[A-Z(])")
# A parenthesis is closed after blanks: "(  5)".
_SIGNS_ALONE = frozenset(("-", "$", "(", "$("))
_GROUPS, _HAS_WORDS = re.compile("[0-9 ]+"), re.compile("[A-Za-z]")
# A head of columns begins farther to the right than labels of rows.
_HEAD_BEGINS = 15


def _fixed_rows(lines: Sequence[Line]) -> list[list[str]]:
    """Return the rows of a table of plain text, by where their cells are on paper."""
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
    """Return the cells of a line by their characters; none of a ruler."""
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
    """Return amounts with one blank between them, each as a cell; any other text as one.

    A sign of dollars after a label is of the amount, which may be farther to the right.
    """
    whole = [(start, start + len(text), text)]
    if glued := _GLUED.fullmatch(text):
        return [
            (start, start + glued.end(1), glued[1]),
            (start + glued.start(2), start + len(text), glued[2]),
        ]
    # Digits alone may be a name in groups, as a CUSIP.
    if " " not in text or _HAS_WORDS.search(text) or _GROUPS.fullmatch(text):
        return whole
    if amount_of(text) is not None:
        return whole
    words = [(start + each.start(), each[0]) for each in re.finditer(r"\S+", text)]
    cells = whole_cells([(at, at + len(word), word) for at, word in words])
    is_row = all(amount_of(cell) or cell in _SIGNS_ALONE for _, _, cell in cells)
    return cells if is_row else whole


class _FixedEnd(NamedTuple):
    """The end of a table of plain text.

    It has the rows with several cells, the line after the last of them, and the one after all that
    were looked at.
    """

    rows: int
    behind: int
    looked_at: int


def _fixed_end(lines: Sequence[Line], at: int) -> _FixedEnd:
    """The end of a table whose first line is this one.

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
