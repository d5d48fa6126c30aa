"""Reorders lines of plain text where a page break interrupts a sentence.

A page ends with its number and the footer that all pages have, and the next one begins with its
header. If the sentence before them is unfinished and the line after them continues it, the rest of
its paragraph is read first, and the lines between follow it. Every line of the file is in the text,
once.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import accumulate
from typing import NamedTuple

# A pattern that begins with punctuation is many times as fast as a case-insensitive one.
_OWN_MARK = re.compile(r"<[Pp][Aa][Gg][Ee]>[ \t]*(?:[A-Z]{0,3}-?[0-9]{1,4}\b)?")
_TABLE = re.compile("<(/?)[Tt][Aa][Bb][Ll][Ee]>")
# EDGAR's other tags, and rulers above a footer.
_EMPTY = re.compile(r"(?>(?:</?(?:PAGE|CAPTION|S|C|FN|R|F[0-9]{1,2})>|[-=_*~.\s])*)", re.IGNORECASE)
# "12", "- 12 -", "Page 3 of 7", "F-12", "iv", "Exhibit 10.1-1".
PAGE_NUMBER = re.compile(
    r"[\[(|~*\u2013\u2014-]{0,3}[ \t]{0,3}(?:(?:page|pg\.?|exhibit)[ \t]{0,3})?"
    r"(?:[a-z]{1,3}[ \t]?[\u2013-][ \t]?)?(?:[0-9]{1,4}(?:[.-][0-9]{1,3}){0,2}|[ivxl]{1,7})"
    r"(?:[ \t]{0,3}of[ \t]{0,3}[0-9]{1,4}(?:[ \t]+pages?)?)?[ \t]{0,3}[\])|~*\u2013\u2014-]{0,3}",
    re.IGNORECASE,
)
_LONGEST_NUMBER = 80  # only many blanks make a longer one
# With fewer marks of its own a document may have others.
_FEWEST_OWN = 2
_SHORT_LINE = re.compile(r"^[ \t]*+(\S(?:[^\n]{0,22}\S)?)[ \t]*$", re.MULTILINE)
_CONTINUED = re.compile(r"\(?continued\)?\.?$", re.IGNORECASE)
_ENDS_CONTINUED = "dD)."
# A heading that is not repeated.
_HEADING = re.compile(
    r"(?:item|part|article|exhibit)\s*(?:[0-9ivx]+|[a-z])\b(?!.*\(?continued)", re.IGNORECASE
)
_WITHOUT_DIGITS = bytes.maketrans(b"123456789\t\v\f\r\x1c\x1d\x1e\x1f", b"000000000        ")
# Lines of a page's footer or header, and all lines from one page's text to the next.
_MOST_LINES, _FARTHEST = 6, 40
_LONGEST_HEAD, _LONGEST_FURNITURE = 80, 250
# Most blanks between the beginnings of two lines of a paragraph.
_MOST_ASIDE = 8
# Least blanks before a bare number: a page number is centred or on the right.
_NUMBER_BEGINS = 20
# A line in the middle of a sentence fills most of the width.
_SHORTEST_LINE = 35
_SIGNATURE = re.compile(r"/s/|\bby:|____|(?:phone|fax|copier|copy):", re.IGNORECASE)
_ITEM = re.compile(
    r"(?:\([a-z0-9]{1,4}\)|[a-z0-9]{1,3}[.)]|[0-9]{1,3}(?:\.[0-9]{1,3})+\.?|[o*+\u00b7\u2022-]{1,3})(?:\s|$)",
    re.IGNORECASE,
)
_ENDS, _CLOSING = (".", "?", "!", ":"), "'\"\u2019\u201d)]"
_ABBREVIATED = re.compile(
    r"\b(?:inc|corp|co|ltd|nos?|u\.s|mrs?|ms|dr|messrs|vs|approx|sec|e\.g|i\.e|l\.p|n\.a"
    r"|jan|feb|aug|sept?|oct|nov|dec)\.$",
    re.IGNORECASE,
)
# No sentence ends with these.
_GOES_ON = re.compile(
    r"(?:,|[a-z]-|\b(?:an?|and|any|are|as|at|be|been|between|by|each|for|from|had|has|have|if|in"
    r"|into|is|its|may|no|not|of|on|or|our|shall|such|than|that|the|their|these|this|those|to"
    r"|under|upon|was|were|which|will|with|would))$",
    re.IGNORECASE,
)
_LONGEST_END = 12  # characters of a word that these patterns match, and of the text before it
_LOWER_BEGIN = re.compile(r"""["'`(\u201c]?(?:[a-z]{2}|a\s)""")
_WORD_BEGIN = re.compile(r"""["'`(\u201c$]{0,2}[A-Za-z0-9]""")
_LOWER_WORD = re.compile(r"\b[a-z]{2,}")
# A title contains none except in parentheses: "Notes to Financial Statements (continued)".
_LONG_LOWER_WORD = re.compile(r"(?<![A-Za-z('])[a-z]{4,}")


