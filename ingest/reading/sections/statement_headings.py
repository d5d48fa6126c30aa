"""Headings of the parts of an annual report: discussion, statements, and their neighbours."""

import re
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

_KINDS = r"(?:consolidated |combined |condensed )*"


def _statement(of: str) -> str:
    return rf"{_KINDS}(?:statements? of (?:consolidated )?(?:{of})|(?:{of}) statements?)"


# Words of a heading in lower case, without marks.
DISCUSSION = (
    r"managements? (?:financial )?(?:discussion|review)(?: and analysis)?(?: (?:of|and) .*)?"
    r"|(?:operating and |[0-9]{4} )?financial review(?: managements? .*)?"
)
INCOME = _statement(r"(?:comprehensive )?(?:income|earnings|operations|loss)(?: and (?:.{3,40}))?")
BALANCE = rf"{_KINDS}balance sheets?|" + _statement("financial (?:position|condition)")
CASH = _statement("cash flows?")
EQUITY = _statement(r"(?:changes in )?\w*(?:holders|owners) (?:equity|investment)")
STATEMENTS = (INCOME, BALANCE, CASH, EQUITY)
STATEMENTS_TITLE = rf"{_KINDS}financial statements?"
NOTES = rf"notes? to (?:the )?{_KINDS}financial statements?(?: continued)?"
AUDITORS = (
    r"(?:\w+ ){0,5}independent (?:\w+ ){0,3}(?:accountants|auditors|firm)(?: report)?(?: on .*)?"
    r"|auditors report"
)
MANAGEMENT = (
    r"report (?:of|by) management.*|(?:statement of )?managements? (?:report|responsibilit"
    r"|statement|discussion of financial res).*"
)
QUARTERLY = r"(?:selected )?quarterly (?:\w+ ){0,3}(?:data|information|results)(?: unaudited)?"
OTHER = (
    rf"(?:summary of )?{_KINDS}selected {_KINDS}(?:historical )?financial"
    r" (?:data|information|highlights)"
    r"|(?:five|six|ten|eleven|[0-9]{1,2}) years? (?:\w+ ){0,3}"
    r"(?:summary|review|data|highlights|comparison)"
    r"|common stock (?:prices?|market).*|market (?:prices?|information)\b.*"
    r"|(?:stock|share)h?(?:older|owner|holder)s? information|investor information"
    r"|corporate (?:information|data|directory)|directors and officers|officers and directors"
)
SCHEDULES_AND_EXHIBITS = (
    r"exhibits? index|index (?:to|of) exhibits?|schedule (?:i{1,3}|iv|v)\b.*|signatures?"
)
_LONGEST = 120
_DATE = re.compile(
    r" (?:as (?:of|at)|at|for the|(?:fiscal )?years?|(?:january|march|june|september|december)) .*"
)
_WORD = re.compile(r"[A-Za-z0-9]+")
_FEWEST_BLANKS = "   "  # between columns
_CELL = re.compile(rf"\t|{_FEWEST_BLANKS}+")
_PAGE = re.compile(r"[\s.]*(?:[A-Z]{1,2}-)?[0-9]{1,3}")


class HeadingLine(NamedTuple):
    """A line that may be a heading; `titled` if all its long words are capitalized."""

    start: int
    words: str
    titled: bool


def headings_in(text: str) -> list[HeadingLine]:
    """Return the lines that may be headings, even with table columns after them."""
    headings: list[HeadingLine] = []
    at = 0
    for line in text.split("\n"):
        begin = at
        at += len(line) + 1
        line = line.strip()
        if not (line[:1].isupper() or line[:1].isdigit()):
            continue
        if len(line) > _LONGEST and not _CELL.search(line, 0, _LONGEST + len(_FEWEST_BLANKS)):
            continue  # as most paragraphs
        cell, *further = _CELL.split(line, maxsplit=1)
        is_entry = bool(further) and _PAGE.fullmatch(further[0]) is not None
        if 4 < len(cell) <= _LONGEST and not is_entry:
            long_words = [word for word in _WORD.findall(cell) if len(word) > 3]
            titled = all(word[0].isupper() or word[0].isdigit() for word in long_words)
            if long_words:
                headings.append(HeadingLine(begin, plain(cell), titled))
    return headings


def plain(line: str) -> str:
    """Return the words of a line in lower case, without marks."""
    return " ".join(_WORD.findall(line.replace("'", "").replace("’", ""))).lower()


def heading_places(lines: Sequence[HeadingLine], *wanted: str) -> list[int]:
    """Return the positions of the headings of these parts, in order."""
    exact, titled = _patterns(wanted)
    return [
        line.start
        for line in lines
        if exact.fullmatch(line.words)
        or (line.titled and titled.fullmatch(_DATE.sub("", line.words)))
    ]


@cache
def _patterns(wanted: tuple[str, ...]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of a heading alone, and of one after the company's name."""
    either = "|".join(wanted)
    return re.compile(either), re.compile(rf"(?:.{{1,60}} )?(?:{either})")


def with_lines_above(lines: Sequence[HeadingLine], text: str, place: int) -> int:
    """Return where a heading begins: at the company's name, if that is on the lines above it."""
    titled = {line.start for line in lines if line.titled}
    while place > 0 and text[place - 1] == "\n":
        above = text.rfind("\n", 0, place - 1) + 1
        if above not in titled:
            break
        place = above
    return place


def has_statements(lines: Sequence[HeadingLine]) -> bool:
    """Return True if there are a balance sheet and a statement of cash flows."""
    return bool(heading_places(lines, BALANCE) and heading_places(lines, CASH, "cash flows?"))
