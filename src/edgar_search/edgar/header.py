"""The header of a submission: who filed what, and when."""

import re
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from msgspec import Struct

from edgar_search.edgar.header_state import EntityValues, HeaderValues, read_values
from edgar_search.edgar.plain_text import decode_bytes
from edgar_search.errors import MalformedSubmission


class FormerName(Struct, frozen=True):
    """A name that an entity had; `until` is the date of the change, if the header has one."""

    name: str
    until: date | None


class Address(Struct, frozen=True):
    """An address as filed; a part that the header does not have is None."""

    street1: str | None = None
    street2: str | None = None
    city: str | None = None
    state: str | None = None
    zip: str | None = None
    phone: str | None = None


class Entity(Struct, frozen=True):
    """One entity block. Names are as filed, `role` is spelled with blanks in both dialects.

    `role` is "" where the header has a block of company data without one. `cik` has 10 digits,
    `sic` 4, `fiscal_year_end` is month and day (MMDD). Of several sets of filing values the first
    counts.
    """

    role: str
    cik: str
    name: str
    sic: str | None
    sic_description: str | None
    ein: str | None
    state_of_incorporation: str | None
    fiscal_year_end: str | None
    organization: str | None
    form_type: str | None
    act: str | None
    file_number: str | None
    film_number: str | None
    business_address: Address | None
    mail_address: Address | None
    former_names: tuple[FormerName, ...]


class Header(Struct, frozen=True):
    """What a header says of its filing.

    `accepted_at` is in UTC. `period` is None where it is absent or no date. `entities` are in the
    header's order and a CIK may occur twice. `unknown_fields` names what the header has and this
    parser has no place for, sorted.
    """

    accession_number: str
    form_type: str
    filing_date: date
    period: date | None
    accepted_at: datetime | None
    public_document_count: int | None
    items: tuple[str, ...]
    entities: tuple[Entity, ...]
    unknown_fields: tuple[str, ...]


_EASTERN = ZoneInfo("America/New_York")  # EDGAR's clock
_ACCESSION_NUMBER = re.compile(r"[0-9]{10}-[0-9]{2}-[0-9]{6}")
_SMALL_NUMBER = re.compile(r"[0-9]{1,9}")


def parse_header(data: bytes) -> Header:
    """Return the header in `data`, of either dialect, with or without its enclosing tags.

    Raises MalformedSubmission if it has no accession number, form type or filing date, or one that
    is none.
    """
    values = read_values(decode_bytes(data))
    count = values.filing.get("public_document_count", "")
    entities = tuple(_entity(entity) for entity in values.entities if _cik(entity))
    nameless = {f"{each.role} without CIK".strip() for each in values.entities if not _cik(each)}
    return Header(
        accession_number=_accession_number(values),
        form_type=" ".join(_required(values, "form_type", "form type").upper().split()),
        filing_date=_filing_date(values),
        period=_date(values.filing.get("period", "")),
        accepted_at=_accepted_at(values.filing.get("accepted_at", "")),
        public_document_count=int(count) if _SMALL_NUMBER.fullmatch(count) else None,
        items=tuple(values.items),
        entities=entities,
        unknown_fields=tuple(sorted(values.unknown | nameless)),
    )


def primary_entity(header: Header) -> Entity | None:
    """Return the first FILER, else ISSUER, else SUBJECT COMPANY, else the first entity, if any."""
    for role in ("FILER", "ISSUER", "SUBJECT COMPANY"):
        for entity in header.entities:
            if entity.role == role:
                return entity
    return header.entities[0] if header.entities else None


def _required(values: HeaderValues, field: str, name: str) -> str:
    if not (value := values.filing.get(field, "")):
        raise MalformedSubmission(f"the header has no {name}")
    return value


def _accession_number(values: HeaderValues) -> str:
    value = _required(values, "accession_number", "accession number")
    if not _ACCESSION_NUMBER.fullmatch(value):
        raise MalformedSubmission(f"the header's accession number is none: {value[:40]!r}")
    return value


def _filing_date(values: HeaderValues) -> date:
    value = _required(values, "filing_date", "filing date")
    if (filed := _date(value)) is None:
        raise MalformedSubmission(f"the header's filing date is none: {value[:40]!r}")
    return filed


def _date(value: str) -> date | None:
    if not re.fullmatch(r"[0-9]{8}", value):
        return None
    try:
        return date(int(value[:4]), int(value[4:6]), int(value[6:]))
    except ValueError:
        return None


def _accepted_at(value: str) -> datetime | None:
    if not re.fullmatch(r"[0-9]{14}", value):
        return None
    try:
        local = datetime.strptime(value, "%Y%m%d%H%M%S").replace(tzinfo=_EASTERN)
        return local.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _cik(values: EntityValues) -> str | None:
    cik = values.fields.get("cik", "")
    return cik.zfill(10) if re.fullmatch(r"[0-9]{1,10}", cik) else None


def _entity(values: EntityValues) -> Entity:
    fields = values.fields
    sic, description = _industry(fields.get("sic", ""))
    return Entity(
        role=values.role,
        cik=_cik(values) or "",
        name=fields.get("name", ""),
        sic=sic,
        sic_description=description,
        ein=fields.get("ein"),
        state_of_incorporation=fields.get("state_of_incorporation"),
        fiscal_year_end=fields.get("fiscal_year_end"),
        organization=fields.get("organization"),
        form_type=fields.get("form_type"),
        act=fields.get("act"),
        file_number=fields.get("file_number"),
        film_number=fields.get("film_number"),
        business_address=_address(values, "business_address"),
        mail_address=_address(values, "mail_address"),
        former_names=tuple(
            FormerName(former["name"], _date(former.get("until", "")))
            for former in values.former_names
        ),
    )


def _industry(value: str) -> tuple[str | None, str | None]:
    """Return code and description of `NAME [6798]`, `4991`, `[3281` or `[]`."""
    description, _, code = value.rpartition("[")
    code = code.rstrip("] \t")
    if not re.fullmatch(r"[0-9]{0,4}", code):
        return None, value
    return code.zfill(4) if code else None, description.strip() or None


def _address(values: EntityValues, kind: str) -> Address | None:
    fields = values.addresses.get(kind)
    return Address(**fields) if fields else None
