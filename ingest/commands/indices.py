"""`edgar-ingest indices` and `edgar-ingest templates`"""

import argparse
import json

from edgar_search.engine.engine import Engine
from edgar_search.engine.templates import diff_aliases, diff_templates, load_templates
from edgar_search.settings import Settings
from ingest.commands.arguments import DONE, INCOMPLETE, index
from ingest.indices.differences import COMMANDS, apply, diff_live
from ingest.indices.indices import Indices, list_indices
from ingest.indices.rebuild_records import RebuildRecord, all_records, describe_write_block
from ingest.loading.owner import Owner
from ingest.upkeep.old_versions import Rollback, prune
from ingest.upkeep.rebuild import Rebuild, RebuildResult


async def show_indices(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """`indices list`"""
    for state in await list_indices(engine, settings.prefix):
        mark = "*" if state.current else " "
        print(f"{mark} {state.name}\t{state.documents} documents\t{state.bytes} bytes")
    return DONE


async def rebuild(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """`indices rebuild`"""
    kind, partition = options.index
    rebuilt = await Rebuild(engine, settings).rebuild(kind, partition)
    _print(rebuilt)
    print(
        f"copied in {rebuilt.seconds:.1f} s; not in use yet;"
        " `edgar-ingest indices switch` puts it into use"
    )
    return DONE


async def switch(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """`indices switch`"""
    kind, partition = options.index
    rebuild = Rebuild(engine, settings)
    switched = await rebuild.switch(kind, partition, options.within, accepted=options.accepted)
    _print(switched)
    print(
        f"in use, after {switched.seconds:.1f} s without writes;"
        " `edgar-ingest indices prune --previous` deletes the replaced index"
    )
    return DONE


async def status(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """`indices status`"""
    records = await all_records(engine)
    for record in records:
        print(f"{record.id}\t{record.source.stage}\t{record.source.old} to {record.source.new}")
        if record.source.stage == "copying":
            entries_left = await Rebuild(engine, settings).count_left(
                *index(record.id), record.source
            )
            print(f"  {_describe_progress(record.id, entries_left)}")
        if record.source.blocked:
            print(f"  {describe_write_block(record)}")
    return INCOMPLETE if any(record.source.blocked for record in records) else DONE


async def resume(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """`indices resume`"""
    kind, partition = options.index
    record = RebuildRecord(engine, kind, partition)
    rebuild = await record.read()
    if rebuild is not None and rebuild.stage == "going back":
        return await roll_back(engine, settings, options)
    rebuilding = Rebuild(engine, settings)
    _print(await rebuilding.resume(kind, partition, accepted=options.accepted))
    return DONE


async def abandon(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """`indices abandon`"""
    name = await Rebuild(engine, settings).abandon(*options.index)
    print(f"abandoned; deleted {name}")
    return DONE


async def roll_back(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """`indices back`"""
    with Owner(settings.absolute_home) as owner:
        result = await Rollback(engine, settings, owner).roll_back(*options.index)
    print(f"{result.in_use}\tin use again")
    print(f"{result.left}\tno longer in use; `edgar-ingest indices prune` deletes it")
    print(
        f"{result.submissions} submissions have to be loaded again: `edgar-ingest load --archive`"
    )
    return DONE


async def change(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """`indices apply`"""
    changed = await apply(engine, settings)
    for name, differences in changed.items():
        for difference in differences:
            print(f"{name}\t{difference.path}: {difference.wanted}")
    if not changed:
        print("nothing to change: every index has the settings of its template")
    return DONE


async def delete_old(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """`indices prune`"""
    pruned = await prune(engine, settings.prefix, options.kind, previous=options.previous)
    for state in pruned.deleted:
        print(f"deleted {state.name}\t{state.bytes} bytes")
    for state in pruned.kept:
        print(f"kept {state.name}\t{state.bytes} bytes; `--previous` deletes it too")
    print(f"freed {sum(state.bytes for state in pruned.deleted)} bytes")
    return DONE


def _describe_progress(name: str, left: int | None) -> str:
    """Describe the progress of a copy, and the command that continues it."""
    if left is None:
        return f"its copy is gone; `edgar-ingest indices rebuild {name}` begins a new one"
    if left:
        return f"{left} entries are left to copy; `edgar-ingest indices rebuild {name}` continues"
    return f"all is copied; `edgar-ingest indices switch {name}` puts it into use"


def _print(rebuilt: RebuildResult) -> None:
    print(f"{rebuilt.old}\t{rebuilt.old_entries} entries")
    print(f"{rebuilt.new}\t{rebuilt.new_entries} entries")
    for difference in rebuilt.differences or ():
        print(difference)


_AT_ONCE = f"  (applies at once: {COMMANDS['applies at once']})"


def show_templates(settings: Settings, options: argparse.Namespace) -> int:
    """`templates show`: print the templates as they would be put, without Elasticsearch."""
    print(json.dumps(load_templates(settings.prefix), indent=2))
    return DONE


async def diff(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """`templates diff`: print the differences from the templates in use."""
    differences = await diff_templates(engine, settings.prefix)
    lines_by_index = {
        f"{settings.prefix}{name}{_AT_ONCE}": lines for name, lines in differences.items()
    }
    for name, live in (await diff_live(engine, settings)).items():
        lines_by_index[name] = [line for difference in live for line in difference.lines]
    for name, lines in (await diff_aliases(engine, settings.prefix)).items():
        lines_by_index[name] = lines_by_index.get(name, []) + [
            f"{line}{_AT_ONCE}" for line in lines
        ]
    for name, lines in lines_by_index.items():
        print("\n".join([name, *(f"  {line}" for line in lines)]))
    return INCOMPLETE if lines_by_index else DONE


async def put(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """`templates put`: put templates that differ, create missing indices and aliases."""
    names = await Indices(engine, settings).set_up()
    print(
        f"put: {', '.join(names)}" if names else "all templates, indices and aliases are in place"
    )
    return DONE