class Piece(NamedTuple):
    """A piece of a source; `moved` is true if it interrupted the paragraph before it."""

    start: int
    end: int
    moved: bool = False


def reading_order(source: str, wrapped: bool = True) -> list[Piece]:
    """Split `source` into pieces in reading order; each character is in one of them.

    Lines end at "\\n"; they are as wide as paper if they are `wrapped`, else whole paragraphs. Time
    and memory are linear in the length.
    """
    lines = _Lines(source, wrapped)
    ends = lines.starts[1:]
    order: list[Piece] = []
    moved: list[Piece] = []
    at = last = 0
    for before, behind in lines.cuts():
        if moved and before > last:
            order += [Piece(at, ends[last]), *moved]
            at, moved = ends[last], []
        order.append(Piece(at, ends[before]))
        moved.append(Piece(ends[before], lines.starts[behind], moved=True))
        at, last = lines.starts[behind], lines.paragraph_end(behind)
    if moved:
        order += [Piece(at, ends[last]), *moved]
        at = ends[last]
    return [*order, Piece(at, len(source))]


def in_reading_order(source: str) -> str:
    """Return `source` in reading order; moved pieces become paragraphs."""
    return "".join(
        f"\n{source[start:end]}\n" if moved else source[start:end]
        for start, end, moved in reading_order(source)
    )


class _Break(NamedTuple):
    """Consecutive page marks, and the lines with words on both sides.

    The nearest line comes first, and none is beyond a table. `is_own` is true if one of the marks
    is EDGAR's or a form feed; otherwise they are page numbers.
    """

    is_own: bool
    above: list[int]
    below: list[int]


