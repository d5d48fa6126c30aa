"""Where lines begin with a word, found by jumping from one occurrence to the next."""

import re
from collections.abc import Iterator
from itertools import islice

from ingest.sections.markup import Before, Markup, occurrences

_MOST = 50_000  # occurrences of a word or of words that end like it; a report has some hundreds


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
    # To look through a whole document takes most of the time, so one search finds three ways.
    first, rest = word[:1], word[1:]
    places = set()
    for at in _found(lower, rest, start):
        before = lower[max(0, at - 2) : at]
        if before.endswith(first):
            places.add(at - 1)
        elif before == first + b" ":
            places.add(at - 2)
        elif before.endswith(b">") and (split := _split_before(lower, at, first)) is not None:
            places.add(split)
    spaced = b" ".join([word[i : i + 1] for i in range(len(word))])
    places.update(_found(lower, spaced, start))
    for length in range(2, len(word) - 1) if start else [len(word) - 2]:
        for end in _found(lower, b">" + word[length:], start):
            split = _split_before(lower, end + 1, word[:length])
            if split is not None:
                places.add(split)
    return [at for at in sorted(places) if at >= start and not lower[max(0, at - 1) : at].isalnum()]


def _found(lower: bytes, needle: bytes, start: int) -> Iterator[int]:
    return islice(occurrences(lower, needle, start), _MOST)


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
