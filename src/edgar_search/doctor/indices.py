"""The indices of an installation: there, whole, writable, with copies."""

from typing import Any

from msgspec import Struct, field

from edgar_search.doctor.findings import Finding, ok, warning, wrong
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import KINDS, read_alias
from edgar_search.errors import EdgarSearchError, EngineRefuses
from edgar_search.stored.rebuild import StoredRebuild


class _Record(Struct):
    source: StoredRebuild = field(name="_source")


_PUT = "run `edgar-ingest templates put`"


async def look_at_indices(engine: Engine, prefix: str) -> tuple[list[Finding], int]:
    """All that is to be said of them, and the bytes of all their copies."""
    aliases = await engine.administer("GET", f"/{prefix}*/_alias") or {}
    settings = await engine.administer("GET", f"/{prefix}*/_settings?flat_settings=true") or {}
    findings = [_kinds(prefix, aliases), await _aliases(engine, prefix)]
    if not settings:
        return findings, 0
    read = {read_alias(prefix, kind) for kind in KINDS}
    used = {name: each for name, each in settings.items() if read & aliases[name]["aliases"].keys()}
    findings += await _blocks(engine, used)
    findings.append(await _copies(engine, prefix, settings))
    return findings, await _bytes(engine, prefix)


def _kinds(prefix: str, aliases: dict[str, Any]) -> Finding:
    there = {alias for entry in aliases.values() for alias in entry["aliases"]}
    missing = [kind for kind in KINDS if read_alias(prefix, kind) not in there]
    if missing:
        return wrong("indices", f"there is none for {', '.join(missing)}", _PUT)
    return ok("indices", f"{len(aliases)}, of all {len(KINDS)} kinds")


async def _aliases(engine: Engine, prefix: str) -> Finding:
    try:
        missing = await engine.missing_aliases(f"{prefix}*")
    except EngineRefuses as error:
        return wrong("aliases", str(error), "give both aliases to the right one")
    if missing:
        names = ", ".join(each.alias for each in missing)
        return wrong("aliases", f"{names} are missing", _PUT)
    return ok("aliases", "each index in use has its own")


async def _blocks(engine: Engine, settings: dict[str, Any]) -> list[Finding]:
    """Of the indices in use: what was switched away from stays as it was."""
    blocked = {
        name: [key for key, value in index["settings"].items() if _is_block(key, value)]
        for name, index in settings.items()
    }
    records = await _rebuilds(engine) if any(blocked.values()) else []
    held = {record.blocked: record for record in records if record.blocked}
    findings = []
    for name, blocks in blocked.items():
        if not blocks:
            continue
        if name in held:
            by = f"{held[name].holder} since {held[name].blocked_at:%Y-%m-%d %H:%M:%S} UTC"
            remedy = "see `edgar-ingest indices status`: `resume` or `abandon`"
            findings.append(warning("write block", f"{name} is held by {by}", remedy))
        else:
            text = f"{name} has {', '.join(blocks)}"
            remedy = "make room where its disk is full, or lift the block"
            findings.append(wrong("write block", text, remedy))
    return findings or [ok("write blocks", "none on an index in use")]


def _is_block(key: str, value: str) -> bool:
    return key.startswith("index.blocks.") and value == "true"


async def _rebuilds(engine: Engine) -> list[StoredRebuild]:
    try:
        body = {"query": {"match_all": {}}, "size": 1_000}
        return [hit.source for hit in (await engine.search("rebuilds", body, _Record)).hits.hits]
    except EdgarSearchError:
        return []


async def _copies(engine: Engine, prefix: str, settings: dict[str, Any]) -> Finding:
    wanted = {
        name: int(index["settings"].get("index.number_of_replicas", 0))
        for name, index in settings.items()
    }
    text = f"{'/'.join(map(str, sorted({*wanted.values()})))} of each shard beside itself"
    try:
        health = await engine.administer("GET", f"/_cluster/health/{prefix}*")
    except EngineRefuses:
        remedy = "run it with a user that has `monitor` of the cluster"
        return warning("replicas", f"{text}; whether they are there could not be looked at", remedy)
    nodes, unassigned = health["number_of_data_nodes"], health["unassigned_shards"]
    if health["status"] == "red":
        return wrong(
            "replicas", f"{unassigned} shards are missing", "start the nodes that have them"
        )
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
    return ok("replicas", f"{text}, on {nodes} data nodes")


async def _bytes(engine: Engine, prefix: str) -> int:
    path = f"/{prefix}*/_stats/store?filter_path=_all.total.store.size_in_bytes"
    try:
        reply = await engine.administer("GET", path)
        return int(reply["_all"]["total"]["store"]["size_in_bytes"])
    except (EdgarSearchError, KeyError, TypeError):
        return 0
