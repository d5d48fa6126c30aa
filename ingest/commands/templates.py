"""`edgar-ingest templates`"""

import argparse
import json

from edgar_search.engine.engine import Engine
from edgar_search.engine.templates import diff_aliases, diff_templates, load_templates
from edgar_search.settings import Settings
from ingest.commands.exit_status import DONE, INCOMPLETE
from ingest.indices.indices import Indices
from ingest.indices.live import COMMANDS, diff_live

_AT_ONCE = f"  (applies at once: {COMMANDS['applies at once']})"


def show(settings: Settings, options: argparse.Namespace) -> int:
    """`templates show`: as they would be put; needs no Elasticsearch."""
    print(json.dumps(load_templates(settings.prefix), indent=2))
    return DONE


async def diff(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """`templates diff`: what differs from those in place."""
    differences = await diff_templates(engine, settings.prefix)
    named = {f"{settings.prefix}{name}{_AT_ONCE}": lines for name, lines in differences.items()}
    for name, found in (await diff_live(engine, settings)).items():
        named[name] = [line for each in found for line in each.lines]
    for name, lines in (await diff_aliases(engine, settings.prefix)).items():
        named[name] = named.get(name, []) + [f"{line}{_AT_ONCE}" for line in lines]
    for name, lines in named.items():
        print("\n".join([name, *(f"  {line}" for line in lines)]))
    return INCOMPLETE if named else DONE


async def put(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """`templates put`: put those that differ, make missing indices and aliases."""
    names = await Indices(engine, settings).set_up()
    print(
        f"put: {', '.join(names)}" if names else "all templates, indices and aliases are in place"
    )
    return DONE
