"""The header of a submission: its filers, form and dates."""

import re
from collections.abc import Callable
from datetime import UTC, date, datetime
from typing import TypeVar
from zoneinfo import ZoneInfo

from msgspec import Struct

from edgar_search.edgar.envelope import decode_bytes
from edgar_search.edgar.header_blocks import EntityValues, HeaderValues, SeriesValues, read_values
from edgar_search.edgar.identifiers import is_accession_number, parse_cik
from edgar_search.errors import MalformedSubmission

_EASTERN = ZoneInfo("America/New_York")  # EDGAR's clock
_SMALL_NUMBER = re.compile(r"[0-9]{1,9}")
_DATE, _TIME = re.compile(r"[0-9]{8}"), re.compile(r"[0-9]{14}")
_CODE = re.compile(r"[0-9]{0,4}")


def small_number(value: str) -> int | None:
    """Parse a number of up to nine digits."""
    return int(value) if _SMALL_NUMBER.fullmatch(value) else None


def as_date(value: str) -> date | None:
    """Parse a date written YYYYMMDD."""
    if not _DATE.fullmatch(value):
        return None
    try:
        return date(int(value[:4]), int(value[4:6]), int(value[6:]))
    except ValueError:
        return None


def accepted_at(value: str) -> datetime | None:
    """Parse a time on EDGAR's clock, written YYYYMMDDhhmmss; return it in UTC."""
    if not _TIME.fullmatch(value):
        return None
    try:
        # `strptime` takes ten times as long.
        month, day, hour, minute, second = (int(value[at : at + 2]) for at in range(4, 14, 2))
        local = datetime(int(value[:4]), month, day, hour, minute, second, tzinfo=_EASTERN)
        return local.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def industry(value: str) -> tuple[str | None, str | None]:
    """Parse the code and description of `NAME [6798]`, `4991`, `[3281` or `[]`."""
    description, _, code = value.rpartition("[")
    code = code.rstrip("] \t")
    if not _CODE.fullmatch(code):
        return None, value
    return code.zfill(4) if code else None, description.strip() or None


class FormerName(Struct, frozen=True):
    """A former name of an entity; `since` is the day on which it took that name, if known.

    EDGAR calls that day the date of the name change. The day on which the name was given up is not
    in the header, as the years of former names in EDGAR's submissions JSON show.
    """

    name: str
    since: date | None


class Address(Struct, frozen=True):
    """An address as filed; parts that the header lacks are None."""

    street1: str | None = None
    street2: str | None = None
    city: str | None = None
    state: str | None = None
    zip: str | None = None
    phone: str | None = None


class FilingValues(Struct, frozen=True):
    """The act and the numbers under which an entity's part of the filing is registered.

    An entity may have several. `act` is spelled as filed: `34` in the daily feed, `1934 Act` in the
    archive's text files.
    """

    form_type: str | None = None
    act: str | None = None
    file_number: str | None = None
    film_number: str | None = None


class Entity(Struct, frozen=True):
    """One entity block. Names are as filed; `role` has blanks in both forms of headers.

    `role` is "" for a block of company data without one. `cik` has 10 digits, `sic` 4,
    `fiscal_year_end` is month and day (MMDD). `relationship` is the role of a reporting owner of
    the 1990s.
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
    relationship: str | None
    filing_values: tuple[FilingValues, ...]
    business_address: Address | None
    mail_address: Address | None
    former_names: tuple[FormerName, ...]


class FundClass(Struct, frozen=True):
    """A class of a fund series, or an insurance contract; missing fields are None."""

    class_id: str | None = None
    name: str | None = None
    ticker: str | None = None


class Series(Struct, frozen=True):
    """A fund series that the filing is about.

    `group` is `existing`, `new`, `merger`, `acquiring` or `target`, or "" if the header has none.
    `owner_cik` has 10 digits.
    """

    group: str
    owner_cik: str | None
    series_id: str | None
    name: str | None
    classes: tuple[FundClass, ...]


class Header(Struct, frozen=True):
    """The facts in the header of a filing.

    `accepted_at` is in UTC. A date is None if it is absent or invalid. `entities` are in the
    header's order, and a CIK may occur twice. `others` are the names and values of all other
    fields, in order, flags with the value "": nothing in a header is lost. `unknown_fields` are the
    names, sorted, that this parser does not know or whose values it could not parse.
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
    group_members: tuple[str, ...] = ()
    change_date: date | None = None
    effectiveness_date: date | None = None
    series: tuple[Series, ...] = ()
    others: tuple[tuple[str, str], ...] = ()


