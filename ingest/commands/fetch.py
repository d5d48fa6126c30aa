"""`edgar-ingest fetch`"""

import argparse
import json
import sys
from datetime import UTC, datetime

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.commands import arguments
from ingest.commands.exit_status import DONE, SOME_REFUSED
from ingest.fetching.client import Edgar, http_client
from ingest.fetching.daily_archives import LEAST, LEAST_OF_BACKFILLS, DailyArchives
from ingest.fetching.fetch import Fetcher
from ingest.fetching.index_file_cache import IndexCache
from ingest.fetching.listing import Listing
from ingest.loading.session import LoadSession


async def run(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """Fetch and load what EDGAR lists; the summary is the last line, as JSON."""
    wanted = arguments.wanted(options)
    async with http_client(settings) as http:
        edgar = Edgar(settings, http, engine)
        index = IndexCache(edgar, settings.absolute_home, once=True)
        listing = Listing(index.read, wanted, datetime.now(UTC).date())
        with LoadSession(engine, settings, options.workers) as session:
            least = LEAST_OF_BACKFILLS if options.feed else LEAST
            archives = DailyArchives(edgar, session, index.read, settings.absolute_home, least)
            if not options.files:
                days = Listing(index.read, wanted, datetime.now(UTC).date())
                by_archives = await archives.run(days, wanted)
            fetcher = Fetcher(edgar, session, settings.absolute_home)
            summary = await fetcher.run(listing)
            if not options.files:
                summary.load.join(by_archives)
    for refusal in summary.load.refusals:
        print(f"refused {refusal['source']}: {refusal['reason']}", file=sys.stderr)
    if summary.elsewhere:
        print(
            f"{summary.elsewhere} submissions are being fetched or loaded by another process with"
            " this home",
            file=sys.stderr,
        )
    read = {
        "index_files": listing.files,
        "unknown_lines": listing.unknown,
        "days": [str(day) for day in archives.loaded],
    }
    print(json.dumps({**summary.as_dict(), **read}))
    return DONE if summary.complete and not listing.unknown else SOME_REFUSED
