"""The indices of an installation: made on demand, listed."""

from datetime import date
from typing import NamedTuple, cast

from edgar_search.engine import Engine
from edgar_search.errors import SettingsError
from edgar_search.index_names import (
    KINDS,
    PARTITIONED,
    WHOLE,
    IndexName,
    Kind,
    index_name,
    parse_index_name,
    partition_of,
    read_alias,
    write_alias,
)
from edgar_search.settings import Settings
from ingest.templates import put_templates


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
        """Put templates that differ, make the indices that are missing; the templates' names."""
        put = await put_templates(self._engine, self._settings.prefix)
        today = partition_of(self._settings.partition, date.today())
        for kind in KINDS:
            await self.ensure(kind, today if kind in PARTITIONED else WHOLE)
        return put

    async def ensure_partition(self, partition: str) -> None:
        """Make the partition's indices of every partitioned kind where they are missing."""
        for kind in PARTITIONED:
            await self.ensure(kind, partition)

    async def ensure(self, kind: Kind, partition: str) -> None:
        """Make one partition of one kind with its aliases, unless it is there."""
        if (kind, partition) in self._known:
            return
        prefix = self._settings.prefix
        alias = write_alias(prefix, kind, partition)
        if await self._engine.administer("GET", f"/_alias/{alias}") is None:
            name = index_name(prefix, IndexName(kind, partition, 1))
            # A kind that is never partitioned is written through its read alias.
            aliases: dict[str, object] = {alias: {}, read_alias(prefix, kind): {}}
            await self._engine.create_index(name, {"aliases": aliases})
        self._known.add((kind, partition))


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
