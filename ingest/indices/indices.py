"""The indices of an installation: made on demand, listed."""

import asyncio
import logging
from datetime import UTC, date, datetime
from typing import Any, NamedTuple, cast

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
from edgar_search.engine.templates import load_templates, put_templates
from edgar_search.errors import EngineFault, SettingsError
from edgar_search.settings import Settings
from edgar_search.settings.values import number_of_shards, shards_of

_log = logging.getLogger(__name__)
# Entries of these get what a newer template has only by being stored anew. Until all of them have
# been, the mapping keeps the version that it had, by which the service knows what it may ask.
STORED_ANEW: tuple[Kind, ...] = (*PARTITIONED, "entities")


class IndexState(NamedTuple):
    """One index as Elasticsearch has it.

    `current` says that the alias points to it by which its kind is read, `named` that any does.
    """

    name: str
    kind: str
    partition: str
    version: int
    current: bool
    named: bool
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

    async def all_stored_anew(self) -> None:
        """Let the mappings of partitioned kinds say that all entries have what the templates have.

        Right once every submission has been loaded by this version.
        """
        prefix, engine = self._settings.prefix, self._engine
        templates = load_templates(prefix)
        for kind in PARTITIONED:
            path = f"/{read_alias(prefix, kind)}/_mapping"
            for name, live in (await engine.administer("GET", path) or {}).items():
                wanted = templates[kind]["template"]["mappings"]["_meta"]
                meta = {"_meta": {**live["mappings"].get("_meta", {}), **wanted}}
                await engine.administer("PUT", f"/{name}/_mapping", meta)

    async def ensure_partition(self, partition: str) -> None:
        """Make the partition's indices of every partitioned kind where they are missing."""
        await asyncio.gather(*(self.ensure(kind, partition) for kind in PARTITIONED))

    async def ensure(self, kind: Kind, partition: str) -> None:
        """Make one partition of one kind with its aliases, unless it is there."""
        if (kind, partition) not in self._known:
            settings = shard_settings(self._settings, kind, partition)
            await self._engine.ensure_partition(kind, partition, settings)
            self._known.add((kind, partition))

    async def _add_fields(self) -> None:
        """Add what a newer template has to the indices that an older one made, where possible.

        Elasticsearch adds fields to an index and changes none: an index whose fields are to become
        others keeps them, gets the new ones, and takes what is loaded.
        """
        prefix, engine = self._settings.prefix, self._engine
        templates = load_templates(prefix)
        for name, live in (await engine.administer("GET", f"/{prefix}*/_mapping") or {}).items():
            try:
                kind = parse_index_name(prefix, name).kind
            except SettingsError:
                continue  # An index of another installation whose prefix begins with ours.
            wanted = templates[kind]["template"]["mappings"]
            if version_of(live) < wanted["_meta"]["version"] or _lacks(live["mappings"], wanted):
                await self._add_fields_to(name, kind, live, wanted)

    async def _add_fields_to(
        self, name: str, kind: str, index: dict[str, Any], wanted: dict[str, Any]
    ) -> None:
        path, live = f"/{name}/_mapping", index["mappings"]
        dynamic = {"dynamic": wanted["dynamic"]} if "dynamic" in wanted else {}
        fields = {**dynamic, "properties": wanted["properties"]}
        older = version_of(index) < wanted["_meta"]["version"]
        if older and (kind not in STORED_ANEW or await self._is_empty(name)):
            fields["_meta"] = {**live.get("_meta", {}), **wanted["_meta"]}
        try:
            await self._engine.administer("PUT", path, fields)
        except EngineFault:
            _log.warning("%s keeps the fields that it was made with: see Upgrades", name)
            new = {
                field: mapping
                for field, mapping in wanted["properties"].items()
                if field not in live.get("properties", {})
            }
            await self._engine.administer("PUT", path, {**dynamic, "properties": new})

    async def _is_empty(self, name: str) -> bool:
        await self._engine.administer("POST", f"/{name}/_refresh")
        return bool((await self._engine.administer("GET", f"/{name}/_count"))["count"] == 0)

    def _partition(self, kind: Kind) -> str:
        """The partition of today."""
        if kind in MONTHLY:
            return month_of(datetime.now(UTC).date())
        if kind in PARTITIONED:
            first = self._settings.partition_from
            return partition_of(self._settings.partition, date.today(), first)
        return WHOLE


def shard_settings(settings: Settings, kind: str, partition: str) -> dict[str, int]:
    """What a new index gets beside its template."""
    number = number_of_shards(shards_of(settings.shards), kind, partition)
    return {} if number is None else {"index.number_of_shards": number}


def _lacks(live: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """Whether a mapping lacks what can be added to it, whatever its version."""
    fields = wanted["properties"].keys() - live.get("properties", {}).keys()
    return bool(fields) or live.get("dynamic") != wanted.get("dynamic", live.get("dynamic"))


def version_of(index: dict[str, Any]) -> int:
    """The version of the template whose fields all entries of an index have; 0 if it says none."""
    return int(index["mappings"].get("_meta", {}).get("version", 0))


async def list_indices(engine: Engine, prefix: str) -> list[IndexState]:
    """Every index of the installation, by kind, partition and version: v2 before v10."""
    aliases = await engine.administer("GET", f"/{prefix}*/_alias") or {}
    stats = await engine.administer("GET", f"/{prefix}*/_stats/docs,store") or {"indices": {}}
    states = []
    for name, entry in aliases.items():
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
                named=bool(entry["aliases"]),
                documents=primaries.get("docs", {}).get("count", 0),
                bytes=primaries.get("store", {}).get("size_in_bytes", 0),
            )
        )
    return sorted(states, key=lambda state: (state.kind, state.partition, state.version))


async def versions_of(engine: Engine, prefix: str, kind: str, partition: str) -> list[IndexState]:
    """The indices of one partition of a kind, oldest first.

    Raises SettingsError, which names those that there are, where none of them is in use.
    """
    states = await list_indices(engine, prefix)
    found = [s for s in states if (s.kind, s.partition) == (kind, partition)]
    if not any(state.current for state in found):
        there = [state.partition for state in states if state.kind == kind and state.current]
        of_kind = ", ".join(f"{kind}.{each}" for each in sorted(there)) or "none"
        raise SettingsError(
            f"{prefix}{kind}.{partition} is no index that is in use; of {kind} there are {of_kind}"
        )
    return found


async def version_in_use(engine: Engine, prefix: str, kind: str, partition: str) -> IndexState:
    """The one of them by which it is read; raises as `versions_of`."""
    (current,) = [s for s in await versions_of(engine, prefix, kind, partition) if s.current]
    return current
