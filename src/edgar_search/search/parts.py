"""The part of a text that shows its marks best."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import inf

from edgar_search.search.folding import BREAK, CELL
from edgar_search.search.marks import Span
from edgar_search.search.prose import prose

# Characters of text, without marks and ellipses at its ends.
MAX_LENGTH = 300
# A part goes back to the beginning of a sentence or line so far before what it has to show, in
# shares of what else fits: to the first such beginning, or else to the last within the second.
_ROOM_BEFORE, _MOST_BEFORE = 0.5, 0.85
# So little of another sentence or line at the end says nothing, and is left out.
_SHORT_REST = 40
# A part all of words is as good as one whose marks are so many characters closer together.
_PROSE_WORTH = 300
# So many parts that show equally many leaves are compared.
_MOST_PARTS = 12
# And each mark that it shows, up to some, as so many characters.
_REPEATED_WORTH, _MOST_REPEATED = 15, 3

_SENTENCE_END = re.compile(r"[.!?][\"'\u201d\u2019)]* (?=[A-Z\d\"\u201c(])")
_NO_SENTENCE_END = frozenset("co corp dr inc jr ltd messrs mr mrs ms no nos st vs".split())
_LAST_WORD = re.compile(r"[^\W_]*\Z")
_LONGEST_ABBREVIATION = max(map(len, _NO_SENTENCE_END))
# Of what stands between two sentences: a full stop, some quotes and brackets, a blank.
_LONGEST_END = 6
# What stands between lines and cells, and the blanks around.
_EDGES = BREAK + CELL


class MarkedText:
    """A folded text with at least one mark."""

    def __init__(self, text: str, lines: Sequence[int], spans: Sequence[Span]) -> None:
        self._text, self._lines, self._spans = text, lines, spans

    def best_part(self, leaves: Sequence[frozenset[object]]) -> Span:
        cores = best_cores(self._spans, leaves)
        if not cores:
            # A phrase too long to be shown whole: its beginning.
            start = self._spans[0].start
            return self.part(Span(start, start))
        return self.part(cores[0] if len(cores) == 1 else self.best(cores))

    def best(self, cores: Iterable[Span]) -> Span:
        """The core of the greatest value with what is around it, the first of equals."""
        best, most = Span(0, 0), -inf
        spans = self._spans
        for core, start in islice(self._apart(cores), _MOST_PARTS):
            end = start + MAX_LENGTH
            first = bisect_left(spans, (start,))
            # No more marks than count are looked for.
            last = min(len(spans), first + _MOST_REPEATED)
            marks = bisect_left(spans, (end,), first, last) - first
            value: float = _REPEATED_WORTH * marks - (core.end - core.start)
            # What cannot win is not read.
            if value + _PROSE_WORTH > most:
                value += _PROSE_WORTH * prose(self._text[start:end])
                if value > most:
                    best, most = core, value
        return best

    def _apart(self, cores: Iterable[Span]) -> Iterator[tuple[Span, int]]:
        """The cores that are not shown well with another one, and where their parts may begin."""
        end = size = 0
        for core in cores:
            if core.end > end - MAX_LENGTH // 3 or core.end - core.start < size:
                start = self._middle(core)
                end, size = start + MAX_LENGTH, core.end - core.start
                yield core, start

    def _middle(self, core: Span) -> int:
        """Where a part begins that has the same on both sides, but at the ends of the text."""
        before = int(_spare(core) * _ROOM_BEFORE)
        return max(0, min(core.start - before, len(self._text) - MAX_LENGTH))

    def part(self, core: Span) -> Span:
        """The core with what else fits, from the beginning of a sentence or line if one is near."""
        length = len(self._text)
        earliest = core.start - int(_spare(core) * _MOST_BEFORE)
        start = self._begin(self._middle(core), core.start, earliest)
        end = min(length, start + MAX_LENGTH)
        if end < length:
            end = self._without_rest(end, core.end)
        return at_blanks(self._text, Span(start, end), core)

    def _begin(self, middle: int, latest: int, earliest: int) -> int:
        """Where a part begins that goes back to `middle`, or to `earliest` for a sentence."""
        line = bisect_left(self._lines, middle)
        if line < len(self._lines) and self._lines[line] <= latest:
            return self._lines[line]
        before = max(min(earliest, middle), self._lines[line - 1])
        sentences = list(_sentences(self._text, before, latest))
        for sentence in sentences:
            if sentence >= middle:
                return sentence
        begins = [begin for begin in (self._lines[line - 1], *sentences) if begin >= earliest]
        return begins[-1] if begins else middle

    def _without_rest(self, end: int, least: int) -> int:
        """Where the last sentence or line before `end` ends, if little of the next is left."""
        after = max(least, end - _SHORT_REST - 1)
        line = self._lines[bisect_right(self._lines, end) - 1]
        last = max([line, *_sentences(self._text, after + 1, end)])
        return last if last > after else end


def _spare(core: Span) -> int:
    """Characters that fit beside a core; an empty one is the beginning of what is too long."""
    return MAX_LENGTH - (core.end - core.start) if core.end > core.start else 0


def best_cores(spans: Sequence[Span], leaves: Sequence[frozenset[object]]) -> list[Span]:
    """From the first to the last mark of each part that shows the most different leaves.

    For each mark the part that ends with it. One pass, as a passage may have hundreds of marks.
    """
    if leaves and leaves.count(leaves[0]) == len(leaves):
        # Nearly half of all passages: each mark by itself shows what there is.
        return [span for span in spans if span.end - span.start <= MAX_LENGTH]
    shown: dict[object, int] = {}
    first = different = most = 0
    cores: list[Span] = []
    for last, (_, end) in enumerate(spans):
        for leaf in leaves[last]:
            count = shown.get(leaf, 0)
            different += not count
            shown[leaf] = count + 1
        while first < last:
            # What later marks show again is not needed, and what is too far away cannot be shown.
            if end - spans[first][0] <= MAX_LENGTH and 1 in [shown[leaf] for leaf in leaves[first]]:
                break
            for leaf in leaves[first]:
                shown[leaf] -= 1
                different -= not shown[leaf]
            first += 1
        if different >= most and end - spans[first][0] <= MAX_LENGTH:
            if different > most:
                most = different
                cores.clear()
            cores.append(Span(spans[first][0], end))
    return cores


def _sentences(text: str, start: int, end: int) -> Iterator[int]:
    """Where sentences begin, from `start` to `end`."""
    for found in _SENTENCE_END.finditer(text, max(0, start - _LONGEST_END), end + 1):
        stop = found.start()
        word = _LAST_WORD.search(text, max(0, stop - _LONGEST_ABBREVIATION - 1), stop)
        # After a single letter a full stop is an abbreviation's.
        if found.end() >= start and word and len(word[0]) != 1:
            if word[0].lower() not in _NO_SENTENCE_END:
                yield found.end()


def at_blanks(text: str, span: Span, core: Span) -> Span:
    """The span without words that it cuts, and without blanks at its ends; the core stays whole."""
    start, end = span.start, min(span.end, len(text))
    if start > 0 and not text[start - 1].isspace():
        while start < core.start and not text[start].isspace():
            start += 1
    if end < len(text) and not text[end].isspace():
        cut = end
        while cut > max(core.end, start) and not text[cut - 1].isspace():
            cut -= 1
        end = cut if cut > start else end
    while start < core.start and text[start] in _EDGES:
        start += 1
    while end > max(core.end, start) and text[end - 1] in _EDGES:
        end -= 1
    return Span(start, end)
