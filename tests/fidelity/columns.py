"""Columns of tables: figures of our texts against heads of the filed layout.

The reference lays each table of a document out as a browser does: an lxml tree, and a grid with the
spans of columns and rows. A figure that is below a head there must do so in the text, and no
figure may be below the head of another column.
"""

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

from lxml import etree
from msgspec import Struct

from edgar_search.document.tables import table_cells, table_places, text_lines
from edgar_search.text.document_text import searchable_text, searched_kind
from edgar_search.text.versions import DocumentKind
from tests.fidelity.levels import DOWN, END, UP, level
from tests.fidelity.words import decoded, is_unseen, searched_documents

_FIGURE = re.compile(r"[$\u20ac\u00a3(\s]*[0-9][0-9,.]*[)%\s]*")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}")
_SIGNS = re.compile(r"[$\u20ac\u00a3(]+|[)%]+")
_MARK = re.compile(r"\([0-9]{1,2}\)|\([a-z]\)|[*]+")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\ufeff]")
_BREAKS = frozenset("br div p tr td th li".split())


class Cell(Struct):
    """A cell with text: its first column in the grid, the one behind, and if all is raised."""

    first: int
    behind: int
    text: str
    raised: bool = False


class Columns(Struct):
    """Counts over tables with heads and figures; `values` are numbers that were compared too."""

    tables: int = 0
    rows: int = 0
    unplaced: int = 0
    figures: int = 0
    values: int = 0
    faults: list[str] = []


def compare(corpus: Path) -> Columns:
    """Compare the tables of all HTML documents in their texts."""
    found = Columns(faults=[])
    for name, document in searched_documents(corpus):
        if searched_kind(document) is DocumentKind.HTML:
            lines = (searchable_text(document) or "").split("\n")
            _compare_document(name, decoded(document.body), lines, found)
    return found


def compare_cells(corpus: Path, every: int) -> Columns:
    """Compare the tables of each n-th HTML document as `/v1/tables` gives them."""
    found = Columns(faults=[])
    for name, document in list(searched_documents(corpus))[::every]:
        if searched_kind(document) is not DocumentKind.HTML:
            continue
        text, html = searchable_text(document) or "", decoded(document.body)
        given = [table_cells(place) for place in table_places(text_lines(text))]
        lines = ["\t".join(row) for each in given for row in each.rows]
        _compare_document(name, html, lines, found)
        values = {
            "".join(text.split()): amount.value
            for each in given
            for row, amounts in zip(each.rows, each.amounts, strict=True)
            for text, amount in zip(row, amounts, strict=True)
            if amount is not None
        }
        for cell in (cell for table in tables(html) for row in table for cell in row):
            value = values.get("".join(cell.text.split())) if _is_figure(cell) else None
            if value is not None:
                found.values += 1
                filed = Decimal("".join(re.findall("[0-9.]", cell.text)))
                if value != (-filed if "(" in cell.text else filed):
                    found.faults.append(f"{name}: {cell.text!r} is given as {value}")
    return found


def _compare_document(name: str, html: str, lines: list[str], found: Columns) -> None:
    places: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        places.setdefault(letters(line), []).append(number)
    last = -1
    for table in tables(html):
        laid_out: list[tuple[list[Cell], list[int]]] = []
        for row in table:
            key = letters("".join(cell.text for cell in row))
            at = next((n for n in places.get(key, []) if n > last), None)
            if at is None:
                found.unplaced += 1
                continue
            last = at
            columns = _text_columns(row, lines[at])
            if columns is not None:
                laid_out.append((row, columns))
        _compare_table(name, laid_out, found)


def _text_columns(row: list[Cell], line: str) -> list[int] | None:
    """Return the column of each cell in the line: that of its first letter."""
    columns = [column for column, cell in enumerate(line.split("\t")) for _ in letters(cell)]
    starts: list[int] = []
    at = 0
    for cell in row:
        if at >= len(columns):
            return None
        # A sign without letters has no place of its own here.
        starts.append(columns[at])
        at += len(letters(cell.text))
    return starts


