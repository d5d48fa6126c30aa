"""The index `filings`."""

from datetime import date, datetime

from msgspec import Struct


class FilingEntity(Struct, frozen=True, omit_defaults=True):
    """One entity block of a filing's header, as filed."""

    role: str
    cik: str
    name: str
    sic: str | None = None


class FilingDocument(Struct, frozen=True):
    """One document of a filing; `size` is in bytes, decoded."""

    document_id: str
    form_type: str
    description: str
    size: int
    file_name: str


class Archived(Struct, frozen=True):
    """Where the submission is kept as received.

    `path` is relative to the archive; a member is (offset and length in the file, start and length
    in the submission), in bytes: first the header's, then one for each document.
    """

    path: str
    members: list[tuple[int, int, int, int]]


class StoredFiling(Struct, frozen=True, omit_defaults=True):
    """A filing; `primary` is the place in `entities` of the filer that stands for it."""

    accession_number: str
    form_type: str
    filing_date: date
    ciks: list[str]
    sics: list[str]
    entities: list[FilingEntity]
    documents: list[FilingDocument]
    loaded_at: datetime
    primary: int = 0
    period: date | None = None
    accepted_at: datetime | None = None
    items: list[str] = []
    archive: Archived | None = None
