"""`edgar-ingest load`, `edgar-ingest update` and `edgar-ingest delete`"""

import argparse
import json
import logging
from contextlib import nullcontext
from datetime import UTC, datetime
from typing import Any

from edgar_search.archive.archive import open_archive
from edgar_search.engine.contents import Outdated, describe_outdated
from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.commands.arguments import DONE, SOME_REFUSED, WrongArguments, filing_filter
from ingest.fetching.client import Edgar, http_client
from ingest.fetching.fetch import Fetcher
from ingest.fetching.refetch import outdated_filings
from ingest.loading.ledger import Reload
from ingest.loading.owner import Owner
from ingest.loading.retry import Retry
from ingest.loading.session import LoadSession, load
from ingest.loading.summary import Summary
from ingest.loading.update import Remaining, end_update, reload_all, update
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
    chosen = filing_filter(options)
    with _sources(settings, options) as sources:
        empty = not len(sources)
        if empty:
            _log.warning(
                "the paths or the archive have no submission: none of the files ends in .txt, .nc"
                " or a compressed form of these"
            )
        has_left = await _load(engine, settings, sources, chosen, options)
    return SOME_REFUSED if has_left or (empty and options.paths) else DONE


async def _load(
    engine: Engine,
    settings: Settings,
    sources: Sources | ArchiveSources,
    chosen: FilingFilter,
    options: argparse.Namespace,
) -> bool:
    """Load and print the summary; return True if anything was refused, unread or not reloaded."""
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
    summary.log_unread()
    if left.number:
        _log.warning(
            "%d submissions were not loaded again, such as %s; give their files"
            " (`load --again PATH`), or delete them",
            left.number,
            ", ".join(left.examples),
        )
    print(json.dumps(summary.as_dict(sources.skipped)))
    return not summary.complete or bool(left.number)


async def run_update(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """Reload what an older version loaded; print the summary as JSON on the last line."""
    if options.fetch and options.paths:
        raise WrongArguments("update: give paths or --fetch, not both")
    if options.fetch:
        return await _update_from_edgar(engine, settings, options)
    paths = None
    if options.paths:
        paths = Sources(options.paths, settings.absolute_home)
    with paths or nullcontext():
        summary, outdated = await update(
            engine, settings, paths, options.workers, filing_filter(options), options.order
        )
    return _report_update(settings, summary, summary.as_dict(0), outdated)


async def _update_from_edgar(
    engine: Engine, settings: Settings, options: argparse.Namespace
) -> int:
    """Fetch outdated submissions from EDGAR, and reload them."""
    chosen, retry = filing_filter(options), Retry(settings.load_patience)
    reload = Reload(datetime.now(UTC), outdated=True, any_version=True)
    async with http_client(settings) as http:
        edgar = Edgar(settings, http)
        with LoadSession(engine, settings, options.workers, alerts=False, reload=reload) as session:
            await session.set_up()
            fetcher = Fetcher(edgar, session, settings.absolute_home)
            filings = outdated_filings(engine, retry, chosen, options.order)
            summary = await fetcher.run(filings, anew=True)
    outdated = await end_update(engine, settings, chosen)
    return _report_update(settings, summary.load, summary.as_dict(), outdated)


def _report_update(
    settings: Settings, summary: Summary, printed: dict[str, Any], left: Outdated
) -> int:
    """Print the summary of an update and what remains; return the exit status."""
    summary.log_unread()
    if left.submissions:
        _log.warning(
            "%s, such as %s; %s",
            describe_outdated(left),
            ", ".join(left.examples),
            _next_step(settings),
        )
    print(json.dumps({"outdated": left.submissions, **printed}))
    return DONE if summary.complete and not left.submissions else SOME_REFUSED


def _next_step(settings: Settings) -> str:
    """Return the operator's next step for submissions that are not in the archive."""
    steps = (
        "fetch them again (`edgar-ingest update --fetch`), give their files"
        " (`edgar-ingest update PATH...`), or delete them"
    )
    if settings.archive:
        return steps
    return f"nothing is archived (EDGAR_SEARCH_ARCHIVE=false), so their files are needed: {steps}"


def _sources(settings: Settings, options: argparse.Namespace) -> Sources | ArchiveSources:
    home = settings.absolute_home
    if options.paths:
        return Sources(options.paths, home)
    place = settings.archive_place
    if place.folder is None:
        return ArchiveSources(open_archive(place), place.url, home)
    return Sources([place.folder], home)
