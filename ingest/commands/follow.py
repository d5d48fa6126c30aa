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
from ingest.fetching.reconcile import Reconciler
from ingest.loading.patience import Patience
from ingest.loading.session import LoadSession


async def run(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """Fetch and load what EDGAR publishes, until a signal; then print the summary."""
    home = settings.absolute_home
    compared = None
    async with http_client(settings) as http:
        with LoadSession(engine, settings, options.workers) as session:
            edgar = Edgar(settings, http, engine)
            fetcher = Fetcher(edgar, session, home, FOLLOW_LINGER)
            patience = Patience(settings.load_patience)
            reconciler = Reconciler(engine, edgar, fetcher, home, patience, at_once=1)
            follower = Follower(
                edgar,
                fetcher,
                home,
                wanted(options),
                reconciler=reconciler,
                reconcile_days=settings.reconcile_days,
            )
            for number in (signal.SIGINT, signal.SIGTERM):
                asyncio.get_running_loop().add_signal_handler(number, follower.stopping.set)
            if options.once:
                await follower.once()
                compared = await follower.compare()
            else:
                await follower.run_forever(settings.follow_interval)
    print(json.dumps(follower.total.as_dict()))
    whole = follower.total.complete and (compared is None or compared.complete)
    return DONE if whole or not options.once else SOME_REFUSED
