"""The state machine over a header's events: which block does a value belong to?

Indentation means nothing and closing tags are not needed: an entity begins where a name without
value is directly followed by the data of a company or an owner, so roles need no list.
"""

from itertools import pairwise

import msgspec
from msgspec import Struct

from edgar_search.edgar.header_events import Event, events
from edgar_search.edgar.header_fields import (
    ADDRESSES,
    ENTITY_DATA,
    FIELDS,
    FORMER_NAMES,
    UNUSED,
    Place,
)


class EntityValues(Struct):
    """The texts of one entity block."""

    role: str
    fields: dict[str, str] = msgspec.field(default_factory=dict)
    addresses: dict[str, dict[str, str]] = msgspec.field(default_factory=dict)
    former_names: list[dict[str, str]] = msgspec.field(default_factory=list)


class HeaderValues(Struct):
    """The texts of a header; of a field that occurs again in its block the first one counts."""

    filing: dict[str, str] = msgspec.field(default_factory=dict)
    items: list[str] = msgspec.field(default_factory=list)
    entities: list[EntityValues] = msgspec.field(default_factory=list)
    unknown: set[str] = msgspec.field(default_factory=set)


def read_values(header: str) -> HeaderValues:
    """Return what `header` says, as texts; never raises."""
    values = HeaderValues()
    address: dict[str, str] | None = None
    for event, following in pairwise([*events(header), _END]):
        if _begins_entity(event, following):
            values.entities.append(EntityValues(event.name))
        elif event.name in ENTITY_DATA:
            address = None
            _ensure_entity(values)
        elif event.name in ADDRESSES and values.entities:
            address = values.entities[-1].addresses.setdefault(ADDRESSES[event.name], {})
        elif event.name in FIELDS:
            _store(values, address, event)
        elif event.name not in UNUSED and event.name not in FORMER_NAMES:
            values.unknown.add(event.written)
    return values


_END = Event("", "", "")


def _begins_entity(event: Event, following: Event) -> bool:
    known = event.name in FIELDS or event.name in UNUSED or event.name in ENTITY_DATA
    return not event.value and following.name in ENTITY_DATA and not known


def _ensure_entity(values: HeaderValues) -> None:
    """Make an entity without a role where company data stand alone."""
    if not values.entities or values.entities[-1].fields:
        values.entities.append(EntityValues(""))


def _store(values: HeaderValues, address: dict[str, str] | None, event: Event) -> None:
    place, field = FIELDS[event.name]
    if not event.value:
        return
    target = _target(values, address, place, field)
    if field == "items":
        values.items.append(event.value)
    elif target is None:
        values.unknown.add(event.written)
    else:
        target.setdefault(field, event.value)


def _target(
    values: HeaderValues, address: dict[str, str] | None, place: Place, field: str
) -> dict[str, str] | None:
    """Return the block that `field` belongs to, None where the header has none for it."""
    if place is Place.FILING:
        return values.filing
    if place is Place.ADDRESS:
        return address
    if not values.entities:
        return None
    entity = values.entities[-1]
    if place is Place.ENTITY:
        return entity.fields
    if field == "name":
        entity.former_names.append({})
    return entity.former_names[-1] if entity.former_names else None
