"""Where a loose phrase matches: its smallest windows, by positions of tokens.

A loose phrase matches where its tokens stand at different positions p_0, p_1 ... of which the
largest p_i - i is at most its slop above the smallest: what Lucene's sloppy phrases match.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TypeAlias

from edgar_search.search.matches.wanted import LoosePhrase

Positions: TypeAlias = Sequence[int]


def smallest_windows(phrase: LoosePhrase, places: Sequence[Positions]) -> list[tuple[int, int]]:
    """The first and the last position of each match that has no smaller one in it, in order.

    `places` has for each token of the phrase the positions where it stands, rising.
    """
    if not all(places):
        return []
    alike = _alike(phrase.tokens)
    if len(places) == len(alike) == 2:
        return _of_two(places[0], places[1], phrase.slop)
    windows = {
        window
        for low in _lows(places, phrase.slop)
        if (rows := _rows(places, low, phrase.slop))
        for window in _windows(rows, alike)
    }
    return _smallest(windows)


def _of_two(first: Positions, second: Positions, slop: int) -> list[tuple[int, int]]:
    """Of two words, which most loose phrases have, those beside each other: no other is between."""
    merged = sorted([*((place, 0) for place in first), *((place, 1) for place in second)])
    return [
        (place, other)
        for (place, word), (other, other_word) in pairwise(merged)
        # In order they may have so many others between them, and the other way around two fewer.
        if word != other_word and other - place - 1 <= (slop - 2 if word else slop)
    ]


def _alike(words: Sequence[str]) -> list[list[int]]:
    """The numbers of the tokens, those of one word together."""
    numbers: dict[str, list[int]] = {}
    for number, word in enumerate(words):
        numbers.setdefault(word, []).append(number)
    return list(numbers.values())


def _lows(places: Sequence[Positions], slop: int) -> set[int]:
    """What the smallest p_i - i of a match may be: those near the places of the rarest token."""
    number = min(range(len(places)), key=lambda number: len(places[number]))
    lows: set[int] = set()
    for position in places[number]:
        high = position - number
        for other, positions in enumerate(places):
            begin = bisect_left(positions, high - slop + other)
            end = bisect_right(positions, high + other, begin)
            lows.update(position - other for position in positions[begin:end])
    return lows


def _rows(places: Sequence[Positions], low: int, slop: int) -> list[Positions]:
    """Of each token the positions for which `low` <= p_i - i <= `low` + `slop`; none if one has
    none.
    """
    rows = []
    for number, positions in enumerate(places):
        begin = bisect_left(positions, low + number)
        end = bisect_right(positions, low + number + slop, begin)
        if begin == end:
            return []
        rows.append(positions[begin:end])
    return rows


def _windows(
    rows: Sequence[Positions], alike: Sequence[Sequence[int]]
) -> Iterator[tuple[int, int]]:
    """For each last position the latest first one with which there is a match."""
    points = sorted({position for row in rows for position in row})
    first = 0
    for last in points:
        if not _fits(rows, alike, points[first], last):
            continue
        while points[first] < last and _fits(rows, alike, points[first + 1], last):
            first += 1
        yield points[first], last
        first += 1
        if first == len(points):
            return


def _fits(rows: Sequence[Positions], alike: Sequence[Sequence[int]], first: int, last: int) -> bool:
    """Whether each token has a position of its own from `first` to `last`."""
    for numbers in alike:
        # Rows of one word begin and end later with each number, so the first free one is right.
        least = first
        for number in numbers:
            row = rows[number]
            place = bisect_left(row, least)
            if place == len(row) or row[place] > last:
                return False
            least = row[place] + 1
    return True


def _smallest(windows: set[tuple[int, int]]) -> list[tuple[int, int]]:
    kept: list[tuple[int, int]] = []
    for first, last in sorted(windows, key=lambda window: (-window[0], window[1])):
        if not kept or last < kept[-1][1]:
            kept.append((first, last))
    return kept[::-1]
