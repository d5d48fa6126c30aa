"""Restoring a backup: all its indices first, then their aliases at once.

Before the aliases exist, nothing reads or writes the restored indices. A stopped restore continues
when it is run again: it keeps an index without an alias that Elasticsearch has restored from this
backup.
"""

import asyncio
import logging
import re
import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple, cast

import msgspec

from edgar_search.engine.backups import Backup, backups, newest_complete
from edgar_search.engine.bulk_lines import chunks
from edgar_search.engine.engine import Engine, Stored
from edgar_search.engine.index_names import Kind, parse_index_name, read_alias, write_alias
from edgar_search.errors import EngineFault, EngineUnavailable, SettingsError
from edgar_search.settings import Settings
from edgar_search.stored.installation import StoredLease
from ingest.indices.indices import Indices, list_indices
from ingest.loading.owner import Owner
from ingest.loading.retry import Retry
from ingest.upkeep.backup import (
    LINE_SECONDS,
    POLL_SECONDS,
    installed_indices,
    repository_of,
    snapshot_path,
)

# Longer than the time between a balancer's probes, or between updates of a service's metrics.
WATCHED_SECONDS = 20.0


async def find_activity(engine: Engine, settings: Settings) -> list[str]:
    """Name the processes that use the installation, a line for each.

    The installation is watched for 20 seconds, or as long as a held lease lasts. A service without
    requests that matches no alerts is not noticed.
    """
    loads = [f"a load holds its lock {path}" for path in Owner.held(settings.absolute_home)]
    if not await installed_indices(engine, settings.prefix):
        return loads
    before, counted = await _leases(engine), await _counts(engine, settings.prefix)
    # A lease that was not released may belong to a process that has died.
    lease_seconds = [each.seconds for each in before.values() if each.holder]
    await asyncio.sleep(max([WATCHED_SECONDS, *lease_seconds]))
    after = await _leases(engine)
    renewed = [
        f"{after[name].holder} holds the lease {name}"
        for name, lease in before.items()
        if name in after and after[name].holder and after[name].revision != lease.revision
    ]
    changed = [
        f"{name} is being written or searched"
        for name, count in (await _counts(engine, settings.prefix)).items()
        # Reading the leases is a search; an index that has just been restored had no counts before.
        if count != counted.get(name, count) and not name.startswith(f"{settings.prefix}leases.")
    ]
    return [*loads, *renewed, *changed]


async def _leases(engine: Engine) -> dict[str, StoredLease]:
    """Read the leases by name; none if they cannot be read, as with a damaged installation."""
    body: dict[str, Any] = {"query": {"match_all": {}}, "size": 1_000, "track_total_hits": False}
    try:
        await engine.refresh("leases")
        reply = await engine.search("leases", body, Stored[StoredLease])
    except EngineUnavailable:
        return {}
    return {hit.id: hit.source for hit in reply.hits.hits if hit.source}


async def _counts(engine: Engine, prefix: str) -> dict[str, tuple[int, ...]]:
    """Count writes, deletions and searches of each index since its node started."""
    reply = await engine.administer("GET", f"/{prefix}*/_stats/indexing,search")
    return {
        name: (
            index["primaries"]["indexing"]["index_total"],
            index["primaries"]["indexing"]["delete_total"],
            index["total"]["search"]["query_total"],
        )
        for name, index in reply["indices"].items()
        if "indexing" in index["primaries"]  # not if all shards are lost
    }


_log = logging.getLogger(__name__)
# Indices named in one request, the whole of which must fit into 4 kB.
_NAMED_AT_ONCE = 20
# Seconds without progress after which shards are considered lost.
STUCK_SECONDS = 60.0


