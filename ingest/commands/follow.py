"""`edgar-ingest follow`"""

import argparse
import asyncio
import json
import signal

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.commands.arguments import wanted
from ingest.commands.exit_status import DONE, SOME_REFUSED
from ingest.fetching.client import Edgar, http_client
from ingest.fetching.fetch import FOLLOW_LINGER, Fetcher
from ingest.fetching.follow import Follower
from ingest.loading.session import LoadSession


async def run(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """Fetch and load what EDGAR publishes, until a signal; then print the summary."""
    home = settings.absolute_home
    async with http_client(settings) as http:
        with LoadSession(engine, settings, options.workers) as session:
            edgar = Edgar(settings, http, engine)
            fetcher = Fetcher(edgar, session, home, FOLLOW_LINGER)
            follower = Follower(edgar, fetcher, home, wanted(options))
            for number in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(number, follower.stopping.set)
            if options.once:
                await follower.once()
            else:
                await follower.run_forever(settings.follow_interval)
    print(json.dumps(follower.total.as_dict()))
    return DONE if follower.total.complete or not options.once else SOME_REFUSED
