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

from edgar_search.search.bullets import BULLETS, LONGEST_LABEL, begins, with_joined_cells
from edgar_search.search.value_rows import with_value_rows
from edgar_search.text.rules import CELL_SEPARATOR

BREAK, CELL = " \u2026 ", " | "
_WIDER = len(CELL) - len(CELL_SEPARATOR)
_BLANKS = " " + CELL_SEPARATOR

_RULERS = "-=.*~#\u00b7\u2022\u2013\u2014\u2026"
_STOPS = ".:;,|"
_ANY_BULLET = "".join(sorted(BULLETS))
# What a ruler goes on with. No group that is captured: in a possessive repetition Python 3.11 loses
# count of them.
_REPEATED = "|".join(rf"(?<={char})(?:[ \t]*+{char}){{2,}}" for char in map(re.escape, _RULERS))
# Rulers; underscores that touch no letter, which would be part of its token; a line of one stop; a
# bullet without a text. First stands the set alone, by which most of a text is skipped, then what
# most of its characters fail at.
_FILLER = re.compile(
    rf"[_{re.escape(_RULERS)}{_ANY_BULLET}{_STOPS}](?=[ \t]*[_{re.escape(_RULERS)}]|[\n\t]|\Z)"
    rf"(?:{_REPEATED}|(?<=(?<!\w)_)_{{2,}}+(?!\w)|(?<=(?<![^\n])[{_STOPS}])(?![^\n])"
    rf"|(?<=(?<![^\n])[{_ANY_BULLET}])(?=[\n\t]*\Z))"
)
# A full stop that was typed for a bullet.
_POINT = re.compile(r"(?<![^\n])\.(?=[ \t])")
_LIST_ITEM = re.compile(
    rf"[{_ANY_BULLET}\u2013\u2014-]\s|\([a-z0-9]{{1,4}}\)|[0-9a-z]{{1,3}}[.)]\s|item\s",
    re.IGNORECASE,
)
_DATE_AT_END = re.compile(r"\b\d{1,2}, \d{4}\W*$")
# Shorter lines are headings, addresses or rows rather than a paragraph that was wrapped.
_LEAST_WIDTH = 45
# Lines of a paragraph end where the next word would not fit beside the longer of two; blanks that
# were more than one shorten some of them.
_SLACK = 0.85


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
    upper, apart = "", False
    for line in with_value_rows(_without_fillers(text)).split("\n"):
        piece = line.strip(_BLANKS)
        if piece and not (upper in BULLETS and piece in BULLETS):
            start = begin if piece == line else begin + line.index(piece[0])
            if not pieces:
                before[0] = start
            else:
                if (len(upper) <= LONGEST_LABEL and begins(upper, piece)) or (
                    not apart and _is_wrapped(upper, piece)
                ):
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
        apart = not piece
        begin += len(line) + 1
    return Folded("".join(shown), pieces or [""], before, after, lines)


def _without_fillers(text: str) -> str:
    if "\n." in text or text.startswith("."):
        text = _POINT.sub("\n", text)
    return _FILLER.sub(_empty_lines, text)


def _empty_lines(filler: re.Match[str]) -> str:
    """As many line ends as characters, so that what follows stays in its place."""
    return "\n" * len(filler[0])


def _is_wrapped(upper: str, lower: str) -> bool:
    """Whether a line goes on with the sentence of the one before."""
    goes_on = lower[0].islower()
    if not goes_on:
        # The cheapest question first, as it settles most.
        width = max(len(upper), len(lower))
        if width < _LEAST_WIDTH or len(upper) + 1 + len(lower.split(" ", 1)[0]) <= width * _SLACK:
            return False
    if CELL_SEPARATOR in upper or CELL_SEPARATOR in lower or _is_row(upper):
        return False
    return not _LIST_ITEM.match(lower) and (goes_on or not _is_row(lower))


def _is_row(line: str) -> bool:
    """Whether a line without cells is a row of figures all the same, as in plain text."""
    if "a" <= line[-1] <= "z":
        return False
    last = " ".join(line.rsplit(" ", 2)[-2:])
    # Without a letter, for only letters have two cases here.
    return last.lower() == last.upper() and not _DATE_AT_END.search(line)
