"""Differences between live indices and their templates, and how to resolve each."""

import asyncio
from typing import Any, Literal, NamedTuple

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import KINDS, Kind, parse_index_name, read_alias
from edgar_search.engine.templates import SHARED, flat, load_templates
from edgar_search.settings import Settings
from edgar_search.settings.values import PARTITIONED
from ingest.indices.indices import STORED_ANEW, own_settings

Effect = Literal[
    "applies at once",
    "can be changed live",
    "needs loading again",
    "needs a rebuild",
    "is forbidden",
]
COMMANDS: dict[Effect, str] = {
    "applies at once": "edgar-ingest templates put",
    "can be changed live": "edgar-ingest indices apply",
    "needs loading again": "edgar-ingest update",
    "needs a rebuild": "edgar-ingest indices rebuild",
    "is forbidden": "take it out of the template",
}
# Settings that only a new index can get; all others can be changed in use.
_STATIC = (
    "number_of_shards",
    "number_of_routing_shards",
    "routing_partition_size",
    "codec",
    "mode",
)
_STATIC_GROUPS = ("analysis.", "similarity.", "sort.", "store.", "soft_deletes.")
# Groups whose settings are compared even if the template sets none; others belong to the operator.
_COMPARED = ("analysis.", "similarity.", "sort.")
_SETTINGS, _MAPPINGS = "settings.", "mappings."


class Difference(NamedTuple):
    """A difference between an index and its template at a path; None for a missing value."""

    path: str
    found: str | None
    wanted: str | None
    effect: Effect

    @property
    def lines(self) -> list[str]:
        """Lines for a person: `- ` is live, `+ ` in the template, and the remedy."""
        lines = [] if self.found is None else [f"- {self.path}: {self.found}"]
        lines += [] if self.wanted is None else [f"+ {self.path}: {self.wanted}"]
        lines[-1] += f"  ({self.effect}: {COMMANDS[self.effect]})"
        return lines


async def diff_live(engine: Engine, settings: Settings) -> dict[str, list[Difference]]:
    """Return the differences of each index in use from its template, if it has any."""
    prefix = settings.prefix
    aliases, mappings, live = await asyncio.gather(
        engine.administer("GET", f"/{prefix}*/_alias"),
        engine.administer("GET", f"/{prefix}*/_mapping"),
        engine.administer("GET", f"/{prefix}*/_settings?flat_settings=true"),
    )
    templates = load_templates(prefix)
    differences: dict[str, list[Difference]] = {}
    for name, entry in sorted((aliases or {}).items()):
        for kind in KINDS:
            if read_alias(prefix, kind) in entry["aliases"]:
                partition = parse_index_name(prefix, name).partition
                own = own_settings(settings, kind, partition)
                of_index = [
                    *_compare_mappings(kind, mappings[name]["mappings"], templates[kind]),
                    *_compare_settings(kind, live[name]["settings"], templates, own),
                ]
                differences |= {name: of_index} if of_index else {}
    return differences


async def apply(engine: Engine, settings: Settings) -> dict[str, list[Difference]]:
    """Apply the changes that live indices allow; return them by index."""
    changed = {}
    for name, differences in (await diff_live(engine, settings)).items():
        live = [
            difference for difference in differences if difference.effect == "can be changed live"
        ]
        if live:
            body = {
                f"index.{live_difference.path.removeprefix(_SETTINGS)}": live_difference.wanted
                for live_difference in live
            }
            await engine.administer("PUT", f"/{name}/_settings", body)
            changed[name] = live
    return changed


def _compare_mappings(
    kind: Kind, live: dict[str, Any], template: dict[str, Any]
) -> list[Difference]:
    live_rules = flat(live)
    wanted = flat(template["template"]["mappings"])
    properties = live.get("properties", {})
    return [
        Difference(
            _MAPPINGS + path,
            live_rules.get(path),
            wanted.get(path),
            _effect_of_mapping(kind, path, wanted.get(path), properties),
        )
        for path in sorted(live_rules.keys() | wanted.keys())
        if live_rules.get(path) != wanted.get(path)
    ]


def _effect_of_mapping(
    kind: Kind, path: str, wanted: str | None, properties: dict[str, Any]
) -> Effect:
    first, _, below = path.partition(".")
    if path == "_meta.version" and kind not in STORED_ANEW:
        return "applies at once"
    if path == "_meta.version" and kind in PARTITIONED:
        return "needs loading again"  # A copy contains only loaded entries.
    if path == "_source.enabled" and wanted == "false":
        return "is forbidden"  # Rebuilds and readers of documents need the source.
    if first == "properties" and below.partition(".")[0] not in properties:
        return "applies at once"
    return "applies at once" if path == "dynamic" else "needs a rebuild"


def _compare_settings(
    kind: Kind,
    live: dict[str, str],
    templates: dict[str, dict[str, Any]],
    own: dict[str, str],
) -> list[Difference]:
    live_values = {name.removeprefix("index."): value for name, value in live.items()}
    wanted: dict[str, str] = {}
    of_templates = [
        flat(template["template"].get("settings", {}))
        for template in (templates[SHARED], templates[kind])
    ]
    for settings in (*of_templates, own):
        wanted |= {name.removeprefix("index."): value for name, value in settings.items()}
    names = wanted.keys() | {name for name in live_values if name.startswith(_COMPARED)}
    return [
        Difference(
            _SETTINGS + name,
            live_values.get(name),
            wanted.get(name),
            _effect_of_setting(kind, name, wanted.get(name)),
        )
        for name in sorted(names)
        if not _is_equal(live_values.get(name), wanted.get(name))
    ]


def _is_equal(found: str | list[str] | None, wanted: str | None) -> bool:
    """Compare a live setting, which may be a list, with the template's text."""
    if isinstance(found, list):
        return flat({"": found})[""] == wanted
    return found == wanted


def _effect_of_setting(kind: Kind, name: str, wanted: str | None) -> Effect:
    if kind in ("arrivals", "events") and name == "number_of_shards" and wanted != "1":
        return "is forbidden"  # Readers need the order of events, which only a single shard has.
    if name in _STATIC or name.startswith(_STATIC_GROUPS):
        return "needs a rebuild"
    return "can be changed live"
