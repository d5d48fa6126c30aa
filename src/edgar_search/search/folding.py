"""A passage's lines and cells as one line that reads well, and where its places are then.

White space is one blank. Where lines meet that are not one paragraph's wrapped text, and where
rulers, leaders of dots or lone bullets were left out, stands `BREAK`; where the cells of a row meet
stands `CELL`. No letter or digit is ever left out.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable
from typing import NamedTuple

from edgar_search.text.rules import CELL_SEPARATOR

BREAK, CELL = " \u2026 ", " | "
_WIDER = len(CELL) - len(CELL_SEPARATOR)
_BLANKS = " " + CELL_SEPARATOR

_RULERS = "-=.*~#\u00b7\u2022\u2013\u2014\u2026"
_BULLETS = "\u00b7\u2022\u25a0\u25aa\u25b8\u25ba\u25cb\u25cf\u25e6\u27a2*"
# What a ruler goes on with. No group that is captured: in a possessive repetition Python 3.11 loses
# count of them.
_REPEATED = "|".join(rf"(?<={char})(?:[ \t]*+{char}){{2,}}" for char in map(re.escape, _RULERS))
# Rulers; underscores that touch no letter, which would be part of its token; a bullet whose text
# stands in another line or cell. First stands the set alone, by which most of a text is skipped,
# then what most of its characters fail at.
_FILLER = re.compile(
    rf"[_{re.escape(_RULERS)}{_BULLETS}](?=[ \t]*[_{re.escape(_RULERS)}]|[\n\t]|\Z)"
    rf"(?:{_REPEATED}|(?<=(?<!\w)_)_{{2,}}+(?!\w)|(?<=(?<![^\n\t])[{_BULLETS}])(?![^\n\t]))"
)
_LIST_ITEM = re.compile(
    rf"[{_BULLETS}\u2013\u2014-]\s|\([a-z0-9]{{1,4}}\)|[0-9a-z]{{1,3}}[.)]\s|item\s", re.IGNORECASE
)
_DATE_AT_END = re.compile(r"\b\d{1,2}, \d{4}\W*$")
# Shorter lines are headings, addresses or rows rather than a paragraph that was wrapped.
_LEAST_WIDTH = 45
# Lines of a paragraph end where the next word would not fit beside the longer of two; blanks that
# were more than one shorten some of them.
_SLACK = 0.85


class Folded(NamedTuple):
    """A text of one line; its pieces begin at `before` in the original, and here at `after`."""

    text: str
    pieces: list[str]
    before: list[int]
    after: list[int]

    def places(self, originals: Iterable[int]) -> list[int]:
        """Where places of the original are; where nothing was left, the next piece."""
        found: list[int] = []
        before, after, pieces = self.before, self.after, self.pieces
        for original in originals:
            number = bisect_right(before, original, 1) - 1
            inside, piece = original - before[number], pieces[number]
            if inside > len(piece):
                place = after[number + 1] if number + 1 < len(after) else len(self.text)
            elif CELL_SEPARATOR in piece:
                place = after[number] + inside + _WIDER * piece.count(CELL_SEPARATOR, 0, inside)
            else:
                # Before the first piece is nothing.
                place = after[number] + max(0, inside)
            found.append(place)
        return found


def fold(text: str) -> Folded:
    """Return the text of a passage, in the form that is indexed, as one line."""
    pieces: list[str] = []
    shown: list[str] = []
    before: list[int] = []
    after: list[int] = []
    place = length = 0
    upper = ""
    for line in _FILLER.sub(_empty_lines, text).split("\n"):
        piece = line.strip(_BLANKS)
        if piece:
            if shown:
                between = " " if upper and _is_wrapped(upper, line) else BREAK
                shown.append(between)
                length += len(between)
            before.append(place + line.index(piece[0]))
            after.append(length)
            pieces.append(piece)
            if CELL_SEPARATOR in piece:
                piece = piece.replace(CELL_SEPARATOR, CELL)
            shown.append(piece)
            length += len(piece)
        upper = line
        place += len(line) + 1
    return Folded("".join(shown), pieces or [""], before or [0], after or [0])


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
