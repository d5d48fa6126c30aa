"""Where a report's sections stand in its searchable text, found by their words."""

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, islice

from edgar_search.edgar.plain_text import decode_bytes
from edgar_search.edgar.section_content import table_opening
from edgar_search.edgar.submission import Document
from ingest.reading.document_kind import Kind, searched_kind
from ingest.reading.text.document_text import finished_text, raw_text

# A section whose words stand there more often is not told apart from its likes.
_MOST_PLACES = 20
_GAP = " "
_WORD = re.compile(r"\S+")

Span = tuple[int, int]


def section_places(document: Document, text: str, sections: Sequence[Span]) -> list[Span | None]:
    """The place of each section in `text`, the document's searchable text, in code points.

    `sections` are bytes of the body, in order, without overlaps. A place is None where the
    section's words, all of them and nothing between, do not stand in the text, or where it is not
    certain which of several places it is.
    """
    kind = searched_kind(document) if sections else None
    if kind is None:
        return [None] * len(sections)
    words, body = _Words(text), document.body
    candidates = [words.places(_fragment_text(kind, body[start:end])) for start, end in sections]
    chosen = _in_order([each[0] if len(each) == 1 else None for each in candidates])
    for number, places in enumerate(candidates):
        if len(places) > 1:
            chosen[number] = _only_one_between(chosen, number, places)
    return [None if place is None else words.characters(place) for place in chosen]


class _Words:
    """What stands between the white space of a text, to be found in a row."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._row = _row(text)

    def places(self, text: str) -> list[Span]:
        """Where the words of `text` stand, by number: the first and the last; [] if too often."""
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
        return found

    def characters(self, place: Span) -> Span:
        """From the beginning of the first word to the end of the last."""
        return self._word(place[0])[0], self._word(place[1])[1]

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


def _fragment_text(kind: Kind, fragment: bytes) -> str:
    text = decode_bytes(fragment)
    # A cut inside of a table left out its beginning, without which the parser joins cells.
    opening = table_opening(text) if kind is Kind.HTML else ""
    return finished_text(raw_text(kind, opening + text))


def _in_order(places: Sequence[Span | None]) -> list[Span | None]:
    """The same without those that are not behind all before them, or not before all behind them."""
    kept: list[Span | None] = []
    for number, place in enumerate(places):
        before = [each[1] for each in places[:number] if each]
        behind = [each[0] for each in places[number + 1 :] if each]
        fits = (
            place
            and max(before, default=0) <= place[0]
            and place[1] < min(behind, default=place[1] + 1)
        )
        kept.append(place if fits else None)
    return kept


def _only_one_between(
    chosen: Sequence[Span | None], number: int, places: list[Span]
) -> Span | None:
    """The place that lies between the sections before and behind, if just one does."""
    least = max((each[1] for each in chosen[:number] if each), default=-1)
    most = min((each[0] for each in chosen[number + 1 :] if each), default=None)
    fits = [each for each in places if each[0] > least and (most is None or each[1] < most)]
    return fits[0] if len(fits) == 1 else None
