"""`edgar-search token`"""

import argparse

from edgar_search.access.tokens.local_issuer import LocalIssuer
from edgar_search.settings import Settings


def run(settings: Settings, options: argparse.Namespace) -> int:
    """Print a bearer token of the local issuer, alone on the last line."""
    token = LocalIssuer(settings.absolute_home).token(options.sub, options.lifetime)
    print(f"for {options.sub}, {options.lifetime} seconds; taken by a service with the same home")
    print("and EDGAR_SEARCH_LOCAL_ISSUER=true:")
    print(token)
    return 0
