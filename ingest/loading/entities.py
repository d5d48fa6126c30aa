"""Loading of facts about entities, from filings and from EDGAR's submissions JSON."""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from edgar_search.edgar.identifiers import format_cik
from edgar_search.engine.bulk_lines import chunks
from edgar_search.engine.changes import change_many
from edgar_search.engine.engine import Engine, Stored
from edgar_search.errors import EngineFault, MalformedIndex, SettingsError
from edgar_search.stored.entities import StoredAddress, StoredEntity, StoredFormerName
from ingest.loading.bulk import BulkWriter
from ingest.loading.retry import Retry
from ingest.reading.entity_facts import UNDATED, merge, with_source
from ingest.reading.operations import guarded_operation
from ingest.sources.containers import (
    DamagedContainer,
    Member,
    identify,
    read_piece,
    tar_members,
    zip_members,
)
from ingest.sources.source import Source, printable, read

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
    """Return True if a file of this name, with or without `.gz`, contains an entity's facts."""
    return _MAIN.fullmatch(name.removesuffix(".gz")) is not None


def is_continuation_name(name: str) -> bool:
    """Return True if a file of this name contains only older filings of an entity."""
    return _CONTINUATION.fullmatch(name.removesuffix(".gz")) is not None


def is_continuation(data: bytes) -> bool:
    """Return True if a file contains only columns of older filings."""
    try:
        return bool(msgspec.json.decode(data, type=_Filings).filing_date) and b'"cik"' not in data
    except msgspec.DecodeError:
        return False


def submissions_facts(data: bytes, name: str) -> StoredEntity:
    """Read the facts about an entity from its submissions file.

    The file has no date of its own, so they are dated by its newest filing: a later header takes
    precedence. Raises MalformedIndex, with `name`, for any other content.
    """
    try:
        entity = msgspec.json.decode(data, type=_Entity)
        cik = format_cik(int(entity.cik))
    except (msgspec.DecodeError, ValueError) as error:
        raise MalformedIndex(f"{name}: is not a submissions file of EDGAR: {error}") from None
    newest = max(filter(None, map(_day, entity.filings.recent.filing_date)), default=UNDATED)
    return with_source(_facts(entity, cik), f"{newest.isoformat()} CIK{cik}.json")


