"""Checks of indices: templates, versions, shard copies, backups."""

from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

from edgar_search.doctor.findings import Curl, Finding, ok, warning, wrong
from edgar_search.engine.backups import Backup, backups, newest_complete
from edgar_search.engine.contents import count_outdated, describe_outdated
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import KINDS, Kind, is_index_name, parse_index_name, read_alias
from edgar_search.engine.replies import SourceHit
from edgar_search.engine.templates import diff_templates, differences, load_templates
from edgar_search.errors import EdgarSearchError, EngineFault, EngineRefuses, SettingsError
from edgar_search.settings import Settings
from edgar_search.settings.values import PARTITIONED
from edgar_search.stored.installation import StoredRebuild

_RED = "red"
_REPLICAS = "index.number_of_replicas"
_OF_INDEX = ("index.routing.allocation.", "index.shard_limit.")
_DISK = "disk_threshold"
# Deciders with their own remedy; the first that refuses is reported.
_TOLD = (_DISK, "filter", "enable", "max_retry")
_MONITOR = "run it with a user that has `monitor` of the cluster"


class _ShardReason(NamedTuple):
    """The reason why a shard is on no node: a sentence, and the decider that refuses, if any."""

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
    """Report red indices by reason, or else check for missing replicas.

    `settings` has all indices.
    """
    replicas = {name: int(options.get(_REPLICAS, 0)) for name, options in settings.items()}
    try:
        health = await engine.administer("GET", f"/_cluster/health/{prefix}*?level=shards")
    except EngineRefuses:
        text = f"{_numbers(replicas)}; could not be checked"
        return [warning("replicas", text, _MONITOR)]
    red = {
        name: min(
            int(number) for number, options in index["shards"].items() if options["status"] == _RED
        )
        for name, index in health.get("indices", {}).items()
        if name in settings and index["status"] == _RED
    }
    if red:
        return await _reds(engine, red, settings, curl, disk_full=disk_full)
    return [_replicas(health, replicas)]


def _numbers(replicas: dict[str, int]) -> str:
    return f"{'/'.join(map(str, sorted({*replicas.values()})))} of each shard, beside the primary"


def _replicas(health: Any, replicas: dict[str, int]) -> Finding:
    nodes, unassigned = health["number_of_data_nodes"], health["unassigned_shards"]
    if unassigned:
        remedy = "start the nodes that are missing, or set fewer replicas"
        return warning("replicas", f"{unassigned} copies have no node of {nodes}", remedy)
    single = sorted(name for name, number in replicas.items() if number == 0)
    if single and nodes == 1:
        remedy = "add a node: a lost disk is lost data"
        return warning("replicas", "none; 1 data node", remedy)
    if single:
        summary = f"{len(single)} indices have none, such as {single[0]}; {nodes} data nodes"
        remedy = "`edgar-ingest indices apply` gives them those of their templates: see Replicas"
        return warning("replicas", summary, remedy + " in docs/operations.md")
    return ok("replicas", f"{_numbers(replicas)}, on {nodes} data nodes")


async def _reds(
    engine: Engine,
    red: dict[str, int],
    settings: dict[str, dict[str, Any]],
    curl: Curl,
    *,
    disk_full: bool,
) -> list[Finding]:
    """Report each reason once; `red` has the number of a shard without a primary for each index."""
    reasons: dict[_ShardReason, list[str]] = {}
    for name, shard in sorted(red.items()):
        reasons.setdefault(await _explain_shard(engine, name, shard), []).append(name)
    return [
        wrong("red", f"{', '.join(names)}: {why.text}", _copies_remedy(why, names, settings, curl))
        for why, names in reasons.items()
        if not (disk_full and why.decider == _DISK)
    ]


