"""Rejoins words of plain text that are hyphenated at line ends."""

import re
from collections import Counter
from functools import cached_property

from edgar_search.text.inflections import inflections

# The first part may have hyphens itself, as in "state-of-the-", and the second punctuation after
# it.
_CUT = re.compile(
    r"(?<![A-Za-z0-9'&/-])((?:[A-Za-z]{1,30}-){1,4})[ \t]*\n[ \t]*+([A-Za-z]{2,}\S*)[ \t]*(\n?)"
)
_HYPHEN = re.compile(r"-[ \t]*\n")
_LETTERS = re.compile("[A-Za-z]+")
_WORD = re.compile("[a-z]+(?:-[a-z]+)*")
# "short- and long-term": the hyphen stands for a word that follows.
_SUSPENDED = frozenset(("and", "or", "to", "but", "nor"))


class LineEnds:
    """Hyphenated line ends of a document.

    `joined` decides by all words of the document.
    """

    def __init__(self, document: str) -> None:
        self._document = document

    def joined(self, part: str) -> str:
        """Return a part of the document without line ends inside words.

        A hyphen is removed if the document has the word without it at least as often as with it, or
        else if a list of English words has it. The end of a word moves up to the line where it
        begins.
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
        count, hyphenated = self._counts[joined], self._counts[f"{first}-{second}"]
        if count or hyphenated:
            return count >= hyphenated
        return bool(inflections().forms(joined))

    @cached_property
    def _counts(self) -> Counter[str]:
        """The counts of the document's words."""
        return Counter(_WORD.findall(self._document.lower()))
