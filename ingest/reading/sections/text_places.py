"""Places of a report's sections in its searchable text.

A section begins at a line or an element, so the text from there on is the same if it is made of the
whole body or of the next few thousand bytes. That is enough to find its beginning, and the end is
the beginning of what comes next. Uncertain sections are found by all of their words.
"""

import re
import string
from bisect import bisect_right
from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, islice

from edgar_search.edgar.document import table_opening
from edgar_search.edgar.envelope import decode_bytes
from edgar_search.edgar.submission import Document
from edgar_search.text.document_text import searched_kind, text_of
from edgar_search.text.versions import DocumentKind

# A fragment with more places than this is not told apart from its likes.
_MOST_PLACES = 20
_GAP = " "
_WORD = re.compile(r"\S+")

Span = tuple[int, int]


def fragment_text(kind: DocumentKind, fragment: bytes) -> str:
    """The text of a part of a document's body, as it would be searched alone."""
    return text_of(kind, standing_alone(kind, fragment))


def standing_alone(kind: DocumentKind, fragment: bytes) -> str:
    """The characters of a part of a body, in a table if it was cut out of one."""
    text = decode_bytes(fragment)
    # Without a table's beginning the parser joins cells.
    return table_opening(text) + text if kind is DocumentKind.HTML else text