class _Lines:
    """The lines of a source and its page breaks; `starts` ends with the end of the source."""

    def __init__(self, source: str, wrapped: bool) -> None:
        self._wrapped = wrapped
        self._lines = source.split("\n")
        self._text = list(map(str.strip, self._lines))
        self.starts = list(accumulate([len(line) + 1 for line in self._lines], initial=0))
        self.starts[-1] = len(source)
        self._in_table = bytearray(len(self._lines))
        opened = None
        for tag in _TABLE.finditer(source):
            line = self._number(tag.start())
            first = line if opened is None else opened
            self._in_table[first : line + 1] = b"\1" * (line + 1 - first)
            opened = None if tag[1] else line
        if opened is not None:
            self._in_table[opened:] = b"\1" * (len(self._lines) - opened)
        marks = {self._number(mark.start()): True for mark in _OWN_MARK.finditer(source)}
        at = source.find("\f")
        while at >= 0:
            marks[self._number(at)] = True
            at = source.find("\f", at + 1)
        if wrapped and len(marks) < _FEWEST_OWN:
            for short in _SHORT_LINE.finditer(source):
                is_far = short.start(1) - short.start() >= _NUMBER_BEGINS
                if (is_far or not short[1].isalnum()) and PAGE_NUMBER.fullmatch(short[1]):
                    marks.setdefault(self._number(short.start(1)), False)
        self._marks = {line: marks[line] for line in sorted(marks) if not self._in_table[line]}
        for line in self._marks:
            self._text[line] = _OWN_MARK.sub("", self._lines[line]).strip()
        self._breaks = list(self._find_breaks())
        self._repeated = set(self._find_repeated())

    def _find_repeated(self) -> Iterator[int]:
        """Yield the lines near page marks that are headers or footers of several pages."""
        near = {line for page in self._breaks for line in (*page.above, *page.below)}
        short = [line for line in near if len(self._text[line]) <= _LONGEST_FURNITURE]
        keys = dict(zip(short, _without_digits([self._text[line] for line in short]), strict=True))
        counts = Counter(keys.values())
        # Only repeated lines are examined one by one.
        may_be = [line for line in short if counts[keys[line]] > 1 and keys[line]]
        furniture = [line for line in may_be if _is_furniture(self._text[line])]
        counts = Counter(map(keys.__getitem__, furniture))
        yield from (line for line in furniture if counts[keys[line]] > 1)

    def _number(self, place: int) -> int:
        """Return the number of the line at a position."""
        return bisect_right(self.starts, place) - 1

    def _find_breaks(self) -> Iterator[_Break]:
        marks = list(self._marks)
        first = 0
        for place, mark in enumerate(marks, 1):
            if place < len(marks) and not any(self._text[mark + 1 : marks[place]]):
                continue
            is_own = any(self._marks[page_mark] for page_mark in marks[first:place])
            yield _Break(is_own, self._beside(marks[first], -1), self._beside(mark, 1))
            first = place

    def _beside(self, mark: int, step: int) -> list[int]:
        """Return the lines with words beside a mark."""
        lines: list[int] = []
        end = max(-1, min(mark + step * _FARTHEST, len(self._lines)))
        for number in range(mark + step, end, step):
            if self._in_table[number] or len(lines) > _MOST_LINES:
                break
            text = self._text[number]
            if not text:
                continue
            if not text[0].isalnum() and _EMPTY.fullmatch(text):
                continue
            is_number = len(text) <= _LONGEST_NUMBER and PAGE_NUMBER.fullmatch(text)
            if not is_number or self._is_text(number):
                lines.append(number)
        return lines

    def _is_text(self, number: int) -> bool:
        """Return True if a line follows a long one, like the next line of its paragraph."""
        above = number - 1
        return (
            self._wrapped
            and number > 0
            and above not in self._marks
            and abs(self._indent(number) - self._indent(above)) <= _MOST_ASIDE
            and _is_amid_sentence(self._text[above])
            and _may_continue(self._text[number])
        )

    def cuts(self) -> Iterator[tuple[int, int]]:
        """Yield the lines before and after each break that interrupts a sentence."""
        least = 0
        for page in self._breaks:
            cut = self._cut(page)
            if cut is not None and cut[0] >= least:
                yield cut
                least = cut[1]

    def paragraph_end(self, first: int) -> int:
        """Return the last line of the paragraph that continues with this line."""
        indent, text = self._indent(first), self._text[first]
        if not self._wrapped and _ends_sentence(text):
            return first
        for number in range(first + 1, len(self._lines)):
            begins = self._indent(number) > indent + 2 and _ends_sentence(text)
            text = self._text[number]
            if (
                begins
                or number in self._marks
                or self._in_table[number]
                or _ITEM.match(text)
                or _EMPTY.fullmatch(text)
            ):
                return number - 1
        return len(self._lines) - 1

    def _indent(self, number: int) -> int:
        line = self._lines[number]
        blanks = line[: len(line) - len(line.lstrip())]
        return len(blanks.expandtabs())

    def _cut(self, page: _Break) -> tuple[int, int] | None:
        """Return the lines of the sentence on both sides of a break, or None if none spans it."""
        sides = self._sides(page, self._repeated.__contains__)
        if sides is None:
            return None
        first, second = self._texts(sides)
        if _LOWER_BEGIN.match(second) and _is_open(first):
            return sides if self._is_sentence(sides) else None
        further = self._sides(page, self._is_repeated_or_title)
        if further is not None:
            first, second = self._texts(further)
            is_sure = _LOWER_WORD.match(second) and not _ends_sentence(first)
            if is_sure and self._is_sentence(further):
                return further
        is_wrapped = page.is_own and self._is_wrapped(*sides)
        return sides if is_wrapped and self._is_sentence(sides) else None

    def _sides(self, page: _Break, is_furniture: Callable[[int], bool]) -> tuple[int, int] | None:
        """Return the nearest lines above and below that are text; None if tables are nearer."""
        above = (line for line in page.above if not is_furniture(line) or self._is_text(line))
        below = (line for line in page.below if not is_furniture(line))
        before, behind = next(above, None), next(below, None)
        return None if before is None or behind is None else (before, behind)

    def _texts(self, sides: tuple[int, int]) -> tuple[str, str]:
        return self._text[sides[0]], self._text[sides[1]]

    def _is_sentence(self, sides: tuple[int, int]) -> bool:
        """Return True if neither line is a heading, an item, a signature or a row of a table."""
        first, second = self._texts(sides)
        return (_is_amid_sentence(first) or self._is_text(sides[0])) and _may_continue(second)

    def _is_repeated_or_title(self, line: int) -> bool:
        return line in self._repeated or _is_title(self._text[line])

    def _is_wrapped(self, before: int, behind: int) -> bool:
        """Return True if a line ends only because the next word did not fit."""
        first, second = self._text[before], self._text[behind]
        is_ended = first.endswith((";", "-")) or _ends_sentence(first)
        if is_ended or _HEADING.match(first) or not _WORD_BEGIN.match(second):
            return False
        alone = behind + 1 == len(self._lines) or not self._text[behind + 1]
        if _goes_on(first):
            return not (alone and _has_words_of_title(second) and not _ends_sentence(second))
        if _has_words_of_title(second) or not self._wrapped:
            return False
        near = [line for line in range(max(0, before - 4), before) if self._text[line]]
        indent = min(map(self._indent, [*near, before]))
        if not near or abs(self._indent(behind) - indent) > 2:
            return False
        # A page may end with the beginning of a line.
        if self._is_text(before):
            return True
        margin = max(len(self._lines[line].rstrip()) for line in near)
        word = second.split(maxsplit=1)[0]
        return len(self._lines[before].rstrip()) + len(word) >= margin


