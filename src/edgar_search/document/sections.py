"""Sections of a report by their positions in its text, and other parts of a text."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import field

from edgar_search.document.text import DocumentText, Passages, document_text
from edgar_search.engine.bulk_lines import chunks
from edgar_search.engine.engine import Engine
from edgar_search.errors import BadRequest, Gone, NoSuchSection, TextChanging
from edgar_search.search.filings import SectionHit, sections_at_body, text_sections_body
from edgar_search.search.results import DetailedHit, FoundDocument
from edgar_search.search.snippets.snippet import LocatedSnippet
from edgar_search.stored.filings import StoredSection

_PART = re.compile(r"part(\d)")


class VersionedSectionHit(SectionHit):
    version: int = field(name="_version")


class Sections:
    """The sections located in one text, in order: its own, and others that refer to it."""

    def __init__(self, document_id: str, sections: Sequence[StoredSection]) -> None:
        self.all = sections
        placed = [
            (*span, section) for section in sections for span in places_in(section, document_id)
        ]
        self._edges = sorted({edge for start, end, _ in placed for edge in (start, end)})
        # The section from each edge on: the shortest, as statements are in the item that lists them
        # and are what another item leads to.
        self._sections = [
            min(
                (each for each in placed if each[0] <= edge < each[1]),
                key=lambda each: each[1] - each[0],
                default=(0, 0, None),
            )[2]
            for edge in self._edges
        ]

    def at(self, place: int) -> StoredSection | None:
        """Return the section in which a position of the text lies, if it is known."""
        number = bisect_right(self._edges, place) - 1
        return self._sections[number] if number >= 0 else None

    def named(self, name: str) -> StoredSection:
        """Return the section with this name, or `item`, in any case; raises NoSuchSection."""
        wanted = " ".join(name.lower().split())
        for section in self.all:
            if wanted in (section.item, section_name(section).lower()):
                return section
        known = ", ".join(map(section_name, self.all))
        raise NoSuchSection(
            f"section: there is no {name[:60]}; {f'it has {known}' if known else 'it has none'}"
        )


async def text_sections(passages: Passages) -> Sections:
    """Return the sections of a text; one engine request.

    Raises TextChanging if they belong to another text.
    """
    body = text_sections_body(passages.text.document_id)
    reply = await passages.engine.search(
        "sections",
        body,
        VersionedSectionHit,
        filed=passages.text.filed,
    )
    if any(hit.version != passages.text.version for hit in reply.hits.hits):
        raise TextChanging(passages.text.document_id)
    return Sections(passages.text.document_id, [hit.source for hit in reply.hits.hits])


class TextPlace(NamedTuple):
    """A position in the text that a load of this version wrote."""

    place: int
    version: int


def best_places(found: Iterable[FoundDocument]) -> dict[str, TextPlace]:
    """The position of each hit's best snippet in its text, by the document's id, if it is known."""
    return {
        hit.document_id: TextPlace(first_place(placed), hit.fields.version[0])
        for hit, _, placed, _ in found
        if placed and isinstance(hit, DetailedHit)
    }


def first_place(placed: Sequence[LocatedSnippet]) -> int:
    """Return the start of the best snippet's first mark, or of the snippet if it has no marks."""
    best = placed[0]
    return best.marks[0].start if best.marks else best.place.start


# Each has two clauses of three conditions, and the engine takes a thousand at least.
_AT_ONCE = 100


async def sections_at(engine: Engine, places: Mapping[str, TextPlace]) -> dict[str, StoredSection]:
    """Find the section of a position in the text of each document, by its id.

    A document without one, or with none of the same load, is left out. An engine request for
    each hundred documents.
    """
    found: dict[str, StoredSection] = {}
    for some in chunks(places.items(), _AT_ONCE):
        body = sections_at_body({key: place for key, (place, _) in some})
        reply = await engine.search("sections", body, VersionedSectionHit)
        for document_id, (place, version) in some:
            of_load = [hit.source for hit in reply.hits.hits if hit.version == version]
            section = Sections(document_id, of_load).at(place)
            if section is not None:
                found[document_id] = section
    return found


