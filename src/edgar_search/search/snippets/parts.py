"""The part of a marked text that a snippet shows: its marks, in a sentence or near prose.

It is chosen from several parts of each passage of a page, so words are counted in bytes: with one
letter for the class of each character, a word begins where the letter before it is another.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import inf
from typing import NamedTuple

from edgar_search.search.snippets.folding import BREAK, CELL
from edgar_search.search.snippets.marks import Span
from edgar_search.search.snippets.page_lines import after_page_lines
from edgar_search.text.words import CELL_SEPARATOR

_SEPARATOR_COST = -0.5
_SEPARATORS = BREAK.strip(), CELL.strip()
_BEGINS_WITH_A_LETTER = re.compile(r"(?<!\S)[^\W\d_]")
# One byte for each character, including the quotes, dashes and letters beyond ASCII in filings.
_CODING = "cp1252"
_BLANK, _LETTER, _OTHER, _BREAK, _CELL = b" a.ec"


def _kind(byte: int) -> int:
    char = bytes([byte]).decode(_CODING, "replace")
    if char.isspace():
        return _BLANK
    if _BEGINS_WITH_A_LETTER.match(char):
        return _LETTER
    return {_SEPARATORS[0]: _BREAK, _SEPARATORS[1]: _CELL}.get(char, _OTHER)


_KINDS = bytes(map(_kind, range(256)))


def prose(text: str) -> float:
    """Return the share of words in a text, minus its separators; at most 1.

    Blanks separate words, and words that begin with a letter count; `text` is folded
    (`folding.fold`) or an unfolded piece of a passage.
    """
    # In an unfolded text, these become separators.
    unfolded = text.count(CELL_SEPARATOR) + text.count("\n\n")
    letters, words, separators = _count(text)
    separators += unfolded
    return (letters + _SEPARATOR_COST * separators) / max(1, words + unfolded)


def _count(text: str) -> tuple[int, int, int]:
    """Count words that begin with a letter, all words, and separators among them."""
    try:
        # Encoding ASCII costs nothing, and most texts are ASCII.
        coded = text.encode() if text.isascii() else text.encode(_CODING)
    except UnicodeEncodeError:
        pieces = text.split()
        letters = len(_BEGINS_WITH_A_LETTER.findall(text))
        return letters, len(pieces), pieces.count(_SEPARATORS[0]) + pieces.count(_SEPARATORS[1])
    kinds = b" " + coded.translate(_KINDS)
    letters = kinds.count(b" a")
    if b"e" not in kinds and b"c" not in kinds:
        return letters, letters + kinds.count(b" ."), 0
    words = kinds.split()
    return letters, len(words), words.count(b"e") + words.count(b"c")


# Characters of text, without marks and ellipses at its ends.
MAX_LENGTH = 300
# A part goes back to the beginning of a sentence or line this far before its core, in shares of the
# room beside the core: to the first beginning within the one, else to the last within the other.
_ROOM_BEFORE, _MOST_BEFORE = 0.5, 0.85
# A piece of another sentence or line at the end that is this short says nothing, and is left out.
_SHORT_REST = 40
# A part all of words is worth as much as one whose marks are this many characters closer together.
_PROSE_WORTH = 300
# Amounts, shares and counts, which years and days are not.
_FIGURE = re.compile(
    r"[$\u20ac\u00a3] ?\d|\d ?%|\d,\d{3}|\d\.\d"
    r"|\d (?:thousand|million|billion|percent|cents|shares)\b"
)
# The worth of a part for each of its first figures, if a question asks for a number, and if not.
_FIGURE_WORTH, _FIGURE_AS_WELL, _MOST_FIGURES = 100, 50, 3
# The number of parts compared that show equally many leaves.
_MOST_PARTS = 12
# The worth of each of the first marks that a part shows, in characters.
_REPEATED_WORTH, _MOST_REPEATED = 15, 3

_SENTENCE_END = re.compile(r"[.!?][\"'\u201d\u2019)]* (?=[A-Z\d\"\u201c(])")
_NO_SENTENCE_END = frozenset("co corp dr inc jr ltd messrs mr mrs ms no nos st vs".split())
_LAST_WORD = re.compile(r"[^\W_]*\Z")
_LONGEST_ABBREVIATION = max(map(len, _NO_SENTENCE_END))
# Between two sentences: a full stop, some quotes and brackets, a blank.
_LONGEST_END = 6
# The separators of lines and cells, with surrounding blanks.
_EDGES = BREAK + CELL


class Wanted(NamedTuple):
    """The worth of a part all of words, and of each figure in a part."""

    prose: int
    figure: int

    @property
    def most(self) -> int:
        """The most that a part is worth by its text."""
        return self.prose + self.figure * _MOST_FIGURES


BY_WORDS = Wanted(_PROSE_WORTH, 0)
BY_QUESTION = Wanted(_PROSE_WORTH, _FIGURE_AS_WELL)
BY_NUMBER = Wanted(0, _FIGURE_WORTH)


class MarkedText:
    """A folded text with at least one mark."""

    def __init__(
        self, text: str, lines: Sequence[int], spans: Sequence[Span], wanted: Wanted = BY_WORDS
    ) -> None:
        self._text, self._lines, self._spans, self._wanted = text, lines, spans, wanted

    def best_part(self, leaves: Sequence[frozenset[object]]) -> Span:
        cores = best_cores(self._spans, leaves)
        if not cores:
            # The beginning of a phrase too long to be shown whole.
            start = self._spans[0].start
            return self.part(Span(start, start))
        return self.part(cores[0] if len(cores) == 1 else self.best(cores))

    def best(self, cores: Iterable[Span]) -> Span:
        """Return the most valuable core with its surroundings, the first of equals."""
        best, most = Span(0, 0), -inf
        spans, wanted = self._spans, self._wanted
        for core, start in islice(self._apart(cores), _MOST_PARTS):
            end = start + MAX_LENGTH
            first = bisect_left(spans, (start,))
            # Only as many marks as count are looked for.
            last = min(len(spans), first + _MOST_REPEATED)
            marks = bisect_left(spans, (end,), first, last) - first
            value: float = _REPEATED_WORTH * marks - (core.end - core.start)
            # A part that cannot win is not read.
            if value + wanted.most > most:
                value += self._worth(start, end)
                if value > most:
                    best, most = core, value
        return best

    def _worth(self, start: int, end: int) -> float:
        """Value a part by its prose and by its figures, as they are wanted."""
        value, wanted = 0.0, self._wanted
        if wanted.prose:
            value = wanted.prose * prose(self._text[start:end])
        if wanted.figure:
            figures = islice(_FIGURE.finditer(self._text, start, end), _MOST_FIGURES)
            value += wanted.figure * sum(1 for _ in figures)
        return value

    def _apart(self, cores: Iterable[Span]) -> Iterator[tuple[Span, int]]:
        """Yield the cores that no other core's part shows well, each with the start of its part."""
        end = size = 0
        for core in cores:
            if core.end > end - MAX_LENGTH // 3 or core.end - core.start < size:
                start = self._middle(core)
                end, size = start + MAX_LENGTH, core.end - core.start
                yield core, start

    def _middle(self, core: Span) -> int:
        """Return where a part begins that shows equally much on both sides, within the text."""
        before = int(_spare(core) * _ROOM_BEFORE)
        return max(0, min(core.start - before, len(self._text) - MAX_LENGTH))

    def part(self, core: Span) -> Span:
        """The core with as much as fits, from the beginning of a sentence or line near by."""
        length = len(self._text)
        earliest = core.start - int(_spare(core) * _MOST_BEFORE)
        start = self._begin(self._middle(core), core.start, earliest)
        start = after_page_lines(self._text, start, core.start)
        end = min(length, start + MAX_LENGTH)
        if end < length:
            end = self._without_rest(end, core.end)
        return at_blanks(self._text, Span(start, end), core)

    def _begin(self, middle: int, latest: int, earliest: int) -> int:
        """Return where a part begins: near `middle`, or back to `earliest` for a sentence."""
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
        """Return where the last sentence or line before `end` ends, if little follows it."""
        after = max(least, end - _SHORT_REST - 1)
        line = self._lines[bisect_right(self._lines, end) - 1]
        last = max([line, *_sentences(self._text, after + 1, end)])
        return last if last > after else end


