"""Whether the pages are served, where no setting says so."""

import os

from edgar_search.access.tokens.local_issuer import is_loopback
from edgar_search.settings import VARIABLE_PREFIX, Settings


def offer_pages(settings: Settings, host: str) -> None:
    """Open pages to everybody who can reach a loopback address, which are this machine's users."""
    if settings.pages is None and is_loopback(host):
        # The workers read the environment themselves.
        os.environ[f"{VARIABLE_PREFIX}PAGES"] = "open"
