"""`edgar-search serve`"""

import argparse
import os

from edgar_search.access.limits.plans import Plans
from edgar_search.access.limits.rates import Rates
from edgar_search.access.tokens.local_issuer import refuse_unless_loopback
from edgar_search.commands.pages import offer_pages
from edgar_search.engine import embedded
from edgar_search.metrics import spans
from edgar_search.search.index_members import IndexMembers
from edgar_search.settings import VARIABLE_PREFIX, Settings
from edgar_search.web import server
from edgar_search.web.listening import refuse_unbindable


def run(settings: Settings, options: argparse.Namespace) -> int:
    """Serve until a signal; raises EdgarSearchError where the settings cannot be served with."""
    # Workers read the environment themselves; here what is wrong is told before they start.
    refuse_unless_loopback(settings, options.host)
    embedded.resolve(settings)
    offer_pages(settings, options.host)
    Plans.from_settings(settings)
    Rates.from_settings(settings)
    IndexMembers.from_file(settings.index_members)
    spans.exporter()
    refuse_unbindable(options.host, options.port)
    os.environ[f"{VARIABLE_PREFIX}WORKERS"] = str(options.workers)
    server.serve(options.host, options.port, options.workers, settings.logs == "json")
    return 0
