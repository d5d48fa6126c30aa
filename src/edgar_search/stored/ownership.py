"""Rows of ownership forms in their stored form, and filters of them.

Amounts are decimals with the digits as filed; None if the form does not have them. `start` and
`end` are the position of a row in the filed body, in bytes; None if that is uncertain. `not_read`
names the fields whose value could not be read.
"""

import re
from datetime import date, datetime
from decimal import Decimal
from hashlib import blake2b
from typing import Literal, TypeAlias

from msgspec import Struct

Role = Literal["director", "officer", "ten_percent_owner", "other"]
# The kinds of indices of these rows, which operators name too (`EDGAR_SEARCH_SHARDS`).
OwnershipKind: TypeAlias = Literal[
    "insider_trades", "stakes", "planned_sales", "manager_reports", "holdings"
]
RowsName = Literal["insider_trades", "insider_holdings", "holdings", "stakes", "planned_sales"]


# Titles of debt, whose amounts are dollars of principal, and other titles that contain the same
# words.
_DEBT = re.compile(
    r"\b(?:notes|note due|(?:convertible|demand|promissory|secured|senior|subordinated|term) note"
    r"|debentures?|bonds?)\b",
    re.IGNORECASE,
)
_EQUITY = re.compile(r"\b(?:shares?|stock|units?|adss?|warrants?)\b", re.IGNORECASE)


def is_debt(security: str) -> bool:
    """Return True if a security is debt by its title, such as a convertible note."""
    return bool(_DEBT.search(security) and not _EQUITY.search(security))


def row_id(document_id: str, number: int) -> str:
    """Return the id of a row of a document; numbers count from 0."""
    return f"{document_id}#{number}"


class Owner(Struct, frozen=True, omit_defaults=True):
    """A reporting owner; `title` is an officer's title, or describes another relationship."""

    cik: str | None
    name: str
    roles: list[Role] = []
    title: str | None = None


class Footnote(Struct, frozen=True):
    """The text of a footnote to a field of a row."""

    field: str
    text: str


class UnderlyingSecurity(Struct, frozen=True, omit_defaults=True):
    """The underlying security of a derivative; the days as filed may be in a footnote only."""

    security: str | None = None
    shares: Decimal | None = None
    exercise_price: Decimal | None = None
    exercisable: date | None = None
    expires: date | None = None


class StoredInsiderTrade(Struct, frozen=True, omit_defaults=True):
    """A transaction of Form 3, 4 or 5 (`trade`), or a holding.

    `value` is shares times price, or the total value as filed. `amends` is the filing date of the
    form that this one amends. `owner_ciks`, `owner_names` and `roles` belong to all owners, for
    filters.
    """

    document_id: str
    accession_number: str
    number: int
    form_type: str
    filing_date: date
    trade: bool
    derivative: bool
    issuer_cik: str | None = None
    issuer_name: str = ""
    ticker: str | None = None
    owners: list[Owner] = []
    owner_ciks: list[str] = []
    owner_names: list[str] = []
    roles: list[Role] = []
    trade_date: date | None = None
    security: str | None = None
    code: str | None = None
    acquired: str | None = None
    shares: Decimal | None = None
    price: Decimal | None = None
    value: Decimal | None = None
    shares_after: Decimal | None = None
    value_after: Decimal | None = None
    direct: bool | None = None
    nature: str | None = None
    underlying: UnderlyingSecurity | None = None
    plan_10b5_1: bool | None = None
    plan_named_by: Literal["form", "footnote"] | None = None
    footnotes: list[Footnote] = []
    amends: date | None = None
    start: int | None = None
    end: int | None = None
    not_read: list[str] = []


class StakePower(Struct, frozen=True, omit_defaults=True):
    """Shares that a person may vote, or dispose of, alone and with others."""

    sole: Decimal | None = None
    shared: Decimal | None = None


class StakePerson(Struct, frozen=True, omit_defaults=True):
    """A reporting person; `types` are codes such as IA, `percent` is a percentage of the class."""

    cik: str | None
    name: str
    types: list[str] = []
    shares: Decimal | None = None
    percent: Decimal | None = None
    voting: StakePower = StakePower()
    dispositive: StakePower = StakePower()


class StoredStake(Struct, frozen=True, omit_defaults=True):
    """A schedule 13D or 13G; its persons may hold the same shares, so they are never summed.

    `amends` is the accession number of the schedule before it. `person_ciks` are the CIKs of the
    persons and of the filer; `person_names` are for filters.
    """

    document_id: str
    accession_number: str
    number: int
    form_type: str
    filing_date: date
    event_date: date | None = None
    issuer_cik: str | None = None
    issuer_name: str = ""
    security_class: str | None = None
    cusips: list[str] = []
    persons: list[StakePerson] = []
    person_ciks: list[str] = []
    person_names: list[str] = []
    amends: str | None = None
    start: int | None = None
    end: int | None = None
    not_read: list[str] = []


class PastSale(Struct, frozen=True, omit_defaults=True):
    """A sale in the past three months that a Form 144 lists."""

    seller: str | None = None
    security_class: str | None = None
    sale_date: date | None = None
    shares: Decimal | None = None
    proceeds: Decimal | None = None


