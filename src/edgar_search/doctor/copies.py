"""The shards of an installation: each has a primary, and its replicas have nodes."""

from typing import Any, NamedTuple

from edgar_search.doctor.curl import Curl
from edgar_search.doctor.findings import Finding, ok, warning, wrong
from edgar_search.engine.engine import Engine
from edgar_search.errors import EngineFault, EngineRefuses

_RED = "red"
_REPLICAS = "index.number_of_replicas"
_OF_INDEX = ("index.routing.allocation.", "index.shard_limit.")
_DISK = "disk_threshold"
# Deciders whose refusal has a remedy of its own; the first that refuses is told.
_TOLD = (_DISK, "filter", "enable", "max_retry")
_MONITOR = "run it with a user that has `monitor` of the cluster"


class _Why(NamedTuple):
    """Why a shard has no node: the decider that refuses, if one does, in one sentence."""

    decider: str
    text: str


async def look_at_copies(
    engine: Engine,
    prefix: str,
    settings: dict[str, dict[str, Any]],
    curl: Curl,
    *,
    disk_full: bool = False,
) -> list[Finding]:
    """Indices that are red, each with its reason; else replicas. `settings` are of all indices."""
    wanted = {name: int(each.get(_REPLICAS, 0)) for name, each in settings.items()}
    try:
        health = await engine.administer("GET", f"/_cluster/health/{prefix}*?level=shards")
    except EngineRefuses:
        text = f"{_numbers(wanted)}; if they are there could not be looked at"
        return [warning("replicas", text, _MONITOR)]
    red = {
        name: min(int(number) for number, each in index["shards"].items() if each["status"] == _RED)
        for name, index in health.get("indices", {}).items()
        if name in settings and index["status"] == _RED
    }
    if red:
        return await _reds(engine, red, settings, curl, disk_full=disk_full)
    return [_replicas(health, wanted)]


def _numbers(wanted: dict[str, int]) -> str:
    return f"{'/'.join(map(str, sorted({*wanted.values()})))} of each shard beside itself"


def _replicas(health: Any, wanted: dict[str, int]) -> Finding:
    nodes, unassigned = health["number_of_data_nodes"], health["unassigned_shards"]
    if unassigned:
        remedy = "start the nodes that are missing, or set fewer replicas"
        return warning("replicas", f"{unassigned} copies have no node of {nodes}", remedy)
    single = sorted(name for name, number in wanted.items() if number == 0)
    if single and nodes == 1:
        remedy = "add a node: a lost disk is lost data"
        return warning("replicas", "none; 1 data node", remedy)
    if single:
        found = f"{len(single)} indices have none, such as {single[0]}; {nodes} data nodes"
        remedy = "`edgar-ingest indices apply` gives them those of their templates: see Replicas"
        return warning("replicas", found, remedy + " in docs/operations.md")
    return ok("replicas", f"{_numbers(wanted)}, on {nodes} data nodes")


async def _reds(
    engine: Engine,
    red: dict[str, int],
    settings: dict[str, dict[str, Any]],
    curl: Curl,
    *,
    disk_full: bool,
) -> list[Finding]:
    """A finding for each reason; `red` has a shard without primary of each index."""
    reasons: dict[_Why, list[str]] = {}
    for name, shard in sorted(red.items()):
        reasons.setdefault(await _why(engine, name, shard), []).append(name)
    return [
        wrong("red", f"{', '.join(names)}: {why.text}", _remedy(why, names, settings, curl))
        for why, names in reasons.items()
        if not (disk_full and why.decider == _DISK)
    ]


async def _why(engine: Engine, name: str, shard: int) -> _Why:
    body = {"index": name, "shard": shard, "primary": True}
    try:
        reply = await engine.administer("POST", "/_cluster/allocation/explain", body)
    except (EngineRefuses, EngineFault):
        return _Why("", "a shard has no primary, and Elasticsearch does not say why")
    refusals = {
        decider["decider"]: decider["explanation"]
        for node in reply.get("node_allocation_decisions", [])
        for decider in node.get("deciders", [])
        if decider["decision"] == "NO"
    }
    if reply.get("can_allocate") == "no_valid_shard_copy":
        return _Why("no copy", "no node that runs has a copy of it")
    for decider in (*_TOLD, *refusals):
        if decider in refusals:
            said = " ".join(refusals[decider].split())
            return _Why(decider, f"no node may hold it, since {said}")
    return _Why("", str(reply.get("allocate_explanation") or "a shard has no primary yet"))


def _remedy(why: _Why, names: list[str], settings: dict[str, dict[str, Any]], curl: Curl) -> str:
    own = sorted(
        {key for name in names for key in settings[name] if key.startswith(_OF_INDEX)}
        - {f"{_OF_INDEX[0]}include._tier_preference"}
    )
    if why.decider == _DISK:
        return "make room on the disks of the nodes, or add a node"
    if why.decider in ("filter", "enable") and own:
        lifted = curl.command("PUT", f"/{','.join(names)}/_settings", dict.fromkeys(own))
        return f"run {lifted}"
    if why.decider in ("filter", "enable"):
        cluster = curl.command("GET", "/_cluster/settings?flat_settings=true")
        return f"take `cluster.routing.allocation.*` out of the cluster's settings: see {cluster}"
    if why.decider == "max_retry":
        retry = curl.command("POST", "/_cluster/reroute?retry_failed=true")
        return f"mend what its log names, then run {retry}"
    if why.decider == "no copy":
        return "start the node that had it; if it is lost, see Backups in docs/operations.md"
    return f"see {curl.command('GET', '/_cluster/allocation/explain')}"