def _without_digits(texts: list[str]) -> list[bytes]:
    """Return lines in lower case with every number as 0, by which they are compared."""
    if not texts:
        return []
    # As bytes all lines are translated at once, and runs are halved until one character is left.
    joined = "\n".join(texts).casefold().replace("\xa0", " ").encode("utf-8", "surrogatepass")
    joined = joined.translate(_WITHOUT_DIGITS)
    for run in (b"00", b"  "):
        while run in joined:
            joined = joined.replace(run, run[:1])
    return joined.split(b"\n")


def _is_furniture(text: str) -> bool:
    """Return True if a line may be a header or footer, and does not continue a paragraph."""
    if text[-1:] in _ENDS_CONTINUED and _CONTINUED.search(text[-_LONGEST_END:]):
        return True
    return not _LOWER_BEGIN.match(text) and _is_open(text)


def _is_title(text: str) -> bool:
    is_part = text.endswith((",", ";", "-")) or not _is_open(text)
    is_part = is_part or (_goes_on(text) and not text.isupper())
    return _has_words_of_title(text) and not is_part and not _HEADING.match(text)


def _has_words_of_title(text: str) -> bool:
    return len(text) <= _LONGEST_HEAD and not _LONG_LOWER_WORD.search(text)


def _is_amid_sentence(text: str) -> bool:
    """Return True if a line may be in the middle of a sentence."""
    return (
        len(text) >= _SHORTEST_LINE
        and not (text.startswith("(") and text.endswith(")"))
        and not _has_columns(text)
        and not _is_signature(text)
        and (_has_two_words(text) or _goes_on(text))
    )


def _may_continue(text: str) -> bool:
    return not (_has_columns(text) or _ITEM.match(text) or _is_signature(text))


def _is_signature(text: str) -> bool:
    # One of these is in every match, and the pattern is slow on a whole paragraph.
    has_sign = ":" in text or "/" in text or "____" in text
    return has_sign and _SIGNATURE.search(text) is not None


def _has_two_words(text: str) -> bool:
    """Return True if a line has two words in lower case."""
    first = _LOWER_WORD.search(text)
    return first is not None and _LOWER_WORD.search(text, first.end()) is not None


def _has_columns(text: str) -> bool:
    # Lines stretched to the margin have fewer blanks between words.
    return "     " in text or "\t" in text or "...." in text or ". . . ." in text


def _goes_on(text: str) -> bool:
    if text.endswith((".", ")", ";", ":")):  # as many lines
        return False
    return _GOES_ON.search(text[-_LONGEST_END:]) is not None


def _ends_sentence(text: str) -> bool:
    return text.rstrip(_CLOSING).endswith(_ENDS)


def _is_open(text: str) -> bool:
    """Return True if a line does not end a sentence; an abbreviation may end with a full stop."""
    if text[-1:].isalnum():  # as most lines do
        return True
    return not _ends_sentence(text) or _ABBREVIATED.search(text[-_LONGEST_END:]) is not None
