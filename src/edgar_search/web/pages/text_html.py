"""A part of a document's text as HTML: paragraphs and tables, with marks and anchors; pure."""

import re
from bisect import bisect_left
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from markupsafe import Markup, escape

from edgar_search.document.tables import Line, is_row, text_lines
from edgar_search.text.words import CELL_SEPARATOR

# Lines of a hand-wrapped text are rarely longer.
_WRAPPED = 100
# A shorter line in such a text ends on purpose.
_SHORT = 55
# Too few lines to know whether a text is wrapped; it is treated as not wrapped.
_FEW_LINES = 20
_LONG_SHARE = 0.02
# A cell with more characters is words, which are not right-aligned like amounts.
_LONG_CELL = 40
# The formats in which a table is offered, in this order, with their labels.
_FILES = {"csv": "CSV", "xlsx": "Excel", "json": "JSON"}
_RULER = "-=_. "
# Classes for lines of one width that are longer than this many characters: they get smaller
# letters.
_WIDE = {"widest": 100, "wide": 80}
# A heading without a section: a line in capitals, no longer than this.
_LONGEST_HEADING, _LETTERS = 80, re.compile(r"[^\W\d_]")
# A page number alone on its line, in any usual form; a heading that is repeated this often.
_PAGE_NUMBER = re.compile(
    r"(?:page )?[-–— ]{0,4}(?:[a-z]{1,2}-)?(?:[0-9]{1,4}|[ivxl]{2,6}|[iv])[-–— ]{0,4}", re.I
)
_LONGEST_HEAD, _REPEATED = 100, 3
# Characters that show boxes in filers' fonts, and the boxes.
_BOXES = {"\xa8": "empty", "\xfe": "ticked", "\xfd": "crossed"}
_BOX = re.compile(rf"(?<!\S)[{''.join(_BOXES)}](?!\S)")
# The name of the current match, for links that know its position but not its number.
AT = "at"


class Mark(NamedTuple):
    """A match by its position in the whole text, numbered from 1; `now` marks the current one."""

    number: int
    start: int
    end: int
    now: bool = False


class Anchor(NamedTuple):
    """A name for a position in the whole text."""

    name: str
    place: int


class TableFiles(NamedTuple):
    """The starts of tables, in order, and the address of one as a file, without parameters."""

    starts: Sequence[int]
    address: str


def as_html(
    text: str,
    start: int,
    marks: Sequence[Mark],
    anchors: Sequence[Anchor],
    tables: TableFiles | None = None,
) -> Markup:
    """Render a part that begins at `start` in the whole text.

    Marks, anchors and tables are in order. If marks overlap, the later one begins at the earlier
    one's end; each has its own id. Links to a table's files precede it.
    """
    lines = text_lines(text, start)
    wrapped = _is_wrapped(lines)
    writer = _Writer(marks, anchors)
    begun = [anchor.place for anchor in anchors]
    starts, out = deque(tables.starts if tables else ()), []
    blocks = _with_whole_tables(_blocks(lines, wrapped))
    dimmed = _page_ends(blocks)
    for number, block in enumerate(blocks):
        while tables and starts and starts[0] <= block[-1].end:
            out.append(_files(tables.address, starts.popleft()))
        look = "dim" if number in dimmed else "title" if _is_heading(block, begun) else ""
        out.append(_block(block, writer, look))
    # Pieces are escaped one by one; escaping again with each join takes most of a second.
    return Markup("\n".join(out))


def _page_ends(blocks: Sequence[Sequence[Line]]) -> set[int]:
    """Return the numbers of blocks that are page numbers, or repeated headings beside them."""
    texts = [block[0].text.strip() if len(block) == 1 else "" for block in blocks]
    numbers = {at for at, text in enumerate(texts) if text and _PAGE_NUMBER.fullmatch(text)}
    beside = [at for number in numbers for at in (number - 1, number + 1) if 0 <= at < len(texts)]
    counts = Counter(texts[at] for at in beside if 0 < len(texts[at]) <= _LONGEST_HEAD)
    return numbers | {at for at in beside if counts[texts[at]] >= _REPEATED}


def _is_heading(block: Sequence[Line], begun: Sequence[int]) -> bool:
    """Return True for a short line in capitals, or one at which a section begins."""
    text = block[0].text.strip()
    if len(block) > 1 or len(text) > _LONGEST_HEADING or CELL_SEPARATOR in text:
        return False
    next_begun = bisect_left(begun, block[0].start)
    if next_begun < len(begun) and begun[next_begun] <= block[0].end:
        return True
    return text.isupper() and len(_LETTERS.findall(text)) > 3


def _files(place: str, start: int) -> str:
    links = [
        f'<a href="{_escape(place)}?start={start}&amp;format={form}">{name}</a>'
        for form, name in _FILES.items()
    ]
    return f"<p class=files>this table as {' '.join(links)}</p>"


def _is_wrapped(lines: Sequence[Line]) -> bool:
    """Return True if the text is broken into lines as on paper."""
    lengths = [len(line.text) for line in lines if line.text.strip() and not is_row(line)]
    longer = sum(length > _WRAPPED for length in lengths)
    return len(lengths) > _FEW_LINES and longer <= len(lengths) * _LONG_SHARE


