"""A text cut into passages, which joined are exactly the text."""

import re
from collections.abc import Iterator
from itertools import chain

from edgar_search.text.rules import CELL_SEPARATOR, token_spans

# Where to cut, best first; what is found stays in the passage before the cut.
_BREAKS = ("\n\n", "\n", ". ", CELL_SEPARATOR, " ")
_WHITE_SPACE = re.compile(f"[{CELL_SEPARATOR} \n]")  # all that normalised text has


def cut(text: str, target: int = 2000) -> list[tuple[int, int]]:
    """Return the passages (start, end) of normalised `text`, in characters, in order.

    A passage ends at the end of a paragraph, line, sentence or cell, or at white space, at most
    2 * `target` characters on. A longer run without white space is cut every `target` characters,
    but between tokens, so that only a longer token makes a longer passage.
    """
    passages: list[tuple[int, int]] = []
    start = 0
    while len(text) - start > target:
        ends = [end] if (end := _end(text, start, target)) else _ends_in_run(text, start, target)
        for end in ends:
            passages.append((start, end))
            start = end
    if start < len(text):
        passages.append((start, len(text)))
    return passages


def _end(text: str, start: int, target: int) -> int | None:
    """Return where a passage from `start` ends, None in a run without white space."""
    # A short passage is worth avoiding, so first the second half is tried.
    for earliest in (start + target // 2, start):
        for mark in _BREAKS:
            at = text.rfind(mark, earliest, start + target)
            if at >= 0:
                return at + len(mark)
    space = _WHITE_SPACE.search(text, start + target, start + 2 * target)
    return space.end() if space else None


def _ends_in_run(text: str, start: int, target: int) -> Iterator[int]:
    """Yield where to cut the run of characters from `start` to the next white space."""
    space = _WHITE_SPACE.search(text, start)
    run = text[start : space.start() if space else len(text)]
    last = 0
    for token_start, token_end in chain(token_spans(run), [(len(run), len(run))]):
        while (goal := last + target) < token_end:
            if goal <= token_start:
                last = goal
            else:
                last = token_start if token_start > last else token_end
            yield start + last
