"""Sections of a report by their positions in its text, and other parts of a text."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import field

from edgar_search.document.text import DocumentText, Passages, document_text
from edgar_search.engine.bulk_lines import chunks
from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import SourceHit
from edgar_search.errors import BadRequest, Gone, NoSuchSection, TextChanging
from edgar_search.search.filings import sections_at_body, text_sections_body
from edgar_search.search.results import DetailedHit, FoundDocument
from edgar_search.search.snippets.snippet import LocatedSnippet
from edgar_search.stored.filings import StoredSection

_PART = re.compile(r"part(\d)")


class VersionedSectionHit(SourceHit[StoredSection]):
    version: int = field(name="_version")


class Sections:
    """The sections with positions in one text, in order: its own, and others that refer to it."""

    def __init__(self, document_id: str, sections: Sequence[StoredSection]) -> None:
        self.all = sections
        placed = [
            (*span, section) for section in sections for span in places_in(section, document_id)
        ]
        self._edges = sorted({edge for start, end, _ in placed for edge in (start, end)})
        # The section from each boundary on. The shortest wins: statements are within the item that
        # lists them, and other items refer to them.
        self._sections = [
            min(
                (candidate for candidate in placed if candidate[0] <= edge < candidate[1]),
                key=lambda candidate: candidate[1] - candidate[0],
                default=(0, 0, None),
            )[2]
            for edge in self._edges
        ]

    def at(self, position: int) -> StoredSection | None:
        """Return the section that contains a position of the text, if it is known."""
        number = bisect_right(self._edges, position) - 1
        return self._sections[number] if number >= 0 else None

    def named(self, name: str) -> StoredSection:
        """Return the section with this name, or this `item`, in any case; raises NoSuchSection."""
        wanted_name = " ".join(name.lower().split())
        for section in self.all:
            if wanted_name in (section.item, section_name(section).lower()):
                return section
        names = ", ".join(map(section_name, self.all))
        raise NoSuchSection(
            f"section: there is no {name[:60]}; {f'it has {names}' if names else 'it has none'}"
        )


async def text_sections(passages: Passages) -> Sections:
    """Find the sections of a text, with one engine request.

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


def best_places(documents: Iterable[FoundDocument]) -> dict[str, TextPlace]:
    """Return the position of each hit's best snippet in its text, if known, by document id."""
    return {
        hit.document_id: TextPlace(first_place(placed), hit.fields.version[0])
        for hit, _, placed, _ in documents
        if placed and isinstance(hit, DetailedHit)
    }


def first_place(placed: Sequence[LocatedSnippet]) -> int:
    """Return the start of the best snippet's first mark, or of the snippet if it has no marks."""
    best = placed[0]
    return best.marks[0].start if best.marks else best.place.start


# Each takes two clauses of three conditions, and Elasticsearch accepts at least a thousand.
_AT_ONCE = 100


async def sections_at(engine: Engine, places: Mapping[str, TextPlace]) -> dict[str, StoredSection]:
    """Find the section at a position in the text of each document, by document id.

    Leaves out documents that have no section there, or none from the same load. Makes an engine
    request for each hundred documents.
    """
    sections: dict[str, StoredSection] = {}
    for some in chunks(places.items(), _AT_ONCE):
        body = sections_at_body({key: position for key, (position, _) in some})
        reply = await engine.search("sections", body, VersionedSectionHit)
        for document_id, (position, version) in some:
            of_load = [hit.source for hit in reply.hits.hits if hit.version == version]
            section = Sections(document_id, of_load).at(position)
            if section is not None:
                sections[document_id] = section
    return sections


def section_name(section: StoredSection) -> str:
    """Name a section: `10-K item 1A`, or `10-Q part 2 item 1A` in a quarterly report."""
    part_match = _PART.match(section.item)
    item = section.label[:1].lower() + section.label[1:]
    return " ".join([section.form_type, *([f"part {part_match[1]}"] if part_match else []), item])


def places_in(section: StoredSection, document_id: str) -> list[tuple[int, int]]:
    """Return the positions of a section in a document's text: its own, and any it refers to."""
    positions: list[tuple[int, int]] = []
    if section.document_id == document_id and section.text_start is not None:
        positions.append((section.text_start, section.text_end or section.text_start))
    if section.followed and section.followed.document_id == document_id:
        positions += [(referred.start, referred.end) for referred in section.followed.places]
    return positions


class Piece(NamedTuple):
    """A part of a text in code points, `end` exclusive.

    `last` is the end of the requested part, which may be farther on, and `further` the start of any
    other range that belongs to it. `section` is set if a section was requested: if that refers
    elsewhere, the text may belong to another document.
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
    """Read the part from `start`, or from a section's beginning; at most `length` long.

    Makes one engine request, another for a section, and another if that refers to a document whose
    text is then returned. Raises NotFound, BadRequest for a start outside, Gone if the text's hash
    is not `sha256`, StoredByOlderVersion, TextChanging.
    """
    requested = text = await document_text(engine, document_id)
    section_found = await _section(Passages(engine, text), section) if section else None
    if (
        section_found
        and section_found.followed
        and section_found.followed.document_id != document_id
    ):
        text = await document_text(engine, section_found.followed.document_id)
        if text.version != requested.version:
            raise TextChanging(text.document_id)
    if sha256 and sha256 not in (text.sha256, requested.sha256):
        raise Gone(
            f"text_sha256: the text of {text.document_id} has changed; it is now {text.sha256},"
            f" of {text.length} characters"
        )
    return part_of(text, start, length, section_found)


def part_of(
    text: DocumentText, start: int | None, length: int, section: StoredSection | None = None
) -> Piece:
    """Return the part from `start` on, at most `length` long; BadRequest for a start outside."""
    positions = _places(section, text)
    begin = positions[0][0] if start is None else start
    for number, (first, last) in enumerate(positions):
        if first <= begin <= last:
            further = positions[number + 1][0] if number + 1 < len(positions) else None
            return Piece(text, begin, min(begin + length, last), last, section, further)
    noun = section_name(section) if section else "text"
    spans = " and ".join(f"from {first} to {last}" for first, last in positions)
    raise BadRequest(f"start: {begin} is not in the {noun}, which goes {spans}")


async def read_around(engine: Engine, piece: Piece, around: int) -> tuple[str, str, str]:
    """Read the text before, in and after a part, with one engine request.

    `around` is the number of characters on each side. Raises TextChanging.
    """
    start, end = max(0, piece.start - around), min(piece.end + around, piece.text.length)
    if start == end:
        return "", "", ""
    read = await Passages(engine, piece.text).piece(start, end)
    begin, stop = piece.start - start, piece.end - start
    return read[:begin], read[begin:stop], read[stop:]


async def _section(passages: Passages, name: str) -> StoredSection:
    section = (await text_sections(passages)).named(name)
    if section.followed is None and (section.text_start is None or section.text_end is None):
        raise NoSuchSection(
            f"section: the place of {section_name(section)} in the text is not certain;"
            " /v2/filing_sections has it as filed"
        )
    return section


def _places(section: StoredSection | None, text: DocumentText) -> list[tuple[int, int]]:
    if section is None:
        return [(0, text.length)]
    positions = places_in(section, text.document_id)
    return positions[-len(section.followed.places) :] if section.followed else positions
