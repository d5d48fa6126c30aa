"""The command `edgar-ingest`: its parser, and the running of every command."""

import argparse
import asyncio
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from importlib.metadata import version
from logging.config import dictConfig
from pathlib import Path
from typing import TypeAlias

from edgar_search.archive.archive import require_store
from edgar_search.engine.embedded import resolve
from edgar_search.engine.engine import Engine
from edgar_search.engine.index_names import KINDS
from edgar_search.errors import EdgarSearchError, error_message
from edgar_search.metrics.log_format import log_config
from edgar_search.metrics.spans import export_spans
from edgar_search.settings import Settings
from edgar_search.settings.extras import PACKAGE
from edgar_search.settings.values import positive, workers
from ingest.commands import backups, check, entities, fetch, indices, load, reconcile
from ingest.commands.arguments import (
    COULD_NOT_RUN,
    WRONG_COMMAND_LINE,
    WrongArguments,
    accession_number,
    ciks,
    day,
    forms,
    index,
    path,
)
from ingest.commands.textfile import Textfile
from ingest.fetching.reconcile import MOST
from ingest.upkeep.rebuild import WITHIN

_log = logging.getLogger(__name__)
# Log lines of a command that a person waits for, and of one that runs for months.
_SHORT_TEXT, _LONG_TEXT = "edgar-ingest: %(message)s", "%(asctime)s %(message)s"

