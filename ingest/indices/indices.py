"""The indices of an installation: created on demand, and listed."""

import asyncio
import logging
from datetime import UTC, date, datetime
from typing import Any, NamedTuple, cast

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import (
    KINDS,
    MONTHLY,
    WHOLE,
    Kind,
    month_of,
    parse_index_name,
    partition_of,
    read_alias,
    write_alias,
)
from edgar_search.engine.templates import load_templates, put_templates
from edgar_search.errors import EngineFault, SettingsError
from edgar_search.settings import Settings
from edgar_search.settings.values import PARTITIONED, number_of_shards, shards_of

_log = logging.getLogger(__name__)
# Entries of these kinds get the fields of a newer template only when they are stored again. Until
# all have been, the mapping keeps its older version, which tells the service which fields it may
# use.
STORED_ANEW: tuple[Kind, ...] = (*PARTITIONED, "entities")


class IndexState(NamedTuple):
    """One index in Elasticsearch.

    `current` is true if its kind is read through it, `named` if it has any alias.
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
    """Creates missing indices and aliases, each once per run."""

    def __init__(self, engine: Engine, settings: Settings) -> None:
        self._engine = engine
        self._settings = settings
        self._known: set[tuple[str, str]] = set()

    async def set_up(self) -> list[str]:
        """Put templates that differ, and create missing indices and aliases.

        Returns the names of templates, and the aliases with their index, that were put. Raises
        EngineRefuses if the index of a missing alias is ambiguous.
        """
        put = await put_templates(self._engine, self._settings.prefix)
        mended = await self._engine.mend_aliases(f"{self._settings.prefix}*")
        put += [f"alias {alias.alias} of {alias.of_index}" for alias in mended]
        partitions = [(kind, self._partition(kind)) for kind in KINDS]
        self._known |= await self._find(partitions)
        # Concurrently: Elasticsearch takes as long for several changes of its state as for one.
        await asyncio.gather(*(self.ensure(*partition) for partition in partitions))
        await self._add_fields()
        return put

    async def all_stored_anew(self) -> None:
        """Set the mapping versions of partitioned kinds to the templates' version.

        Correct once this version has loaded every submission.
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
        """Create the missing indices of a partition, for every partitioned kind."""
        await asyncio.gather(*(self.ensure(kind, partition) for kind in PARTITIONED))

    async def ensure(self, kind: Kind, partition: str) -> None:
        """Create one partition of one kind with its aliases, unless it exists."""
        if (kind, partition) not in self._known:
            settings = own_settings(self._settings, kind, partition)
            await self._engine.ensure_partition(kind, partition, settings)
            self._known.add((kind, partition))

    async def _find(self, partitions: list[tuple[Kind, str]]) -> set[tuple[Kind, str]]:
        """Return the partitions whose index exists, with one request."""
        prefix = self._settings.prefix
        reply = await self._engine.administer("GET", f"/{prefix}*/_alias") or {}
        aliases = {alias for index in reply.values() for alias in index["aliases"]}
        return {partition for partition in partitions if write_alias(prefix, *partition) in aliases}

    async def _add_fields(self) -> None:
        """Add the fields of newer templates to older indices, if possible.

        Elasticsearch can add fields to an index but not change them: an index keeps fields that a
        template has changed, and gets the new ones.
        """
        prefix, engine = self._settings.prefix, self._engine
        templates = load_templates(prefix)
        for name, live in (await engine.administer("GET", f"/{prefix}*/_mapping") or {}).items():
            try:
                kind = parse_index_name(prefix, name).kind
            except SettingsError:
                continue  # An index of another installation whose prefix begins with ours.
            wanted = templates[kind]["template"]["mappings"]
            if version_of(live) < wanted["_meta"]["version"] or _lacks_fields(
                live["mappings"], wanted
            ):
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
            _log.warning("%s keeps the fields with which it was created: see Upgrades", name)
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
        """Return today's partition."""
        if kind in MONTHLY:
            return month_of(datetime.now(UTC).date())
        if kind in PARTITIONED:
            first = self._settings.partition_from
            return partition_of(self._settings.partition, date.today(), first)
        return WHOLE


def own_settings(settings: Settings, kind: str, partition: str) -> dict[str, str]:
    """Return the settings of a new index that are not in its template."""
    values: dict[str, str] = {}
    number = number_of_shards(shards_of(settings.shards), kind, partition)
    if number is not None:
        values["index.number_of_shards"] = str(number)
    is_year = kind in PARTITIONED and partition != WHOLE
    if is_year and int(partition) < settings.compress_before:
        values["index.codec"] = "best_compression"
    return values


def _lacks_fields(live: dict[str, Any], wanted: dict[str, Any]) -> bool:
    """Return True if a mapping lacks fields that can be added, whatever its version."""
    fields = wanted["properties"].keys() - live.get("properties", {}).keys()
    return bool(fields) or live.get("dynamic") != wanted.get("dynamic", live.get("dynamic"))


def version_of(index: dict[str, Any]) -> int:
    """Return the template version of all entries of an index; 0 if it is unknown."""
    return int(index["mappings"].get("_meta", {}).get("version", 0))


async def list_indices(engine: Engine, prefix: str) -> list[IndexState]:
    """List every index of the installation by kind, partition and version: v2 before v10."""
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
    """Return the indices of one partition of a kind, oldest first.

    Raises SettingsError, which names the partitions in use, if none of the indices is in use.
    """
    states = await list_indices(engine, prefix)
    versions = [s for s in states if (s.kind, s.partition) == (kind, partition)]
    if not any(state.current for state in versions):
        there = [state.partition for state in states if state.kind == kind and state.current]
        of_kind = ", ".join(f"{kind}.{name}" for name in sorted(there)) or "none"
        raise SettingsError(
            f"{prefix}{kind}.{partition} is not an index in use; of {kind} there are {of_kind}"
        )
    return versions


async def version_in_use(engine: Engine, prefix: str, kind: str, partition: str) -> IndexState:
    """Return the index through which a partition is read; raises as `versions_of`."""
    (current,) = [s for s in await versions_of(engine, prefix, kind, partition) if s.current]
    return current
