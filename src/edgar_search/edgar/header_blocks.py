"""Blocks of values from the lines of a header, in either of its forms.

Indentation is ignored and closing tags are optional: a name without value begins an entity if the
data of a company or an owner follow directly, so no list of roles is needed.

Names are compared in the form that `canonical` returns, so that `STATE OF INCORPORATION:` in the
archive's text files and `<STATE-OF-INCORPORATION>` in the daily feed are one name.
"""

import re
from enum import Enum
from functools import lru_cache
from itertools import pairwise

import msgspec
from msgspec import Struct


class FieldTarget(Enum):
    """The part of a header that a value belongs to."""

    FILING = "filing"
    ENTITY = "entity"
    FILING_VALUES = "filing values"
    ADDRESS = "address"
    FORMER_NAME = "former name"


_FILING = {
    "ACCEPTANCE DATETIME": "accepted_at",
    "ACCESSION NUMBER": "accession_number",
    "CONFORMED PERIOD OF REPORT": "period",
    "CONFORMED SUBMISSION TYPE": "form_type",
    "DATE AS OF CHANGE": "change_date",
    "DATE OF FILING DATE CHANGE": "change_date",
    "EFFECTIVENESS DATE": "effectiveness_date",
    "FILED AS OF DATE": "filing_date",
    "FILING DATE": "filing_date",
    "GROUP MEMBERS": "group_members",
    "ITEM": "items",
    "ITEM INFORMATION": "items",
    "ITEMS": "items",
    "PERIOD": "period",
    "PUBLIC DOCUMENT COUNT": "public_document_count",
    "TYPE": "form_type",
}
_ENTITY = {
    "ASSIGNED SIC": "sic",
    "CENTRAL INDEX KEY": "cik",
    "CIK": "cik",
    "COMPANY CONFORMED NAME": "name",
    "CONFORMED NAME": "name",
    "EIN": "ein",
    "FISCAL YEAR END": "fiscal_year_end",
    "IRS NUMBER": "ein",
    "ORGANIZATION NAME": "organization",
    "RELATIONSHIP": "relationship",
    "STANDARD INDUSTRIAL CLASSIFICATION": "sic",
    "STATE OF INCORPORATION": "state_of_incorporation",
}
_FILING_VALUES = {
    "ACT": "act",
    "FILE NUMBER": "file_number",
    "FILM NUMBER": "film_number",
    "FORM TYPE": "form_type",
    "SEC ACT": "act",
    "SEC FILE NUMBER": "file_number",
}
_ADDRESS = {
    "BUSINESS PHONE": "phone",
    "CITY": "city",
    "PHONE": "phone",
    "STATE": "state",
    "STREET 1": "street1",
    "STREET 2": "street2",
    "STREET1": "street1",
    "STREET2": "street2",
    "ZIP": "zip",
}
_FORMER_NAME = {
    "DATE CHANGED": "since",
    "DATE OF NAME CHANGE": "since",
    "FORMER CONFORMED NAME": "name",
}

FIELDS: dict[str, tuple[FieldTarget, str]] = {
    name: (place, field)
    for place, fields in (
        (FieldTarget.FILING, _FILING),
        (FieldTarget.ENTITY, _ENTITY),
        (FieldTarget.FILING_VALUES, _FILING_VALUES),
        (FieldTarget.ADDRESS, _ADDRESS),
        (FieldTarget.FORMER_NAME, _FORMER_NAME),
    )
    for name, field in fields.items()
}
# Fields of which a header may have several, one on each line.
LISTS = frozenset({"group_members", "items"})

# Only these directly follow the name of an entity's role.
ENTITY_DATA = frozenset({"COMPANY DATA", "OWNER DATA"})
FILING_VALUES = "FILING VALUES"
ADDRESSES = {"BUSINESS ADDRESS": "business_address", "MAIL ADDRESS": "mail_address"}
FORMER_NAMES = frozenset({"FORMER COMPANY", "FORMER NAME"})

