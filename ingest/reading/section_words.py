"""All the words of a fragment of a document, found in a row in the document's text."""

import re
from bisect import bisect_right
from functools import cached_property
from itertools import accumulate, islice

from edgar_search.edgar.plain_text import decode_bytes
from edgar_search.edgar.section_content import table_opening
from ingest.reading.document_kind import DocumentKind
from ingest.reading.text.document_text import finished_text, raw_text

# A fragment whose words stand there more often is not told apart from its likes.
_MOST_PLACES = 20
_GAP = " "
_WORD = re.compile(r"\S+")

Span = tuple[int, int]


def fragment_text(kind: DocumentKind, fragment: bytes) -> str:
    """The text of a part of a document's body, as it would be searched alone."""
    return finished_text(raw_text(kind, standing_alone(kind, fragment)))


def standing_alone(kind: DocumentKind, fragment: bytes) -> str:
    """The characters of a part of a body, in a table if it was cut out of one."""
    text = decode_bytes(fragment)
    # Without a table's beginning the parser joins cells.
    return table_opening(text) + text if kind is DocumentKind.HTML else text


class Words:
    """What stands between the white space of a text, to be found in a row."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._row = _row(text)

    def places(self, text: str) -> list[Span]:
        """Where the words of `text` stand, first to last in code points; [] if too often."""
        row, found = _row(text), list[Span]()
        at = self._row.find(row) if row != _GAP else -1
        first = last = 0
        while at >= 0:
            first += self._row.count(_GAP, last, at)
            last = at
            found.append((first, first + row.count(_GAP) - 2))
            if len(found) > _MOST_PLACES:
                return []
            at = self._row.find(row, at + 1)
        return [(self._word(first)[0], self._word(last)[1]) for first, last in found]

    def _word(self, number: int) -> Span:
        line = bisect_right(self._before, number) - 1
        words = _WORD.finditer(self._text, self._line_starts[line])
        word = next(islice(words, number - self._before[line], None))
        return word.span()

    @cached_property
    def _lines(self) -> list[str]:
        return self._text.splitlines(keepends=True)

    @cached_property
    def _line_starts(self) -> list[int]:
        return list(accumulate(map(len, self._lines), initial=0))

    @cached_property
    def _before(self) -> list[int]:
        """How many words stand before each line."""
        return list(accumulate((len(line.split()) for line in self._lines), initial=0))


def _row(text: str) -> str:
    """The words of a text with one gap before, between and behind them."""
    return _GAP.join(["", *text.split(), ""])