async def _explain_shard(engine: Engine, name: str, shard: int) -> _ShardReason:
    body = {"index": name, "shard": shard, "primary": True}
    try:
        reply = await engine.administer("POST", "/_cluster/allocation/explain", body)
    except (EngineRefuses, EngineFault):
        return _ShardReason("", "a shard has no primary, and Elasticsearch does not say why")
    refusals = {
        decider["decider"]: decider["explanation"]
        for node in reply.get("node_allocation_decisions", [])
        for decider in node.get("deciders", [])
        if decider["decision"] == "NO"
    }
    if reply.get("can_allocate") == "no_valid_shard_copy":
        return _ShardReason("no copy", "no node that runs has a copy of it")
    for decider in (*_TOLD, *refusals):
        if decider in refusals:
            refusal = " ".join(refusals[decider].split())
            return _ShardReason(decider, f"no node may hold it, since {refusal}")
    return _ShardReason("", str(reply.get("allocate_explanation") or "a shard has no primary yet"))


def _copies_remedy(
    why: _ShardReason, names: list[str], settings: dict[str, dict[str, Any]], curl: Curl
) -> str:
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
        return f"remove `cluster.routing.allocation.*` from the cluster's settings: see {cluster}"
    if why.decider == "max_retry":
        retry = curl.command("POST", "/_cluster/reroute?retry_failed=true")
        return f"correct what its log names, then run {retry}"
    if why.decider == "no copy":
        return "start the node that had it; if it is lost, see Backups in docs/operations.md"
    return f"see {curl.command('GET', '/_cluster/allocation/explain')}"


# Closed indices are included.
_EVERY = "expand_wildcards=all"
_UPDATE = "run `edgar-ingest update`"
_PUT = "run `edgar-ingest templates put`"
_REBUILD = (
    "run `edgar-ingest indices rebuild entities`, then `edgar-ingest indices switch entities`"
)


async def look_at_templates(engine: Engine, prefix: str) -> list[Finding]:
    """Check for missing or different templates, and for mappings of older versions."""
    return [
        await _templates(engine, prefix),
        *await _versions(engine, prefix),
        await _check_outdated(engine),
    ]


async def _check_outdated(engine: Engine) -> Finding:
    """Check for submissions that an older version loaded."""
    outdated = await count_outdated(engine)
    if not outdated.submissions:
        return ok("outdated submissions", "none")
    return warning("outdated submissions", describe_outdated(outdated), _UPDATE)


async def _templates(engine: Engine, prefix: str) -> Finding:
    try:
        different = await diff_templates(engine, prefix)
    except EngineRefuses:
        # The service itself does not need this privilege.
        text = "could not be checked"
        return warning("templates", text, "run this with the user of `edgar-ingest`")
    expected = load_templates(prefix)
    missing = [
        name for name, lines in different.items() if lines == differences({}, expected[name])
    ]
    if missing:
        text = f"{', '.join(missing)}: missing, so new indices would lack them"
        return wrong("templates", text, _PUT)
    if different:
        example = next(iter(different.values()))[0]
        text = f"{', '.join(different)}: different from this version's, such as `{example}`"
        return warning("templates", text, _PUT)
    return ok("templates", f"{len(expected)}, as this version has them")


async def _versions(engine: Engine, prefix: str) -> list[Finding]:
    """Check for mappings whose version differs from their templates'."""
    templates = load_templates(prefix)
    aliases = await engine.administer("GET", f"/{prefix}*/_alias?{_EVERY}") or {}
    path = f"/{prefix}*/_mapping?filter_path=*.mappings._meta&{_EVERY}"
    mappings = await engine.administer("GET", path) or {}
    findings = []
    for kind in KINDS:
        expected = templates[kind]["template"]["mappings"]["_meta"]["version"]
        for name in sorted(aliases):
            if read_alias(prefix, kind) not in aliases[name]["aliases"]:
                continue
            meta = mappings.get(name, {}).get("mappings", {}).get("_meta", {})
            version = int(meta.get("version", 0))
            if version != expected:
                text = f"{name} has {version}, this version of edgar-search {expected}"
                remedy = _template_remedy(kind, newer=version > expected)
                findings.append(warning("mapping version", text, remedy))
    return findings or [ok("mapping versions", "those of this version of edgar-search")]


