"""Facts about entities: reading them from a header, and merging them; pure."""

from collections.abc import Iterator
from datetime import date

import msgspec

from edgar_search.edgar.submission import Address, Entity, Header
from edgar_search.stored.entities import StoredAddress, StoredEntity, StoredFormerName

# The date of a source without a date: any filing's header is newer.
UNDATED = date(1, 1, 1)
FACTS = (
    "name",
    "sic",
    "sic_description",
    "organization",
    "ein",
    "state_of_incorporation",
    "fiscal_year_end",
    "business_address",
    "mail_address",
    "former_names",
    "entity_type",
    "category",
    "phone",
    "website",
    "investor_website",
    "description",
    "tickers",
    "exchanges",
)


def header_facts(header: Header) -> Iterator[StoredEntity]:
    """Yield the facts of each entity in a filing's header, each CIK once (its first block)."""
    source = f"{header.filing_date.isoformat()} {header.accession_number}"
    seen = set()
    for entity in header.entities:
        if entity.cik not in seen:
            seen.add(entity.cik)
            yield with_source(_facts(entity), source)


def merge(known: StoredEntity | None, facts: StoredEntity) -> StoredEntity:
    """Return `known` with every fact of `facts` that has a later source; `known` itself if none.

    The result does not depend on the order in which sources are merged. Of two versions of one
    source, the one merged later replaces the other, like the filing.
    """
    if known is None:
        return facts
    newer = [name for name in facts.sources if _replaces(facts, known, name)]
    if not newer:
        return known
    return msgspec.structs.replace(
        known,
        sources={**known.sources, **{name: facts.sources[name] for name in newer}},
        **{name: getattr(facts, name) for name in newer},
    )


def _replaces(facts: StoredEntity, known: StoredEntity, name: str) -> bool:
    source, before = facts.sources[name], known.sources.get(name, "")
    return source > before or (source == before and getattr(facts, name) != getattr(known, name))


def with_source(facts: StoredEntity, source: str) -> StoredEntity:
    """Set the source of all facts to `source`: a date, a blank, a name."""
    names = [name for name in FACTS if getattr(facts, name) is not None]
    return msgspec.structs.replace(facts, sources=dict.fromkeys(names, source))


def _facts(entity: Entity) -> StoredEntity:
    return StoredEntity(
        cik=entity.cik,
        name=entity.name,
        sic=entity.sic,
        sic_description=entity.sic_description,
        organization=entity.organization,
        ein=entity.ein,
        state_of_incorporation=entity.state_of_incorporation,
        fiscal_year_end=entity.fiscal_year_end,
        business_address=_address(entity.business_address),
        mail_address=_address(entity.mail_address),
        former_names=[StoredFormerName(old.name, old.since) for old in entity.former_names] or None,
    )


def _address(address: Address | None) -> StoredAddress | None:
    if address is None:
        return None
    return StoredAddress(
        address.street1, address.street2, address.city, address.state, address.zip, address.phone
    )
