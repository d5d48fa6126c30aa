"""`edgar-search serve`"""

import argparse
import os
import sys

from edgar_search.access.limits.rates import Rates
from edgar_search.access.tokens.issuer_client import authentication
from edgar_search.access.tokens.local_issuer import refuse_unless_loopback
from edgar_search.access.tokens.user_rules import UserRules
from edgar_search.archive.opening import require_store
from edgar_search.commands.pages import offer_pages
from edgar_search.engine import embedded
from edgar_search.metrics import spans
from edgar_search.search.index_members import IndexMembers
from edgar_search.settings import VARIABLE_PREFIX, Settings, issuer
from edgar_search.web import server
from edgar_search.web.listening import refuse_unbindable


def run(settings: Settings, options: argparse.Namespace) -> int:
    """Serve until a signal; raises EdgarSearchError where the settings cannot be served with."""
    # Workers read the environment themselves; here what is wrong is told before they start.
    refuse_unless_loopback(settings, options.host)
    embedded.resolve(settings)
    offer_pages(settings, options.host)
    if settings.oidc_issuer is not None and not settings.oidc_users:
        print(
            f"every user of {settings.oidc_issuer} may come in: EDGAR_SEARCH_OIDC_USERS is empty",
            file=sys.stderr,
        )
    issuer.check_pages(settings.pages, settings.oidc_client_id, settings.local_issuer)
    UserRules.from_settings(settings)
    authentication(settings)
    Rates.from_settings(settings)
    require_store(settings.archive_place)
    IndexMembers.from_file(settings.index_members)
    spans.exporter()
    refuse_unbindable(options.host, options.port)
    os.environ[f"{VARIABLE_PREFIX}WORKERS"] = str(options.workers)
    server.serve(options.host, options.port, options.workers, settings.logs == "json")
    return 0
