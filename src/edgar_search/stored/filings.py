"""Filings, their documents, passages and sections in their stored form."""

from datetime import date, datetime
from typing import Literal

from msgspec import Struct


class StoredFilingValues(Struct, frozen=True, omit_defaults=True):
    """The form type, act and numbers of an entity in the filing; `act` is as filed."""

    form_type: str | None = None
    act: str | None = None
    file_number: str | None = None
    film_number: str | None = None


class FilingEntity(Struct, frozen=True, omit_defaults=True):
    """One entity block of a filing's header, as filed.

    Addresses and former names are stored with the entity, from the latest filing: a lookup reads a
    thousand filings, and they would be a third of each. Only the city and state of an address are
    stored here.
    """

    role: str
    cik: str
    name: str
    sic: str | None = None
    sic_description: str | None = None
    organization: str | None = None
    ein: str | None = None
    state_of_incorporation: str | None = None
    fiscal_year_end: str | None = None
    relationship: str | None = None
    filing_values: list[StoredFilingValues] = []
    business_city: str | None = None
    business_state: str | None = None


class StoredFundClass(Struct, frozen=True, omit_defaults=True):
    """A class of a fund series."""

    class_id: str | None = None
    name: str | None = None
    ticker: str | None = None


class StoredSeries(Struct, frozen=True, omit_defaults=True):
    """A fund series that the filing is about; `group` says how, such as `existing` or `target`."""

    group: str = ""
    owner_cik: str | None = None
    series_id: str | None = None
    name: str | None = None
    classes: list[StoredFundClass] = []


class FilingDocument(Struct, frozen=True, gc=False):
    """One document of a filing; `size` is in bytes, decoded."""

    document_id: str
    form_type: str
    description: str
    size: int
    file_name: str


class FilingExhibit(Struct, frozen=True, omit_defaults=True):
    """An exhibit of an 8-K; `document_id` and `file_name` name its document, if it has one."""

    number: str
    description: str
    document_id: str | None = None
    file_name: str = ""


ItemSource = Literal["header", "text", "both"]


class FilingItem(Struct, frozen=True, omit_defaults=True):
    """An item of an 8-K: its number ("2.02", before 23 August 2004 "12") and the form's name.

    `document_id` is the report. `source` says whether the filing's header, the report's text or
    both name the item; None if it was loaded before that was stored. `exhibits` are listed or
    mentioned in the item.
    """

    number: str
    name: str
    document_id: str
    source: ItemSource | None = None
    exhibits: list[FilingExhibit] = []


class ArchivedFile(Struct, frozen=True):
    """The location of a submission in the archive.

    `path` is relative to the archive; a member is (offset and length in the file, start and length
    in the submission), in bytes: first the header's, then one for each document.
    """

    path: str
    members: list[tuple[int, int, int, int]]


class StoredFiling(Struct, frozen=True, omit_defaults=True):
    """A filing; `primary` is the index in `entities` of its main filer.

    `entity_name` is that filer's name as filed, `entity_name_key` its sort key without regard to
    case. `size` is the size of the whole submission in bytes. `root_form` is the form type without
    `/A`; `states` are the states of the entities' business addresses, `incorporation_states` of
    their incorporation. `items` are the numbers of the items of an 8-K, for filters;
    `eight_k_items` are the items, `header_items` the header's lines. `auditor_key` is the name of a
    report's auditor as names are compared. `others` are names and values of the header's other
    fields, in order; a flag's value is "".
    """

    accession_number: str
    form_type: str
    filing_date: date
    ciks: list[str]
    sics: list[str]
    entities: list[FilingEntity]
    documents: list[FilingDocument]
    loaded_at: datetime
    root_form: str = ""
    primary: int = 0
    entity_name: str = ""
    entity_name_key: str = ""
    size: int = 0
    period: date | None = None
    accepted_at: datetime | None = None
    items: list[str] = []
    states: list[str] = []
    incorporation_states: list[str] = []
    file_numbers: list[str] = []
    header_items: list[str] = []
    group_members: list[str] = []
    change_date: date | None = None
    effectiveness_date: date | None = None
    series: list[StoredSeries] = []
    others: list[tuple[str, str]] = []
    eight_k_items: list[FilingItem] = []
    archive: ArchivedFile | None = None
    auditor_key: str | None = None


