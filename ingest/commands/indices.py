"""The commands for indices: `list`, `rebuild`, `switch` and `prune`."""

import argparse
from collections.abc import Callable

from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import KINDS, WHOLE, Kind
from edgar_search.settings import Settings
from ingest.indices.indices import list_indices
from ingest.indices.rebuild import Rebuild, RebuildResult, prune

DONE = 0


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


def add_commands(command: Callable[..., argparse.ArgumentParser]) -> None:
    """Add the actions of `indices` to the command line."""
    command("list", show, "name and size of each; * marks those in use")
    for name, run, text in (
        ("rebuild", rebuild, "make an index anew beside the one in use, filled from it"),
        ("switch", switch, "put the rebuilt index into use, if it has all that the old one has"),
    ):
        command(name, run, text).add_argument(
            "index", type=_index, metavar="KIND[.PARTITION]", help="such as filings or filings.2024"
        )
    command("prune", delete_old, "delete the indices that were switched away from")


def _print(rebuilt: RebuildResult) -> None:
    print(f"{rebuilt.old}\t{rebuilt.old_entries} entries")
    print(f"{rebuilt.new}\t{rebuilt.new_entries} entries")


def _index(text: str) -> tuple[Kind, str]:
    kind, _, partition = text.partition(".")
    if kind not in KINDS:
        raise argparse.ArgumentTypeError(f"{kind} is none of {', '.join(KINDS)}")
    return kind, partition or WHOLE