def _template_remedy(kind: Kind, *, newer: bool) -> str:
    if newer:
        return "install the version of edgar-search that loaded it"
    if kind in PARTITIONED:
        return _UPDATE
    return _REBUILD if kind == "entities" else _PUT


# Backups are made each night; a warning begins when two have failed.
_OLD = timedelta(days=2)
_SEE = "see Backups in docs/operations.md"


async def look_at_backups(engine: Engine, settings: Settings) -> list[Finding]:
    """Check the backups; if they are not set up, only warn."""
    repository = settings.backup_repository
    if repository is None:
        text = "there are none: EDGAR_SEARCH_BACKUP_REPOSITORY is not set"
        remedy = (
            "name a folder or bucket in Elasticsearch's `path.repo`, register it as a snapshot"
            f" repository and set its name: {_SEE}"
        )
        return [warning("backups", text, remedy)]
    try:
        made = await backups(engine, repository, settings.prefix)
    except SettingsError as error:
        return [wrong("backups", str(error), _SEE)]
    except EngineRefuses:
        text = f"those in `{repository}` could not be checked"
        return [warning("backups", text, "run this with the user of the backups")]
    return [_age(newest_complete(made), len(made), repository)]


def _age(newest: Backup | None, number: int, repository: str) -> Finding:
    make = "run `edgar-ingest backups create`"
    if newest is None:
        state = f"none of {number} is complete" if number else "there is none yet"
        return warning("backups", f"{state} in `{repository}`", make)
    age = datetime.now(UTC) - (newest.ended_at or newest.started_at)
    hours = age / timedelta(hours=1)
    text = f"the last complete one, {newest.name}, is {hours:.0f} hours old"
    return warning("backups", text, make) if age > _OLD else ok("backups", text)


# The setting that closed indices have.
_CLOSED = "index.verified_before_close"
# The block that Elasticsearch sets while a disk is full.
_FULL = "index.blocks.read_only_allow_delete"


class _IndexInfo(NamedTuple):
    """The aliases and settings of all indices by name, and the names of closed ones."""

    aliases: dict[str, list[str]]
    settings: dict[str, dict[str, Any]]
    closed: list[str]


async def look_at_indices(
    engine: Engine, prefix: str, curl: Curl, *, disk_full: bool = False
) -> list[Finding]:
    """Check the indices; if `disk_full` was reported, its effects are left out."""
    seen = await _read_indices(engine, prefix)
    findings = [_kinds(prefix, seen), await _aliases(engine, prefix)]
    if not seen.settings:
        return findings[:1]
    read = {read_alias(prefix, kind) for kind in KINDS}
    used = {name for name, aliases in seen.aliases.items() if read & {*aliases}}
    findings += _closed_indices([name for name in seen.closed if name in used], curl)
    open_ones = used - {*seen.closed}
    findings += await _blocks(engine, prefix, seen, open_ones, curl, disk_full=disk_full)
    findings += await look_at_copies(engine, prefix, seen.settings, curl, disk_full=disk_full)
    return findings


async def index_bytes(engine: Engine, prefix: str) -> int:
    """Return the size of all copies of the indices in bytes; 0 if Elasticsearch does not tell."""
    path = f"/{prefix}*/_stats/store?filter_path=_all.total.store.size_in_bytes"
    try:
        reply = await engine.administer("GET", path)
        return int(reply["_all"]["total"]["store"]["size_in_bytes"])
    except (EngineRefuses, EngineFault, KeyError, TypeError):
        return 0


