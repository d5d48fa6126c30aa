"""The part of a marked passage that a hit shows."""

import html
import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from edgar_search.search.folding import BREAK, CELL, fold
from edgar_search.search.marks import Shown, Span, own_leaf, unmark, with_ends

# Around marked text in a reply: noncharacters, which no text in Unicode holds.
MARK_START, MARK_END = "\ufdd0", "\ufdd1"
# Characters of text, without marks and ellipses at its ends.
MAX_LENGTH = 300
ELLIPSIS = "..."
# A part goes back to the beginning of a sentence or line so far before what it has to show, in
# shares of what else fits: to the first such beginning, or else to the last within the second.
_ROOM_BEFORE, _MOST_BEFORE = 0.5, 0.85
# So little of another sentence or line at the end says nothing, and is left out.
_SHORT_REST = 40
# A part all of words is as good as one whose marks are so many characters closer together.
_PROSE_WORTH = 300
_SEPARATOR_COST = -0.5
# So many parts that show equally many leaves are compared.
_MOST_PARTS = 12
# And each mark that it shows, up to some, as so many characters.
_REPEATED_WORTH, _MOST_REPEATED = 15, 3

_SENTENCE_END = re.compile(r"[.!?][\"'\u201d\u2019)]* (?=[A-Z\d\"\u201c(])")
_NO_SENTENCE_END = frozenset("co corp dr inc jr ltd messrs mr mrs ms no nos st vs".split())
_LAST_WORD = re.compile(r"[^\W_]*\Z")
_LONGEST_ABBREVIATION = max(map(len, _NO_SENTENCE_END))
# What stands between lines and cells, and the blanks around.
_EDGES = BREAK + CELL


def snippet(
    marked: str,
    start_mark: str,
    end_mark: str,
    *,
    begins: bool,
    ends: bool,
    leaves: Shown = own_leaf,
) -> str:
    """The best part of a passage as HTML: escaped text, with `<mark>` as the only markup.

    `begins` and `ends` say that the passage begins or ends its document's text; elsewhere an
    ellipsis says that text was left out. White space and rulers are folded (`folding.fold`). The
    part with the most different leaves wins, of those the one that shows them closest together or
    in prose, and the first of equals; it is cut at white space.
    """
    text, spans = _folded(*unmark(marked, start_mark, end_mark))
    if spans:
        part = _Passage(text, spans).best_part([leaves(text[start:end]) for start, end in spans])
    else:
        part = _at_blanks(text, Span(0, MAX_LENGTH), Span(0, 0))
    return _rendered(text, part, spans, begins, ends)


def _folded(text: str, spans: Sequence[Span]) -> tuple[str, list[Span]]:
    folded = fold(text)
    starts = folded.places(start for start, _ in spans)
    ends = folded.places(end for _, end in spans)
    return folded.text, [with_ends(folded.text, span) for span in map(Span, starts, ends)]


