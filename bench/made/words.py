"""Frequencies of the words of a corpus, the growth of its vocabulary, and new words like them."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from random import Random

from msgspec import Struct

# A word is rare up to this number of occurrences: names, places, products and misspellings.
RARE = 3
# Words are counted between these ranks: the first ones and the rare ones lie on other lines.
_RANKS = (10, 10_000)
# Sizes at which the vocabulary is measured, as shares of the whole, evenly on a scale of powers.
_SIZES = [2.0**-power for power in range(10, -1, -1)]
_WORD = re.compile("[a-z]{2,}")
_LEAST, _MOST = 4, 12  # letters of a new word


class Heaps(Struct):
    """The law of a vocabulary: `factor` times words to the power `exponent` are different."""

    factor: float
    exponent: float

    def vocabulary(self, words: int) -> float:
        """Return how many different words that many words have."""
        return float(self.factor * words**self.exponent) if words else 0.0

    def new(self, before: int, words: int) -> float:
        """Return how many words are new in a text of WORDS words behind BEFORE others."""
        return self.vocabulary(before + words) - self.vocabulary(before)


class Words:
    """The words of a corpus, in lower case, in order of occurrence.

    Texts are added one by one; `heaps` and `zipf` are fitted to what was added.
    """

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.total = 0
        self._sizes: list[tuple[int, int]] = []

    def add(self, text: str) -> None:
        """Count the words of a text."""
        words = _WORD.findall(text.lower())
        self.counts.update(words)
        self.total += len(words)
        self._sizes.append((self.total, len(self.counts)))

    def heaps(self) -> Heaps:
        """Fit Heaps' law by least squares of logarithms."""
        points = [self._nearest(self.total * share) for share in _SIZES]
        slope, start = _line([(math.log(n), math.log(v)) for n, v in points])
        return Heaps(math.exp(start), slope)

    def zipf(self) -> float:
        """Return the exponent by which the frequency of a word falls with its rank."""
        first, last = _RANKS
        frequencies = [count for _, count in self.counts.most_common(last)][first - 1 :]
        ranked = enumerate(frequencies, first)
        slope, _ = _line([(math.log(rank), math.log(count)) for rank, count in ranked])
        return -slope

    def _nearest(self, size: float) -> tuple[int, int]:
        return min(self._sizes, key=lambda point: abs(math.log(point[0] / size)))


class Coiner:
    """Makes words that look like the rare words of a corpus: each letter by the two before it."""

    def __init__(self, rare: Iterable[str]) -> None:
        self._next: dict[str, str] = {}
        following: dict[str, list[str]] = {}
        for word in sorted(rare):
            for before, letter in zip(_pairs(word), word + ".", strict=True):
                following.setdefault(before, []).append(letter)
        self._next = {before: "".join(letters) for before, letters in following.items()}

    def coin(self, chance: Random) -> str:
        """Return a word of 4 to 12 letters."""
        word = ""
        while len(word) < _MOST:
            before = f"  {word}"[-2:]
            letter = chance.choice(self._next.get(before, "."))
            if letter != ".":
                word += letter
            elif len(word) >= _LEAST:
                break
            else:
                word = ""
        return word


def _pairs(word: str) -> list[str]:
    padded = f"  {word}"
    return [padded[at : at + 2] for at in range(len(word) + 1)]


def _line(points: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return slope and start of the line nearest to points."""
    mean_x = sum(x for x, _ in points) / len(points)
    mean_y = sum(y for _, y in points) / len(points)
    below = sum((x - mean_x) ** 2 for x, _ in points)
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / below
    return slope, mean_y - slope * mean_x