_Value = TypeVar("_Value")
# Elasticsearch refuses keywords of 32,767 bytes; the longest real line has 2,265 characters.
LONGEST_VALUE = 8_000
_TOO_LONG = re.compile(rf"^(?=.{{{LONGEST_VALUE}}})(.{{40}})", re.MULTILINE)


def parse_header(data: bytes) -> Header:
    """Parse the header in `data`, in either form, with or without its enclosing tags.

    Raises MalformedSubmission if it has no valid accession number, form type or filing date, or a
    value that no index accepts.
    """
    text = decode_bytes(data)
    if (long := _TOO_LONG.search(text)) is not None:
        raise MalformedSubmission(
            f"the header has a line of more than {LONGEST_VALUE:,} characters: {long[1]!r}"
        )
    values = read_values(text)
    read = _Reading(values)
    entities = tuple(_entity(entity) for entity in values.entities if _cik(entity))
    return Header(
        accession_number=_accession_number(values),
        form_type=" ".join(_require(values, "form_type", "form type").upper().split()),
        filing_date=_filing_date(values),
        period=read.value("period", as_date),
        accepted_at=read.value("accepted_at", accepted_at),
        public_document_count=read.value("public_document_count", small_number),
        items=tuple(values.lists.get("items", ())),
        group_members=tuple(values.lists.get("group_members", ())),
        change_date=read.value("change_date", as_date),
        effectiveness_date=read.value("effectiveness_date", as_date),
        entities=entities,
        series=tuple(_series(series) for series in values.series),
        others=(*values.others, *read.unreadable, *_nameless(values)),
        unknown_fields=tuple(
            sorted(values.unknown | {name for name, _ in (*read.unreadable, *_nameless(values))})
        ),
    )


def primary_entity(header: Header) -> Entity | None:
    """Return the first FILER, else ISSUER, else SUBJECT COMPANY, else the first entity, or None."""
    for role in ("FILER", "ISSUER", "SUBJECT COMPANY"):
        for entity in header.entities:
            if entity.role == role:
                return entity
    return header.entities[0] if header.entities else None


class _Reading:
    """Parses the filing's texts, and collects those that cannot be parsed."""

    def __init__(self, values: HeaderValues) -> None:
        self._texts = values.filing
        self.unreadable: list[tuple[str, str]] = []

    def value(self, field: str, read: Callable[[str], _Value | None]) -> _Value | None:
        """Parse a field's value; None if it is absent or cannot be parsed."""
        text = self._texts.get(field)
        if text is None:
            return None
        if (value := read(text)) is None:
            self.unreadable.append((f"{field.replace('_', ' ')} that is none", text))
        return value


def _nameless(values: HeaderValues) -> list[tuple[str, str]]:
    """Return the names of entities without a CIK, which cannot be stored."""
    return [
        (f"{entity.role} without CIK".strip(), entity.fields.get("name", ""))
        for entity in values.entities
        if not _cik(entity)
    ]


def _require(values: HeaderValues, field: str, name: str) -> str:
    if not (value := values.filing.get(field, "")):
        raise MalformedSubmission(f"the header has no {name}")
    return value


def _accession_number(values: HeaderValues) -> str:
    value = _require(values, "accession_number", "accession number")
    if not is_accession_number(value):
        raise MalformedSubmission(f"the header's accession number is not valid: {value[:40]!r}")
    return value


def _filing_date(values: HeaderValues) -> date:
    value = _require(values, "filing_date", "filing date")
    if (filed := as_date(value)) is None:
        raise MalformedSubmission(f"the header's filing date is not valid: {value[:40]!r}")
    return filed


def _cik(values: EntityValues) -> str | None:
    return parse_cik(values.fields.get("cik", ""))


def _entity(values: EntityValues) -> Entity:
    fields = values.fields
    sic, description = industry(fields.get("sic", ""))
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
        relationship=fields.get("relationship"),
        filing_values=tuple(FilingValues(**value) for value in values.filing_values if value),
        business_address=_address(values, "business_address"),
        mail_address=_address(values, "mail_address"),
        former_names=tuple(
            FormerName(former["name"], as_date(former.get("since", "")))
            for former in values.former_names
        ),
    )


def _address(values: EntityValues, kind: str) -> Address | None:
    fields = values.addresses.get(kind)
    return Address(**fields) if fields else None


def _series(values: SeriesValues) -> Series:
    fields = values.fields
    return Series(
        group=values.group,
        owner_cik=parse_cik(fields.get("owner_cik", "")),
        series_id=fields.get("series_id"),
        name=fields.get("name"),
        classes=tuple(
            FundClass(
                fund_class.get("class_id"), fund_class.get("class_name"), fund_class.get("ticker")
            )
            for fund_class in values.classes
        ),
    )
