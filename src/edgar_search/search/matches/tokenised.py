"""Matches in a text, by all of its tokens: right for everything, at about 3 million characters
a second.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import translate

from edgar_search.search.marks import Span
from edgar_search.search.matches.wanted import Wanted
from edgar_search.search.matches.windows import smallest_windows
from edgar_search.text.rules import lower, token_spans


class Tokenised:
    """What is looked for, ready to be looked for in many texts."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._patterns = compiled(wanted.patterns)
        words = (word for each in wanted.all_phrases for word in each)
        self._of_phrases = frozenset(words)
        # Whether a token is one that is wanted; of those with wildcards as they are met.
        self._known: dict[str, bool] = {}

    def spans(self, text: str) -> set[Span]:
        """Where the text, in the form that is indexed, matches."""
        lowered = lower(text)
        places = list(token_spans(text))
        words = [lowered[start:end] for start, end in places]
        found = {Span(*place) for place, word in zip(places, words, strict=True) if self._is(word)}
        if self._of_phrases:
            positions = self._positions(words)
            windows = [*self._exact(words, positions), *self._loose(positions)]
            found.update(Span(places[first][0], places[last][1]) for first, last in windows)
        return found

    def _is(self, word: str) -> bool:
        if not self._patterns:
            return word in self._wanted.words
        known = self._known.get(word)
        if known is None:
            known = word in self._wanted.words or any(one.match(word) for one in self._patterns)
            if len(self._known) > _MOST_KNOWN:
                self._known.clear()
            self._known[word] = known
        return known

    def _positions(self, words: Sequence[str]) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {word: [] for word in self._of_phrases}
        for position, word in enumerate(words):
            if word in found:
                found[word].append(position)
        return found

    def _exact(
        self, words: Sequence[str], positions: dict[str, list[int]]
    ) -> Iterator[tuple[int, int]]:
        for phrase in self._wanted.phrases:
            wanted, length = list(phrase), len(phrase)
            for first in positions[phrase[0]]:
                if words[first : first + length] == wanted:
                    yield first, first + length - 1

    def _loose(self, positions: dict[str, list[int]]) -> Iterator[tuple[int, int]]:
        for phrase in self._wanted.loose:
            yield from smallest_windows(phrase, [positions[word] for word in phrase.tokens])


_MOST_KNOWN = 100_000


def compiled(patterns: Iterable[str]) -> list[re.Pattern[str]]:
    """What matches the tokens that each pattern stands for."""
    return [re.compile(translate(pattern)) for pattern in patterns]
