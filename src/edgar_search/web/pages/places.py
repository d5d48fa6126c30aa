"""Where all matches of a text are, in as little memory as numbers take."""

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator

from edgar_search.search.matches.document import Match


class Places:
    """Matches in the order of their starts, counted from 1."""

    def __init__(self) -> None:
        self._fields = tuple(array("q") for _ in Match._fields)
        self._longest = 0

    def __len__(self) -> int:
        return len(self._fields[0])

    def add(self, matches: Iterable[Match]) -> None:
        """Take the next ones."""
        for match in matches:
            for kept, value in zip(self._fields, match, strict=True):
                kept.append(value)
            self._longest = max(self._longest, match.end - match.start)

    def match(self, number: int) -> Match:
        """The match of this number."""
        return Match(*(kept[number - 1] for kept in self._fields))

    def near(self, place: int) -> int:
        """The number of the first match that begins at a place or later, else of the last."""
        return min(bisect_left(self._fields[0], place) + 1, len(self))

    def beginning_in(self, start: int, end: int) -> int:
        """How many begin between two places."""
        starts = self._fields[0]
        return bisect_left(starts, end) - bisect_left(starts, start)

    def touching(self, start: int, end: int) -> Iterator[tuple[int, Match]]:
        """Those of which something is between two places, with their numbers."""
        starts = self._fields[0]
        for place in range(bisect_left(starts, start - self._longest), bisect_left(starts, end)):
            match = self.match(place + 1)
            if match.end > start:
                yield place + 1, match
