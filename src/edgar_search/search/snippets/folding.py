"""Folds a passage's lines and cells into one readable line that maps back to the original.

White space becomes one blank. `BREAK` separates lines that are not wrapped text of one paragraph,
and replaces rulers, dot leaders and lone stops; `CELL` separates the cells of a row, or values on
lines of their own. A bullet or label in a line or cell of its own is joined to its text by a blank.
No letter or digit is ever dropped.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from edgar_search.text.words import CELL_SEPARATOR

_BULLETS = "\u00b7\u2022\u2219\u25a0\u25aa\u25b8\u25ba\u25cb\u25cf\u25e6\u27a2\u220e"
ANY_BULLET = f"{_BULLETS}*"  # for use in a regular expression's set
BULLETS = frozenset(ANY_BULLET)
# Only before text, because before a number it means something else: a dash that is not an amount, a
# letter of a symbol font read as another; and the labels of lists.
_SIGN = r"[^\w\s$%()]|[^\x00-\x7f\s]|o"
_LABEL = r"\([0-9]{1,2}\)|\([A-Za-z]{1,4}\)|(?:[0-9]{1,2}|[A-Za-z]|[ivxIVX]{2,4})[.)]"
_OF_TEXT = re.compile(rf"(?:{_SIGN}|{_LABEL})\Z")
LONGEST_LABEL = 6
_BEGINS_TEXT = re.compile(r"[^\W\d_]|[\"'(\u201c\u2018]")

_IN_ROW = re.compile(
    # A bullet before its text, in any column of a list; elsewhere a star replaces an amount.
    rf"{CELL_SEPARATOR}(?:(?<={CELL_SEPARATOR}[{_BULLETS}]{CELL_SEPARATOR})(?=[^\W\d_])"
    # A stop that ends the cell before it.
    rf"|(?=[.:;,](?:{CELL_SEPARATOR}|\Z)))"
)


def begins(first: str, text: str) -> bool:
    """Return True if the line or cell `first` is only the bullet or label of `text`."""
    return first in BULLETS or (
        _OF_TEXT.match(first) is not None and _BEGINS_TEXT.match(text) is not None
    )


def with_joined_cells(row: str) -> str:
    """Replace the separators between a bullet, label or stop and its text by blanks.

    The length stays the same.
    """
    at = row.find(CELL_SEPARATOR)
    if at <= LONGEST_LABEL and begins(row[:at], row[at + 1 :]):
        row = f"{row[:at]} {row[at + 1 :]}"
    return _IN_ROW.sub(" ", row) if CELL_SEPARATOR in row else row


# This many consecutive short lines, half of them of one word or figure, are values: a record of a
# fund's holdings, a person with an address, a schedule of figures. Wrapped sentences have longer
# lines, addresses and signatures more words in each.
_LONGEST, _LEAST_LINES = 60, 6
_LEAST_SHARE = 0.5
_MOST_PER_LINE = 35  # characters of a text that is worth examining
_RUN = re.compile(
    rf"(?<![^\n])[^\n{CELL_SEPARATOR}]{{1,{_LONGEST}}}+"
    rf"(?>(?:\n[^\n{CELL_SEPARATOR}]{{1,{_LONGEST}}}+(?![^\n])){{{_LEAST_LINES - 1},}})"
)


def with_value_rows(text: str) -> str:
    """Separate values in `text` by CELL_SEPARATOR instead of line ends.

    The length stays the same.
    """
    if text.count("\n") * _MOST_PER_LINE < len(text):
        return text
    return _RUN.sub(_row, text)


def _row(run: re.Match[str]) -> str:
    lines = run[0].split("\n")
    single = sum(1 for line in lines if " " not in line)
    return CELL_SEPARATOR.join(lines) if single >= _LEAST_SHARE * len(lines) else run[0]


_LIST_ITEM = re.compile(
    rf"[{ANY_BULLET}\u2013\u2014-]\s|\([a-z0-9]{{1,4}}\)|[0-9a-z]{{1,3}}[.)]\s|item\s",
    re.IGNORECASE,
)
_DATE_AT_END = re.compile(r"\b\d{1,2}, \d{4}\W*$")
# Shorter lines are headings, addresses or rows, not a wrapped paragraph.
_LEAST_WIDTH = 45
# A line of a paragraph ends if the next word would not fit within the longer of two; some are
# shorter, because several blanks became one.
_SLACK = 0.85
# A row's label that continues on the next line: no whole label ends like this.
_UNFINISHED = re.compile(r"(?:,|\b(?:and|or|of|the|for|to|in|from|by|with|on|at))\Z")


# Between cells: a separator, one more for each empty cell, or the blanks of a plain-text table.
_GAP = re.compile(rf"{CELL_SEPARATOR}{{2,}}| {{2,}}")


def has_cells(line: str) -> bool:
    """Return True if a line is a row of a table."""
    return CELL_SEPARATOR in line or "  " in line


def continues_line(upper: str, lower: str) -> bool:
    """Return True if a line continues the sentence, or the row label, of the line before."""
    in_sentence = lower[0].islower()
    if not in_sentence:
        # The cheapest test comes first, because it settles most cases.
        width = max(len(upper), len(lower))
        if width < _LEAST_WIDTH or len(upper) + 1 + len(lower.split(" ", 1)[0]) <= width * _SLACK:
            return False
    if has_cells(upper) or _is_row(upper):
        return False
    if has_cells(lower):
        return in_sentence and _UNFINISHED.search(upper) is not None
    return not _LIST_ITEM.match(lower) and (in_sentence or not _is_row(lower))


def continues_spaced_line(upper: str, lower: str) -> bool:
    """Return True if a line continues a sentence across an empty line: every other may be empty."""
    return (
        lower[0].islower()
        and len(upper) >= _LEAST_WIDTH
        and (upper[-1].islower() or upper[-1] == ",")
        and not has_cells(upper)
        and not has_cells(lower)
        and not _LIST_ITEM.match(lower)
    )


def _is_row(line: str) -> bool:
    """Return True if a line without cells is still a row of figures, as in plain text."""
    if "a" <= line[-1] <= "z":
        return False
    last = " ".join(line.rsplit(" ", 2)[-2:])
    # Not a letter: only letters have two cases.
    return last.lower() == last.upper() and not _DATE_AT_END.search(line)


BREAK, CELL = " \u2026 ", " | "
_WIDER = len(CELL) - len(CELL_SEPARATOR)
_BLANKS = " " + CELL_SEPARATOR

_RULERS = "-=.*~#\u00b7\u2022\u2013\u2014\u2026"
_STOPS = frozenset(".:;,|")
# The rest of a ruler. No group captures, because Python 3.11 miscounts them in a possessive
# repetition.
_REPEATED = "|".join(rf"(?<={char})(?:[ \t]*+{char}){{2,}}" for char in map(re.escape, _RULERS))
# Rulers; underscores beside no letter, which would belong to its token; a bullet without text. The
# set comes first, which skips most of a text, then the condition that most of its characters fail.
_FILLER = re.compile(
    rf"[_{re.escape(_RULERS)}{ANY_BULLET}](?=[ \t]*[_{re.escape(_RULERS)}]|[\n\t]|\Z)"
    rf"(?:{_REPEATED}|(?<=(?<!\w)_)_{{2,}}+(?!\w)|(?<=(?<![^\n])[{ANY_BULLET}])(?=[\n\t]*\Z))"
)
# A full stop typed as a bullet.
_POINT = re.compile(r"(?<![^\n])\.(?=[ \t])")


class Folded(NamedTuple):
    """A text on one line, made of `pieces`.

    They begin at `before` in the original, and at `after` here. `lines` are the positions of the
    first piece and of each piece after a BREAK.
    """

    text: str
    pieces: list[str]
    before: list[int]
    after: list[int]
    lines: list[int]

    def places(self, originals: Iterable[int]) -> list[int]:
        """Map positions to this line; a dropped position maps to the next piece."""
        text, pieces, before, after, _ = self
        mapped: list[int] = []
        for original in originals:
            number = bisect_right(before, original, 1) - 1
            piece, inside = pieces[number], original - before[number]
            if inside < 0:
                inside = 0
            elif inside > len(piece):
                number, inside = number + 1, 0
            elif CELL_SEPARATOR in piece:
                inside += _WIDER * piece.count(CELL_SEPARATOR, 0, inside)
            mapped.append(after[number] + inside if number < len(after) else len(text))
        return mapped

    def original(self, place: int) -> int:
        """Return the original position of a character, or of the beginning of a separator."""
        number = bisect_right(self.after, place) - 1
        piece, inside = self.pieces[number], place - self.after[number]
        at = piece.find(CELL_SEPARATOR)
        while 0 <= at < inside:
            # All separators before this one have been restored.
            inside = max(at, inside - _WIDER)
            at = piece.find(CELL_SEPARATOR, at + 1)
        return self.before[number] + min(inside, len(piece))


def fold(text: str) -> Folded:
    """Fold the text of a passage, in its indexed form, into one line."""
    pieces: list[str] = []
    shown: list[str] = []
    before, after, lines = [0], [0], [0]
    begin = place = 0
    upper, empty = "", 0
    for line in with_value_rows(_without_fillers(text)).split("\n"):
        piece = line.strip(_BLANKS)
        if len(piece) == 1 and (piece in _STOPS or (piece in BULLETS and upper in BULLETS)):
            piece, empty = "", empty + 1
        if piece:
            start = begin if piece == line else begin + line.index(piece[0])
            if not pieces:
                before[0] = start
            else:
                if _is_joined(upper, empty, line, piece):
                    shown.append(" ")
                    place += 1
                else:
                    shown.append(BREAK)
                    place += len(BREAK)
                    lines.append(place)
                before.append(start)
                after.append(place)
            upper = piece
            end = 0
            for gap in _GAP.finditer(piece) if has_cells(piece) else ():
                place = _add(piece[end : gap.start()], place, pieces, shown) + len(CELL)
                shown.append(CELL)
                end = gap.end()
                before.append(start + end)
                after.append(place)
            place = _add(piece[end:], place, pieces, shown)
        empty = 0 if piece else empty + 1
        begin += len(line) + 1
    return Folded("".join(shown), pieces or [""], before, after, lines)


def _add(piece: str, place: int, pieces: list[str], shown: list[str]) -> int:
    """Add a piece and return the position after it."""
    if CELL_SEPARATOR in piece:
        piece = with_joined_cells(piece)
    pieces.append(piece)
    if CELL_SEPARATOR in piece:
        piece = piece.replace(CELL_SEPARATOR, CELL)
    shown.append(piece)
    return place + len(piece)


def _is_joined(upper: str, empty: int, line: str, piece: str) -> bool:
    """Return True if a piece continues a sentence begun `empty` lines above."""
    # A dropped part leaves more empty lines, or a blank before the line.
    is_next = empty <= 1 and line.startswith(piece[0])
    if is_next and len(upper) <= LONGEST_LABEL and begins(upper, piece):
        return True
    if not empty:
        return continues_line(upper, piece)
    return is_next and piece == line and continues_spaced_line(upper, piece)


def _without_fillers(text: str) -> str:
    if "\n." in text or text.startswith("."):
        text = _POINT.sub("\n", text)
    return _FILLER.sub(_empty_lines, text)


def _empty_lines(filler: re.Match[str]) -> str:
    """Return as many line ends as characters, so that the following text keeps its position."""
    return "\n" * len(filler[0])