def _facts(entity: _Entity, cik: str) -> StoredEntity:
    addresses = entity.addresses or _Addresses()
    tickers, exchanges = _listings(entity)
    return StoredEntity(
        cik=cik,
        name=_text(entity.name),
        sic=_text(entity.sic),
        sic_description=_text(entity.sic_description),
        # EDGAR writes zeros for a missing number.
        ein=_text(entity.ein) if (entity.ein or "").strip("0 ") else None,
        state_of_incorporation=_text(entity.state_of_incorporation),
        fiscal_year_end=_text(entity.fiscal_year_end),
        business_address=_address(addresses.business),
        mail_address=_address(addresses.mailing),
        former_names=[
            StoredFormerName(former.name, _day(former.from_ or ""), _day(former.to or ""))
            for former in entity.former_names or []
        ]
        or None,
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
    """Return the tickers and the exchange of each; an empty list is a fact too."""
    names = entity.exchanges or []
    exchanges: dict[str, str] = {}
    for place, ticker in enumerate(entity.tickers or []):
        if ticker and ticker.strip():
            exchange = names[place] if place < len(names) else None
            exchanges.setdefault(ticker.strip().upper(), (exchange or "").strip())
    return list(exchanges), list(exchanges.values())


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


def _text(text: Any) -> str | None:
    return " ".join(text.split()) or None if text is not None else None


def _day(text: str) -> date | None:
    """Return the day of a time such as `1994-08-12T04:00:00.000Z`; only the day is meaningful."""
    try:
        return date.fromisoformat(text[:10])
    except ValueError:
        return None


# The longest real file takes a few megabytes.
_MAX_BYTES = 100_000_000
_PIECE = 1_000_000


class EntityFiles:
    """The facts in files at the given paths, one entity at a time.

    Files in a folder are sorted by name, members of an archive in its order. During iteration
    `facts` counts entities, `continuations` files with only older filings, and `skipped` other
    files of folders and archives; `refusals` lists files that could not be read. Raises
    SettingsError for a path that does not exist.
    """

    def __init__(self, paths: Iterable[Path]) -> None:
        self._paths = list(paths)
        for path in self._paths:
            if not path.exists():
                raise SettingsError(f"{path}: no such file or folder")
        self.facts = self.continuations = self.skipped = 0
        self.refusals: list[dict[str, str]] = []

    def __iter__(self) -> Iterator[StoredEntity]:
        for path in self._paths:
            for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
                name = file.name
                has_facts = is_main_name(name) or is_continuation_name(name)
                if path.is_dir() and not (has_facts or name.endswith(".zip")):
                    self.skipped += file.is_file()
                else:
                    yield from self._in_file(file)

    def as_dict(self) -> dict[str, Any]:
        """Return the summary of the facts that were read."""
        return {
            "entities": self.facts,
            "continuations": self.continuations,
            "skipped": self.skipped,
            "refused": len(self.refusals),
            "refusals": self.refusals,
        }

    def _in_file(self, path: Path) -> Iterator[StoredEntity]:
        name = printable(str(path))
        try:
            with path.open("rb") as file:
                kind, stream = identify(file)
                if kind in ("zip", "tar"):
                    members = zip_members(file) if kind == "zip" else tar_members(stream)
                    yield from self._in_archive(name, members)
                    return
            yield from self._read(name, read(Source.of(path), _MAX_BYTES))
        except OSError as error:
            self._refuse(name, f"cannot be read: {error.strerror or error}")

    def _in_archive(self, name: str, members: Iterator[Member]) -> Iterator[StoredEntity]:
        try:
            for member in members:
                own = Path(member.name).name
                if is_main_name(own):
                    yield from self._in_member(f"{name}!{printable(own)}", member)
                elif is_continuation_name(own):
                    self.continuations += 1
                else:
                    self.skipped += 1
        except DamagedContainer as error:
            self._refuse(name, f"the archive is damaged after {self.facts} entities: {error}")

    def _in_member(self, name: str, member: Member) -> Iterator[StoredEntity]:
        data = b""
        try:
            while len(data) <= _MAX_BYTES and (piece := read_piece(member.content, _PIECE)):
                data += piece
        except DamagedContainer as error:
            # In a tar the same error recurs at the next member, and ends the reading.
            self._refuse(name, f"the member is damaged: {error}")
            return
        yield from self._read(name, data)

    def _read(self, name: str, data: bytes) -> Iterator[StoredEntity]:
        try:
            facts = submissions_facts(data, name)
        except MalformedIndex as error:
            if is_continuation(data):
                self.continuations += 1
            else:
                self._refuse(name, str(error).removeprefix(f"{name}: "))
            return
        self.facts += 1
        yield facts

    def _refuse(self, name: str, reason: str) -> None:
        self.refusals.append({"source": name, "reason": reason})


# Attempts for an entity that other loaders change concurrently.
_TRIES = 20
# Entities that are read, merged and written together.
_AT_ONCE = 1_000


class EntityWriter:
    """Writes facts about entities without losing concurrent writes."""

    def __init__(self, engine: Engine, prefix: str, retry: Retry) -> None:
        self._engine = engine
        self._prefix = prefix
        self._retry = retry
        self._writer = BulkWriter(engine, retry)

    async def write(self, facts: Iterable[StoredEntity]) -> None:
        """Merge facts into the stored entities; raises EngineUnavailable and EngineFault."""
        for some in chunks(facts, _AT_ONCE):
            merged: dict[str, StoredEntity] = {}
            for fact in some:
                merged[fact.cik] = merge(merged.get(fact.cik), fact)
            await self._write(merged)

    async def _write(self, pending: dict[str, StoredEntity]) -> None:
        async def read(keys: Sequence[str]) -> list[Stored[StoredEntity]]:
            return await self._retry(self._engine.multi_get, "entities", keys, StoredEntity)

        def merged(stored: Stored[StoredEntity]) -> StoredEntity | None:
            entity = merge(stored.source, pending[stored.id])
            return None if entity is stored.source else entity

        async def write(
            new: Sequence[tuple[Stored[StoredEntity], StoredEntity]],
        ) -> Collection[str]:
            return await self._writer.write(
                guarded_operation("entities", self._prefix, entity.cik, entity, stored)
                for stored, entity in new
            )

        unwritten = await change_many(await read(list(pending)), merged, write, read, _TRIES)
        if unwritten:
            raise EngineFault(f"entities could not be written: {', '.join(unwritten[:3])}")
