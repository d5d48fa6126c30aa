"""Sections of annual and quarterly reports: the reply of `/v2/filing_sections`."""

from msgspec import Struct


class Section(Struct, rename="camel"):
    """`content` is HTML; it is null where a filing only lists its sections."""

    id: str
    document_id: str
    item_label: str
    item_description: str
    content: str | None


class SectionsReply(Struct):
    sections: list[Section]