# Elasticsearch returns a field's values sorted: the leading number keeps the header's order.
_ENTITY = "{number:04d} {cik} {name}"


def entity_value(number: int, cik: str, name: str) -> str:
    """Write an entity as a value of `entities`; the inverse of `parse_entity_value`."""
    return _ENTITY.format(number=number, cik=cik, name=name)


def parse_entity_value(value: str) -> tuple[str, str]:
    """Parse an entity's CIK and name; the inverse of `entity_value`."""
    _, cik, name = value.split(" ", 2)
    return cik, name


def cik_in_value(value: str) -> str:
    """Parse an entity's CIK."""
    return value.split(" ", 2)[1]


class StoredDocument(Struct, frozen=True, omit_defaults=True):
    """A searchable document; `passages` is their number, `size` is in bytes.

    `first` is true for the first document of its filing, `archived` if the filed document is kept.
    `loaded_at` is the time of its first load here. `items` and `states` are the filing's.
    `text_length` is in code points, `text_sha256` is the hash of the text in UTF-8, `text_version`
    its format and version: `html:2`. `headings` are titles of the document, its items and its
    notes. `incorporation_states`, `file_numbers`, `film_numbers` and `business_locations` come from
    the filing's entities. `figures` are amounts of a report's main document in its `currency`, by
    the names of `edgar_search.stored.figures`, and `quotients` are quotients of two of them. It has
    the report's `auditor` too; `auditor_key` is the name as `edgar_search.edgar.auditors` compares
    names.
    """

    document_id: str
    accession_number: str
    form_type: str
    filing_date: date
    ciks: list[str]
    sics: list[str]
    entities: list[str]
    document_type: str
    description: str
    file_name: str
    size: int
    passages: int
    text: str
    loaded_at: datetime
    root_form: str
    text_sha256: str
    text_length: int
    accepted_at: datetime | None = None
    first: bool = False
    archived: bool = False
    period: date | None = None
    items: list[str] = []
    states: list[str] = []
    headings: list[str] = []
    text_version: str = ""
    incorporation_states: list[str] = []
    file_numbers: list[str] = []
    film_numbers: list[str] = []
    business_locations: list[str] = []
    figures: dict[str, float] = {}
    quotients: dict[str, float] = {}
    currency: str | None = None
    auditor: str | None = None
    auditor_key: str | None = None
    auditor_location: str | None = None
    auditor_firm_id: str | None = None


def passage_id(document_id: str, number: int) -> str:
    """Return the id of a document's passage; numbers count from 0."""
    return f"{document_id}#{number}"


class StoredPassage(Struct, frozen=True):
    """A piece of a document's text; `start` is its position in the text, in code points."""

    document_id: str
    number: int
    start: int
    text: str


def section_id(document_id: str, item: str) -> str:
    """Return the id of a document's section."""
    return f"{document_id}#{item}"


class SectionPlace(Struct, frozen=True, gc=False):
    """A range of a document's text, in code points."""

    start: int
    end: int


class FollowedSection(Struct, frozen=True):
    """The target of an item that only refers elsewhere: ranges of a document's text, in order."""

    document_id: str
    places: list[SectionPlace]


class StoredSection(Struct, frozen=True, omit_defaults=True):
    """An item of a report.

    `item` is such as "item1a", in a quarterly report "part2item1a", for combined items "item1and2".
    `label` is such as "Item 1A", `description` the form's title for it, `number` its index in the
    document, from 0. `text_start` and `text_end` are its position in the document's text, in code
    points. `followed` is set if the item only refers to a text whose position is certain. Older
    versions stored the bytes `start` to `end` of the filed body, and no text position if that was
    uncertain.
    """

    document_id: str
    accession_number: str
    item: str
    label: str
    description: str
    number: int
    form_type: str
    filing_date: date
    start: int | None = None
    end: int | None = None
    text_start: int | None = None
    text_end: int | None = None
    followed: FollowedSection | None = None
