"""The command `edgar-ingest`: its parser, and examples for every command."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import TypeAlias

from edgar_search.settings.command_lines import program_parser, show_examples
from edgar_search.settings.values import positive, workers
from ingest.commands.arguments import accession_number, ciks, day, forms, index, path

# The log format of a command that a person waits for, and of one that runs for months.
_SHORT_TEXT, _LONG_TEXT = "edgar-ingest: %(message)s", "%(asctime)s %(message)s"

Add = Callable[[argparse.ArgumentParser], None]
_Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return the exit status."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    parser = make_parser(words[0] if words else "")
    if not words:
        parser.print_help()
        return 0
    options = parser.parse_args(words)
    # Imported late: help does not need it.
    from ingest.commands.running import run

    return run(options)


def make_parser(command: str) -> argparse.ArgumentParser:
    """Make the parser of a command line that begins with `command`."""
    parser = program_parser(
        "edgar-ingest", "Load SEC EDGAR filings into Elasticsearch.", COMMANDS, command
    )
    parser.set_defaults(log_text=_SHORT_TEXT)
    return parser


def _add_load(parser: argparse.ArgumentParser) -> None:
    _set_handler(parser, "load:run_load")
    parser.add_argument(
        "paths",
        nargs="*",
        type=path,
        metavar="PATH",
        help="files, folders and archives of complete submissions; - is standard input",
    )
    _add_workers(parser)
    _add_filters(parser)
    parser.add_argument(
        "--archive", action="store_true", help="load the submissions in this installation's archive"
    )
    parser.add_argument(
        "--again",
        action="store_true",
        help="load loaded filings again, from the archive or the paths; continues a stopped run",
    )
    parser.add_argument("--undelete", action="store_true", help="also load deleted filings")
    parser.add_argument(
        "--no-alerts",
        action="store_true",
        help="do not notify users of these filings: for backfills",
    )
    show_examples(
        parser,
        "filings/",
        "0000320193-24-000123.txt 20240105.nc.tar.gz",
        "--archive --forms 10-K,10-Q --from 2020-01-01",
    )


def _add_update(parser: argparse.ArgumentParser) -> None:
    _set_handler(parser, "load:run_update")
    parser.add_argument(
        "paths",
        nargs="*",
        type=path,
        metavar="PATH",
        help="where the files are, if they are not in the archive",
    )
    _add_workers(parser)
    _add_filters(parser)
    parser.add_argument(
        "--fetch", action="store_true", help="fetch the files from EDGAR: nothing is archived"
    )
    parser.add_argument(
        "--order",
        choices=("newest", "oldest-version"),
        default="newest",
        help="the newest filings first (default), or what the oldest version loaded",
    )
    show_examples(parser, "", "filings/", "--fetch --forms 10-K --from 2024-01-01")


def _add_delete(parser: argparse.ArgumentParser) -> None:
    _set_handler(parser, "load:run_delete")
    parser.add_argument(
        "accession_numbers",
        nargs="+",
        type=accession_number,
        metavar="ACCESSION_NUMBER",
        help="a submission's number, with its dashes",
    )
    show_examples(
        parser,
        "0000320193-24-000123",
        "0000320193-24-000123 0000320193-24-000081",
        "0000320193-24-000123 > deleted.jsonl",
    )


def _add_fetch(parser: argparse.ArgumentParser) -> None:
    _set_handler(parser, "fetch:run_fetch")
    parser.add_argument(
        "--company",
        "--ticker",
        metavar="COMPANY",
        help="only this company's filings: a ticker, a CIK or a name; without --from and --last"
        " those of the last year",
    )
    parser.add_argument(
        "--last", type=positive, metavar="N", help="with --company: the newest N filings"
    )
    _add_workers(parser)
    _add_filters(parser)
    ways = parser.add_mutually_exclusive_group()
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
    show_examples(
        parser,
        "--company AAPL --forms 10-K --last 5",
        "--from 2024-01-01 --to 2024-01-31",
        "--from 2024-01-01 --to 2024-12-31 --forms 8-K --ciks 320193,789019",
    )


def _add_follow(parser: argparse.ArgumentParser) -> None:
    _set_handler(parser, "fetch:run_follow")
    _add_workers(parser)
    _add_filters(parser)
    parser.set_defaults(log_text=_LONG_TEXT)
    parser.add_argument("--once", action="store_true", help="run one round, then end")
    show_examples(parser, "", "--forms 8-K,10-K,10-Q", "--once")


def _add_reconcile(parser: argparse.ArgumentParser) -> None:
    from ingest.fetching.reconcile import MOST  # imported late: a second of imports

    _set_handler(parser, "reconcile:run")
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
    show_examples(parser, "", "--from 2024-01-01 --to 2024-03-31", "--most 50000")


def _add_check(parser: argparse.ArgumentParser) -> None:
    _set_handler(parser, "check:run")
    parser.add_argument(
        "index_files",
        nargs="*",
        type=path,
        metavar="INDEX_FILE",
        help="index files of EDGAR on this machine; without any they are fetched",
    )
    _add_filters(parser, dates_required=True)
    parser.add_argument(
        "--deep", action="store_true", help="also compare the ledger with the indices"
    )
    show_examples(
        parser,
        "--from 2024-01-01 --to 2024-03-31",
        "--from 2024-01-01 --to 2024-03-31 --forms 10-K",
        "master.idx --from 2024-01-02 --to 2024-01-05 --deep",
    )


def _add_tickers(parser: argparse.ArgumentParser) -> None:
    _set_handler(parser, "entities:run_tickers")
    parser.add_argument(
        "paths", nargs="+", type=path, metavar="PATH", help="a ticker file as EDGAR publishes it"
    )
    show_examples(
        parser,
        "company_tickers.json",
        "company_tickers_exchange.json ticker.txt",
        "company_tickers_mf.json",
    )


def _add_entities(parser: argparse.ArgumentParser) -> None:
    _set_handler(parser, "entities:run_entities")
    parser.add_argument(
        "paths",
        nargs="+",
        type=path,
        metavar="PATH",
        help="files, folders and archives of submissions JSON",
    )
    show_examples(parser, "submissions.zip", "CIK0000320193.json", "submissions/")


def _add_templates(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    show = actions.add_parser("show", help="print the templates as they would be put")
    _set_handler(show, "indices:show_templates", needs_engine=False)
    _add_action(
        actions,
        "diff",
        "indices:diff",
        "compare templates with those in place; exit status 3 if they differ",
    )
    _add_action(actions, "put", "indices:put", "put templates that differ, create missing indices")
    show_examples(parser, "show", "diff", "put")


def _add_indices(parser: argparse.ArgumentParser) -> None:
    from edgar_search.engine.index_names import KINDS  # imported late, as above

    actions = parser.add_subparsers(required=True, metavar="ACTION")
    for name, handler, text in (
        ("list", "show_indices", "print name and size of each index; * marks those in use"),
        ("apply", "change", "change live indices to their templates' settings"),
        ("status", "status", "print the rebuilds, and the processes that hold indices"),
    ):
        _add_action(actions, name, f"indices:{handler}", text)
    pruning = _add_action(
        actions, "prune", "indices:delete_old", "delete versions that are no longer in use"
    )
    pruning.add_argument(
        "kind", nargs="?", choices=KINDS, metavar="KIND", help="only indices of this kind"
    )
    pruning.add_argument(
        "--previous",
        action="store_true",
        help="also the versions before those in use, which `back` needs",
    )
    _add_rebuilding(actions)
    show_examples(parser, "list", "rebuild filings.2024", "switch filings.2024 --within 60")


def _add_rebuilding(actions: _Commands) -> None:
    from ingest.upkeep.rebuild import WITHIN  # imported late, as above

    for name, handler, text in (
        ("resume", "resume", "take over a switch or a rollback that was stopped"),
        ("abandon", "abandon", "abandon a rebuild: remove its block, delete the copy"),
        ("back", "roll_back", "undo a switch; filings loaded since must be loaded again"),
        ("rebuild", "rebuild", "make a new index beside the one in use, filled from it"),
        (
            "switch",
            "switch",
            "put the rebuilt index into use, if it has all entries of the old one",
        ),
    ):
        parser = _add_action(actions, name, f"indices:{handler}", text)
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
                help="also if it scores entries by other rules",
            )
            accepted.add_argument(
                "--may-differ",
                action="store_const",
                dest="accepted",
                const="anything",
                help="also if it finds other entries, by another analyzer or type of a field",
            )
        if name == "switch":
            parser.add_argument(
                "--within",
                type=positive,
                default=WITHIN,
                metavar="SECONDS",
                help="seconds that loads may wait (default: 30)",
            )


def _add_backups(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    _add_action(
        actions, "create", "backups:create", "take a backup, and delete those that are too old"
    )
    _add_action(actions, "list", "backups:show", "list all backups, oldest first")
    show_examples(parser, "create", "list", "list > backups.txt")


def _add_restore(parser: argparse.ArgumentParser) -> None:
    _set_handler(parser, "backups:restore")
    parser.add_argument(
        "name", nargs="?", metavar="BACKUP", help="its name (default: the newest complete one)"
    )
    parser.add_argument("--dry-run", action="store_true", help="print the plan, and do nothing")
    parser.add_argument("--replace", action="store_true", help="delete the indices that are there")
    parser.add_argument(
        "--partial", action="store_true", help="restore the indices that a partial backup has whole"
    )
    parser.add_argument(
        "--from-prefix", metavar="PREFIX", help="the prefix of the installation that was backed up"
    )
    show_examples(parser, "--dry-run", "--replace", "BACKUP --from-prefix old-")


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


def _add_action(actions: _Commands, name: str, handler: str, text: str) -> argparse.ArgumentParser:
    parser = actions.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
    _set_handler(parser, handler)
    return parser


def _set_handler(
    parser: argparse.ArgumentParser, handler: str, *, needs_engine: bool = True
) -> None:
    parser.set_defaults(run=handler, needs_engine=needs_engine, command=parser.prog)


COMMANDS: dict[str, tuple[str, Add]] = {
    "load": ("load submissions: files, folders, archives, standard input", _add_load),
    "fetch": ("fetch the filings that EDGAR lists for a range of days or a company", _add_fetch),
    "follow": ("fetch filings as soon as EDGAR publishes them", _add_follow),
    "tickers": ("load EDGAR's ticker files", _add_tickers),
    "entities": ("load EDGAR's submissions JSON files", _add_entities),
    "update": (
        "load again what an older version loaded, from the archive or the paths",
        _add_update,
    ),
    "check": (
        "print filings that EDGAR's index lists but that are not searchable",
        _add_check,
    ),
    "reconcile": ("compare loaded submissions with EDGAR", _add_reconcile),
    "delete": ("delete submissions, which are not loaded again", _add_delete),
    "templates": ("show, compare or put the index templates", _add_templates),
    "indices": ("list, rebuild or prune the indices of the installation", _add_indices),
    "backups": ("take or list snapshots of all indices of the installation", _add_backups),
    "restore": ("restore a backup; first stop services and loads", _add_restore),
}

if __name__ == "__main__":
    sys.exit(main())
