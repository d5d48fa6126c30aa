"""A passage's lines and cells as one line that reads well, and where its places are then.

White space is one blank. Where lines meet that are not one paragraph's wrapped text, and where
rulers, leaders of dots or lone stops were left out, stands `BREAK`; where the cells of a row meet,
or values on lines of their own, stands `CELL`. A bullet or label in a line or cell of its own
stands with its text, a blank apart. No letter or digit is ever left out.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from edgar_search.search.bullets import (
    ANY_BULLET,
    BULLETS,
    LONGEST_LABEL,
    begins,
    with_joined_cells,
)
from edgar_search.search.value_rows import with_value_rows
from edgar_search.search.wrapped_lines import goes_on, goes_on_spaced
from edgar_search.text.rules import CELL_SEPARATOR

BREAK, CELL = " \u2026 ", " | "
_WIDER = len(CELL) - len(CELL_SEPARATOR)
_BLANKS = " " + CELL_SEPARATOR

_RULERS = "-=.*~#\u00b7\u2022\u2013\u2014\u2026"
_STOPS = frozenset(".:;,|")
# What a ruler goes on with. No group that is captured: in a possessive repetition Python 3.11 loses
# count of them.
_REPEATED = "|".join(rf"(?<={char})(?:[ \t]*+{char}){{2,}}" for char in map(re.escape, _RULERS))
# Rulers; underscores that touch no letter, which would be part of its token; a bullet without a
# text. First stands the set alone, by which most of a text is skipped, then what most of its
# characters fail at.
_FILLER = re.compile(
    rf"[_{re.escape(_RULERS)}{ANY_BULLET}](?=[ \t]*[_{re.escape(_RULERS)}]|[\n\t]|\Z)"
    rf"(?:{_REPEATED}|(?<=(?<!\w)_)_{{2,}}+(?!\w)|(?<=(?<![^\n])[{ANY_BULLET}])(?=[\n\t]*\Z))"
)
# A full stop that was typed for a bullet.
_POINT = re.compile(r"(?<![^\n])\.(?=[ \t])")


class Folded(NamedTuple):
    """A text of one line, made of `pieces`; they begin at `before` in the original, and here at
    `after`. Of these places `lines` are those that stand behind a BREAK, and the first.
    """

    text: str
    pieces: list[str]
    before: list[int]
    after: list[int]
    lines: list[int]

    def places(self, originals: Iterable[int]) -> list[int]:
        """Where places of the original are; where nothing was left, the next piece."""
        text, pieces, before, after, _ = self
        found: list[int] = []
        for original in originals:
            number = bisect_right(before, original, 1) - 1
            piece, inside = pieces[number], original - before[number]
            if inside < 0:
                inside = 0
            elif inside > len(piece):
                number, inside = number + 1, 0
            elif CELL_SEPARATOR in piece:
                inside += _WIDER * piece.count(CELL_SEPARATOR, 0, inside)
            found.append(after[number] + inside if number < len(after) else len(text))
        return found

    def original(self, place: int) -> int:
        """Where the character at a place of this text was; of what separates, where that begins."""
        number = bisect_right(self.after, place) - 1
        piece, inside = self.pieces[number], place - self.after[number]
        at = piece.find(CELL_SEPARATOR)
        while 0 <= at < inside:
            # All separators before this one are as they were again.
            inside = max(at, inside - _WIDER)
            at = piece.find(CELL_SEPARATOR, at + 1)
        return self.before[number] + min(inside, len(piece))


def fold(text: str) -> Folded:
    """Return the text of a passage, in the form that is indexed, as one line."""
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
            if CELL_SEPARATOR in piece:
                piece = with_joined_cells(piece)
            pieces.append(piece)
            if CELL_SEPARATOR in piece:
                piece = piece.replace(CELL_SEPARATOR, CELL)
            shown.append(piece)
            place += len(piece)
        empty = 0 if piece else empty + 1
        begin += len(line) + 1
    return Folded("".join(shown), pieces or [""], before, after, lines)


def _is_joined(upper: str, empty: int, line: str, piece: str) -> bool:
    """Whether a piece goes on in the sentence of the one before, so many empty lines above."""
    # What was left out makes more empty lines, or a blank before the line.
    is_next = empty <= 1 and line.startswith(piece[0])
    if is_next and len(upper) <= LONGEST_LABEL and begins(upper, piece):
        return True
    if not empty:
        return goes_on(upper, piece)
    return is_next and piece == line and goes_on_spaced(upper, piece)


def _without_fillers(text: str) -> str:
    if "\n." in text or text.startswith("."):
        text = _POINT.sub("\n", text)
    return _FILLER.sub(_empty_lines, text)


def _empty_lines(filler: re.Match[str]) -> str:
    """As many line ends as characters, so that what follows stays in its place."""
    return "\n" * len(filler[0])