class Plan(NamedTuple):
    """The plan of restoring `backup`, by names of indices.

    `restored` come back, by their names in the backup; `there` have come back in an earlier
    attempt; `deleted` are in the way, with their entries, None if a lost shard hides how many;
    `damaged` lack a shard in the backup and are left out.
    """

    backup: Backup
    restored: Mapping[str, str]
    there: Sequence[str]
    deleted: Mapping[str, int | None]
    damaged: Sequence[str]

    @property
    def loses(self) -> bool:
        """True if entries are lost with the deleted indices."""
        return any(count != 0 for count in self.deleted.values())


class Restore:
    """Restores into the installation of the settings; `source` is the prefix in the backup."""

    def __init__(self, engine: Engine, settings: Settings, source: str | None = None) -> None:
        self._engine = engine
        self._settings = settings
        self._prefix = settings.prefix
        self._source = source or settings.prefix
        self._repository = repository_of(settings)
        self._retry = Retry(settings.load_patience)

    async def plan(self, name: str | None = None, *, partial: bool = False) -> Plan:
        """Plan the restore of the backup of this name, or of the newest complete one.

        Raises SettingsError if there is none, and without `partial` for an incomplete one.
        """
        backup = await self._backup(name, partial=partial)
        wanted = [index for index in backup.indices if index not in backup.damaged]
        self._require_one_version(backup.name, wanted)
        restored = {
            self._prefix + name_there.removeprefix(self._source): name_there
            for name_there in wanted
        }
        here = await installed_indices(self._engine, self._prefix)
        # Indices that wait to be restored do not reveal their backup.
        begun = not any(here.values()) and await self._has_restored_from(backup.name)
        lost = await self._without_shards()
        there = {
            name_there
            for name_there in here
            if begun and name_there in restored and name_there not in lost
        }
        states = await list_indices(self._engine, self._prefix)
        return Plan(
            backup,
            {
                name_there: restored[name_there]
                for name_there in restored
                if name_there not in there
            },
            sorted(there),
            {
                state.name: None if state.name in lost and not begun else state.documents
                for state in states
                if state.name not in there
            },
            [self._prefix + name_there.removeprefix(self._source) for name_there in backup.damaged],
        )

    async def run(self, plan: Plan, *, replace: bool = False) -> None:
        """Carry out the plan, then create missing templates and indices.

        Raises SettingsError, before any change, if something uses the installation, or if indices
        are in the way and `replace` is not set. Raises EngineFault, which names them, if indices do
        not come back completely.
        """
        if plan.loses and not replace:
            raise SettingsError(
                f"restore: {len(plan.deleted)} indices of {self._prefix} are in the way; give"
                " --replace to delete them, or set another EDGAR_SEARCH_PREFIX"
            )
        working = await find_activity(self._engine, self._settings)
        if working:
            raise SettingsError(
                f"restore: first stop the programs that use the installation: {'; '.join(working)}"
            )
        for names in chunks(sorted(plan.deleted), _NAMED_AT_ONCE):
            _log.info("deleting %s", ", ".join(names))
            await self._engine.administer("DELETE", f"/{','.join(names)}?ignore_unavailable=true")
        if plan.restored:
            await self._begin(plan)
        names = [*plan.restored, *plan.there]
        await self._await(names)
        await self._give_aliases(names)
        await Indices(self._engine, self._settings).set_up()

    async def _backup(self, name: str | None, *, partial: bool) -> Backup:
        existing = await backups(self._engine, self._repository, self._source)
        if name is None:
            backup = newest_complete(existing)
            if backup is None:
                raise SettingsError(
                    f"restore: {self._repository} has no complete backup with the prefix"
                    f" {self._source}; `edgar-ingest backups list` shows all backups"
                )
            return backup
        backup = next((candidate for candidate in existing if candidate.name == name), None)
        if backup is None:
            raise SettingsError(
                f"restore: {self._repository} has no backup {name} with the prefix {self._source};"
                " `edgar-ingest backups list` shows all backups"
            )
        if backup.state in ("running", "failed") or backup.state == "partial" and not partial:
            lacks = f" and lacks {', '.join(backup.damaged)}" if backup.damaged else ""
            raise SettingsError(
                f"restore: {name} is {backup.state}{lacks}; name a complete one"
                + (", or give --partial to restore the rest" if backup.state == "partial" else "")
            )
        return backup

    def _require_one_version(self, backup: str, names: Sequence[str]) -> None:
        """Raise SettingsError if it is unclear which version of an index was in use."""
        versions = Counter(index.rpartition(".v")[0] for index in names)
        several = sorted(name for name, count in versions.items() if count > 1)
        if several:
            raise SettingsError(
                f"restore: {backup} has several versions of {', '.join(several)}, since"
                " `edgar-ingest backups create` did not make it; restore it by requests to"
                " Elasticsearch"
            )

    async def _begin(self, plan: Plan) -> None:
        """Make Elasticsearch restore the remaining indices."""
        path = f"{snapshot_path(self._repository, plan.backup.name)}/_restore"
        body = {
            "indices": sorted(plan.restored.values()),
            "include_global_state": False,
            "include_aliases": False,
        }
        if self._source != self._prefix:
            body["rename_pattern"] = f"^{re.escape(self._source)}(.+)$"
            body["rename_replacement"] = f"{self._prefix}$1"
        await self._engine.administer("POST", f"{path}?wait_for_completion=false", body)

    async def _await(self, names: Collection[str]) -> None:
        """Wait until all of these have their primary shards."""
        reported_at = moved_at = time.monotonic()
        last: tuple[int, int] | None = None
        while True:
            health = await self._retry(self._health)
            left = [name for name in names if name not in health or not health[name].is_whole]
            if not left:
                return
            under_way = sum(index.initializing_shards for index in health.values())
            if under_way or (len(left), under_way) != last:
                last, moved_at = (len(left), under_way), time.monotonic()
            if time.monotonic() - moved_at > STUCK_SECONDS:
                raise EngineFault(
                    f"restore: {', '.join(left)} did not come back; Elasticsearch's log says why."
                    " Run it again, or restore another backup"
                )
            if time.monotonic() - reported_at > LINE_SECONDS:
                reported_at = time.monotonic()
                _log.info("%d of %d indices are back", len(names) - len(left), len(names))
            await asyncio.sleep(POLL_SECONDS)

    async def _give_aliases(self, names: Collection[str]) -> None:
        """Put all of these into use in one request."""
        actions = []
        for name in names:
            parsed = parse_index_name(self._prefix, name)
            kind = cast(Kind, parsed.kind)
            for alias in (
                read_alias(self._prefix, kind),
                write_alias(self._prefix, kind, parsed.partition),
            ):
                actions.append({"add": {"index": name, "alias": alias}})
        await self._engine.administer("POST", "/_aliases", {"actions": actions})

    async def _has_restored_from(self, name: str) -> bool:
        """Return True if Elasticsearch has restored, or is restoring, an index from the backup."""
        found = await self._engine.administer("GET", f"/{self._prefix}*/_recovery") or {}
        return any(
            shard["type"] == "SNAPSHOT" and shard["source"].get("snapshot") == name
            for index in found.values()
            for shard in index["shards"]
        )

    async def _without_shards(self) -> set[str]:
        """Return the indices with a primary shard that is missing and not being restored."""
        health = await self._health()
        if any(index.initializing_shards for index in health.values()):
            return set()
        return {name for name, index in health.items() if not index.is_whole}

    async def _health(self) -> Mapping[str, "_IndexHealth"]:
        path = f"/_cluster/health/{self._prefix}*?level=indices&expand_wildcards=all"
        return msgspec.convert(await self._engine.administer("GET", path), _Health).indices


class _IndexHealth(msgspec.Struct):
    number_of_shards: int
    active_primary_shards: int
    initializing_shards: int

    @property
    def is_whole(self) -> bool:
        """True if all primary shards are active; the status of a new index does not show that."""
        return self.active_primary_shards == self.number_of_shards


class _Health(msgspec.Struct):
    indices: dict[str, _IndexHealth] = {}