Command = Callable[[Engine, Settings, argparse.Namespace], Awaitable[int]]
_Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit status."""
    options = _parser().parse_args(arguments)
    # Errors in the settings are logged too, before the settings can say how.
    dictConfig(log_config(json_logs=False, text=options.log_text))
    textfile: Textfile | None = None
    try:
        export_spans()
        settings = Settings.from_environ(os.environ)
        dictConfig(log_config(json_logs=settings.logs == "json", text=options.log_text))
        if settings.archive:
            require_store(settings.archive_place)
        if not options.needs_engine:
            return int(options.run(settings, options))
        # The first word of the command's name in argparse is the program.
        textfile = Textfile(settings, options.command.partition(" ")[2])
        status = asyncio.run(_with_engine(resolve(settings), options, textfile))
    except EdgarSearchError as error:
        _log.error("%s", error_message(error))
        status = WRONG_COMMAND_LINE if isinstance(error, WrongArguments) else COULD_NOT_RUN
    except BrokenPipeError:
        # The reader of the output has closed it; Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        status = COULD_NOT_RUN
    except KeyboardInterrupt:
        _log.warning("stopped; start it again to continue")
        status = 130
    if textfile is not None:
        textfile.end(status)
    return status


async def _with_engine(settings: Settings, options: argparse.Namespace, textfile: Textfile) -> int:
    engine = Engine.from_settings(settings)
    command: Command = options.run
    try:
        async with textfile.kept():
            return await command(engine, settings, options)
    finally:
        await engine.close()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="edgar-ingest", description="Load SEC EDGAR filings into Elasticsearch."
    )
    parser.set_defaults(log_text=_SHORT_TEXT)
    parser.add_argument("--version", action="version", version=f"%(prog)s {version(PACKAGE)}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    _add_load(commands)
    _add_update(commands)
    _add_check(commands)
    deleting = _command(
        commands, "delete", load.run_delete, "delete submissions, which are not loaded again"
    )
    deleting.add_argument(
        "accession_numbers", nargs="+", type=accession_number, metavar="ACCESSION_NUMBER"
    )
    fetching = _command(
        commands, "fetch", fetch.run_fetch, "fetch the filings that EDGAR lists for a range of days"
    )
    _add_workers(fetching)
    _add_filters(fetching, dates_required=True)
    ways = fetching.add_mutually_exclusive_group()
    ways.add_argument(
        "--feed",
        action="store_true",
        help="fetch a day's archive if 20 of its submissions are missing, instead of 200",
    )
    ways.add_argument(
        "--files",
        action="store_true",
        help="fetch each submission by itself, never a day's archive",
    )
    following = _command(
        commands, "follow", fetch.run_follow, "fetch filings as soon as EDGAR publishes them"
    )
    _add_workers(following)
    _add_filters(following)
    following.set_defaults(log_text=_LONG_TEXT)
    following.add_argument("--once", action="store_true", help="run one round, then end")
    _add_reconcile(commands)
    listing = _command(commands, "tickers", entities.run_tickers, "load EDGAR's ticker files")
    listing.add_argument("paths", nargs="+", type=path, metavar="PATH")
    describing = _command(
        commands, "entities", entities.run_entities, "load EDGAR's submissions JSON files"
    )
    describing.add_argument("paths", nargs="+", type=path, metavar="PATH")
    _add_templates(commands)
    _add_indices(commands)
    _add_backups(commands)
    return parser


def _add_load(commands: _Commands) -> None:
    loading = _command(
        commands, "load", load.run_load, "load submissions: files, folders, archives, -"
    )
    loading.add_argument("paths", nargs="*", type=path, metavar="PATH")
    _add_workers(loading)
    _add_filters(loading)
    loading.add_argument(
        "--archive", action="store_true", help="load the submissions in this installation's archive"
    )
    loading.add_argument(
        "--again",
        action="store_true",
        help="load loaded filings again, from the archive or the paths; continues a stopped run",
    )
    loading.add_argument("--undelete", action="store_true", help="also load deleted filings")
    loading.add_argument(
        "--no-alerts",
        action="store_true",
        help="do not notify users of these filings: for backfills",
    )


def _add_update(commands: _Commands) -> None:
    updating = _command(
        commands,
        "update",
        load.run_update,
        "load again what an older version loaded, from the archive or the paths",
    )
    updating.add_argument("paths", nargs="*", type=path, metavar="PATH")
    _add_workers(updating)
    _add_filters(updating)
    updating.add_argument(
        "--fetch", action="store_true", help="fetch the files from EDGAR: nothing is archived"
    )
    updating.add_argument(
        "--order",
        choices=("newest", "oldest-version"),
        default="newest",
        help="the newest filings first (default), or what the oldest version loaded",
    )


def _add_workers(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--workers",
        type=workers,
        default=os.cpu_count() or 1,
        help="processes that parse (default: one for each core)",
    )


def _add_filters(parser: argparse.ArgumentParser, dates_required: bool = False) -> None:
    parser.add_argument("--ciks", type=ciks, metavar="LIST", help="only filings of these CIKs")
    _add_forms_and_days(parser, dates_required)


def _add_forms_and_days(parser: argparse.ArgumentParser, dates_required: bool = False) -> None:
    parser.add_argument("--forms", type=forms, metavar="LIST", help="only these form types")
    for name in ("from", "to"):
        parser.add_argument(
            f"--{name}",
            type=day,
            metavar="DATE",
            dest=f"{name}_date",
            required=dates_required,
            help=f"only filings {name} this filing date (YYYY-MM-DD)",
        )


def _add_templates(commands: _Commands) -> None:
    parser = commands.add_parser("templates", help="show, compare or put the index templates")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    show = actions.add_parser("show", help="print the templates as they would be put")
    show.set_defaults(run=indices.show_templates, needs_engine=False)
    _command(
        actions,
        "diff",
        indices.diff,
        "compare templates with those in place; exit status 3 if they differ",
    )
    _command(actions, "put", indices.put, "put templates that differ, create missing indices")


def _add_check(commands: _Commands) -> None:
    parser = _command(
        commands,
        "check",
        check.run,
        "print filings that EDGAR's index lists but that are not searchable",
    )
    parser.add_argument("index_files", nargs="*", type=Path, metavar="INDEX_FILE")
    _add_filters(parser, dates_required=True)
    parser.add_argument(
        "--deep", action="store_true", help="also compare the ledger with the indices"
    )


def _add_reconcile(commands: _Commands) -> None:
    parser = _command(commands, "reconcile", reconcile.run, "compare loaded submissions with EDGAR")
    _add_workers(parser)
    _add_forms_and_days(parser)
    parser.set_defaults(ciks=None)
    parser.add_argument(
        "--most",
        type=positive,
        default=MOST,
        metavar="N",
        help=f"compare the bytes of N filings at most, longest unchecked first (default: {MOST})",
    )
    parser.add_argument(
        "--most-absent",
        type=positive,
        default=0,
        metavar="N",
        help="accept an index even if it lacks N filings of a quarter",
    )


def _add_indices(commands: _Commands) -> None:
    parser = commands.add_parser(
        "indices", help="list, rebuild or prune the indices of the installation"
    )
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    _command(
        actions,
        "list",
        indices.show_indices,
        "print name and size of each index; * marks those in use",
    )
    _command(actions, "apply", indices.change, "change live indices to their templates' settings")
    _command(
        actions,
        "status",
        indices.status,
        "print the rebuilds, and the processes that hold indices",
    )
    _add_rebuilding(actions)
    pruning = _command(
        actions, "prune", indices.delete_old, "delete versions that are no longer in use"
    )
    pruning.add_argument(
        "kind", nargs="?", choices=KINDS, metavar="KIND", help="only indices of this kind"
    )
    pruning.add_argument(
        "--previous",
        action="store_true",
        help="also the versions before those in use, which `back` needs",
    )


def _add_rebuilding(actions: _Commands) -> None:
    for name, run, text in (
        ("resume", indices.resume, "take over a switch or a rollback that was stopped"),
        ("abandon", indices.abandon, "abandon a rebuild: remove its block, delete the copy"),
        ("back", indices.roll_back, "undo a switch; filings loaded since must be loaded again"),
        ("rebuild", indices.rebuild, "make a new index beside the one in use, filled from it"),
        (
            "switch",
            indices.switch,
            "put the rebuilt index into use, if it has all entries of the old one",
        ),
    ):
        parser = _command(actions, name, run, text)
        parser.add_argument(
            "index", type=index, metavar="KIND[.PARTITION]", help="such as filings or filings.2024"
        )
        if name in ("switch", "resume"):
            accepted = parser.add_mutually_exclusive_group()
            accepted.add_argument(
                "--may-rank-differently",
                action="store_const",
                dest="accepted",
                const="ranking",
                default="nothing",
                help="also if sampled queries have other scores",
            )
            accepted.add_argument(
                "--may-differ",
                action="store_const",
                dest="accepted",
                const="anything",
                help="also if they find other entries",
            )
        if name == "switch":
            parser.add_argument(
                "--within",
                type=positive,
                default=WITHIN,
                metavar="SECONDS",
                help="seconds that loads may wait (default: 30)",
            )


def _add_backups(commands: _Commands) -> None:
    parser = commands.add_parser(
        "backups", help="take or list snapshots of all indices of the installation"
    )
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    _command(actions, "create", backups.create, "take a backup, and delete those that are too old")
    _command(actions, "list", backups.show, "list all backups, oldest first")
    restoring = _command(
        commands, "restore", backups.restore, "restore a backup; first stop services and loads"
    )
    restoring.add_argument(
        "name", nargs="?", metavar="BACKUP", help="its name (default: the newest complete one)"
    )
    restoring.add_argument("--dry-run", action="store_true", help="print the plan, and do nothing")
    restoring.add_argument(
        "--replace", action="store_true", help="delete the indices that are there"
    )
    restoring.add_argument(
        "--partial", action="store_true", help="restore the indices that a partial backup has whole"
    )
    restoring.add_argument(
        "--from-prefix", metavar="PREFIX", help="the prefix of the installation that was backed up"
    )


def _command(
    commands: _Commands,
    name: str,
    run: Command,
    text: str,
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=text, description=text)
    parser.set_defaults(run=run, needs_engine=True, command=parser.prog)
    return parser


if __name__ == "__main__":
    sys.exit(main())
