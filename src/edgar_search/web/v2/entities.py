"""/v2/entity_lookup: companies and persons."""

from collections.abc import Sequence
from datetime import date

from msgspec import UNSET, Struct, UnsetType, field
from starlette.requests import Request
from starlette.responses import Response

from edgar_search.api.parameters.fields import RequestFields
from edgar_search.api.parameters.reader import Parameters
from edgar_search.search.criteria import EntitySearch
from edgar_search.search.entities import look_up_entities
from edgar_search.search.tickers import TickerTable
from edgar_search.search.warnings.filter_values import missing_data_warnings
from edgar_search.stored.entities import StoredAddress, StoredEntity, StoredFormerName
from edgar_search.web.calls import V2Call
from edgar_search.web.responses import json_response
from edgar_search.web.service import service
from edgar_search.web.v2.finding import (
    ENTITY_FILTERS,
    WINDOW,
    data_endpoint,
    entity_filters,
    window,
)


class Address(Struct, gc=False):
    """An address; `country` is mostly null: EDGAR's headers give countries as state codes."""

    street1: str | None
    street2: str | None
    city: str | None
    state: str | None
    zip: str | None
    country: str | None


class FormerName(Struct, gc=False):
    """A name, the day on which it was taken on, and the day on which it was given up."""

    name: str
    since: str | None = field(name="from")
    until: str | None = field(name="to")


class Entity(Struct, rename="camel", gc=False):
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
    warnings: list[str] | UnsetType = UNSET


ENTITY_LOOKUP = data_endpoint(
    "/v2/entity_lookup",
    "finds companies and persons",
    *ENTITY_FILTERS,
    *WINDOW,
    answer=EntitiesReply,
)


def entity_params(given: RequestFields) -> EntitySearch:
    """Read the parameters of `/v2/entity_lookup`; raises BadRequest, which names the error."""
    fields = Parameters.of_request(given, ENTITY_LOOKUP.declared)
    return EntitySearch(entity_filters(fields), window(fields))


async def entity_lookup(request: Request, call: V2Call) -> Response:
    """/v2/entity_lookup"""
    params = entity_params(call.raw)
    context = service(request).context
    page = await look_up_entities(context, params)
    call.result_count = page.total
    table = await context.tickers.table()
    warnings = missing_data_warnings([params.criteria], table)
    return json_response(
        entities_reply(page.entities, page.total, params.window.end, table, warnings)
    )


def entities_reply(
    found: Sequence[StoredEntity],
    total: int,
    end: int,
    table: TickerTable,
    warnings: Sequence[str] = (),
) -> EntitiesReply:
    """Return a window of entities that ends before row `end` of `total`."""
    entities = [entity(stored_entity, table) for stored_entity in found]
    return EntitiesReply(total, total > end, entities, list(warnings) or UNSET)


def entity(stored: StoredEntity, table: TickerTable) -> Entity:
    """Convert an entity, with its current tickers."""
    return Entity(
        cik=stored.cik,
        name=stored.name or "",
        conformed_name=stored.name,
        entity_type=stored.entity_type,
        tickers=_tickers(stored, table),
        exchanges=_exchanges(stored, table),
        sic=stored.sic,
        sic_description=stored.sic_description,
        ein=stored.ein,
        description=stored.description,
        website=stored.website,
        fiscal_year_end=stored.fiscal_year_end,
        state_of_incorporation=stored.state_of_incorporation,
        addresses=_addresses(stored),
        former_names=_former_names(stored.former_names) if stored.former_names else [],
    )


def _tickers(stored: StoredEntity, table: TickerTable) -> list[str]:
    """Return tickers from the ticker files, and from other sources if no file assigns them."""
    in_files = table.tickers(stored.cik)
    # As in most of a large window: none, or the same in both.
    if not stored.tickers or stored.tickers == in_files:
        return list(dict.fromkeys(in_files))
    others = [ticker for ticker in stored.tickers if not table.ciks(ticker)]
    return list(dict.fromkeys([*in_files, *others]))


def _exchanges(stored: StoredEntity, table: TickerTable) -> list[str]:
    """Return exchanges from the ticker files.

    If they name none, return the ones of other sources.
    """
    if in_files := table.exchanges(stored.cik):
        return in_files
    return list(dict.fromkeys(filter(None, stored.exchanges or ())))


def _addresses(stored: StoredEntity) -> dict[str, Address]:
    addresses = {}
    if stored.business_address:
        addresses["business"] = _address(stored.business_address)
    if stored.mail_address:
        addresses["mailing"] = _address(stored.mail_address)
    return addresses


def _address(stored: StoredAddress) -> Address:
    return Address(
        street1=stored.street1,
        street2=stored.street2,
        city=stored.city,
        state=stored.state,
        zip=stored.zip,
        country=stored.country,
    )


def _former_names(names: Sequence[StoredFormerName]) -> list[FormerName]:
    """Return the former names, latest first.

    If it is unknown when one ended, it ended when the next began.
    """
    ordered = sorted(names, key=lambda name: name.since or date.min)
    following = [name.since for name in ordered[1:]] + [None]
    return [
        FormerName(name.name, _day(name.since), _day(name.until or later))
        for name, later in zip(ordered, following, strict=False)
    ][::-1]


def _day(day: date | None) -> str | None:
    return day.isoformat() if day else None