class Words:
    """The words of a text, in which rows of words are found."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._row = _row(text)

    def places(self, text: str) -> list[Span]:
        """Return the places of the words of `text`, in code points; [] if there are too many."""
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
        """The number of words before each line."""
        return list(accumulate((len(line.split()) for line in self._lines), initial=0))


def _row(text: str) -> str:
    """Return the words of a text with one gap before, between and after them."""
    return _GAP.join(["", *text.split(), ""])


_READ = (2_500, 12_000)  # bytes behind an edge: at first, and where these are nearly all markup
_FEWEST, _MOST = 60, 150  # characters behind an edge that are looked for
_READ_BEFORE = 2_000  # bytes before an edge
_LOOKED_AT = 200  # characters before it
# Between the texts behind the edges, which are made in one go; a line of its own in each of them.
_BETWEEN = "\ue0ff\ue0fe"
_SEPARATORS = {
    DocumentKind.HTML: f"</table><p>{_BETWEEN}</p>",
    DocumentKind.PLAIN: f"\n</TABLE>\n{_BETWEEN}\n",
}

_ENTITY = re.compile(rb"&#?[0-9A-Za-z]+;")
_OF_WORDS = string.ascii_letters.encode() + string.digits.encode()
_BETWEEN_WORDS = bytes(set(range(256)) - set(_OF_WORDS))


def edges_in_text(
    kind: DocumentKind, body: bytes, text: str, edges: Sequence[int]
) -> dict[int, int]:
    """Return the places in `text` of the `edges` that are certain.

    `edges` are places in the body, in order, at which lines or elements begin; its end is one.
    """
    known = {at: len(text) for at in edges if at == len(body)}
    left = [at for at in edges if at < len(body)]
    for size in _READ if kind in _SEPARATORS else ():
        texts = _texts_behind(kind, body, left, size)
        unread: list[int] = []
        for at, behind in zip(left, texts, strict=True):
            before = max((place for edge, place in known.items() if edge < at), default=0)
            words = _first_words(behind)
            if len(words) < _FEWEST:
                unread.append(at)
            elif (place := _only_place(text, words, before)) is not None:
                if _ends_alike(body, at, text, place):
                    known[at] = place
        left = unread
    return known


def _texts_behind(kind: DocumentKind, body: bytes, edges: Sequence[int], size: int) -> list[str]:
    """Return the first lines after each edge; "" if they are not known."""
    separator = _SEPARATORS[kind]
    fragments = [_fragment(kind, body, at, size) for at in edges]
    texts = text_of(kind, separator.join(fragments)).split(_BETWEEN)
    return texts if len(texts) == len(edges) else [""] * len(edges)


def _fragment(kind: DocumentKind, body: bytes, start: int, size: int) -> str:
    end = min(start + size, len(body))
    if end < len(body):
        end = body.rfind(b"<" if kind is DocumentKind.HTML else b"\n", start, end)
    return standing_alone(kind, body[start : max(start, end)])


def _first_words(text: str) -> str:
    """Return the part of a text that is surely the same in the text of the whole body."""
    words = text.strip()[: _MOST + 1]
    # The last line may be the beginning of one, or of what is made shorter.
    return words[: max(words.rfind("\n"), words.rfind(" "))]


def _only_place(text: str, words: str, start: int) -> int | None:
    """Return the place of words in the text from `start` on, if there is only one."""
    place = text.find(words, start)
    if place < 0 or text.find(words, place + 1) >= 0:
        return None
    return place if place == 0 or text[place - 1].isspace() else None


def _ends_alike(body: bytes, at: int, text: str, place: int) -> bool:
    """True if the last word before a place is the same in the body and in the text."""
    word = _word_before(body[max(0, at - _READ_BEFORE) : at])
    in_text = _last_word(text[max(0, place - _LOOKED_AT) : place].encode("ascii", "replace"))
    return bool(word) and in_text.endswith(word)


def _word_before(markup: bytes) -> bytes:
    """The last word in a stretch of the body, b"" if there is none outside of tags."""
    for piece in reversed(markup.split(b"<")):
        words = piece.rpartition(b">")[2]
        if b"&" in words:
            words = _ENTITY.sub(b" ", words)
        if word := _last_word(words):
            return word
    return b""


def _last_word(text: bytes) -> bytes:
    """Its last letters and digits, of ASCII, in a row."""
    text = text.rstrip(_BETWEEN_WORDS)
    return text[len(text.rstrip(_OF_WORDS)) :]


def section_places(document: Document, text: str, sections: Sequence[Span]) -> list[Span | None]:
    """Return the place of each section in `text`, the document's searchable text, in code points.

    `sections` are bytes of the body, in order, without overlaps. A place is None if it is
    not certain: not both edges are known, and the section's words, all of them with nothing
    between, are not in one place of the text only.
    """
    kind = searched_kind(document) if sections else None
    if kind is None:
        return [None] * len(sections)
    body = document.body
    edges = edges_in_text(kind, body, text, sorted({at for each in sections for at in each}))
    chosen = _in_order(
        [_between(text, edges.get(start), edges.get(end)) for start, end in sections]
    )
    if None in chosen:
        _find_by_words(kind, body, text, sections, chosen)
    return chosen


def _between(text: str, start: int | None, end: int | None) -> Span | None:
    """Return the span from the first word to the end of the last, None without both edges."""
    if start is None or end is None:
        return None
    while end > start and text[end - 1].isspace():
        end -= 1
    return (start, end) if start < end else None


def _find_by_words(
    kind: DocumentKind,
    body: bytes,
    text: str,
    sections: Sequence[Span],
    chosen: list[Span | None],
) -> None:
    """Put the places that are missing in `chosen` there, of those sections whose words have one."""
    words = Words(text)
    candidates: dict[int, list[Span]] = {}
    for number, (start, end) in enumerate(sections):
        if chosen[number] is None:
            candidates[number] = words.places(fragment_text(kind, body[start:end]))
    for number, places in candidates.items():
        if len(places) == 1:
            chosen[number] = places[0]
    chosen[:] = _in_order(chosen)
    for number, places in candidates.items():
        if len(places) > 1:
            chosen[number] = _only_one_between(chosen, number, places)


def _in_order(places: Sequence[Span | None]) -> list[Span | None]:
    """Return the places, None for each that overlaps or is out of order with another."""
    kept: list[Span | None] = []
    for number, place in enumerate(places):
        before = [each[1] for each in places[:number] if each]
        behind = [each[0] for each in places[number + 1 :] if each]
        fits = (
            place
            and max(before, default=0) <= place[0]
            and place[1] <= min(behind, default=place[1])
        )
        kept.append(place if fits else None)
    return kept


def _only_one_between(
    chosen: Sequence[Span | None], number: int, places: list[Span]
) -> Span | None:
    """Return the place between the sections before and after, if there is only one."""
    least = max((each[1] for each in chosen[:number] if each), default=0)
    most = min((each[0] for each in chosen[number + 1 :] if each), default=None)
    fits = [each for each in places if each[0] >= least and (most is None or each[1] <= most)]
    return fits[0] if len(fits) == 1 else None
