"""`edgar-ingest reconcile`"""

import argparse
import json
import logging
from datetime import UTC, datetime

from edgar_search.engine.engine import Engine
from edgar_search.settings import Settings
from ingest.commands.arguments import DONE, INCOMPLETE, filing_filter
from ingest.fetching.client import Edgar, http_client
from ingest.fetching.fetch import Fetcher
from ingest.fetching.reconcile import Reconciler
from ingest.loading.retry import Retry
from ingest.loading.session import LoadSession

_log = logging.getLogger(__name__)


async def run(engine: Engine, settings: Settings, options: argparse.Namespace) -> int:
    """Compare loaded submissions with EDGAR; print the summary as JSON on the last line."""
    chosen = filing_filter(options)
    async with http_client(settings) as http:
        edgar = Edgar(settings, http)
        with LoadSession(engine, settings, options.workers) as session:
            reconciler = Reconciler(
                engine,
                edgar,
                Fetcher(edgar, session, settings.absolute_home),
                settings.absolute_home,
                Retry(settings.load_patience),
                most=options.most,
                most_absent=options.most_absent,
            )
            summary = await reconciler.run(chosen, datetime.now(UTC).date())
    summary.fetched.load.log_unread()
    print(json.dumps(summary.as_dict()))
    return DONE if summary.complete else INCOMPLETE