def section_name(section: StoredSection) -> str:
    """Name a section: `10-K item 1A`, in a quarterly report `10-Q part 2 item 1A`."""
    part = _PART.match(section.item)
    item = section.label[:1].lower() + section.label[1:]
    return " ".join([section.form_type, *([f"part {part[1]}"] if part else []), item])


def places_in(section: StoredSection, document_id: str) -> list[tuple[int, int]]:
    """Return the positions of a section in a document's text: its own, and those it refers to."""
    places: list[tuple[int, int]] = []
    if section.document_id == document_id and section.text_start is not None:
        places.append((section.text_start, section.text_end or section.text_start))
    if section.followed and section.followed.document_id == document_id:
        places += [(place.start, place.end) for place in section.followed.places]
    return places


class Piece(NamedTuple):
    """A part of a text in code points, `end` exclusive.

    `last` is the end of the part that was requested, which may be farther on, and `further` the
    start of what else belongs to it. `section` is set if a section was requested: if it was
    followed, the text may belong to another document.
    """

    text: DocumentText
    start: int
    end: int
    last: int
    section: StoredSection | None
    further: int | None = None

    @property
    def next_start(self) -> int | None:
        """The start of the next part, if there is one."""
        return self.end if self.end < self.last else self.further


async def piece_of(
    engine: Engine,
    document_id: str,
    *,
    start: int | None,
    length: int,
    section: str = "",
    sha256: str = "",
) -> Piece:
    """Return the part from `start` on, or from the beginning of the section; at most `length` long.

    One engine request, one for a section, and one more if it leads to another document, whose text
    is then given. Raises NotFound, BadRequest for a start outside, Gone if the text's hash is
    another than `sha256`, StoredByOlderVersion, TextChanging.
    """
    asked = text = await document_text(engine, document_id)
    found = await _section(Passages(engine, text), section) if section else None
    if found and found.followed and found.followed.document_id != document_id:
        text = await document_text(engine, found.followed.document_id)
        if text.version != asked.version:
            raise TextChanging(text.document_id)
    if sha256 and sha256 not in (text.sha256, asked.sha256):
        raise Gone(
            f"text_sha256: the text of {text.document_id} has changed; it is now {text.sha256},"
            f" of {text.length} characters"
        )
    return part_of(text, start, length, found)


def part_of(
    text: DocumentText, start: int | None, length: int, found: StoredSection | None = None
) -> Piece:
    """Return the part from `start` on, at most `length` long; BadRequest for a start outside."""
    places = _places(found, text)
    begin = places[0][0] if start is None else start
    for number, (first, last) in enumerate(places):
        if first <= begin <= last:
            further = places[number + 1][0] if number + 1 < len(places) else None
            return Piece(text, begin, min(begin + length, last), last, found, further)
    what = section_name(found) if found else "text"
    spans = " and ".join(f"from {first} to {last}" for first, last in places)
    raise BadRequest(f"start: {begin} is not in the {what}, which goes {spans}")


async def read_around(engine: Engine, piece: Piece, around: int) -> tuple[str, str, str]:
    """Return the text before the part, of it, and after it; one engine request.

    Raises TextChanging. `around` is the number of characters on each side.
    """
    start, end = max(0, piece.start - around), min(piece.end + around, piece.text.length)
    if start == end:
        return "", "", ""
    read = await Passages(engine, piece.text).piece(start, end)
    begin, stop = piece.start - start, piece.end - start
    return read[:begin], read[begin:stop], read[stop:]


async def _section(passages: Passages, name: str) -> StoredSection:
    found = (await text_sections(passages)).named(name)
    if found.followed is None and (found.text_start is None or found.text_end is None):
        raise NoSuchSection(
            f"section: the place of {section_name(found)} in the text is not certain;"
            " /v2/filing_sections has it as filed"
        )
    return found


def _places(section: StoredSection | None, text: DocumentText) -> list[tuple[int, int]]:
    if section is None:
        return [(0, text.length)]
    places = places_in(section, text.document_id)
    return places[-len(section.followed.places) :] if section.followed else places