def _compare_table(name: str, rows: list[tuple[list[Cell], list[int]]], found: Columns) -> None:
    first = next((n for n, (row, _) in enumerate(rows) if any(map(_is_figure, row))), None)
    if not first:
        return
    heads = [
        (cell, columns[n], columns[n + 1] if n + 1 < len(row) else 10_000)
        for row, columns in rows[:first]
        for n, cell in enumerate(row)
        if cell.first > 0 and letters(cell.text)
    ]
    if not heads:
        return
    found.tables += 1
    for row, columns in rows[first:]:
        found.rows += 1
        for cell, column in zip(row, columns, strict=True):
            if cell.first == 0 or not _is_figure(cell):
                continue
            found.figures += 1
            for head, at, behind in heads:
                overlap = head.first < cell.behind and cell.first < head.behind
                if overlap and not at <= column < behind:
                    found.faults.append(f"{name}: {cell.text!r} is not below {head.text!r}")
                elif not overlap and at == column:
                    found.faults.append(f"{name}: {cell.text!r} is below {head.text!r}")


def _is_figure(cell: Cell) -> bool:
    return bool(_FIGURE.fullmatch(cell.text)) and not _YEAR.fullmatch(cell.text)


def tables(html: str) -> Iterator[list[list[Cell]]]:
    """Yield the rows with text of each table that holds no other."""
    parser = etree.HTMLParser(huge_tree=True, encoding="utf-8", remove_comments=True)
    root = etree.fromstring(html.encode("utf-8", "surrogatepass"), parser)
    for table in root.iter("table"):
        if next(table.iterdescendants("table"), None) is None:
            yield _grid(table)


def _grid(table: etree._Element) -> list[list[Cell]]:
    held: dict[int, int] = {}
    rows: list[list[Cell]] = []
    for row in table.iter("tr"):
        cells: list[Cell] = []
        at = 0
        for element in row.iterchildren("td", "th"):
            if is_unseen(element):
                continue
            while held.get(at):
                at += 1
            columns, span = (_number(element.get(f"{each}span")) for each in ("col", "row"))
            signed = " ".join(_INVISIBLE.sub("", shown(element)).split())
            text = re.sub(f"[{UP}{DOWN}{END}]", "", signed)
            if text:
                raised = not re.sub(f"{UP}[^{END}]*{END}", "", signed).strip()
                cells.append(Cell(at, at + columns, text, raised))
            for column in range(at, at + columns):
                held[column] = span if span > 1 else held.get(column, 0)
            at += columns
        held = {column: left - 1 for column, left in held.items() if left > 1}
        rows.append(_joined(cells))
    return _with_marks_joined([row for row in rows if row])


def _with_marks_joined(rows: list[list[Cell]]) -> list[list[Cell]]:
    """Join marks of footnotes to the cells before them: raised ones, and others under its head."""
    first = next((n for n, row in enumerate(rows) if any(map(_is_figure, row[1:]))), len(rows))
    heads = [cell for row in rows[:first] for cell in row]
    joined: list[list[Cell]] = []
    for row in rows:
        cells: list[Cell] = []
        for cell in row:
            before = cells[-1] if cells else None
            own = before and any(before.first < h.first <= cell.first < h.behind for h in heads)
            is_mark = cell.raised or (_MARK.fullmatch(cell.text) and before and not own)
            if before and is_mark and cell.first - before.behind <= 1:
                cells[-1] = Cell(before.first, before.behind, before.text + cell.text)
            else:
                cells.append(cell)
        joined.append(cells)
    return joined


def _joined(row: list[Cell]) -> list[Cell]:
    """Join a sign to the figure beside it, whose columns count."""
    cells: list[Cell] = []
    for cell in row:
        before = cells[-1] if cells else None
        if before and _SIGNS.fullmatch(before.text) and _FIGURE.match(cell.text):
            cells[-1] = Cell(cell.first, cell.behind, before.text + cell.text)
        elif before and _SIGNS.fullmatch(cell.text) and _is_figure(before):
            cells[-1] = Cell(before.first, before.behind, before.text + cell.text)
        else:
            cells.append(cell)
    return cells


def shown(element: etree._Element) -> str:
    """The words of an element that a reader sees, with signs around raised and lowered ones."""
    if is_unseen(element):
        return ""
    sign = level(element)
    pieces = [sign, element.text or ""]
    for child in element:
        gap = " " if child.tag in _BREAKS else ""
        pieces += gap, shown(child), gap, child.tail or ""
    return "".join([*pieces, END if sign else ""])


def _number(value: str | None) -> int:
    return max(1, min(1_000, int(value))) if value and value.isdigit() else 1


def letters(text: str) -> str:
    """Return the letters and digits of a text alone, by which a row is known again."""
    return "".join(re.findall(r"[0-9A-Za-z]", unicodedata.normalize("NFKC", text)))
