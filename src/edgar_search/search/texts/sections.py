"""The sections of a report by their places in its text, and what they are called."""

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from edgar_search.engine.engine import Engine
from edgar_search.errors import NotFound, TextChanging
from edgar_search.search.bodies.sections import sections_at_body, sections_body
from edgar_search.search.hits import VersionedSectionHit
from edgar_search.search.texts.passages import Passages
from edgar_search.stored.section import StoredSection

_PART = re.compile(r"part(\d)")


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
    """The sections of a text; one engine request. Raises TextChanging where they are of another."""
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
    """By the document's id the section of a place in its text; one engine request.

    Where there is none, or none of the same load, nothing.
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
    """What a section is called: `10-K item 1A`, in a quarterly report `10-Q part 2 item 1A`."""
    part = _PART.match(section.item)
    words = [section.form_type, *([f"part {part[1]}"] if part else []), _small(section.label)]
    return " ".join(words)


def _small(label: str) -> str:
    """`item 1A` of `Item 1A`."""
    return label[:1].lower() + label[1:]


def _start(section: StoredSection) -> int:
    assert section.text_start is not None
    return section.text_start