# Fund series and their classes, a block in which `CIK` has its own meaning.
SERIES_BLOCK = "SERIES AND CLASSES CONTRACTS DATA"
SERIES_FIELDS = {
    "CIK": "owner_cik",
    "CLASS CONTRACT ID": "class_id",
    "CLASS CONTRACT NAME": "class_name",
    "CLASS CONTRACT TICKER SYMBOL": "ticker",
    "OWNER CIK": "owner_cik",
    "SERIES ID": "series_id",
    "SERIES NAME": "name",
}
# The group of the series in each part of the block, and the tags that begin a series.
SERIES_GROUPS = {
    "ACQUIRING DATA": "acquiring",
    "EXISTING SERIES AND CLASSES CONTRACTS": "existing",
    "MERGER": "merger",
    "MERGER SERIES AND CLASSES CONTRACTS": "merger",
    "NEW SERIES AND CLASSES CONTRACTS": "new",
    "TARGET DATA": "target",
}
SERIES_BEGINS = frozenset({"NEW CLASSES CONTRACTS", "NEW SERIES", "SERIES"})
CLASS_BEGINS = "CLASS CONTRACT"

# Accession numbers of other submissions, with the same label as this submission's own.
MULTI_ACCESSION_BLOCK = "MULTI ACCESSION NUMBERS"

# Tags around the parts of a header, which have no value.
STRUCTURE = frozenset({"IMS DOCUMENT", "IMS HEADER", "SEC DOCUMENT", "SEC HEADER", "SUBMISSION"})

# Known fields of some forms only, kept by name. A field in none of the tables is also kept, but
# reported as unknown.
OTHERS = frozenset(
    {
        "ABS ASSET CLASS",
        "ABS RULE",
        "ABS SUB ASSET CLASS",
        "ACTION DATE",
        "CALENDAR YEAR ENDING",
        "CATEGORY",
        "CONFIRMING COPY",
        "CORRECTION",
        "DELETION",
        "DEPOSITOR CIK",
        "FILED PURSUANT TO GENERAL INSTRUCTION A2",
        "IS FILER A NEW REGISTRANT",
        "IS FILER A WELL KNOWN SEASONED ISSUER",
        "IS FUND 24F2 ELIGIBLE",
        "ISSUING ENTITY CIK",
        "ISSUING ENTITY NAME",
        "NO ANNUAL ACTIVITY",
        "NO QUARTERLY ACTIVITY",
        "PAPER",
        "PERIOD START",
        "PRIVATE TO PUBLIC",
        "PUBLIC REFERENCE ACC",
        "PUBLIC REFERENCE ACCESSION NUMBER",
        "REFERENCE 462B",
        "REFERENCES 429",
        "RESOURCE EXT ISSUER",
        "RULE",
        "SECURITIZER CIK",
        "SECURITIZER FILE NUMBER",
        "SPONSOR CIK",
        "SROS",
        "TIMESTAMP",
        "WITHDRAWN ACCESSION NUMBER",
    }
)


def canonical(name: str) -> str:
    """Return the canonical spelling of a label or tag: capitals, single blanks, no hyphens."""
    return " ".join(name.upper().replace("-", " ").replace("_", " ").split())


class Event(Struct):
    """A label or tag with its value; `name` is canonical, `written` is as in the header."""

    name: str
    written: str
    value: str
    closing: bool = False


_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9 _.-]*)>(.*)", re.DOTALL)
# Values contain colons too, but in mixed case; labels are in capitals.
_LABEL = re.compile(r"([A-Z][A-Z0-9 /&.,'()-]{0,79}):(.*)", re.DOTALL)


