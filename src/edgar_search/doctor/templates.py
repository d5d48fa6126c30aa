"""Index templates, and the versions of mappings that were made by them."""

from edgar_search.doctor.findings import Finding, ok, warning, wrong
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import (
    KINDS,
    PARTITIONED,
    Kind,
    read_alias,
)
from edgar_search.engine.templates import diff_templates, differences, load_templates
from edgar_search.errors import EngineRefuses

# Those that are closed are said to be, and are no others.
_EVERY = "expand_wildcards=all"
_PUT = "run `edgar-ingest templates put`"
_REBUILD = (
    "run `edgar-ingest indices rebuild entities`, then `edgar-ingest indices switch entities`"
)


async def look_at_templates(engine: Engine, prefix: str) -> list[Finding]:
    """Templates that lack or are other than those of this version, and older mappings."""
    return [await _templates(engine, prefix), *await _versions(engine, prefix)]


async def _templates(engine: Engine, prefix: str) -> Finding:
    try:
        different = await diff_templates(engine, prefix)
    except EngineRefuses:
        # The service does without this right.
        text = "could not be looked at"
        return warning("templates", text, "run this with the user of `edgar-ingest`")
    wanted = load_templates(prefix)
    missing = [name for name, lines in different.items() if lines == differences({}, wanted[name])]
    if missing:
        text = f"{', '.join(missing)}: missing, and new indices would be made without"
        return wrong("templates", text, _PUT)
    if different:
        example = next(iter(different.values()))[0]
        text = f"{', '.join(different)}: other than those of this version, such as `{example}`"
        return warning("templates", text, _PUT)
    return ok("templates", f"{len(wanted)}, as this version has them")


async def _versions(engine: Engine, prefix: str) -> list[Finding]:
    """Mappings in use of another version than their templates."""
    templates = load_templates(prefix)
    aliases = await engine.administer("GET", f"/{prefix}*/_alias?{_EVERY}") or {}
    path = f"/{prefix}*/_mapping?filter_path=*.mappings._meta&{_EVERY}"
    mappings = await engine.administer("GET", path) or {}
    findings = []
    for kind in KINDS:
        wanted = templates[kind]["template"]["mappings"]["_meta"]["version"]
        for name in sorted(aliases):
            if read_alias(prefix, kind) not in aliases[name]["aliases"]:
                continue
            meta = mappings.get(name, {}).get("mappings", {}).get("_meta", {})
            version = int(meta.get("version", 0))
            if version != wanted:
                text = f"{name} has {version}, this version of edgar-search {wanted}"
                remedy = _remedy(kind, newer=version > wanted)
                findings.append(warning("mapping version", text, remedy))
    return findings or [ok("mapping versions", "those of this version of edgar-search")]


def _remedy(kind: Kind, *, newer: bool) -> str:
    if newer:
        return "install the version of edgar-search that loaded it"
    if kind in PARTITIONED:
        return "run `edgar-ingest load --again`"
    return _REBUILD if kind == "entities" else _PUT
