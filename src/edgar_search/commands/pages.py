"""Whether the pages are served, where no setting says so."""

import os

from edgar_search.access.tokens.local_issuer import is_loopback
from edgar_search.settings import VARIABLE_PREFIX, Settings
from edgar_search.settings.networks import NO_PROXIES

_PAGES = f"{VARIABLE_PREFIX}PAGES"


def offer_pages(settings: Settings, host: str) -> None:
    """Open pages to everybody who can reach a loopback address, which are this machine's users.

    Elsewhere, and behind a proxy, whose loopback address is everybody's, to those who sign in at
    the issuer, where it knows the pages.
    """
    if settings.pages is not None:
        return
    # The workers read the environment themselves.
    if is_loopback(host) and settings.trusted_proxies == NO_PROXIES:
        os.environ[_PAGES] = "open"
    elif settings.oidc_client_id is not None:
        os.environ[_PAGES] = "signed-in"
