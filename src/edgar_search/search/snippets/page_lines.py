"""Page headers and footers, which say nothing about the text around them; pure."""

import re
from collections.abc import Iterable, Sequence

from edgar_search.search.snippets.folding import BREAK, CELL

# A whole line. Cells are divided by a separator, either raw or folded.
_LINE = (
    r"(?:notes? to (?:the )?(?:[a-z]+ ){0,3}financial statements|note \d{1,2}\b[^\n\u2026]{0,80}"
    r"(?=\(continued\)))(?:[ ,\u2013\u2014-]*\((?:continued|unaudited)\))*"
    rf"|table of contents|(?:page)?(?:{re.escape(CELL)}|[ \t-])*\d{{1,3}}[ -]*"
)
_WHOLE_LINE = re.compile(_LINE, re.IGNORECASE)
_FIRST_LINES = re.compile(rf"(?:(?:{_LINE}){re.escape(BREAK)})+", re.IGNORECASE)
# A header is searched for only if one of these is marked.
_WORDS = frozenset(
    "note notes table contents consolidated condensed financial statement statements".split()
)


def outside_page_lines(
    text: str, starts: Iterable[int], words: Sequence[str]
) -> Sequence[bool] | None:
    """Return for each mark whether it is outside page lines; None if no mark may be in one."""
    if _WORDS.isdisjoint(map(str.lower, words)):
        return None
    return [not _WHOLE_LINE.fullmatch(_line(text, start)) for start in starts]


def _line(text: str, at: int) -> str:
    end = text.find("\n", at)
    return text[text.rfind("\n", 0, at) + 1 : end if end >= 0 else len(text)].strip()


def after_page_lines(text: str, start: int, latest: int) -> int:
    """Return where a folded text continues after page lines at `start`, but at most `latest`."""
    lines = _FIRST_LINES.match(text, start)
    return lines.end() if lines and lines.end() <= latest else start
