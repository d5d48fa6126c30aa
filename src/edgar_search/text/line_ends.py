"""Rejoins words of plain text that are hyphenated at line ends."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property

from edgar_search.text.inflections import inflections

# The first half may contain hyphens, as in "state-of-the-", and punctuation may follow the second.
_CUT = re.compile(
    r"(?<![A-Za-z0-9'&/-])((?:[A-Za-z]{1,30}-){1,4})[ \t]*\n[ \t]*+([A-Za-z]{2,}\S*)[ \t]*(\n?)"
)
_HYPHEN = re.compile(r"-[ \t]*\n")
_LETTERS = re.compile("[A-Za-z]+")
_WORD = re.compile("[a-z]+(?:-[a-z]+)*")
# Signs that a half belongs to a longer word.
_WORD_BEFORE, _WORD_BEHIND = re.compile(r"[a-z]-?\Z"), re.compile("-?[a-z]")
_MOST_FOUND = 40  # words: searching for more takes longer than counting all
# "short- and long-term": here the hyphen replaces a word that follows.
_SUSPENDED = frozenset(("and", "or", "to", "but", "nor"))


class LineEnds:
    """The hyphenated line ends of a document.

    `joined` decides by all words of the document.
    """

    def __init__(self, document: str) -> None:
        self._document = document
        self._found: dict[str, int] = {}

    def joined(self, part: str) -> str:
        """Return a part of the document without line ends inside words.

        A hyphen is removed if the word occurs in the document at least as often without it as with
        it, or else if a list of English words contains it without. The end of a word moves up to
        the line where the word begins.
        """
        pieces: list[str] = []
        at = 0
        for hyphen in _HYPHEN.finditer(part):
            if hyphen.start() < at:
                continue
            # A split word is on this line and the next one.
            begin = max(at, part.rfind("\n", at, hyphen.start()) + 1)
            end = part.find("\n", hyphen.end()) + 1 or len(part)
            if cut := _CUT.search(part, begin, end):
                pieces += part[at : cut.start()], self._join(cut)
                at = cut.end()
        return "".join([*pieces, part[at:]])

    def _join(self, cut: re.Match[str]) -> str:
        first, rest = cut[1], cut[2]
        letters = _LETTERS.match(rest)
        second = letters[0] if letters else rest
        if second.lower() in _SUSPENDED:
            return cut[0]
        is_part = second.islower() or f"{first}{second}".isupper()  # no name: "Anglo-American"
        if (
            is_part
            and first.count("-") == 1
            and len(first) > 2
            and self._is_word(first[:-1].lower(), second.lower())
        ):
            first = first[:-1]
        return f"{first}{rest}\n"

    def _is_word(self, first: str, second: str) -> bool:
        joined = first + second
        count, hyphenated = self._count(joined), self._count(f"{first}-{second}")
        if count or hyphenated:
            return count >= hyphenated
        return bool(inflections().forms(joined))

    def _count(self, word: str) -> int:
        """Return how often a word occurs in the document.

        Most documents need only a few words, so each is searched for by itself.
        """
        if word not in self._found:
            if len(self._found) == _MOST_FOUND:
                return self._counts[word]
            self._found[word] = sum(self._words_at(word))
        return self._found[word]

    def _words_at(self, word: str) -> Iterator[bool]:
        """Yield for each occurrence of these letters whether they form a whole word of `_WORD`."""
        at = self._lower.find(word)
        while at >= 0:
            end = at + len(word)
            yield (
                _WORD_BEFORE.search(self._lower, max(0, at - 2), at) is None
                and _WORD_BEHIND.match(self._lower, end) is None
            )
            # An occurrence inside this one follows a letter, so it is not a whole word.
            at = self._lower.find(word, end)

    @cached_property
    def _lower(self) -> str:
        return self._document.lower()

    @cached_property
    def _counts(self) -> Counter[str]:
        """The counts of the document's words."""
        return Counter(_WORD.findall(self._lower))
