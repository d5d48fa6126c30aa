"""The index `sections`."""

from datetime import date

from msgspec import Struct


def section_id(document_id: str, item: str) -> str:
    """The id of a document's section."""
    return f"{document_id}#{item}"


class StoredSection(Struct, frozen=True, omit_defaults=True):
    """An item of a report, in bytes `start` to `end` of the document's body as filed.

    `item` is "item1a", in a quarterly report "part2item1a", of a combined one "item1and2"; `label`
    "Item 1A", `description` the form's title of it; `number` its place in the document, from 0.
    `text_start` and `text_end` are its place in the document's text, in code points; None where
    that is not certain.
    """

    document_id: str
    accession_number: str
    item: str
    label: str
    description: str
    number: int
    start: int
    end: int
    form_type: str
    filing_date: date
    text_start: int | None = None
    text_end: int | None = None
