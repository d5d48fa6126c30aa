"""The reply of `/v2/entity_lookup`, and entities inside of others."""

from collections.abc import Sequence
from itertools import pairwise

from msgspec import Struct, field

from edgar_search.entities import TickerTable
from edgar_search.stored.entity import StoredAddress, StoredEntity, StoredFormerName


class Address(Struct):
    """`country` is null: EDGAR's headers have its codes for countries as states."""

    street1: str | None
    street2: str | None
    city: str | None
    state: str | None
    zip: str | None
    country: str | None = None


class FormerName(Struct):
    """A name, the day on which it was taken on, and the day of the next one."""

    name: str
    since: str | None = field(name="from")
    until: str | None = field(name="to")


class Entity(Struct, rename="camel"):
    cik: str
    name: str
    conformed_name: str | None
    entity_type: str | None
    tickers: list[str]
    exchanges: list[str]
    sic: str | None
    sic_description: str | None
    ein: str | None
    description: str | None
    website: str | None
    fiscal_year_end: str | None
    state_of_incorporation: str | None
    addresses: dict[str, Address]
    former_names: list[FormerName]


class EntitiesReply(Struct):
    count: int
    truncated: bool
    entities: list[Entity]


def entities_reply(
    found: Sequence[StoredEntity], total: int, end: int, table: TickerTable
) -> EntitiesReply:
    """A window of entities that ends before row `end` of `total`."""
    return EntitiesReply(total, total > end, [entity(each, table) for each in found])


def entity(stored: StoredEntity, table: TickerTable) -> Entity:
    """An entity with the tickers that it has now."""
    return Entity(
        cik=stored.cik,
        name=stored.name or "",
        conformed_name=stored.name,
        entity_type=stored.entity_type,
        tickers=table.tickers(stored.cik),
        exchanges=table.exchanges(stored.cik),
        sic=stored.sic,
        sic_description=stored.sic_description,
        ein=stored.ein,
        description=stored.description,
        website=stored.website,
        fiscal_year_end=stored.fiscal_year_end,
        state_of_incorporation=stored.state_of_incorporation,
        addresses=_addresses(stored),
        former_names=_former_names(stored.former_names or []),
    )


def _addresses(stored: StoredEntity) -> dict[str, Address]:
    addresses = {"business": stored.business_address, "mailing": stored.mail_address}
    return {kind: _address(address) for kind, address in addresses.items() if address}


def _address(stored: StoredAddress) -> Address:
    return Address(stored.street1, stored.street2, stored.city, stored.state, stored.zip)


def _former_names(names: Sequence[StoredFormerName]) -> list[FormerName]:
    """The names, latest first; a name ended when the next was taken on, the latest one unknown."""
    ordered = sorted(names, key=lambda each: each.since.isoformat() if each.since else "")
    days = [each.since.isoformat() if each.since else None for each in ordered]
    ends = [later for _, later in pairwise(days)] + [None]
    named = zip(ordered, days, ends, strict=False)
    return [FormerName(each.name, day, end) for each, day, end in named][::-1]
