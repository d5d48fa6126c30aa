"""Whether two lines of a passage are one paragraph's, or one cell's, that was wrapped."""

import re

from edgar_search.search.bullets import ANY_BULLET
from edgar_search.text.rules import CELL_SEPARATOR

_LIST_ITEM = re.compile(
    rf"[{ANY_BULLET}\u2013\u2014-]\s|\([a-z0-9]{{1,4}}\)|[0-9a-z]{{1,3}}[.)]\s|item\s",
    re.IGNORECASE,
)
_DATE_AT_END = re.compile(r"\b\d{1,2}, \d{4}\W*$")
# Shorter lines are headings, addresses or rows rather than a paragraph that was wrapped.
_LEAST_WIDTH = 45
# Lines of a paragraph end where the next word would not fit beside the longer of two; blanks that
# were more than one shorten some of them.
_SLACK = 0.85
# The label of a row that goes on in the next line: what cannot end one.
_UNFINISHED = re.compile(r"(?:,|\b(?:and|or|of|the|for|to|in|from|by|with|on|at))\Z")


def goes_on(upper: str, lower: str) -> bool:
    """Whether a line goes on with the sentence, or the label of a row, of the one before."""
    in_sentence = lower[0].islower()
    if not in_sentence:
        # The cheapest question first, as it settles most.
        width = max(len(upper), len(lower))
        if width < _LEAST_WIDTH or len(upper) + 1 + len(lower.split(" ", 1)[0]) <= width * _SLACK:
            return False
    if CELL_SEPARATOR in upper or _is_row(upper):
        return False
    if CELL_SEPARATOR in lower:
        return in_sentence and _UNFINISHED.search(upper) is not None
    return not _LIST_ITEM.match(lower) and (in_sentence or not _is_row(lower))


def goes_on_spaced(upper: str, lower: str) -> bool:
    """Whether a line goes on with a sentence over an empty line, as where every other is empty."""
    return (
        lower[0].islower()
        and len(upper) >= _LEAST_WIDTH
        and (upper[-1].islower() or upper[-1] == ",")
        and CELL_SEPARATOR not in upper
        and CELL_SEPARATOR not in lower
        and not _LIST_ITEM.match(lower)
    )


def _is_row(line: str) -> bool:
    """Whether a line without cells is a row of figures all the same, as in plain text."""
    if "a" <= line[-1] <= "z":
        return False
    last = " ".join(line.rsplit(" ", 2)[-2:])
    # Without a letter, for only letters have two cases here.
    return last.lower() == last.upper() and not _DATE_AT_END.search(line)
