"""`edgar-ingest fetch`"""

import argparse
import json
import logging
from datetime import UTC, datetime

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.commands import arguments
from ingest.commands.exit_status import DONE, SOME_REFUSED
from ingest.commands.missing_days import tell_missing_days
from ingest.fetching.client import Edgar, http_client
from ingest.fetching.daily_archives import LEAST, LEAST_OF_BACKFILLS, DailyArchives
from ingest.fetching.fetch import Fetcher
from ingest.fetching.fetch_progress import FetchProgress
from ingest.fetching.index_file_cache import IndexCache
from ingest.fetching.listing import Listing
from ingest.loading.session import LoadSession

_log = logging.getLogger(__name__)


async def run(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """Fetch and load what EDGAR lists; the summary is the last line, as JSON."""
    wanted = arguments.wanted(options)
    async with http_client(settings) as http:
        edgar = Edgar(settings, http, engine)
        index = IndexCache(edgar, settings.absolute_home, once=True)
        listing = Listing(index.read, wanted, datetime.now(UTC).date())
        with (
            LoadSession(engine, settings, options.workers) as session,
            FetchProgress() as progress,
        ):
            least = LEAST_OF_BACKFILLS if options.feed else LEAST
            archives = DailyArchives(
                edgar, session, index.read, settings.absolute_home, least, progress
            )
            days = Listing(index.read, wanted, datetime.now(UTC).date())
            if options.files:
                await session.set_up()
                await archives.count(days)
            else:
                by_archives = await archives.run(days, wanted)
            fetcher = Fetcher(edgar, session, settings.absolute_home, progress=progress)
            summary = await fetcher.run(listing)
            if not options.files:
                summary.load.join(by_archives)
        missing_days = await tell_missing_days(engine, settings, listing, wanted)
    for refusal in summary.load.refusals:
        _log.warning("refused %s: %s", refusal["source"], refusal["reason"])
    if summary.elsewhere:
        _log.warning(
            "%d submissions are being fetched or loaded by another process with this home",
            summary.elsewhere,
        )
    read = {
        "index_files": listing.files,
        "unknown_lines": listing.unknown,
        "days": [str(day) for day in archives.loaded],
        "missing_days": list(map(str, missing_days)),
    }
    print(json.dumps({**summary.as_dict(), **read}))
    whole = summary.complete and not listing.unknown and not missing_days
    return DONE if whole else SOME_REFUSED
