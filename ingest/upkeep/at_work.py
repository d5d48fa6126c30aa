"""Programs at work on an installation about to be replaced: loads, services, leases."""

import asyncio
from typing import Any

from edgar_search.engine.engine import Engine, Stored
from edgar_search.errors import EngineUnavailable
from edgar_search.settings import Settings
from edgar_search.stored.lease import StoredLease
from ingest.loading.owner import Owner
from ingest.upkeep.backup import installed_indices

# Longer than probes of a balancer are apart, and than the figures of a service are not looked up.
WATCHED_SECONDS = 20.0


async def at_work(engine: Engine, settings: Settings) -> list[str]:
    """Name what works on the installation, a line for each.

    It is watched for 20 seconds, or for as long as a lease lasts that somebody holds. A service
    that nobody asks anything, and that matches no alerts, is not noticed.
    """
    loads = [f"a load holds its lock {path}" for path in Owner.held(settings.absolute_home)]
    if not await installed_indices(engine, settings.prefix):
        return loads
    before, counted = await _leases(engine), await _counts(engine, settings.prefix)
    # A lease that nobody has given back may be that of a process that has died.
    held = [each.seconds for each in before.values() if each.holder]
    await asyncio.sleep(max([WATCHED_SECONDS, *held]))
    after = await _leases(engine)
    renewed = [
        f"{after[name].holder} holds the lease {name}"
        for name, lease in before.items()
        if name in after and after[name].holder and after[name].revision != lease.revision
    ]
    changed = [
        f"{name} is being written or searched"
        for name, count in (await _counts(engine, settings.prefix)).items()
        # Looking at the leases is a search; an index that has just come back had no counts before.
        if count != counted.get(name, count) and not name.startswith(f"{settings.prefix}leases.")
    ]
    return [*loads, *renewed, *changed]


async def _leases(engine: Engine) -> dict[str, StoredLease]:
    """The leases by name; none if they cannot be read, as what is to be restored may be damaged."""
    body: dict[str, Any] = {"query": {"match_all": {}}, "size": 1_000, "track_total_hits": False}
    try:
        await engine.refresh("leases")
        found = await engine.search("leases", body, Stored[StoredLease])
    except EngineUnavailable:
        return {}
    return {each.id: each.source for each in found.hits.hits if each.source}


async def _counts(engine: Engine, prefix: str) -> dict[str, tuple[int, ...]]:
    """Count what was written, deleted and searched in each index since its node started."""
    found = await engine.administer("GET", f"/{prefix}*/_stats/indexing,search")
    return {
        name: (
            each["primaries"]["indexing"]["index_total"],
            each["primaries"]["indexing"]["delete_total"],
            each["total"]["search"]["query_total"],
        )
        for name, each in found["indices"].items()
        if "indexing" in each["primaries"]  # not if all shards are lost
    }
