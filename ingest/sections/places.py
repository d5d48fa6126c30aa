"""Where lines begin with a word, found by jumping from one occurrence to the next."""

import re
from collections.abc import Iterator
from itertools import islice

from ingest.sections.markup import Before, Markup

_MOST = 20_000  # occurrences of a word; a report has some hundreds


def line_places(
    markup: Markup, word: bytes, start: int = 0, after_part: bool = False
) -> Iterator[tuple[int, Before]]:
    """Where from `start` on `word` (lower case) begins a line, in order.

    With `after_part` also where a part's number comes before it on the line.

    It may be spaced out ("I T E M", "I tem") or split between two elements: in a whole document
    after its first letter, as small capitals are written, or before its last two, since each way to
    be split is another search; from a `start` on anywhere.
    """
    for at in _places(markup.lower, word, start):
        before = markup.before(at, after_part)
        if before.prefix is not None and not _amid_sentence(markup, before.start):
            yield at, before


def _places(lower: bytes, word: bytes, start: int) -> list[int]:
    places = set(_found(lower, word, start))
    spaced = b" ".join([word[i : i + 1] for i in range(len(word))])
    for at in _found(lower, spaced[:3], start):
        if lower.startswith((spaced, word[:1] + b" " + word[1:]), at):
            places.add(at)
    for length in range(1, len(word) - 1) if start else {1, len(word) - 2}:
        for end in _found(lower, b">" + word[length:], start):
            split = _split_before(lower, end + 1, word[:length])
            if split is not None and split >= start:
                places.add(split)
    return [at for at in sorted(places) if not lower[max(0, at - 1) : at].isalnum()]


def _found(lower: bytes, needle: bytes, start: int) -> Iterator[int]:
    return islice(_occurrences(lower, needle, start), _MOST)


def _occurrences(lower: bytes, needle: bytes, start: int) -> Iterator[int]:
    at = lower.find(needle, start)
    while at >= 0:
        yield at
        at = lower.find(needle, at + 1)


def _split_before(lower: bytes, end: int, head: bytes) -> int | None:
    """Where `head` stands, with nothing but tags from it to `end`."""
    for _ in range(8):
        end = lower.rfind(b"<", max(0, end - 1_500), end)
        if end < 0:
            return None
        if lower.endswith(head, 0, end):
            return end - len(head)
        if lower[end - 1 : end] != b">":
            return None
    return None


def _amid_sentence(markup: Markup, start: int) -> bool:
    """Whether a line of plain text goes on with the sentence of the line before it."""
    if not markup.has_lines(start):
        return False
    end = start - 1
    if markup.raw[end - 1 : end + 1] == b"\r\n":
        end -= 1
    window = markup.raw[max(0, end - 400) : max(0, end)]
    line = re.split(rb"[\r\n]", window)[-1].strip()
    return len(line) >= 40 and line[-1:] not in b">.:;!?)*-=_"