class StoredPlannedSale(Struct, frozen=True, omit_defaults=True):
    """Securities to be sold by one broker, according to a Form 144.

    `relationships` are the seller's to the issuer. `plan_dates` are days on which plans under Rule
    10b5-1 were adopted. `amends` is the accession number of the notice before it.
    """

    document_id: str
    accession_number: str
    number: int
    form_type: str
    filing_date: date
    issuer_cik: str | None = None
    issuer_name: str = ""
    seller: str | None = None
    relationships: list[str] = []
    security_class: str | None = None
    shares: Decimal | None = None
    value: Decimal | None = None
    outstanding: Decimal | None = None
    sale_date: date | None = None
    broker: str | None = None
    exchange: str | None = None
    past_sales: list[PastSale] = []
    plan_dates: list[date] = []
    amends: str | None = None
    start: int | None = None
    end: int | None = None
    not_read: list[str] = []


Unit = Literal["dollars", "thousands"]
Amendment = Literal["restatement", "new_holdings"]
ReportType = Literal["holdings", "notice", "combination"]
TableForm = Literal["xml", "html", "text", "none"]


def quarter_of(day: date) -> str:
    """Return the quarter that contains a day, such as 2025Q2."""
    return f"{day.year:04d}Q{(day.month + 2) // 3}"


class UnitBasis(Struct, frozen=True, omit_defaults=True):
    """The unit of a filing's values, and the evidence for it.

    `value_per_share` is the median of value per share as filed, over `shares_compared` rows.
    `doubt` says what speaks against the unit.
    """

    unit: Unit
    decided_by: Literal["filing_date", "value_per_share"]
    schema_version: str | None = None
    value_per_share: Decimal | None = None
    shares_compared: int = 0
    doubt: str | None = None


class OtherManager(Struct, frozen=True, omit_defaults=True):
    """Another manager on the cover of a 13F; rows name the managers of a list by `number`."""

    cik: str | None
    name: str
    file_number: str | None = None
    number: str | None = None


class StoredManagerReport(Struct, frozen=True, omit_defaults=True):
    """A filing of Form 13F: its cover, and how many rows its tables have.

    `entries` and `total_filed` are the cover's own counts, `total_read` is the sum of the rows in
    the same unit. The `marks` of rows identify a table that another report repeats. `reported_by`
    report holdings of this manager, `included` are managers whose holdings this report includes.
    Tables in text or HTML are not read.
    """

    document_id: str
    accession_number: str
    number: int
    form_type: str
    filing_date: date
    manager_cik: str | None
    manager_name: str
    quarter: str | None
    basis: UnitBasis
    table: TableForm
    period: date | None = None
    report_type: ReportType | None = None
    amendment: Amendment | None = None
    amendment_number: str | None = None
    entries: Decimal | None = None
    total_filed: Decimal | None = None
    accepted_at: datetime | None = None
    rows: int = 0
    total_read: Decimal | None = None
    marks: list[str] = []
    reported_by: list[OtherManager] = []
    included: list[OtherManager] = []
    is_confidential_omitted: bool | None = None
    not_read: list[str] = []


class Voting(Struct, frozen=True, omit_defaults=True):
    """Shares over which a manager has voting authority: sole, shared, none."""

    sole: Decimal | None = None
    shared: Decimal | None = None
    none: Decimal | None = None


PRINCIPAL = "PRN"  # the share type of amounts that are dollars of principal, and no shares


class StoredHolding(Struct, frozen=True, omit_defaults=True):
    """A row of the information table of a 13F; `value` is in dollars, as `basis` decides.

    `value_per_share` applies to shares, and is None for options and principal amounts.
    `other_managers` are numbers in the list on the cover.
    """

    document_id: str
    accession_number: str
    number: int
    form_type: str
    filing_date: date
    manager_cik: str | None
    manager_name: str
    quarter: str | None
    basis: UnitBasis
    amendment: Amendment | None = None
    issuer: str = ""
    security_class: str | None = None
    cusip: str | None = None
    figi: str | None = None
    value: Decimal | None = None
    value_filed: Decimal | None = None
    value_per_share: Decimal | None = None
    shares: Decimal | None = None
    share_type: str | None = None
    put_call: str | None = None
    discretion: str | None = None
    other_managers: list[str] = []
    voting: Voting = Voting()
    start: int | None = None
    end: int | None = None
    not_read: list[str] = []


# A report keeps at most this many marks, the smallest ones, so that equal tables keep the same.
MOST_MARKS = 200


def row_mark(row: StoredHolding) -> str:
    """Return the mark of a row, equal for rows of the same security, amount and value."""
    filed = (row.cusip, row.put_call, row.share_type, row.shares, row.value_filed)
    return blake2b(repr(filed).encode(), digest_size=8).hexdigest()


StoredRow = (
    StoredInsiderTrade | StoredStake | StoredPlannedSale | StoredManagerReport | StoredHolding
)


class RowFilters(Struct, frozen=True, omit_defaults=True):
    """Filters of rows, by parameter name; an empty one matches all.

    Each kind of row supports some of them. Searches and every interface use these; an alert trigger
    stores them as they are.
    """

    issuer_cik: tuple[str, ...] = ()
    ticker: tuple[str, ...] = ()
    owner_cik: tuple[str, ...] = ()
    owner: str = ""
    role: tuple[str, ...] = ()
    code: tuple[str, ...] = ()
    acquired: str = ""
    derivative: bool | None = None
    plan_10b5_1: bool | None = None
    trade_from: date | None = None
    trade_to: date | None = None
    min_value: Decimal | None = None
    max_value: Decimal | None = None
    manager_cik: tuple[str, ...] = ()
    manager: str = ""
    issuer: str = ""
    cusip: tuple[str, ...] = ()
    quarter: tuple[str, ...] = ()
    put_call: str = ""
    person_cik: tuple[str, ...] = ()
    person: str = ""
    seller: str = ""
