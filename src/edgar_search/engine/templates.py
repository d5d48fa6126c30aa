"""Index templates: read from `index_templates/`, compared with Elasticsearch's and put there."""

import asyncio
import json
from pathlib import Path
from typing import Any

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import KINDS
from edgar_search.stored.figures import CHANGES, FIGURES, QUOTIENTS, SUMS

# In a checkout the folder is at the top, in a wheel inside the package `ingest`.
_FOLDERS = (
    Path(__file__).parents[2] / "ingest" / "index_templates",
    Path(__file__).parents[3] / "index_templates",
)
SHARED = "shared"
# Fields that Elasticsearch adds to a template.
_ADDED = frozenset({"created_date_millis", "modified_date_millis"})


def load_templates(prefix: str) -> dict[str, dict[str, Any]]:
    """Read the bodies of the templates by name, for the installation with this prefix.

    `shared` is a component template; each other template belongs to the kind of index of its name.
    The files contain neither a prefix nor anything else of one installation. Their `figures` and
    `quotients` get a field for each name in `edgar_search.stored.figures`.
    """
    folder = next(folder for folder in _FOLDERS if folder.is_dir())
    names = (SHARED, *KINDS)
    return {
        name: _with_figures(_for_prefix(json.loads((folder / f"{name}.json").read_text()), prefix))
        for name in names
    }


def template_path(prefix: str, name: str) -> str:
    """Return the path of the template of this name in Elasticsearch."""
    family = "_component_template" if name == SHARED else "_index_template"
    return f"/{family}/{prefix}{name}"


async def put_templates(engine: Engine, prefix: str) -> list[str]:
    """Put every template that differs from its file, and return their names."""
    different = list(await diff_templates(engine, prefix))
    templates = load_templates(prefix) if different else {}

    async def put(name: str) -> None:
        await engine.administer("PUT", template_path(prefix, name), templates[name])

    # The other templates use this one, so it must exist first.
    if SHARED in different:
        await put(SHARED)
    await asyncio.gather(*(put(name) for name in different if name != SHARED))
    return different


async def diff_templates(engine: Engine, prefix: str) -> dict[str, list[str]]:
    """Compare templates; return the lines that differ, by name: `- ` in use, `+ ` in the file."""
    # Two requests, whatever the number of kinds, because each load does this.
    shared, of_kinds = await asyncio.gather(
        engine.administer("GET", template_path(prefix, SHARED)),
        engine.administer("GET", f"/_index_template/{prefix}*"),
    )
    in_use = {
        reply["name"]: reply.get("index_template") or reply["component_template"]
        for reply in (
            *(shared or {}).get("component_templates", ()),
            *(of_kinds or {}).get("index_templates", ()),
        )
    }
    different = {}
    for name, wanted in load_templates(prefix).items():
        lines = differences(in_use.get(prefix + name, {}), wanted)
        if lines:
            different[name] = lines
    return different


async def diff_aliases(engine: Engine, prefix: str) -> dict[str, list[str]]:
    """Find indices in use that lack an alias; return lines that name it, by index.

    Raises EngineRefuses if several indices could be the one in use.
    """
    lines: dict[str, list[str]] = {}
    for missing in await engine.missing_aliases(f"{prefix}*"):
        lines.setdefault(missing.of_index, []).append(f"+ alias: {missing.alias}")
    return lines


def _for_prefix(template: dict[str, Any], prefix: str) -> dict[str, Any]:
    for field in ("index_patterns", "composed_of"):
        if field in template:
            template[field] = [prefix + value for value in template[field]]
    return template


def _with_figures(template: dict[str, Any]) -> dict[str, Any]:
    fields = template["template"].get("mappings", {}).get("properties", {})
    for name, figures in (("figures", FIGURES), ("quotients", (*QUOTIENTS, *SUMS, *CHANGES))):
        if name in fields:
            number = {"type": "double", "index": False}
            fields[name]["properties"] = dict.fromkeys(figures, number)
    return template


def differences(found: dict[str, Any], wanted: dict[str, Any]) -> list[str]:
    """Compare two templates; return the lines that differ: `- ` in `found`, `+ ` in `wanted`."""
    in_place, in_file = _comparable(found), _comparable(wanted)
    lines = []
    for path in sorted(in_place.keys() | in_file.keys()):
        if in_place.get(path) != in_file.get(path):
            lines += [f"- {path}: {in_place[path]}"] if path in in_place else []
            lines += [f"+ {path}: {in_file[path]}"] if path in in_file else []
    return lines


def _comparable(template: dict[str, Any]) -> dict[str, str]:
    """Return the values that a person may change.

    Elasticsearch adds times and the group `index`.
    """
    leaves = flat(template)
    return {
        path.replace("template.settings.index.", "template.settings."): text
        for path, text in leaves.items()
        if path not in _ADDED
    }


def flat(value: Any, path: str = "") -> dict[str, str]:
    """Return leaves by dotted path, as texts, because settings return numbers as texts."""
    if isinstance(value, dict):
        return {
            leaf: text
            for name, inner in value.items()
            for leaf, text in flat(inner, f"{path}.{name}" if path else name).items()
        }
    if isinstance(value, list):
        return {path: json.dumps(value)}
    return {path: str(value).lower() if isinstance(value, bool) else str(value)}
