"""Reorders the text of HTML so that sentences continue across page breaks.

A page number, the link to the contents and a repeated heading may interrupt a sentence. They become
paragraphs after it, and the sentence is on one line.
"""

import re
from bisect import bisect_right
from operator import itemgetter
from typing import NamedTuple

from edgar_search.text.line_ends import LineEnds
from edgar_search.text.page_breaks import PAGE_NUMBER, reading_order

# A line of its own where a page ends.
PAGE_END = "\f"
_PAGE_LINE = re.compile(r"\n\f(?=\n)")
_FURNITURE = re.compile(
    rf"\n(?:{PAGE_NUMBER.pattern}|(?:back to )?(?:table of )?contents)(?=\n)", re.IGNORECASE
)
_FEWEST = 2
_EMPTY_LINES = re.compile("\n\n\n+")


class ReadText(NamedTuple):
    """A text in reading order, and its lines if some of them moved.

    `lines` holds, for each line, its position in the laid-out text, its position in the text, and
    its length.
    """

    text: str
    lines: list[tuple[int, int, int]]

    def place(self, laid_out: int) -> int | None:
        """Map a position in the laid-out text; None if the character was left out."""
        at = bisect_right(self.lines, laid_out, key=itemgetter(0)) - 1
        if at < 0 or laid_out >= self.lines[at][0] + self.lines[at][2]:
            return None
        return self.lines[at][1] + laid_out - self.lines[at][0]


def with_page_ends(laid_out: str) -> str:
    """Add page ends after page numbers and links, to a text with hardly any."""
    if laid_out.count(PAGE_END) >= _FEWEST:
        return laid_out
    return _FURNITURE.sub(rf"\g<0>\n{PAGE_END}", laid_out)


def read_pages(laid_out: str) -> ReadText:
    """Return a text in reading order, without page ends."""
    order = reading_order(laid_out, wrapped=False) if PAGE_END in laid_out else []
    if len(order) < 2:
        return ReadText(_EMPTY_LINES.sub("\n\n", _PAGE_LINE.sub("", laid_out)).strip("\n"), [])
    line_ends = LineEnds(laid_out)
    pieces: list[str] = []
    lines: list[tuple[int, int, int]] = []
    place, gap, last = 0, "", 0
    for start, end, moved in order:
        is_cut = not moved and start > last
        if moved:
            gap = "\n\n"
        at = start
        for line in laid_out[start:end].split("\n"):
            if line and line != PAGE_END:
                if is_cut and pieces:
                    gap, is_cut = " ", False
                    if pieces[-1].endswith("-"):
                        gap = ""
                        if _is_cut_word(line_ends, pieces[-1], line):
                            pieces[-1] = pieces[-1][:-1]
                            place -= 1
                            lines[-1] = (*lines[-1][:2], lines[-1][2] - 1)
                if pieces:
                    pieces.append(gap)
                    place += len(gap)
                pieces.append(line)
                lines.append((at, place, len(line)))
                place += len(line)
                gap = "\n"
            elif not line and gap:
                gap = "\n\n"
            at += len(line) + 1
        # A piece is followed by a line end, but not by an empty line.
        if laid_out.endswith("\n", 0, end) and not laid_out.endswith("\n\n", 0, end):
            gap = "\n"
        if moved:
            gap = "\n\n"
        last = max(last, end)
    return ReadText("".join(pieces), sorted(lines))


def _is_cut_word(line_ends: LineEnds, before: str, behind: str) -> bool:
    last, first = before.rsplit(maxsplit=1)[-1], behind.split(maxsplit=1)[0]
    return line_ends.joined(f"{last}\n{first}\n").strip() == f"{last[:-1]}{first}"
