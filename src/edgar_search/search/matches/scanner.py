"""Matches in a text that is read piece by piece, with gaps where nothing can match."""

from collections.abc import Callable
from itertools import islice

from edgar_search.search.marks import Span
from edgar_search.search.matches.quick import NotQuick, Quick
from edgar_search.search.matches.tokenised import Tokenised
from edgar_search.search.matches.wanted import Wanted
from edgar_search.text.rules import token_spans

# What is looked at first for a token at the end of a text: a long word and what is around it.
_CHARS_OF_A_TOKEN = 16


class Scanner:
    """Gives the matches in order of their start, then their end, as soon as they are sure.

    Matches are places in the whole text, in code points.
    """

    def __init__(self, wanted: Wanted) -> None:
        self._reach = wanted.reach
        self._spans = finder(wanted)
        self._carried = ""
        self._end = 0
        self._waiting: set[Span] = set()

    def feed(self, start: int, text: str) -> list[Span]:
        """The next piece of the text, which begins at `start`, and begins and ends between tokens.

        What is left out between two pieces must be so far from any match that none reaches there.
        """
        settled = [] if start == self._end else self.finish()
        whole = self._carried + text
        base = start - len(self._carried)
        new = len(self._carried)
        self._waiting.update(
            Span(base + first, base + after) for first, after in self._spans(whole) if after > new
        )
        # Where the piece has enough, even if that is all one word, nothing older is kept.
        last = text if token_count(text, self._reach) == self._reach else whole
        self._carried, self._end = tail(last, self._reach), start + len(text)
        # What is still to come begins in what is carried at the earliest.
        return settled + self._before(self._end - len(self._carried))

    def finish(self) -> list[Span]:
        """What was still waiting, where the text ends or is not read on."""
        settled = sorted(self._waiting)
        self._carried, self._waiting = "", set()
        return settled

    def _before(self, place: int) -> list[Span]:
        settled = sorted(span for span in self._waiting if span.start < place)
        self._waiting.difference_update(settled)
        return settled


def finder(wanted: Wanted) -> Callable[[str], set[Span]]:
    """What says where a text has what is wanted."""
    whole = Tokenised(wanted)
    if not Quick.serves(wanted):
        return whole.spans
    quick = Quick(wanted)

    def spans(text: str) -> set[Span]:
        try:
            return quick.spans(text)
        except NotQuick:
            return whole.spans(text)

    return spans


def tail(text: str, count: int) -> str:
    """An end of the text that begins between tokens and has so many of them, or all of it."""
    size = count * _CHARS_OF_A_TOKEN
    while count and size < len(text):
        begin = _white_space_before(text, len(text) - size)
        if token_count(text[begin:], count) == count:
            return text[begin:]
        size = 2 * (len(text) - begin)
    return text if count else ""


def token_count(text: str, most: int) -> int:
    """How many tokens a text has; beyond `most` they are not counted."""
    return sum(1 for _ in islice(token_spans(text), most))


def _white_space_before(text: str, place: int) -> int:
    return max(text.rfind(blank, 0, place) for blank in " \t\n") + 1