def _blocks(lines: Sequence[Line], wrapped: bool) -> Iterator[list[Line]]:
    """Yield groups of lines: a table, from its first row to its last, or a paragraph."""
    for paragraph in _paragraphs(lines):
        rows = [number for number, line in enumerate(paragraph) if is_row(line)]
        first, behind = (rows[0], rows[-1] + 1) if rows else (len(paragraph), len(paragraph))
        yield from _paragraph_blocks(paragraph[:first], wrapped)
        if rows:
            yield paragraph[first:behind]
        yield from _paragraph_blocks(paragraph[behind:], wrapped)


def _with_whole_tables(blocks: Iterator[list[Line]]) -> list[list[Line]]:
    """Merge the blocks of a fixed-width table, so that its figures stay below their headings."""
    merged: list[list[Line]] = []
    goes_on = False
    for block in blocks:
        is_fixed = _is_fixed(block)
        if is_fixed and goes_on:
            merged[-1] += [Line("", block[0].start), *block]
        else:
            merged.append(block)
        goes_on = is_fixed
    return merged


def _is_fixed(block: Sequence[Line]) -> bool:
    """Return True for rows whose cells are separated by blanks, and for rulers."""
    if any(CELL_SEPARATOR in line.text for line in block):
        return False
    return any(map(is_row, block)) or all(not line.text.strip(_RULER) for line in block)


def _paragraphs(lines: Sequence[Line]) -> Iterator[list[Line]]:
    for blank, group in groupby(lines, lambda line: not line.text.strip()):
        if not blank:
            yield list(group)


def _paragraph_blocks(lines: list[Line], wrapped: bool) -> list[list[Line]]:
    return [lines] if wrapped and lines else [[line] for line in lines]


def _block(block: Sequence[Line], writer: "_Writer", look: str) -> str:
    if any(CELL_SEPARATOR in line.text for line in block):
        width = max(line.text.count(CELL_SEPARATOR) for line in block) + 1
        rows = "".join(_row(line, width, writer) for line in block)
        return f"<div class=table tabindex=0><table>{rows}</table></div>"
    if _is_fixed(block):
        indent = min(
            len(line.text) - len(line.text.lstrip(" ")) for line in block if line.text.strip()
        )
        rows = "\n".join(writer.html(line.text[indent:], line.start + indent) for line in block)
        width = max(len(line.text) for line in block) - indent
        size = next((f" class={name}" for name, most in _WIDE.items() if width > most), "")
        # A parser drops a line end at the beginning of the element.
        return f"<div class=table tabindex=0><pre{size}>\n{rows}</pre></div>"
    pieces = []
    for line in block:
        pieces.append(writer.html(line.text, line.start))
        if line is not block[-1]:
            pieces.append("<br>" if len(line.text) < _SHORT else " ")
    return f"<p{f' class={look}' if look else ''}>{''.join(pieces)}</p>"


def _row(line: Line, width: int, writer: "_Writer") -> str:
    """Render a row of cells; a line without cells spans all columns."""
    if CELL_SEPARATOR not in line.text:
        return f"<tr><td colspan={width}>{writer.html(line.text, line.start)}</td></tr>"
    cells, start = [], line.start
    for cell in line.text.split(CELL_SEPARATOR):
        look = " class=prose" if len(cell) > _LONG_CELL else ""
        cells.append(f"<td{look}>{writer.html(cell, start)}</td>")
        start += len(cell) + 1
    return f"<tr>{''.join(cells)}</tr>"


def _escape(text: str) -> str:
    return str(escape(text))


def _with_boxes(text: str) -> str:
    """Return the escaped text, with box characters rendered as boxes."""
    escaped = _escape(text)
    if not any(box in text for box in _BOXES):
        return escaped
    return _BOX.sub(lambda found: f"<span class={_BOXES[found[0]]}>{found[0]}</span>", escaped)


class _Writer:
    """Writes pieces of the text in order, each with its marks and anchors."""

    def __init__(self, marks: Sequence[Mark], anchors: Sequence[Anchor]) -> None:
        self._marks = marks
        self._anchors = list(anchors)
        self._next = 0
        self._named: set[int] = set()

    def html(self, text: str, start: int) -> str:
        """Render the piece that begins at `start`."""
        end, place = start + len(text), start
        out = [self._anchors_until(end)]
        for mark in self._marks_until(end):
            begin = max(mark.start, place)
            out.append(_with_boxes(text[place - start : begin - start]))
            stop = max(begin, min(mark.end, end))
            out.append(self._mark(mark, text[begin - start : stop - start]))
            place = stop
        out.append(_with_boxes(text[place - start :]))
        return "".join(out)

    def _marks_until(self, end: int) -> Iterator[Mark]:
        """Yield marks that begin before `end`.

        A mark that continues comes again with the next piece.
        """
        while self._next < len(self._marks) and self._marks[self._next].start < end:
            yield self._marks[self._next]
            if self._marks[self._next].end > end:
                return
            self._next += 1

    def _mark(self, mark: Mark, text: str) -> str:
        now = " class=now" if mark.now else ""
        if mark.number in self._named:
            return f"<mark{now}>{_escape(text)}</mark>" if text else ""
        self._named.add(mark.number)
        at = f'<a id="{AT}"></a>' if mark.now else ""
        return f'{at}<mark id="m{mark.number}"{now}>{_escape(text)}</mark>'

    def _anchors_until(self, end: int) -> str:
        out = []
        while self._anchors and self._anchors[0].place < end:
            out.append(f'<a id="{_escape(self._anchors.pop(0).name)}"></a>')
        return "".join(out)
