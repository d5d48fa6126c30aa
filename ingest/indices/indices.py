"""The indices of an installation: made on demand, listed."""

import asyncio
import logging
from datetime import UTC, date, datetime
from typing import NamedTuple, cast

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import (
    KINDS,
    MONTHLY,
    PARTITIONED,
    WHOLE,
    Kind,
    month_of,
    parse_index_name,
    partition_of,
    read_alias,
)
from edgar_search.errors import EngineFault, SettingsError
from edgar_search.settings import Settings
from ingest.indices.templates import load_templates, put_templates

_log = logging.getLogger(__name__)


class IndexState(NamedTuple):
    """One index as Elasticsearch has it; `current` says that the aliases point to it."""

    name: str
    kind: str
    partition: str
    version: int
    current: bool
    documents: int
    bytes: int


class Indices:
    """Makes indices and aliases where they are missing, each once in a run."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        self._engine = engine
        self._settings = settings
        self._known: set[tuple[str, str]] = set()

    async def set_up(self) -> list[str]:
        """Put templates that differ, make what is missing of indices and their aliases.

        Returns what was put: names of templates, and aliases with their index. Raises EngineRefuses
        where it cannot be told which index an alias is missing of.
        """
        put = await put_templates(self._engine, self._settings.prefix)
        mended = await self._engine.mend_aliases(f"{self._settings.prefix}*")
        put += [f"alias {each.alias} of {each.of_index}" for each in mended]
        # Side by side: Elasticsearch takes as long for several changes of its state as for one.
        await asyncio.gather(*(self.ensure(kind, self._partition(kind)) for kind in KINDS))
        await self._add_fields()
        return put

    async def ensure_partition(self, partition: str) -> None:
        """Make the partition's indices of every partitioned kind where they are missing."""
        await asyncio.gather(*(self.ensure(kind, partition) for kind in PARTITIONED))

    async def ensure(self, kind: Kind, partition: str) -> None:
        """Make one partition of one kind with its aliases, unless it is there."""
        if (kind, partition) not in self._known:
            await self._engine.ensure_partition(kind, partition)
            self._known.add((kind, partition))

    async def _add_fields(self) -> None:
        """Add what a newer template has to the indices that an older one made, where possible.

        Elasticsearch adds fields to an index and changes none: an index whose fields are to become
        others keeps them, and works as it did.
        """
        prefix, engine = self._settings.prefix, self._engine
        templates = load_templates(prefix)
        for name, live in (await engine.administer("GET", f"/{prefix}*/_mapping") or {}).items():
            try:
                kind = parse_index_name(prefix, name).kind
            except SettingsError:
                continue  # An index of another installation whose prefix begins with ours.
            wanted = templates[kind]["template"]["mappings"]
            if live["mappings"].get("_meta") == wanted["_meta"]:
                continue
            fields = {key: wanted[key] for key in ("_meta", "properties")}
            try:
                await engine.administer("PUT", f"/{name}/_mapping", fields)
            except EngineFault:
                _log.warning("%s keeps the fields that it was made with: see Upgrades", name)

    def _partition(self, kind: Kind) -> str:
        """The partition of today."""
        if kind in MONTHLY:
            return month_of(datetime.now(UTC).date())
        if kind in PARTITIONED:
            return partition_of(self._settings.partition, date.today())
        return WHOLE


async def list_indices(engine: Engine, prefix: str) -> list[IndexState]:
    """Every index of the installation, by name."""
    aliases = await engine.administer("GET", f"/{prefix}*/_alias") or {}
    stats = await engine.administer("GET", f"/{prefix}*/_stats/docs,store") or {"indices": {}}
    states = []
    for name, entry in sorted(aliases.items()):
        try:
            parsed = parse_index_name(prefix, name)
        except SettingsError:
            continue  # An index of another installation whose prefix begins with ours.
        primaries = stats["indices"].get(name, {}).get("primaries", {})
        states.append(
            IndexState(
                name,
                *parsed,
                current=read_alias(prefix, cast(Kind, parsed.kind)) in entry["aliases"],
                documents=primaries.get("docs", {}).get("count", 0),
                bytes=primaries.get("store", {}).get("size_in_bytes", 0),
            )
        )
    return states
