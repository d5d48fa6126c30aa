"""The command `edgar-ingest`."""

import argparse
import asyncio
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path

from edgar_search.archive.store import open_archive
from edgar_search.engine.embedded import resolve
from edgar_search.engine.engine import Engine
from edgar_search.errors import EdgarSearchError, SettingsError
from edgar_search.settings import Settings
from ingest.commands import indices, upkeep
from ingest.fetching.client import Edgar, http_client
from ingest.fetching.fetch import FOLLOW_LINGER, Fetcher
from ingest.fetching.follow import Follower
from ingest.fetching.index_file_cache import IndexCache
from ingest.fetching.listing import Listing
from ingest.indices.indices import Indices
from ingest.indices.templates import diff_mappings, diff_templates, load_templates
from ingest.loading.entities import EntityWriter
from ingest.loading.entity_files import EntityFiles
from ingest.loading.patience import Patience
from ingest.loading.session import LoadSession, load
from ingest.loading.ticker_files import load_tickers
from ingest.sources.archive_sources import ArchiveSources
from ingest.sources.filing_filter import FilingFilter
from ingest.sources.paths import Sources

# Exit statuses, as documented in docs/ingest.md.
DONE, COULD_NOT_RUN, SOME_REFUSED = 0, 1, 3

Command = Callable[[Engine, Settings, argparse.Namespace], Awaitable[int]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit status."""
    options = _parser().parse_args(arguments)
    try:
        settings = Settings.from_environ(os.environ)
        if not options.needs_engine:
            return int(options.run(settings, options))
        return asyncio.run(_with_engine(resolve(settings), options))
    except EdgarSearchError as error:
        print(f"edgar-ingest: {error}", file=sys.stderr)
        return COULD_NOT_RUN
    except BrokenPipeError:
        # Whoever read the output has seen enough; Python would complain once more at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return COULD_NOT_RUN
    except KeyboardInterrupt:
        print("edgar-ingest: stopped; start it again to go on", file=sys.stderr)
        return 130


async def _with_engine(settings: Settings, options: argparse.Namespace) -> int:
    engine = Engine.from_settings(settings)
    command: Command = options.run
    try:
        return await command(engine, settings, options)
    finally:
        await engine.close()


async def _load(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    if options.archive == bool(options.paths):
        raise SettingsError("load: give paths, or --archive")
    with _sources(settings, options) as sources:
        if not len(sources):
            print("edgar-ingest: there is no submission in what was given", file=sys.stderr)
        summary = await load(
            engine,
            settings,
            sources,
            options.workers,
            _wanted(options),
            undelete=options.undelete,
            alerts=not options.no_alerts,
        )
    for refusal in summary.refusals:
        print(f"refused {refusal['source']}: {refusal['reason']}", file=sys.stderr)
    print(json.dumps(summary.as_dict(sources.skipped)))
    return SOME_REFUSED if summary.refusals else DONE


def _sources(settings: Settings, options: argparse.Namespace) -> Sources | ArchiveSources:
    home, limit = settings.absolute_home, settings.submission_bytes
    if not options.archive:
        return Sources(options.paths, home, limit=limit)
    place = settings.archive_place
    if place.folder is None:
        return ArchiveSources(open_archive(place), place.url, home, limit)
    return Sources([place.folder], home, limit=limit)


async def _fetch(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    wanted = _wanted(options)
    async with http_client(settings) as http:
        edgar = Edgar(settings, http)
        index = IndexCache(edgar, settings.absolute_home)
        listing = Listing(index.read, wanted, datetime.now(UTC).date())
        with LoadSession(engine, settings, options.workers) as session:
            fetcher = Fetcher(edgar, session, settings.absolute_home)
            summary = await fetcher.run(listing)
    for refusal in summary.load.refusals:
        print(f"refused {refusal['source']}: {refusal['reason']}", file=sys.stderr)
    unread = {"index_files": listing.files, "unknown_lines": listing.unknown}
    print(json.dumps({**summary.as_dict(), **unread}))
    return DONE if summary.complete and not listing.unknown else SOME_REFUSED


async def _follow(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    home = settings.absolute_home
    async with http_client(settings) as http:
        with LoadSession(engine, settings, options.workers) as session:
            edgar = Edgar(settings, http)
            fetcher = Fetcher(edgar, session, home, FOLLOW_LINGER)
            follower = Follower(edgar, fetcher, home, _wanted(options))
            for number in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(number, follower.stopping.set)
            if options.once:
                await follower.once()
            else:
                await follower.run_forever(settings.follow_interval)
    print(json.dumps(follower.total.as_dict()))
    return DONE if follower.total.complete or not options.once else SOME_REFUSED


async def _tickers(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    await Indices(engine, settings).set_up()
    entities = EntityWriter(engine, settings.prefix, Patience(settings.load_patience))
    print(json.dumps(await load_tickers(engine, entities, options.paths)))
    return DONE


async def _entities(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    await Indices(engine, settings).set_up()
    files = EntityFiles(options.paths)
    entities = EntityWriter(engine, settings.prefix, Patience(settings.load_patience))
    await entities.write(files)
    for refusal in files.refusals:
        print(f"refused {refusal['source']}: {refusal['reason']}", file=sys.stderr)
    print(json.dumps(files.as_dict()))
    return SOME_REFUSED if files.refusals else DONE


def _templates_show(settings: Settings, options: argparse.Namespace) -> int:
    print(json.dumps(load_templates(settings.prefix), indent=2))
    return DONE


async def _templates_diff(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    differences = await diff_templates(engine, settings.prefix)
    named = {f"{settings.prefix}{name}": lines for name, lines in differences.items()}
    named |= await diff_mappings(engine, settings.prefix)
    for name, lines in named.items():
        print("\n".join([name, *(f"  {line}" for line in lines)]))
    return SOME_REFUSED if named else DONE


async def _templates_put(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    put = await Indices(engine, settings).set_up()
    print(f"put: {', '.join(put)}" if put else "all templates are in place")
    return DONE


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="edgar-ingest", description="Load SEC EDGAR filings into Elasticsearch."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    loading = _command(commands, "load", _load, "load submissions: files, folders, archives, -")
    loading.add_argument("paths", nargs="*", type=_path, metavar="PATH")
    _add_workers(loading)
    _add_filters(loading)
    loading.add_argument(
        "--archive", action="store_true", help="load what the archive of this installation has"
    )
    loading.add_argument("--undelete", action="store_true", help="also what was deleted before")
    loading.add_argument(
        "--no-alerts", action="store_true", help="tell no user of what is loaded: for backfills"
    )
    upkeep.add_commands(partial(_command, commands), _add_filters)
    fetching = _command(commands, "fetch", _fetch, "fetch what EDGAR lists for a range of days")
    _add_workers(fetching)
    _add_filters(fetching, dates_required=True)
    following = _command(commands, "follow", _follow, "fetch what EDGAR publishes, as it does")
    _add_workers(following)
    _add_filters(following)
    following.add_argument("--once", action="store_true", help="one round, then end")
    tickers = _command(commands, "tickers", _tickers, "load EDGAR's ticker files")
    tickers.add_argument("paths", nargs="+", type=_path, metavar="PATH")
    entities = _command(commands, "entities", _entities, "load EDGAR's submissions JSON files")
    entities.add_argument("paths", nargs="+", type=_path, metavar="PATH")
    _add_templates(commands)
    installed = commands.add_parser("indices", help="the indices of the installation")
    actions = installed.add_subparsers(required=True, metavar="ACTION")
    indices.add_commands(partial(_command, actions))
    return parser


def _add_workers(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--workers",
        type=_positive,
        default=os.cpu_count() or 1,
        help="processes that parse (default: one for each core)",
    )


def _add_filters(parser: argparse.ArgumentParser, dates_required: bool = False) -> None:
    parser.add_argument("--forms", type=_forms, metavar="LIST", help="only these form types")
    parser.add_argument("--ciks", type=_ciks, metavar="LIST", help="only filings of these CIKs")
    for name in ("from", "to"):
        parser.add_argument(
            f"--{name}",
            type=_day,
            metavar="DATE",
            dest=f"{name}_date",
            required=dates_required,
            help=f"only filings {name} this filing date (YYYY-MM-DD)",
        )


def _wanted(options: argparse.Namespace) -> FilingFilter:
    """The filter of a command; SettingsError where its dates are the wrong way round."""
    first, last = options.from_date, options.to_date
    if first is not None and last is not None and first > last:
        raise SettingsError(f"--from {first} is after --to {last}")
    return FilingFilter(options.forms, options.ciks, first, last)


def _add_templates(commands: "argparse._SubParsersAction[argparse.ArgumentParser]") -> None:
    templates = commands.add_parser("templates", help="the index templates")
    actions = templates.add_subparsers(required=True, metavar="ACTION")
    show = actions.add_parser("show", help="print them as they would be put")
    show.set_defaults(run=_templates_show, needs_engine=False)
    _command(actions, "diff", _templates_diff, "compare with those in place; exit 3 if they differ")
    _command(actions, "put", _templates_put, "put those that differ, make missing indices")


def _command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    run: Command,
    text: str,
) -> argparse.ArgumentParser:
    parser = commands.add_parser(name, help=text, description=text)
    parser.set_defaults(run=run, needs_engine=True)
    return parser


def _path(text: str) -> Path:
    if not text:
        raise argparse.ArgumentTypeError("a path is empty; did a variable have no value?")
    return Path(text)


def _forms(text: str) -> frozenset[str]:
    return frozenset(_items(text.upper()))


def _ciks(text: str) -> frozenset[str]:
    items = _items(text)
    for item in items:
        if not (item.isascii() and item.isdecimal() and len(item) <= 10):
            raise argparse.ArgumentTypeError(f"{item} is no CIK: a number of at most 10 digits")
    return frozenset(f"{int(item):010d}" for item in items)


def _items(text: str) -> list[str]:
    items = [item.strip() for item in text.split(",") if item.strip()]
    if not items:
        raise argparse.ArgumentTypeError("the list is empty")
    return items


def _day(text: str) -> date:
    try:
        return datetime.strptime(text, "%Y-%m-%d").date()
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text} is no date: write 2024-01-31") from None


def _positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is no whole number of at least 1")
    return int(text)


if __name__ == "__main__":
    sys.exit(main())
