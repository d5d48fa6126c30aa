"""`edgar-ingest indices`: `list`, `rebuild`, `switch` and `prune`."""

import argparse

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.commands.exit_status import DONE
from ingest.indices.indices import list_indices
from ingest.upkeep.rebuild import Rebuild, RebuildResult, prune


async def show(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """`indices list`"""
    for state in await list_indices(engine, settings.prefix):
        mark = "*" if state.current else " "
        print(f"{mark} {state.name}\t{state.documents} documents\t{state.bytes} bytes")
    return DONE


async def rebuild(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """`indices rebuild`"""
    kind, partition = options.index
    _print(await Rebuild(engine, settings).rebuild(kind, partition))
    print("not in use yet; `edgar-ingest indices switch` puts it into use")
    return DONE


async def switch(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """`indices switch`"""
    kind, partition = options.index
    _print(await Rebuild(engine, settings).switch(kind, partition))
    print("in use; `edgar-ingest indices prune` deletes what it replaced")
    return DONE


async def delete_old(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """`indices prune`"""
    for name in await prune(engine, settings.prefix):
        print(f"deleted {name}")
    return DONE


def _print(rebuilt: RebuildResult) -> None:
    print(f"{rebuilt.old}\t{rebuilt.old_entries} entries")
    print(f"{rebuilt.new}\t{rebuilt.new_entries} entries")
