"""Sections of annual and quarterly reports: the reply of `/v2/filing_sections`."""

from collections.abc import Sequence

from msgspec import Struct

from edgar_search.edgar.section_content import section_content
from edgar_search.stored.section import StoredSection, section_id


class Section(Struct, rename="camel"):
    """`content` is HTML; it is null where a filing only lists its sections."""

    id: str
    document_id: str
    item_label: str
    item_description: str
    content: str | None


class SectionsReply(Struct):
    sections: list[Section]


def listed_sections(found: Sequence[StoredSection]) -> list[Section]:
    """Sections without their content."""
    return [_section(section, None) for section in found]


def sections_reply(found: Sequence[StoredSection], body: bytes) -> SectionsReply:
    """Sections with their content, out of the document's body as filed.

    Takes as long as the document is large.
    """
    return SectionsReply(
        [_section(each, section_content(body, each.start, each.end)) for each in found]
    )


def _section(section: StoredSection, content: str | None) -> Section:
    return Section(
        id=section_id(section.document_id, section.item),
        document_id=section.document_id,
        item_label=section.label,
        item_description=section.description,
        content=content,
    )
