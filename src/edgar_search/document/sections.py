"""Sections of a report by their places in its text, and other parts of a text."""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from msgspec import field

from edgar_search.document.text import DocumentText, Passages, document_text
from edgar_search.engine.engine import Engine
from edgar_search.errors import BadRequest, Gone, NotFound, TextChanging
from edgar_search.search.filings import SectionHit, sections_at_body, sections_body
from edgar_search.stored.filings import StoredSection

_PART = re.compile(r"part(\d)")


class VersionedSectionHit(SectionHit):
    version: int = field(name="_version")


class Sections:
    """The sections of one text, in order."""

    def __init__(self, sections: Sequence[StoredSection]) -> None:
        self.all = sections
        placed = [each for each in sections if each.text_start is not None]
        self._placed = sorted(placed, key=_start)
        self._starts = list(map(_start, self._placed))

    def at(self, place: int) -> StoredSection | None:
        """The section in which a place of the text lies, if it is known."""
        number = bisect_right(self._starts, place) - 1
        if number < 0:
            return None
        section = self._placed[number]
        return section if section.text_end is not None and place < section.text_end else None

    def named(self, name: str) -> StoredSection:
        """The section with this name, or `item`, in any case; raises NotFound."""
        wanted = " ".join(name.lower().split())
        for section in self.all:
            if wanted in (section.item, section_name(section).lower()):
                return section
        known = ", ".join(map(section_name, self.all))
        raise NotFound(
            f"section: there is no {name[:60]}; {f'it has {known}' if known else 'it has none'}"
        )


async def text_sections(passages: Passages) -> Sections:
    """The sections of a text; one engine request. Raises TextChanging if they are of another."""
    body = {**sections_body("document_id", passages.text.document_id), "version": True}
    reply = await passages.engine.search(
        "sections",
        body,
        VersionedSectionHit,
        account=passages.account,
        filed=passages.text.filed,
    )
    if any(hit.version != passages.text.version for hit in reply.hits.hits):
        raise TextChanging(passages.text.document_id)
    return Sections([hit.source for hit in reply.hits.hits])


class TextPlace(NamedTuple):
    """A place in the text that a load of this version wrote."""

    place: int
    version: int


async def sections_at(
    engine: Engine, places: Mapping[str, TextPlace], account: str
) -> dict[str, StoredSection]:
    """Find the section of a place in the text of each document, by its id; one engine request.

    A document without one, or with none of the same load, is left out.
    """
    if not places:
        return {}
    body = sections_at_body({key: place for key, (place, _) in places.items()})
    reply = await engine.search("sections", body, VersionedSectionHit, account=account)
    return {
        hit.source.document_id: hit.source
        for hit in reply.hits.hits
        if hit.version == places[hit.source.document_id].version
    }


def section_name(section: StoredSection) -> str:
    """Name a section: `10-K item 1A`, in a quarterly report `10-Q part 2 item 1A`."""
    part = _PART.match(section.item)
    item = section.label[:1].lower() + section.label[1:]
    return " ".join([section.form_type, *([f"part {part[1]}"] if part else []), item])


def _start(section: StoredSection) -> int:
    assert section.text_start is not None
    return section.text_start


class Piece(NamedTuple):
    """A part of a text in code points, `end` exclusive.

    `last` is the end of the part that was asked for, which may be farther on.
    """

    text: DocumentText
    start: int
    end: int
    last: int
    section: StoredSection | None

    @property
    def next_start(self) -> int | None:
        """The start of the next part, if there is one."""
        return self.end if self.end < self.last else None


async def piece_of(
    engine: Engine,
    document_id: str,
    *,
    start: int | None,
    length: int,
    section: str = "",
    sha256: str = "",
    account: str,
) -> Piece:
    """The part from `start` on, or from the beginning of the section; at most `length` long.

    One engine request, and one for a section. Raises NotFound, BadRequest for a start outside,
    Gone if the text's hash is another than `sha256`, StoredByOlderVersion, TextChanging.
    """
    text = await document_text(engine, document_id, account)
    if sha256 and sha256 != text.sha256:
        raise Gone(
            f"text_sha256: the text of {document_id} has changed; it is now {text.sha256},"
            f" of {text.length} characters"
        )
    found = await _section(Passages(engine, text, account), section) if section else None
    return part_of(text, start, length, found)


def part_of(
    text: DocumentText, start: int | None, length: int, found: StoredSection | None = None
) -> Piece:
    """The part from `start` on, at most `length` long; BadRequest for a start outside."""
    first, last = _bounds(found, text)
    begin = first if start is None else start
    if not first <= begin <= last:
        what = section_name(found) if found else "text"
        raise BadRequest(f"start: {begin} is not in the {what}, which goes from {first} to {last}")
    return Piece(text, begin, min(begin + length, last), last, found)


async def read_around(
    engine: Engine, piece: Piece, around: int, account: str
) -> tuple[str, str, str]:
    """The text before the part, of it, and behind it; one engine request. Raises TextChanging.

    `around` is the number of characters on each side.
    """
    start, end = max(0, piece.start - around), min(piece.end + around, piece.text.length)
    if start == end:
        return "", "", ""
    read = await Passages(engine, piece.text, account).piece(start, end)
    begin, stop = piece.start - start, piece.end - start
    return read[:begin], read[begin:stop], read[stop:]


async def _section(passages: Passages, name: str) -> StoredSection:
    found = (await text_sections(passages)).named(name)
    if found.text_start is None or found.text_end is None:
        raise NotFound(
            f"section: the place of {section_name(found)} in the text is not certain;"
            " /v2/filing_sections has it as filed"
        )
    return found


def _bounds(section: StoredSection | None, text: DocumentText) -> tuple[int, int]:
    if section is None or section.text_start is None or section.text_end is None:
        return 0, text.length
    return section.text_start, section.text_end
