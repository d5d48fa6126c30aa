"""Matches in a text of which few parts need to be split into tokens: those that could match.

White space ends every token, so a part between white space has the tokens that it has in the whole
text.
"""

import re
from collections.abc import Iterator

from edgar_search.search.marks import Span
from edgar_search.search.matches.tokenised import Tokenised
from edgar_search.search.matches.wanted import Tokens, Wanted
from edgar_search.text.rules import lower

# Beyond, to look for each by itself takes longer than to split the whole text.
_MOST_WORDS, _MOST_PHRASES = 20, 8
# So much without white space, or between two words, is no prose, and may be much of the text.
_LONGEST_PART = 1_000
_LONGEST_KNOWN, _MOST_KNOWN = 40, 100_000
# Between tokens that follow each other there is no letter and no digit of ASCII's.
_BETWEEN, _FIRST = "[^0-9a-z]*+", re.compile("[0-9a-z]")
_BEFORE_WILDCARD = re.compile(r"[*?].*", re.DOTALL)


class NotQuick(Exception):
    """Parts of a text that could match are long; it has to be split as a whole."""


class Quick:
    """What is looked for, ready to be looked for in many texts."""

    def __init__(self, wanted: Wanted) -> None:
        self._tokenised = Tokenised(wanted)
        beginnings = {_BEFORE_WILDCARD.sub("", each) for each in (*wanted.words, *wanted.patterns)}
        self._words = re.compile("|".join(map(re.escape, beginnings))) if beginnings else None
        self._phrases = list(map(_phrase, wanted.phrases))
        # What short parts have, since most of them stand in a text many times.
        self._known: dict[str, set[Span]] = {}

    @staticmethod
    def serves(wanted: Wanted) -> bool:
        """Whether this is how these are found."""
        return (
            not wanted.loose
            and len(wanted.words) + len(wanted.patterns) <= _MOST_WORDS
            and len(wanted.phrases) <= _MOST_PHRASES
            and all(_FIRST.match(word) for phrase in wanted.phrases for word in phrase)
        )

    def spans(self, text: str) -> set[Span]:
        """Where the text, in the form that is indexed, matches; raises NotQuick."""
        flat = lower(text).replace("\t", " ").replace("\n", " ")
        found: set[Span] = set()
        for begin, end in self._parts(flat):
            for start, after in self._in_part(text[begin:end]):
                found.add(Span(begin + start, begin + after))
        return found

    def _parts(self, flat: str) -> Iterator[Span]:
        """The parts that could match, each up to white space on both sides."""
        at = 0
        while self._words is not None and (match := self._words.search(flat, at)) is not None:
            part = _part(flat, match, at)
            yield part
            at = part.end
        for phrase in self._phrases:
            at = 0
            while (match := phrase.search(flat, at)) is not None:
                part = _part(flat, match, 0)
                if part.end - part.start > _LONGEST_PART:
                    raise NotQuick
                yield part
                at = match.start() + 1

    def _in_part(self, part: str) -> set[Span]:
        if len(part) > _LONGEST_KNOWN:
            return self._tokenised.spans(part)
        known = self._known.get(part)
        if known is None:
            if len(self._known) > _MOST_KNOWN:
                self._known.clear()
            known = self._known[part] = self._tokenised.spans(part)
        return known


def _phrase(words: Tokens) -> re.Pattern[str]:
    """What matches wherever the phrase does, and in other places."""
    return re.compile(_BETWEEN.join(map(re.escape, words)))


def _part(flat: str, match: re.Match[str], earliest: int) -> Span:
    end = flat.find(" ", match.end())
    start = flat.rfind(" ", earliest, match.start()) + 1
    return Span(max(start, earliest), end if end >= 0 else len(flat))