def events(header: str) -> list[Event]:
    """Split `header` into events, in order.

    A line without a label or tag continues the value before it.
    """
    parsed: list[Event] = []
    continued: dict[int, list[str]] = {}  # joined at the end: there may be a million lines
    for line in header.replace("\r", "\n").split("\n"):
        # The `]` of `STANDARD INDUSTRIAL CLASSIFICATION: [3281` precedes the next line's label.
        line = line.strip().lstrip("]\t ")
        if not line:
            continue
        event = _event(line)
        if event is not None:
            parsed.append(event)
        elif parsed and not parsed[-1].closing:
            continued.setdefault(len(parsed) - 1, []).append(line)
    for number, lines in continued.items():
        parsed[number].value = " ".join([parsed[number].value, *lines]).strip()
    return parsed


def _event(line: str) -> Event | None:
    if line[0] == "<":
        tag = _TAG.match(line)
        return Event(_name(tag[2]), tag[2], tag[3].strip(), closing=bool(tag[1])) if tag else None
    label = _LABEL.match(line)
    return Event(_name(label[1]), label[1].strip(), label[2].strip()) if label else None


def _name(written: str) -> str:
    return _known(written) if len(written) <= _LONGEST else canonical(written)


# All headers have the same few hundred names.
_LONGEST = 80  # characters; a longer name is none of them, and is not cached
_known = lru_cache(1_000)(canonical)


_CLASS_FIELDS = frozenset({"class_id", "class_name", "ticker"})


class SeriesValues(Struct):
    """The texts of one series; `group` is the part of the block that it was in."""

    group: str
    fields: dict[str, str] = msgspec.field(default_factory=dict)
    classes: list[dict[str, str]] = msgspec.field(default_factory=list)


class SeriesReader:
    """Reads the events of the block, one after the other, into `found`."""

    def __init__(self) -> None:
        self.found: list[SeriesValues] = []
        self._group = ""
        self._owner = ""  # before the first series, a group may name the owner of them all
        self._open: SeriesValues | None = None

    def read(self, event: Event) -> bool:
        """Take `event`; False if it cannot be part of the block."""
        if event.name in SERIES_GROUPS:
            self._group, self._owner, self._open = SERIES_GROUPS[event.name], "", None
        elif event.name in SERIES_BEGINS:
            self._open = None if event.closing else self._begin()
        elif event.name == CLASS_BEGINS:
            if not event.closing:
                (self._open or self._begin()).classes.append({})
        elif event.name in SERIES_FIELDS:
            self._store(SERIES_FIELDS[event.name], event.value)
        else:
            return False
        return True

    def _begin(self) -> SeriesValues:
        self._open = SeriesValues(self._group)
        if self._owner:
            self._open.fields["owner_cik"] = self._owner
        self.found.append(self._open)
        return self._open

    def _store(self, field: str, value: str) -> None:
        if not value:
            return
        if field == "owner_cik" and self._open is None:
            self._owner = value
            return
        series = self._open or self._begin()
        if field not in _CLASS_FIELDS:
            series.fields[field] = value
            return
        if not series.classes:
            series.classes.append({})
        series.classes[-1][field] = value


class EntityValues(Struct):
    """The texts of one entity block."""

    role: str
    fields: dict[str, str] = msgspec.field(default_factory=dict)
    filing_values: list[dict[str, str]] = msgspec.field(default_factory=list)
    addresses: dict[str, dict[str, str]] = msgspec.field(default_factory=dict)
    former_names: list[dict[str, str]] = msgspec.field(default_factory=list)


class HeaderValues(Struct):
    """The texts of a header; if a field occurs twice in its block, the first value counts.

    `others` are the names and values without a field, in order: of some forms only, unknown ones,
    and further values of a field. `unknown` names the last two kinds.
    """

    filing: dict[str, str] = msgspec.field(default_factory=dict)
    lists: dict[str, list[str]] = msgspec.field(default_factory=dict)
    entities: list[EntityValues] = msgspec.field(default_factory=list)
    series: list[SeriesValues] = msgspec.field(default_factory=list)
    others: list[tuple[str, str]] = msgspec.field(default_factory=list)
    unknown: set[str] = msgspec.field(default_factory=set)


