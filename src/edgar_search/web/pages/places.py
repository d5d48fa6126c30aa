"""Where all matches of a text are, in as little memory as numbers take."""

from array import array
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from edgar_search.search.language import Node
from edgar_search.search.matches.document import Match

# About 16 MB; of one text and query half of it at most.
_MOST_REMEMBERED, _MOST_OF_ONE = 500_000, 250_000
# Also where there are few matches, or none.
_MOST_TEXTS = 1_000


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


class Question(NamedTuple):
    """A query in a text, by all that decides where it matches."""

    document_id: str
    sha256: str
    version: int
    query: Node


class RememberedPlaces:
    """Places of the questions asked lately, so that who reads on does not look for them again."""

    def __init__(self) -> None:
        self._known: OrderedDict[Question, Places] = OrderedDict()
        self._matches = 0

    def get(self, question: Question) -> Places | None:
        """Where the query matches; None where that is not known."""
        if question not in self._known:
            return None
        self._known.move_to_end(question)
        return self._known[question]

    def keep(self, question: Question, places: Places) -> None:
        """Remember the places, all of them, unless they are very many."""
        if len(places) > _MOST_OF_ONE or question in self._known:
            return
        self._known[question] = places
        self._matches += len(places)
        while self._matches > _MOST_REMEMBERED or len(self._known) > _MOST_TEXTS:
            _, oldest = self._known.popitem(last=False)
            self._matches -= len(oldest)
