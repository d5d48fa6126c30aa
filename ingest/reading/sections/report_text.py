"""A report's searchable text, read in lines and cells."""

import re
from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache, cached_property
from heapq import merge
from itertools import islice
from typing import NamedTuple

from edgar_search.edgar.submission import Document
from edgar_search.text.document_text import searchable_text, searched_kind
from edgar_search.text.versions import DocumentKind

_MOST_LINES = 10_000  # lines that begin with a word; reading the text after them takes some time
_BLANK = r"[ \xa0\u200b-\u200f\ufeff]"
# The text before an item on its line, such as "Part II,".
_AFTER_PART = r"(?:part[^\w\n\t]*(?:[a-z0-9]{1,5}\b[^\n\t]{0,50}?(?<!\w)|(?:iv|i{1,3})(?=item)))?"
# The end before a line or a cell that begins with a letter.
_LETTER = re.compile(rf"[\n\t]{_BLANK}*+([a-z])", re.IGNORECASE)
_FIRST_LETTER = re.compile(r"\|[(?:]*([a-z])")  # of each alternative of a word
_TABS, _BLANKS = re.compile(r"\t[\t ]*"), re.compile(" {2,}")
_PER_CHARACTER = 3  # characters, including blanks and empty cells, for each visible one


class Line(NamedTuple):
    """A line or a cell that begins with a word, which is at `at`.

    `prefix` is the text before it on its line, which begins at `start`.
    """

    start: int
    at: int
    prefix: str


class ReportText:
    """The text of a report; `is_plain` is true if its lines are the lines of the filed document.

    In plain text, a line that continues a sentence does not count as beginning with a word.
    """

    def __init__(self, text: str, *, is_plain: bool) -> None:
        self.text = text
        self.is_plain = is_plain

    def lines(
        self, word: str, start: int = 0, end: int | None = None, *, after_part: bool = False
    ) -> Iterator[Line]:
        """Yield the lines and cells from `start` on that begin with a word, a regular expression.

        Each of its alternatives begins with a lower-case letter. With `after_part` it may follow a
        part's number. The number of lines is limited to some thousands.
        """
        return islice(self._lines(word, start, end, after_part), _MOST_LINES)

    def _lines(self, word: str, start: int, end: int | None, after_part: bool) -> Iterator[Line]:
        stop = len(self.text) if end is None else end
        first, other = _beginning(word, after_part)
        if start == 0 and (match := first.match(self.text, 0, stop)):
            yield Line(match.start("line"), match.start("word"), match["prefix"].strip())
        letters = set(_FIRST_LETTER.findall(f"|{word}{'|part' if after_part else ''}"))
        ends = [self._ends[letter] for letter in letters if letter in self._ends]
        within = [
            ends_of_letter[
                bisect_left(ends_of_letter, start - 1) : bisect_left(ends_of_letter, stop)
            ]
            for ends_of_letter in ends
        ]
        for at in merge(*within):
            match = other.match(self.text, at, stop)
            if match and match.start("line") >= start and not self._is_amid_sentence(at):
                yield Line(match.start("line"), match.start("word"), match["prefix"].strip())

    @cached_property
    def _ends(self) -> Mapping[str, "array[int]"]:
        """The ends before lines and cells, by the first letter after them."""
        # A text of many short lines has so many that lists of them would be larger than the text.
        ends: dict[str, array[int]] = defaultdict(lambda: array("q"))
        for match in _LETTER.finditer(self.text):
            ends[match[1].lower()].append(match.start())
        return ends

    def _is_amid_sentence(self, end: int) -> bool:
        """Return True if the text after a line's end continues its sentence."""
        if not self.is_plain or self.text[end] == "\t":
            return False
        line = self.text[self.text.rfind("\n", 0, end) + 1 : end].strip()
        return len(line) >= 40 and line[-1:] not in ">.:;!?)*-=_"

    def after(self, at: int, limit: int, stop: int | None = None) -> str:
        """Return the text from a position: at most `limit` characters, none from `stop` on.

        Lines end at "\\n", cells at a tab; there are no empty ones, and other white space is one
        blank.
        """
        end = min(at + _PER_CHARACTER * limit, len(self.text) if stop is None else stop)
        return collapsed(self.text[at:end])[:limit].strip()

    def between(self, at: int, stop: int, limit: int) -> str | None:
        """Return the text from `at` to `stop`, None if it reaches `limit` characters."""
        if stop - at > _PER_CHARACTER * limit:
            return None
        text = collapsed(self.text[at:stop])
        return text if len(text) < limit else None


def report_text(document: Document) -> ReportText:
    """Read the text of a report; it is empty if the document is not searched."""
    is_plain = searched_kind(document) is DocumentKind.PLAIN
    return ReportText(searchable_text(document) or "", is_plain=is_plain)


@cache
def _beginning(word: str, after_part: bool) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return the patterns of a line that begins with a word: at the start of a text, and later.

    The second begins with a set of characters, which the engine can search for fast.
    """
    part = _AFTER_PART if after_part else ""
    line = rf"{_BLANK}*(?P<line>(?P<prefix>{part})(?P<word>{word}))"
    return re.compile(line, re.IGNORECASE), re.compile(rf"[\n\t]{line}", re.IGNORECASE)


def collapsed(text: str) -> str:
    """Drop empty lines and cells, and reduce blanks to one."""
    lines = [line for raw in text.replace("\xa0", " ").split("\n") if (line := raw.strip(" \t"))]
    text = "\n".join(lines).replace(" \t", "\t")
    # Most texts have no run of either, which is many times as fast to see.
    if "\t\t" in text or "\t " in text:
        text = _TABS.sub("\t", text)
    return _BLANKS.sub(" ", text) if "  " in text else text