def read_values(header: str) -> HeaderValues:
    """Parse the values of `header`, as texts; never raises."""
    reader = _Reader()
    for event, following in pairwise([*events(header), _END]):
        reader.read(event, following)
    reader.values.series = reader.series.found
    return reader.values


_END = Event("", "", "")
_BLOCKS = frozenset({SERIES_BLOCK, MULTI_ACCESSION_BLOCK})


class _Reader:
    def __init__(self) -> None:
        self.values = HeaderValues()
        self.series = SeriesReader()
        self._address: dict[str, str] | None = None
        self._inside: str | None = None  # a block whose labels have another meaning

    def read(self, event: Event, following: Event) -> None:
        """Store `event`; `following` decides if it begins an entity."""
        if self._take_in_block(event) or event.closing:
            return
        if event.name in FIELDS:
            self._store(event)
        elif _begins_entity(event, following):
            self._begin_entity(event.name)
        elif event.name in ENTITY_DATA:
            self._ensure_entity()
        elif event.name in ADDRESSES and self.values.entities:
            self._address = self._entity().addresses.setdefault(ADDRESSES[event.name], {})
        elif event.name == FILING_VALUES and self.values.entities:
            self._entity().filing_values.append({})
        elif event.name not in STRUCTURE and event.name not in FORMER_NAMES:
            self._keep(event, known=event.name in OTHERS)

    def _take_in_block(self, event: Event) -> bool:
        """Take `event` if it is part of a block with its own rules; else False.

        The end of a block may be missing: an event that cannot be part of the block ends it.
        """
        if event.name in _BLOCKS:
            self._inside = None if event.closing else event.name
            return True
        if self._inside is None:
            return False
        if self._inside == SERIES_BLOCK and self.series.read(event):
            return True
        if self._inside == MULTI_ACCESSION_BLOCK and event.name == "ACCESSION NUMBER":
            self.values.others.append((MULTI_ACCESSION_BLOCK, event.value))
            return True
        self._inside = None
        return False

    def _begin_entity(self, role: str) -> None:
        self._address = None
        self.values.entities.append(EntityValues(role))

    def _ensure_entity(self) -> None:
        """Begin an entity without a role, for company data without one."""
        if not self.values.entities or self._entity().fields:
            self._begin_entity("")

    def _entity(self) -> EntityValues:
        return self.values.entities[-1]

    def _store(self, event: Event) -> None:
        if not event.value:
            return
        part, field = FIELDS[event.name]
        if field in LISTS:
            self.values.lists.setdefault(field, []).append(event.value)
            return
        target = self._block(part, field)
        if target is None or target.setdefault(field, event.value) != event.value:
            self._keep(event, known=False)

    def _block(self, part: FieldTarget, field: str) -> dict[str, str] | None:
        """Return the block that `field` belongs to; None if the header does not have it."""
        if part is FieldTarget.FILING:
            return self.values.filing
        if part is FieldTarget.ADDRESS:
            return self._address
        if not self.values.entities:
            return None
        if part is FieldTarget.ENTITY:
            return self._entity().fields
        if part is FieldTarget.FILING_VALUES:
            return self._filing_values(field)
        if field == "name":
            self._entity().former_names.append({})
        return self._entity().former_names[-1] if self._entity().former_names else None

    def _filing_values(self, field: str) -> dict[str, str]:
        """Return the last set of values; a form type begins the next set."""
        sets = self._entity().filing_values
        if not sets or (field == "form_type" and field in sets[-1]):
            sets.append({})
        return sets[-1]

    def _keep(self, event: Event, known: bool) -> None:
        self.values.others.append((event.name, event.value))
        if not known:
            self.values.unknown.add(event.written)


def _begins_entity(event: Event, following: Event) -> bool:
    known = event.name in OTHERS or event.name in ENTITY_DATA
    named = not known and event.name not in STRUCTURE
    return named and not event.value and not event.closing and following.name in ENTITY_DATA
