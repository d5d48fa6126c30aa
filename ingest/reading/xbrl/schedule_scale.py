"""The scale of a schedule without a multiplier, from the words of its filing.

Its figures are in the filing's statements too, below words such as "(in thousands)", or with three
digits more where the schedule leaves them out.
"""

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from heapq import merge

from edgar_search.text.words import lower

DOUBT = (
    "the schedule gives no multiplier, and the filing's words do not show the scale of its amounts"
)
OTHER_SCALE = (
    "the schedule multiplies its amounts by {multiplier:,}, and the filing's words by {scale:,}"
)
_AMOUNT = re.compile(r"(?<![0-9.,])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9]|[.,][0-9])")
_UNIT = re.compile(
    r"\b(?:in|of)\s{1,9}(thousands|millions)\b|\b(thousands|millions)\s{1,9}of\s{1,9}(?:u\.?s\.?\s{1,9})?"
    r"dollars|(?<![0-9.,])0{3}(?:'?s\b|\s{1,9}omitted)",
    re.IGNORECASE,
)
_UNIT_WORDS = ("thousands", "millions", "000")
# The most characters of a unit before such a word, and after it.
_BEFORE, _BEHIND = 12, 40
_SCALES = (1, 1_000, 1_000_000)
# Characters from a statement's words on its unit to its last figure.
_FARTHEST = 8_000
# An amount with this many digits is whole, unless a unit near it says otherwise.
_WHOLE = 1_000_000
# How many figures must agree, how many times as many as for another scale, and how many are read.
_FEWEST, _TIMES, _MOST_FIGURES = 2, 3, 60


def words_scale(text: str) -> int | None:
    """Return the one scale that a text names: 1,000 for "in thousands"; None for none or two."""
    scales = {scale for _, scale in _units(text)}
    return scales.pop() if len(scales) == 1 else None


def scale_by_words(
    figures: Iterable[Decimal], texts: Iterable[str], expected: Decimal | None = None
) -> int | None:
    """Return the scale of figures by comparing them with texts; None if it is not certain.

    No further text is read once the scale is the `expected` one.
    """
    figures_shown: dict[str, list[tuple[Decimal, int]]] = {}
    for figure in sorted(
        {abs(amount) for amount in figures if amount == amount.to_integral_value()}
    )[-_MOST_FIGURES:]:
        for scale in _SCALES:
            if figure % scale == 0 and figure >= 1_000 * scale:
                figures_shown.setdefault(f"{int(figure) // scale:,}", []).append((figure, scale))
    votes: dict[Decimal, Counter[int]] = {}
    agreed: int | None = None
    for text in texts:
        units: list[tuple[int, int]] | None = None
        for written, figures_so in figures_shown.items():
            for at in _amounts(text, written):
                if units is None:  # most texts contain none of the figures
                    units = list(_units(text))
                    places = [place for place, _ in units]
                for figure, left_out in figures_so:
                    unit = _unit_at(at, places, units)
                    if unit is None and left_out == 1 and figure >= _WHOLE:
                        unit = 1
                    if unit and unit % left_out == 0:
                        votes.setdefault(figure, Counter())[unit // left_out] += 1
        most = [amount.most_common(2) for amount in votes.values()]
        clear = [first for (first, count), *rest in most if not rest or count > rest[0][1]]
        agreed = _agreed(clear, len(figures_shown))
        if agreed is not None and agreed == expected:
            break
    return agreed


def _amounts(text: str, written: str) -> Iterator[int]:
    """Yield the positions of this amount in a text, except inside another one."""
    at = text.find(written)
    while at >= 0:
        amount = _AMOUNT.match(text, at)
        if amount is not None and amount[0] == written:
            yield at
        at = text.find(written, at + len(written))


def _units(text: str) -> Iterator[tuple[int, int]]:
    """Yield the positions of words that name a unit, with their scales."""
    end = 0
    lowered = lower(text)
    # The whole pattern is tried only around these words: at every character it is slow.
    for start, word in merge(*(_places(lowered, word) for word in _UNIT_WORDS)):
        # Most zeros are digits of a longer number.
        if start < end or (word == "000" and start and text[start - 1] in "0123456789.,"):
            continue
        unit = _UNIT.search(text, max(end, start - _BEFORE), start + len(word) + _BEHIND)
        if unit is not None and unit.start() <= start:
            end = unit.end()
            unit_word = unit[1] or unit[2] or ""
            yield unit.start(), 1_000_000 if unit_word.lower() == "millions" else 1_000


def _places(text: str, word: str) -> Iterator[tuple[int, str]]:
    at = text.find(word)
    while at >= 0:
        yield at, word
        at = text.find(word, at + 1)


def _unit_at(place: int, places: Sequence[int], units: Sequence[tuple[int, int]]) -> int | None:
    """Return the scale named above a position; 1 if the text names none, None if unknown."""
    if not units:
        return 1
    above = bisect_right(places, place) - 1
    return units[above][1] if above >= 0 and place - places[above] <= _FARTHEST else None


def _agreed(scales: Sequence[int], figures: int) -> int | None:
    if not scales:
        return None
    (best, count), *others = Counter(scales).most_common()
    least = min(_FEWEST, figures)
    return best if count >= least and count >= _TIMES * sum(n for _, n in others) else None
