"""`edgar-search serve`"""

import argparse
import asyncio
import os
import sys

from edgar_search.access.rates import Rates
from edgar_search.access.tokens.issuer_client import authentication
from edgar_search.access.tokens.local_issuer import is_loopback, refuse_unless_loopback
from edgar_search.access.tokens.user_rules import UserRules
from edgar_search.archive.archive import require_store
from edgar_search.document.pdf import NO_FONTS, has_fonts, missing_parts
from edgar_search.engine import embedded
from edgar_search.metrics import spans
from edgar_search.search.tickers import IndexMembers
from edgar_search.settings import VARIABLE_PREFIX, Settings, issuer
from edgar_search.settings.values import NO_PROXIES
from edgar_search.web import server
from edgar_search.web.listening import refuse_unbindable

_PAGES, _MIRROR = f"{VARIABLE_PREFIX}PAGES", f"{VARIABLE_PREFIX}MIRROR"


def offer_pages(settings: Settings, host: str) -> None:
    """Open the pages to all users of this machine if the service is on a loopback address.

    Elsewhere, or behind a proxy, open them to users who sign in at the issuer, if one is configured
    for pages.
    """
    if settings.pages is not None:
        return
    # Workers read the environment themselves.
    if is_loopback(host) and settings.trusted_proxies == NO_PROXIES:
        os.environ[_PAGES] = "open"
    elif settings.oidc_client_id is not None:
        os.environ[_PAGES] = "signed-in"


def offer_mirror(settings: Settings, host: str) -> None:
    """Serve the mirror of EDGAR without a key if the service is on a loopback address."""
    if settings.mirror is None and is_loopback(host) and settings.trusted_proxies == NO_PROXIES:
        os.environ[_MIRROR] = "open"


def run(settings: Settings, options: argparse.Namespace) -> int:
    """Serve until a signal; raises EdgarSearchError if the settings cannot be used."""
    # Workers read the environment themselves; errors are reported before they start.
    refuse_unless_loopback(settings, options.host)
    embedded.resolve(settings)
    offer_pages(settings, options.host)
    offer_mirror(settings, options.host)
    if settings.oidc_issuer is not None and not settings.oidc_users:
        print(
            f"every user of {settings.oidc_issuer} may sign in: EDGAR_SEARCH_OIDC_USERS is empty",
            file=sys.stderr,
        )
    issuer.check_pages(settings.pages, settings.oidc_client_id, settings.local_issuer)
    UserRules.from_settings(settings)
    authentication(settings)
    Rates.from_settings(settings)
    require_store(settings.archive_place)
    IndexMembers.from_file(settings.index_members)
    spans.exporter()
    if not missing_parts() and not asyncio.run(has_fonts()):
        print(f"PDFs cannot be made: {NO_FONTS}", file=sys.stderr)
    refuse_unbindable(options.host, options.port)
    os.environ[f"{VARIABLE_PREFIX}WORKERS"] = str(options.workers)
    server.serve(options.host, options.port, options.workers, settings.logs == "json")
    return 0
