"""Locates the entries of a table of contents in the text after it."""

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence

_APART = 10  # characters between two lines that are checked


def is_next(text: str, end: int, start: int) -> bool:
    """Return True if only white space separates the end of a line from the start of another."""
    return not text[end : min(start, end + _APART)].strip()


def lines_and_pairs(text: str, line: re.Pattern[str], start: int) -> Iterator[tuple[int, str]]:
    """Yield the position and text of each line from `start` on; then both lines of a pair as one.

    The line is the group `title` of its pattern. The lines of a pair are adjacent, because a title
    may span two.
    """
    before: re.Match[str] | None = None
    for match in line.finditer(text, start):
        yield match.start("title"), match["title"]
        if before and is_next(text, before.end(), match.start()):
            yield before.start("title"), f"{before['title']} {match['title']}"
        before = match


def certain_places(found: Sequence[Sequence[int]], end: int) -> list[int | None]:
    """Return where each entry has its heading; None if that is uncertain.

    `found` lists the positions of each entry's title, in the order of the contents; `end` is the
    end of the text.
    """
    once = [(places[0], number) for number, places in enumerate(found) if len(places) == 1]
    places: list[int | None] = [None] * len(found)
    for place, number in _in_order(once):
        places[number] = place
    # A title that is also a caption elsewhere is certain if it occurs once between its neighbours.
    for number, candidates in enumerate(found):
        if places[number] is None and len(candidates) > 1:
            before = max((at for at in places[:number] if at is not None), default=0)
            after = min((at for at in places[number:] if at is not None), default=end)
            between = [at for at in candidates if before < at < after]
            places[number] = between[0] if len(between) == 1 else None
    return places


def _in_order(once: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the largest subset of positions that follows the order of the contents."""
    lasts: list[int] = []
    chains: list[list[tuple[int, int]]] = []
    for place, number in once:
        at = bisect_left(lasts, place)
        chain = [*(chains[at - 1] if at else []), (place, number)]
        lasts[at : at + 1], chains[at : at + 1] = [place], [chain]
    return chains[-1] if chains else []
