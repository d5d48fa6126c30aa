"""Where words stand in a document, however they are written: one search for all of them."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ahocorasick_rs import BytesAhoCorasick, MatchKind

_MOST = 50_000  # places of a word; a report has some hundreds
_CHUNK = 1 << 16  # bytes that are searched at once: all matches in them are made into objects
_MAX_TAGS, _MAX_TAG = 8, 1_500  # between the two halves of a word


class _Way(NamedTuple):
    """A way to write a word: what is looked for. Of a split word that is its second half.

    `head` is its first half, which stands before the tags that split it.
    """

    word: bytes
    needle: bytes
    head: bytes = b""


class WordSearch:
    """A search for words in lower case, and for `others`, which are found as they stand.

    A word may be spaced out ("I T E M", "I tem") or split between two elements anywhere but before
    its last letter, as small capitals are written. Raises ValueError for words that may overlap, as
    the end of "ind<b>ex" and "exhibit" do: they need a search each.
    """

    def __init__(self, words: Sequence[bytes], others: Sequence[bytes] = ()) -> None:
        self._ways = [way for word in words for way in _ways(word)]
        self._ways += [_Way(other, other) for other in others]
        needles = [way.needle for way in self._ways]
        if any(_may_overlap(one, other) for one in needles for other in needles):
            raise ValueError(f"matches may overlap, search for each alone: {words!r}")
        # No matches overlap, so the kind of match changes nothing but the speed: only this one
        # looks at 16 or 32 bytes at once: a tenth of the time of one `find` for each needle.
        self._search = BytesAhoCorasick(needles, matchkind=MatchKind.LeftmostFirst)
        self._overlap = max(map(len, needles)) - 1

    def places(self, lower: bytes, start: int = 0) -> dict[bytes, list[int]]:
        """Where from `start` on each word begins, in order, unless another word ends there."""
        counts = dict.fromkeys((way.word for way in self._ways), 0)
        found: dict[bytes, list[int]] = {word: [] for word in counts}
        for number, begin in self._matches(lower, start):
            word, _, head = self._ways[number]
            counts[word] += 1
            if counts[word] > _MOST:
                continue
            at = _split_before(lower, begin + 1, head) if head else begin
            if at is not None and at >= start and not _amid_word(lower, at):
                found[word].append(at)
        return {word: sorted(places) for word, places in found.items()}

    def _matches(self, lower: bytes, start: int) -> Iterator[tuple[int, int]]:
        """The number of the way, and the byte where what is looked for begins."""
        view = memoryview(lower)
        for offset in range(start, len(lower), _CHUNK):
            chunk = view[offset : offset + _CHUNK + self._overlap]
            for number, begin, _ in self._search.find_matches_as_indexes(chunk):
                if begin < _CHUNK:
                    yield number, offset + begin


def _may_overlap(one: bytes, other: bytes) -> bool:
    """Whether `other` may begin inside of `one`, or at the same place."""
    begins = range(one == other, len(one))
    return any(other.startswith(one[at:]) or one.startswith(other, at) for at in begins)


def _ways(word: bytes) -> Iterator[_Way]:
    yield _Way(word, word)
    yield _Way(word, word[:1] + b" " + word[1:])
    yield _Way(word, b" ".join([word[i : i + 1] for i in range(len(word))]))
    for length in range(1, len(word) - 1):
        yield _Way(word, b">" + word[length:], word[:length])


def _amid_word(lower: bytes, at: int) -> bool:
    return lower[at : at + 1].isalnum() and lower[max(0, at - 1) : at].isalnum()


def _split_before(lower: bytes, end: int, head: bytes) -> int | None:
    """Where `head` stands, with nothing but tags from it to `end`."""
    for _ in range(_MAX_TAGS):
        end = lower.rfind(b"<", max(0, end - _MAX_TAG), end)
        if end < 0:
            return None
        if lower.endswith(head, 0, end):
            return end - len(head)
        if lower[end - 1 : end] != b">":
            return None
    return None