class _Passage:
    """A folded text with at least one mark."""

    def __init__(self, text: str, spans: Sequence[Span]) -> None:
        self._text, self._spans = text, spans
        self._lines = [0, *(found.end() for found in re.finditer(re.escape(BREAK), text))]
        self._begins = sorted({*self._lines, *_sentences(text)})

    def best_part(self, leaves: Sequence[frozenset[object]]) -> Span:
        cores = list(_cores(self._spans, leaves))
        most = max((different for different, _ in cores), default=0)
        if not cores:
            # A phrase too long to be shown whole: its beginning.
            start = self._spans[0].start
            return self._part(Span(start, start))
        best = (core for different, core in cores if different == most)
        parts = list(islice(self._parts(best), _MOST_PARTS))
        return parts[0][0] if len(parts) == 1 else max(parts, key=self._value)[0]

    def _parts(self, cores: Iterable[Span]) -> Iterator[tuple[Span, Span]]:
        """The parts that show these cores, but not of one that another part shows in its middle."""
        part, size = Span(0, 0), 0
        for core in cores:
            if core.end > part.end - MAX_LENGTH // 3 or core.end - core.start < size:
                part, size = self._part(core), core.end - core.start
                yield part, core

    def _value(self, shown: tuple[Span, Span]) -> float:
        """How well a part shows its core, in characters."""
        part, core = shown
        words = self._text[part.start : part.end].split()
        prose = sum([word[0].isalpha() or _SEPARATOR_COST * (word in _EDGES) for word in words])
        marks = bisect_right(self._spans, (part.end,)) - bisect_left(self._spans, (part.start,))
        return (
            _PROSE_WORTH * prose / max(1, len(words))
            + _REPEATED_WORTH * min(marks, _MOST_REPEATED)
            - (core.end - core.start)
        )

    def _part(self, core: Span) -> Span:
        """The core with what else fits, from the beginning of a sentence or line if one is near."""
        length = len(self._text)
        spare = MAX_LENGTH - (core.end - core.start) if core.end > core.start else 0
        # The same on both sides, but at the ends of the text.
        middle = max(0, min(core.start - int(spare * _ROOM_BEFORE), length - MAX_LENGTH))
        start = self._begin(middle, core.start, core.start - int(spare * _MOST_BEFORE))
        end = min(length, start + MAX_LENGTH)
        last = self._begins[bisect_right(self._begins, end) - 1]
        if end < length and end - last <= _SHORT_REST and last > core.end:
            end = last
        return _at_blanks(self._text, Span(start, end), core)

    def _begin(self, middle: int, latest: int, earliest: int) -> int:
        """Where a part begins that goes back to `middle`, or to `earliest` for a sentence."""
        for begins in (self._lines, self._begins):
            place = bisect_left(begins, middle)
            if place < len(begins) and begins[place] <= latest:
                return begins[place]
        place = bisect_right(self._begins, latest) - 1
        return self._begins[place] if self._begins[place] >= earliest else middle


def _cores(
    spans: Sequence[Span], leaves: Sequence[frozenset[object]]
) -> Iterator[tuple[int, Span]]:
    """How many different leaves are shown, from the first to the last mark that it takes.

    For each mark the part that ends with it. One pass, as a passage may have hundreds of marks.
    """
    shown: defaultdict[object, int] = defaultdict(int)
    first = different = 0
    for last, span in enumerate(spans):
        for leaf in leaves[last]:
            different += not shown[leaf]
            shown[leaf] += 1
        # What later marks show again is not needed, and what is too far away cannot be shown.
        while first < last and (
            span.end - spans[first].start > MAX_LENGTH
            or min([shown[leaf] for leaf in leaves[first]], default=2) > 1
        ):
            for leaf in leaves[first]:
                shown[leaf] -= 1
                different -= not shown[leaf]
            first += 1
        if span.end - spans[first].start <= MAX_LENGTH:
            yield different, Span(spans[first].start, span.end)


def _sentences(text: str) -> Iterator[int]:
    """Where sentences begin."""
    for end in _SENTENCE_END.finditer(text):
        before = text[max(0, end.start() - _LONGEST_ABBREVIATION - 1) : end.start()]
        word = _LAST_WORD.search(before)
        # After a single letter a full stop is an abbreviation's.
        if word and len(word[0]) != 1 and word[0].lower() not in _NO_SENTENCE_END:
            yield end.end()


def _at_blanks(text: str, span: Span, core: Span) -> Span:
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


def _rendered(text: str, part: Span, spans: list[Span], begins: bool, ends: bool) -> str:
    pieces = ["" if begins and not text[: part.start].strip() else ELLIPSIS]
    place = part.start
    for span in _shown(spans, part):
        start, end = max(span.start, place), min(span.end, part.end)
        pieces += (_escaped(text[place:start]), f"<mark>{_escaped(text[start:end])}</mark>")
        place = end
    pieces.append(_escaped(text[place : part.end]))
    pieces.append("" if ends and not text[part.end :].strip() else ELLIPSIS)
    return "".join(pieces)


def _shown(spans: list[Span], part: Span) -> list[Span]:
    """The marks that the part shows whole; where there is none, the one that it shows most of."""
    whole = [span for span in spans if span.start >= part.start and span.end <= part.end]
    return whole or [span for span in spans if span.start < part.end and span.end > part.start]


def _escaped(text: str) -> str:
    return html.escape(text, quote=False)
