"""`edgar-ingest backups` and `edgar-ingest restore`"""

import argparse
from datetime import UTC, datetime

from edgar_search.engine.backups import Backup, backups
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.commands.arguments import COULD_NOT_RUN, DONE, INCOMPLETE
from ingest.upkeep.backup import delete_old, repository_of, take_backup
from ingest.upkeep.restore import Plan, Restore, find_activity


async def create(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """`backups create`: take a snapshot of all indices; if it is complete, delete old ones."""
    backup = await take_backup(engine, settings, datetime.now(UTC))
    _print(backup)
    if backup.state != "complete":
        return COULD_NOT_RUN if backup.state == "failed" else INCOMPLETE
    for name in await delete_old(engine, settings, datetime.now(UTC)):
        print(f"deleted {name}, which is older than {settings.backup_days} days")
    return DONE


async def show(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """`backups list`: print a line for each backup, oldest first."""
    for backup in await backups(engine, repository_of(settings), settings.prefix):
        _print(backup)
    return DONE


async def restore(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """`restore`: replace the installation by a backup; with `--dry-run` only print the plan."""
    restoring = Restore(engine, settings, options.from_prefix)
    plan = await restoring.plan(options.name, partial=options.partial)
    _print_plan(plan)
    if options.dry_run:
        for line in await find_activity(engine, settings):
            print(f"must be stopped first: {line}")
        if plan.loses and not options.replace:
            print("needs --replace")
        return DONE
    await restoring.run(plan, replace=options.replace)
    print(f"restored {plan.backup.name}: {len(plan.restored) + len(plan.there)} indices")
    if plan.damaged:
        print("run `edgar-ingest check --deep` to list missing filings, and load them again")
        return INCOMPLETE
    return DONE


def _print(backup: Backup) -> None:
    began = f"{backup.started_at:%Y-%m-%d %H:%M:%S}"
    took = "" if backup.ended_at is None else f"{backup.ended_at - backup.started_at}"
    print(f"{backup.name}\t{backup.state}\t{began}\t{took}\t{len(backup.indices)} indices")
    for name in backup.damaged:
        print(f"  lacks {name}: the index had lost a shard")


def _print_plan(plan: Plan) -> None:
    """Print the plan, one line per index."""
    _print(plan.backup)
    for name, entries in sorted(plan.deleted.items()):
        print(f"  delete {name}\t{'unknown' if entries is None else entries} entries")
    for name in sorted(plan.restored):
        print(f"  restore {name}")
    for name in plan.there:
        print(f"  keep {name}, restored before")
    for name in plan.damaged:
        print(f"  leave out {name}, which the backup has in part")
