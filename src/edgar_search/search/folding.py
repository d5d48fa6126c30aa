"""A passage's lines and cells as one line that reads well, and where its places are then.

White space is one blank. Where lines meet that are not one paragraph's wrapped text, and where
rulers, leaders of dots or lone bullets were left out, stands `BREAK`; where the cells of a row meet
stands `CELL`. No letter or digit is ever left out.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from edgar_search.text.rules import CELL_SEPARATOR

BREAK, CELL = " \u2026 ", " | "

_RULERS = "-=.*~#\u00b7\u2022\u2013\u2014\u2026"
_BULLETS = "\u00b7\u2022\u25a0\u25aa\u25b8\u25ba\u25cb\u25cf\u25e6\u27a2*"
# What a ruler goes on with. No group that is captured: in a possessive repetition Python 3.11 loses
# count of them.
_REPEATED = "|".join(rf"(?<={char})(?:[ \t]*+{char}){{2,}}" for char in map(re.escape, _RULERS))
# What follows the first character of a filler: of a ruler; of underscores that touch no letter,
# which would be part of its token; of a bullet whose text stands in another line or cell.
_FILLER = rf"(?:{_REPEATED}|(?<=(?<!\w)_)_{{2,}}+(?!\w)|(?<=(?<![^\n\t])[{_BULLETS}])(?![^\n\t]))"
_FIRST = f"_{re.escape(_RULERS)}{_BULLETS}"
# Normalised text has two kinds of white space beside the blank. First stands the set alone, by
# which most of a text is skipped.
_GAP = re.compile(rf"[\n\t{_FIRST}](?:(?<=\s)|{_FILLER})(?:\s|[{_FIRST}]{_FILLER})*")
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
    before: list[int]
    after: list[int]

    def places(self, originals: Iterable[int]) -> Iterator[int]:
        """Where places of the original are, which rise; where nothing was left, the next piece."""
        piece = 0
        ends = [*self.after[1:], len(self.text)]
        nexts = [*self.before[1:], sys.maxsize]
        for original in originals:
            while nexts[piece] <= original:
                piece += 1
            place = self.after[piece] + original - self.before[piece]
            yield place if place < ends[piece] else ends[piece]


def fold(text: str) -> Folded:
    """Return the text of a passage, in the form that is indexed, as one line."""
    pieces: list[str] = []
    before, after = [0], [0]
    start = length = 0
    for gap in _GAP.finditer(text):
        begin, end = gap.span()
        piece = text[start:begin].rstrip(" ")
        between = ""
        if (length or piece) and end < len(text):
            # Of most gaps, which are one line end.
            single = end - begin == 1 and text[begin] == "\n"
            between = _at_line_end(text, begin) if single else _between(text, begin, end)
        pieces += (piece, between)
        length += len(piece) + len(between)
        start = end
        before.append(start)
        after.append(length)
    pieces.append(text[start:])
    return Folded("".join(pieces), before, after)


def _between(text: str, begin: int, end: int) -> str:
    """What stands between two pieces in place of a gap."""
    white = text[begin:end]
    if not white.isspace() or "\n" in white:
        return BREAK
    return CELL if CELL_SEPARATOR in white else " "


def _at_line_end(text: str, place: int) -> str:
    return " " if _is_wrapped(text, place) else BREAK


def _is_wrapped(text: str, place: int) -> bool:
    """Whether the line that begins after a place goes on with the sentence of the one before."""
    upper = text[text.rfind("\n", 0, place) + 1 : place]
    lower = text[place + 1 : _end_of(text, place + 1, "\n")]
    if CELL_SEPARATOR in upper or CELL_SEPARATOR in lower or _is_row(upper):
        return False
    if lower[0].islower():
        return not _LIST_ITEM.match(lower)
    width = max(len(upper), len(lower))
    if width < _LEAST_WIDTH or len(upper) + 1 + _end_of(lower, 0, " ") <= width * _SLACK:
        return False
    return not _LIST_ITEM.match(lower) and not _is_row(lower)


def _end_of(text: str, start: int, mark: str) -> int:
    end = text.find(mark, start)
    return len(text) if end < 0 else end


def _is_row(line: str) -> bool:
    """Whether a line without cells is a row of figures all the same, as in plain text."""
    last = " ".join(line.rsplit(" ", 2)[-2:])
    # Without a letter, for only letters have two cases here.
    return last.lower() == last.upper() and not _DATE_AT_END.search(line)
