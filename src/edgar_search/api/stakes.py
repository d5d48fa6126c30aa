"""GET /v1/stakes: schedules 13D and 13G, one row for each."""

from datetime import date
from decimal import Decimal

from msgspec import UNSET, Struct, UnsetType

from edgar_search.api.cursor import WALK_RULES
from edgar_search.api.parameters.declaration import API_KEY, Endpoint
from edgar_search.api.parameters.row_filters import ROW_FILTERS
from edgar_search.api.rows import (
    OF_ROWS,
    Counted,
    Entity,
    RowPlace,
    Rows,
    sort_parameter,
)
from edgar_search.search.rows import RowOrder
from edgar_search.stored.ownership import StakePerson, StoredStake

ORDERS = {
    "newest": RowOrder("filing_date", "desc"),
    "oldest": RowOrder("filing_date", "asc"),
    "latest_event": RowOrder("event_date", "desc"),
    "earliest_event": RowOrder("event_date", "asc"),
}


class Power(Struct):
    """Shares that a person may vote or dispose of, alone and with others."""

    sole: Decimal | None
    shared: Decimal | None


class Person(Struct):
    """A reporting person; `type` has codes such as `IA`, `percent` is a percentage of the class."""

    cik: str | None
    name: str
    type: list[str]
    shares: Decimal | None
    percent: Decimal | None
    voting: Power
    dispositive: Power


class Stake(Struct, rename={"security_class": "class"}):
    """A schedule. Its persons may report the same shares, so never add their shares up.

    `amends` is the accession number of the schedule before it. `not_read` names the fields whose
    value could not be read.
    """

    accnum: str
    form_type: str
    filing_date: date
    event_date: date | None
    issuer: Entity
    security_class: str | None
    cusips: list[str]
    persons: list[Person]
    amends: str | None
    place: RowPlace
    not_read: list[str]


class StakesReply(Counted):
    """Rows of a page; `next_cursor` is set on a walk by cursor, null at its end."""

    items: list[Stake]
    warnings: list[str]
    next_cursor: str | None | UnsetType = UNSET


STAKES = Endpoint(
    "/v1/stakes",
    "finds stakes of more than five percent, which schedules 13D and 13G report",
    (
        API_KEY,
        *ROW_FILTERS["stakes"],
        sort_parameter(
            "by filing date, or by the date of the event; rows without a value come last", ORDERS
        ),
        *OF_ROWS,
    ),
    credential="key",
    answer=StakesReply,
    rules=WALK_RULES,
)


def stake_row(stored: StoredStake) -> Stake:
    """Build the answer's item for a stored row."""
    return Stake(
        accnum=stored.accession_number,
        form_type=stored.form_type,
        filing_date=stored.filing_date,
        event_date=stored.event_date,
        issuer=Entity(stored.issuer_cik, stored.issuer_name),
        security_class=stored.security_class,
        cusips=stored.cusips,
        persons=list(map(_person, stored.persons)),
        amends=stored.amends,
        place=RowPlace(stored.document_id, stored.start, stored.end),
        not_read=stored.not_read,
    )


def _person(person: StakePerson) -> Person:
    return Person(
        cik=person.cik,
        name=person.name,
        type=person.types,
        shares=person.shares,
        percent=person.percent,
        voting=Power(person.voting.sole, person.voting.shared),
        dispositive=Power(person.dispositive.sole, person.dispositive.shared),
    )


STAKE_ROWS = Rows[StakesReply](
    STAKES,
    StoredStake,
    Stake,
    stake_row,
    "stakes",
    ORDERS,
    known={"issuer_cik": "issuer_cik", "cusip": "cusips", "person_cik": "person_ciks"},
    names={"person": "person_names"},
)