def _spare(core: Span) -> int:
    """Return how many characters fit beside a core; an empty core begins a long phrase."""
    return MAX_LENGTH - (core.end - core.start) if core.end > core.start else 0


def best_cores(spans: Sequence[Span], leaves: Sequence[frozenset[object]]) -> list[Span]:
    """Return the span from the first to the last mark of each part with the most different leaves.

    For each mark it considers the part that ends with it, of MAX_LENGTH characters. One pass,
    because a passage may have hundreds of marks.
    """
    if leaves and leaves.count(leaves[0]) == len(leaves):
        # In nearly half of all passages each mark by itself shows all leaves.
        return [span for span in spans if span.end - span.start <= MAX_LENGTH]
    counts: dict[object, int] = {}
    first = different = most = 0
    cores: list[Span] = []
    for last, (_, end) in enumerate(spans):
        for leaf in leaves[last]:
            count = counts.get(leaf, 0)
            different += not count
            counts[leaf] = count + 1
        while first < last:
            # A mark is dropped if later ones show its leaves again, or if it is too far away.
            if end - spans[first][0] <= MAX_LENGTH and 1 in [
                counts[leaf] for leaf in leaves[first]
            ]:
                break
            for leaf in leaves[first]:
                counts[leaf] -= 1
                different -= not counts[leaf]
            first += 1
        if different >= most and end - spans[first][0] <= MAX_LENGTH:
            if different > most:
                most = different
                cores.clear()
            cores.append(Span(spans[first][0], end))
    return cores


def _sentences(text: str, start: int, end: int) -> Iterator[int]:
    """Yield where sentences begin, from `start` to `end`."""
    for match in _SENTENCE_END.finditer(text, max(0, start - _LONGEST_END), end + 1):
        stop = match.start()
        word = _LAST_WORD.search(text, max(0, stop - _LONGEST_ABBREVIATION - 1), stop)
        # After a single letter a full stop is an abbreviation's.
        if match.end() >= start and word and len(word[0]) != 1:
            if word[0].lower() not in _NO_SENTENCE_END:
                yield match.end()


def at_blanks(text: str, span: Span, core: Span) -> Span:
    """Shrink the span to whole words, without blanks at its ends.

    The core stays whole.
    """
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
