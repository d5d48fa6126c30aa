"""The indices of an installation: there, open, writable, with copies."""

from typing import Any, NamedTuple

from msgspec import Struct, field

from edgar_search.doctor.copies import look_at_copies
from edgar_search.doctor.curl import Curl
from edgar_search.doctor.findings import Finding, ok, warning, wrong
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import KINDS, is_index_name, parse_index_name, read_alias
from edgar_search.errors import EdgarSearchError, EngineFault, EngineRefuses
from edgar_search.stored.rebuild import StoredRebuild


class _Record(Struct):
    source: StoredRebuild = field(name="_source")


_PUT = "run `edgar-ingest templates put`"
# What closing sets, and opening takes away.
_CLOSED = "index.verified_before_close"
# What Elasticsearch itself sets if a disk is full, and lifts if it is no longer.
_FULL = "index.blocks.read_only_allow_delete"


class _Seen(NamedTuple):
    """The aliases and settings of all indices, by name, and the names of those that are closed."""

    aliases: dict[str, list[str]]
    settings: dict[str, dict[str, Any]]
    closed: list[str]


async def look_at_indices(
    engine: Engine, prefix: str, curl: Curl, *, disk_full: bool = False
) -> list[Finding]:
    """All that is to be said of them; not what a `disk_full` causes, which was said before."""
    seen = await _seen(engine, prefix)
    findings = [_kinds(prefix, seen), await _aliases(engine, prefix)]
    if not seen.settings:
        return findings[:1]
    read = {read_alias(prefix, kind) for kind in KINDS}
    used = {name for name, aliases in seen.aliases.items() if read & {*aliases}}
    findings += _closed([name for name in seen.closed if name in used], curl)
    open_ones = used - {*seen.closed}
    findings += await _blocks(engine, prefix, seen, open_ones, curl, disk_full=disk_full)
    findings += await look_at_copies(engine, prefix, seen.settings, curl, disk_full=disk_full)
    return findings


async def index_bytes(engine: Engine, prefix: str) -> int:
    """The bytes of all their copies; 0 if Elasticsearch does not say."""
    path = f"/{prefix}*/_stats/store?filter_path=_all.total.store.size_in_bytes"
    try:
        reply = await engine.administer("GET", path)
        return int(reply["_all"]["total"]["store"]["size_in_bytes"])
    except (EngineRefuses, EngineFault, KeyError, TypeError):
        return 0


async def _seen(engine: Engine, prefix: str) -> _Seen:
    every = "expand_wildcards=all"
    aliases = await engine.administer("GET", f"/{prefix}*/_alias?{every}") or {}
    found = await engine.administer("GET", f"/{prefix}*/_settings?flat_settings=true&{every}") or {}
    settings = {name: found[name]["settings"] for name in found if is_index_name(prefix, name)}
    return _Seen(
        {name: list(aliases[name]["aliases"]) for name in aliases if is_index_name(prefix, name)},
        settings,
        # With security, patterns that are for closed indices alone also find the open ones.
        [name for name in sorted(settings) if settings[name].get(_CLOSED) == "true"],
    )


def _kinds(prefix: str, seen: _Seen) -> Finding:
    there = {parse_index_name(prefix, name).kind for name in seen.aliases}
    missing = [kind for kind in KINDS if kind not in there]
    if missing:
        return wrong("indices", f"there is none for {', '.join(missing)}", _PUT)
    return ok("indices", f"{len(seen.aliases)}, of all {len(KINDS)} kinds")


async def _aliases(engine: Engine, prefix: str) -> Finding:
    try:
        missing = await engine.missing_aliases(f"{prefix}*")
    except EngineRefuses as error:
        return wrong("aliases", str(error), "see Templates in docs/operations.md")
    if missing:
        names = ", ".join(each.alias for each in missing)
        return wrong("aliases", f"{names}: missing", _PUT)
    return ok("aliases", "each index in use has its own")


def _closed(names: list[str], curl: Curl) -> list[Finding]:
    if not names:
        return []
    listed = ",".join(names)
    are = "is" if len(names) == 1 else "are"
    text = f"{', '.join(names)} {are} closed, and can be neither searched nor written"
    return [wrong("closed", text, f"run {curl.command('POST', f'/{listed}/_open')}")]


async def _blocks(
    engine: Engine, prefix: str, seen: _Seen, used: set[str], curl: Curl, *, disk_full: bool
) -> list[Finding]:
    """Of the indices in use: what was switched away from stays as it was."""
    blocked: dict[tuple[str, ...], list[str]] = {}
    for name in sorted(used):
        blocks = tuple(key for key, value in seen.settings[name].items() if _is_block(key, value))
        if blocks:
            blocked.setdefault(blocks, []).append(name)
    records = await _rebuilds(engine) if blocked else []
    held = {record.blocked: record for record in records if record.blocked}
    findings = []
    for blocks, names in blocked.items():
        for name in names:
            if name in held:
                by = f"{held[name].holder} since {held[name].blocked_at:%Y-%m-%d %H:%M:%S} UTC"
                kind, partition, _ = parse_index_name(prefix, name)
                remedy = (
                    "if that process is gone, run"
                    f" `edgar-ingest indices resume {kind}.{partition}`; or give it up by"
                    f" `edgar-ingest indices abandon {kind}.{partition}`"
                )
                findings.append(warning("write block", f"{name} is held by {by}", remedy))
        free = [name for name in names if name not in held]
        if free and not (disk_full and blocks == (_FULL,)):
            findings.append(_block(free, blocks, curl))
    return findings or [ok("write blocks", "none on an index in use")]


def _block(names: list[str], blocks: tuple[str, ...], curl: Curl) -> Finding:
    lifted = curl.command("PUT", f"/{','.join(names)}/_settings", {block: None for block in blocks})
    remedy = f"run {lifted}"
    if _FULL in blocks:
        # Its disk is not full any more, or cannot be looked at.
        remedy = f"make room on the disk of its node; if it stays, {remedy}"
    are = "has" if len(names) == 1 else "have"
    return wrong("write block", f"{', '.join(names)} {are} {', '.join(blocks)}", remedy)


def _is_block(key: str, value: str) -> bool:
    return key.startswith("index.blocks.") and value == "true"


async def _rebuilds(engine: Engine) -> list[StoredRebuild]:
    try:
        body = {"query": {"match_all": {}}, "size": 1_000}
        return [hit.source for hit in (await engine.search("rebuilds", body, _Record)).hits.hits]
    except EdgarSearchError:
        return []
