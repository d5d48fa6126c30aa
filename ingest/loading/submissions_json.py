"""EDGAR's submissions JSON: what it says of an entity; pure."""

import re
from collections.abc import Iterator
from datetime import date
from typing import Any

import msgspec
from msgspec import Struct

from edgar_search.edgar.identifiers import format_cik
from edgar_search.errors import MalformedIndex
from edgar_search.stored.entity import StoredAddress, StoredEntity, StoredFormerName
from ingest.reading.entity_facts import UNDATED, sourced

_MAIN = re.compile(r"CIK(\d{10})(?:\.[^/]*)?\.json", re.ASCII)
_CONTINUATION = re.compile(r"CIK(\d{10})-submissions-\d+(?:\.[^/]*)?\.json", re.ASCII)


class _Address(Struct, rename="camel"):
    street1: str | None = None
    street2: str | None = None
    city: str | None = None
    state_or_country: str | None = None
    zip_code: str | None = None
    country: str | None = None


class _Addresses(Struct):
    business: _Address | None = None
    mailing: _Address | None = None


class _FormerName(Struct):
    name: str
    from_: str | None = msgspec.field(default=None, name="from")
    to: str | None = None


class _Filings(Struct, rename="camel"):
    filing_date: list[str]


class _AllFilings(Struct):
    recent: _Filings


class _Entity(Struct, rename="camel"):
    cik: str | int
    name: str
    filings: _AllFilings
    entity_type: str | None = None
    sic: str | None = None
    sic_description: str | None = None
    ein: str | None = None
    category: str | None = None
    fiscal_year_end: str | None = None
    state_of_incorporation: str | None = None
    phone: str | None = None
    website: str | None = None
    investor_website: str | None = None
    description: str | None = None
    tickers: list[str | None] | None = None
    exchanges: list[str | None] | None = None
    addresses: _Addresses | None = None
    former_names: list[_FormerName] | None = None


def is_main_name(name: str) -> bool:
    """Whether a file of this name, perhaps `.gz`, has an entity's facts."""
    return _MAIN.fullmatch(name.removesuffix(".gz")) is not None


def is_continuation_name(name: str) -> bool:
    """Whether a file of this name has only older filings of an entity."""
    return _CONTINUATION.fullmatch(name.removesuffix(".gz")) is not None


def is_continuation(data: bytes) -> bool:
    """Whether this is the content of such a file: columns of filings, and nothing else."""
    try:
        return bool(msgspec.json.decode(data, type=_Filings).filing_date) and b'"cik"' not in data
    except msgspec.DecodeError:
        return False


def submissions_facts(data: bytes, name: str) -> StoredEntity:
    """What a submissions file says of its entity.

    Its date is that of the newest filing in it: the file has none of its own, and a header that is
    later knows better. Raises MalformedIndex, with `name`, for any other content.
    """
    try:
        entity = msgspec.json.decode(data, type=_Entity)
        cik = format_cik(int(entity.cik))
    except (msgspec.DecodeError, ValueError) as error:
        raise MalformedIndex(f"{name}: no submissions file of EDGAR's: {error}") from None
    newest = max(filter(None, map(_day, entity.filings.recent.filing_date)), default=UNDATED)
    return sourced(_facts(entity, cik), f"{newest.isoformat()} CIK{cik}.json")


def _facts(entity: _Entity, cik: str) -> StoredEntity:
    addresses = entity.addresses or _Addresses()
    tickers, exchanges = _listings(entity)
    return StoredEntity(
        cik=cik,
        name=_text(entity.name),
        sic=_text(entity.sic),
        sic_description=_text(entity.sic_description),
        ein=_ein(entity.ein),
        state_of_incorporation=_text(entity.state_of_incorporation),
        fiscal_year_end=_text(entity.fiscal_year_end),
        business_address=_address(addresses.business),
        mail_address=_address(addresses.mailing),
        former_names=list(_former_names(entity)) or None,
        entity_type=_text(entity.entity_type),
        category=_text((entity.category or "").replace("<br>", "; ").strip("; ")),
        phone=_text(entity.phone),
        website=_text(entity.website),
        investor_website=_text(entity.investor_website),
        description=_text(entity.description),
        tickers=tickers,
        exchanges=exchanges,
    )


def _listings(entity: _Entity) -> tuple[list[str], list[str]]:
    """Tickers and the exchange of each; that there are none is a fact too."""
    names = entity.exchanges or []
    exchanges: dict[str, str] = {}
    for place, ticker in enumerate(entity.tickers or []):
        if ticker and ticker.strip():
            exchange = names[place] if place < len(names) else None
            exchanges.setdefault(ticker.strip().upper(), (exchange or "").strip())
    return list(exchanges), list(exchanges.values())


def _former_names(entity: _Entity) -> Iterator[StoredFormerName]:
    for former in entity.former_names or []:
        yield StoredFormerName(former.name, _day(former.from_ or ""), _day(former.to or ""))


def _address(address: _Address | None) -> StoredAddress | None:
    if address is None:
        return None
    stored = StoredAddress(
        street1=_text(address.street1),
        street2=_text(address.street2),
        city=_text(address.city),
        state=_text(address.state_or_country),
        zip=_text(address.zip_code),
        country=_text(address.country),
    )
    return stored if stored != StoredAddress() else None


def _ein(text: str | None) -> str | None:
    """EDGAR fills in zeros where it has no number."""
    return _text(text) if (text or "").strip("0 ") else None


def _text(text: Any) -> str | None:
    return " ".join(text.split()) or None if text is not None else None


def _day(text: str) -> date | None:
    """The day of a time such as `1994-08-12T04:00:00.000Z`, of which only the day counts."""
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None
