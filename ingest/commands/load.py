"""`edgar-ingest load`, `edgar-ingest update` and `edgar-ingest delete`"""

import argparse
import json
import logging
from contextlib import nullcontext

from edgar_search.archive.archive import open_archive
from edgar_search.engine.contents import describe_outdated
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.commands.arguments import DONE, SOME_REFUSED, WrongArguments, wanted
from ingest.loading.owner import Owner
from ingest.loading.session import load
from ingest.loading.update import Remaining, reload_all, update
from ingest.sources.paths import ArchiveSources, FilingFilter, Sources
from ingest.upkeep.delete import Deleter


async def run_delete(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """Delete submissions; print one line of JSON for each."""
    with Owner(settings.absolute_home) as owner:
        deleter = Deleter(engine, settings, owner)
        await deleter.set_up()
        for number in options.accession_numbers:
            print(json.dumps((await deleter.delete(number))._asdict()))
    return DONE


_log = logging.getLogger(__name__)


async def run_load(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """Load the submissions of paths or the archive; print the summary as JSON on the last line."""
    if options.archive and options.paths or not (options.archive or options.paths or options.again):
        raise WrongArguments("load: give paths, or --archive")
    if options.again and options.undelete:
        raise WrongArguments(
            "load: give --again or --undelete, not both: --again loads only what is loaded"
        )
    chosen = wanted(options)
    with _sources(settings, options) as sources:
        if not len(sources):
            _log.warning("the paths or the archive have no submission")
        left = await _load(engine, settings, sources, chosen, options)
    return SOME_REFUSED if left else DONE


async def _load(
    engine: Engine,
    settings: Settings,
    sources: Sources | ArchiveSources,
    chosen: FilingFilter,
    options: argparse.Namespace,
) -> bool:
    """Load and print the summary; True if something was refused or not loaded again."""
    left = Remaining(0, [])
    if options.again:
        summary, left = await reload_all(engine, settings, sources, options.workers, chosen)
    else:
        summary = await load(
            engine,
            settings,
            sources,
            options.workers,
            chosen,
            undelete=options.undelete,
            alerts=not options.no_alerts,
        )
    for refusal in summary.refusals:
        _log.warning("refused %s: %s", refusal["source"], refusal["reason"])
    if left.number:
        _log.warning(
            "%d submissions were not loaded again, such as %s; give their files"
            " (`load --again PATH`), or delete them",
            left.number,
            ", ".join(left.examples),
        )
    print(json.dumps(summary.as_dict(sources.skipped)))
    return bool(summary.refusals or left.number)


async def run_update(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """Load anew what an older version loaded; print the summary as JSON on the last line."""
    paths = None
    if options.paths:
        home, limit = settings.absolute_home, settings.submission_bytes
        paths = Sources(options.paths, home, limit=limit)
    with paths or nullcontext():
        summary, left = await update(
            engine, settings, paths, options.workers, wanted(options), options.order
        )
    for refusal in summary.refusals:
        _log.warning("refused %s: %s", refusal["source"], refusal["reason"])
    if left.submissions:
        _log.warning(
            "%s, such as %s; %s",
            describe_outdated(left),
            ", ".join(left.examples),
            _next_step(settings, paths),
        )
    print(json.dumps({"outdated": left.submissions, **summary.as_dict(0)}))
    return SOME_REFUSED if summary.refusals or left.submissions else DONE


def _next_step(settings: Settings, paths: Sources | None) -> str:
    """The next step of an operator for submissions that are not in the archive."""
    give = "give their files (`edgar-ingest update PATH...`), or delete them"
    if settings.archive or paths is not None:
        return give
    return (
        "nothing is archived (EDGAR_SEARCH_ARCHIVE=false), so their files are needed:"
        f" fetch them again, and {give}"
    )


def _sources(settings: Settings, options: argparse.Namespace) -> Sources | ArchiveSources:
    home, limit = settings.absolute_home, settings.submission_bytes
    if options.paths:
        return Sources(options.paths, home, limit=limit)
    place = settings.archive_place
    if place.folder is None:
        return ArchiveSources(open_archive(place), place.url, home, limit)
    return Sources([place.folder], home, limit=limit)