async def _read_indices(engine: Engine, prefix: str) -> _IndexInfo:
    every = "expand_wildcards=all"
    aliases = await engine.administer("GET", f"/{prefix}*/_alias?{every}") or {}
    response = (
        await engine.administer("GET", f"/{prefix}*/_settings?flat_settings=true&{every}") or {}
    )
    settings = {
        name: response[name]["settings"] for name in response if is_index_name(prefix, name)
    }
    return _IndexInfo(
        {name: list(aliases[name]["aliases"]) for name in aliases if is_index_name(prefix, name)},
        settings,
        # With security enabled, patterns for closed indices also match open ones.
        [name for name in sorted(settings) if settings[name].get(_CLOSED) == "true"],
    )


def _kinds(prefix: str, seen: _IndexInfo) -> Finding:
    existing = {parse_index_name(prefix, name).kind for name in seen.aliases}
    missing = [kind for kind in KINDS if kind not in existing]
    if missing:
        return wrong("indices", f"there is none for {', '.join(missing)}", _PUT)
    return ok("indices", f"{len(seen.aliases)}, of all {len(KINDS)} kinds")


async def _aliases(engine: Engine, prefix: str) -> Finding:
    try:
        missing = await engine.missing_aliases(f"{prefix}*")
    except EngineRefuses as error:
        return wrong("aliases", str(error), "see Templates in docs/operations.md")
    if missing:
        names = ", ".join(alias.alias for alias in missing)
        return wrong("aliases", f"{names}: missing", _PUT)
    return ok("aliases", "each index in use has its own")


def _closed_indices(names: list[str], curl: Curl) -> list[Finding]:
    if not names:
        return []
    listed = ",".join(names)
    are = "is" if len(names) == 1 else "are"
    text = f"{', '.join(names)} {are} closed, and can be neither searched nor written"
    return [wrong("closed", text, f"run {curl.command('POST', f'/{listed}/_open')}")]


async def _blocks(
    engine: Engine, prefix: str, seen: _IndexInfo, used: set[str], curl: Curl, *, disk_full: bool
) -> list[Finding]:
    """Check the indices in use for blocks on writes; replaced indices keep their blocks."""
    blocked: dict[tuple[str, ...], list[str]] = {}
    for name in sorted(used):
        blocks = tuple(
            key
            for key, value in seen.settings[name].items()
            if key.startswith("index.blocks.") and value == "true"
        )
        if blocks:
            blocked.setdefault(blocks, []).append(name)
    records = await _rebuilds(engine) if blocked else []
    held = {record.blocked: record for record in records if record.blocked}
    findings = []
    for blocks, names in blocked.items():
        for name in names:
            if name in held:
                holder = f"{held[name].holder} since {held[name].blocked_at:%Y-%m-%d %H:%M:%S} UTC"
                kind, partition, _ = parse_index_name(prefix, name)
                remedy = (
                    "if that process is gone, run"
                    f" `edgar-ingest indices resume {kind}.{partition}`; or abandon it with"
                    f" `edgar-ingest indices abandon {kind}.{partition}`"
                )
                findings.append(warning("write block", f"{name} is held by {holder}", remedy))
        free = [name for name in names if name not in held]
        if free and not (disk_full and blocks == (_FULL,)):
            findings.append(_block(free, blocks, curl))
    return findings or [ok("write blocks", "none on an index in use")]


def _block(names: list[str], blocks: tuple[str, ...], curl: Curl) -> Finding:
    lifted = curl.command("PUT", f"/{','.join(names)}/_settings", {block: None for block in blocks})
    remedy = f"run {lifted}"
    if _FULL in blocks:
        # The disk is no longer full, or could not be checked.
        remedy = f"make room on the disk of its node; if it stays, {remedy}"
    are = "has" if len(names) == 1 else "have"
    return wrong("write block", f"{', '.join(names)} {are} {', '.join(blocks)}", remedy)


async def _rebuilds(engine: Engine) -> list[StoredRebuild]:
    try:
        body = {"query": {"match_all": {}}, "size": 1_000}
        reply = await engine.search("rebuilds", body, SourceHit[StoredRebuild])
        return [hit.source for hit in reply.hits.hits]
    except EdgarSearchError:
        return []
