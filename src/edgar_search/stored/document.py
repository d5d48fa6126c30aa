"""The index `documents`."""

from datetime import date, datetime

from msgspec import Struct

# Values of a field come back from Elasticsearch sorted: the number in front keeps header order.
_ENTITY = "{number:04d} {cik} {name}"


def entity_value(number: int, cik: str, name: str) -> str:
    """One entity as a value of `entities`; the inverse of `parse_entity_value`."""
    return _ENTITY.format(number=number, cik=cik, name=name)


def parse_entity_value(value: str) -> tuple[str, str]:
    """The CIK and the name of an entity; the inverse of `entity_value`."""
    _, cik, name = value.split(" ", 2)
    return cik, name


def cik_in_value(value: str) -> str:
    """The CIK alone."""
    return value.split(" ", 2)[1]


class StoredDocument(Struct, frozen=True, omit_defaults=True):
    """A searchable document; `passages` is their number, `size` is in bytes.

    `first` says that its filing begins with it, `archived` that it is kept as filed. `loaded_at` is
    the time of its first load here. `items` and `states` are the filing's. `text_length` is in code
    points, `text_sha256` of the text in UTF-8.
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
