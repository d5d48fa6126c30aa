"""A document as filed: its parts, and the positions of its text in them; pure.

`filed_layout` reads the bytes; this module holds the result.
"""

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from msgspec import Struct

from edgar_search.text.filed_parts import FiledPart
from edgar_search.text.place_map import PlaceMap, Span
from edgar_search.text.versions import DocumentKind

_BYTES_OF_PART = 400


class Marked(NamedTuple):
    """A range of the text to mark; `name` is letters and digits, such as "m3"."""

    start: int
    end: int
    name: str


class Anchored(NamedTuple):
    """A name for a position in the filed bytes."""

    place: int
    name: str


class FiledView(Struct, frozen=True):
    """The parts of a document, and the positions of its text in its bytes, if they were requested.

    `words` are the texts of contexts and units of inline XBRL, `anchors` the parts that contain the
    targets of the document's own links. A document without text has no `kind`.
    """

    kind: DocumentKind | None
    parts: Sequence[FiledPart]
    doctype: str = ""
    words: dict[bytes, str] = {}
    anchors: dict[bytes, int] = {}
    places: PlaceMap | None = None

    @property
    def is_html(self) -> bool:
        """True if the parts are HTML, false if they are plain text."""
        return self.kind is DocumentKind.HTML

    @property
    def size(self) -> int:
        """The approximate size in memory, in bytes."""
        places = self.places.size if self.places else 0
        words = sum(map(len, self.words.values()))
        parts = sum(_BYTES_OF_PART + len(part.opening) for part in self.parts)
        return parts + places + words + _BYTES_OF_PART * (len(self.anchors) + len(self.words))

    def part_at(self, position: int) -> int:
        """Return the part that contains this byte."""
        return part_at(self.parts, position)

    def part_of_text(self, start: int, end: int) -> int | None:
        """Return the part where this range of the text begins; None if it was not filed."""
        if self.places is None:
            return None
        for first, _ in self.places.filed_runs(start, end):
            return self.part_at(first)
        return None

    def text_span(self, number: int) -> Span | None:
        """Return the range of the text that a part contains; None if it has no text."""
        part = self.parts[number]
        return self.places.text_span(part.start, part.end) if self.places else None


def part_at(parts: Sequence[FiledPart], place: int) -> int:
    """Return which of the parts, in order, contains this byte."""
    return max(0, bisect_right(parts, place, key=lambda part: part.start) - 1)
