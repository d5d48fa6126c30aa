"""Addresses that users enter, for links and for webhooks; pure."""

from urllib.parse import SplitResult, urlsplit


def split_address(url: str) -> SplitResult | None:
    """Split an address that has a host; None if browsers or clients may read it otherwise."""
    # Browsers read a backslash as a slash, and so find another host.
    if any(character.isspace() or character in '\\<>"' for character in url):
        return None
    try:
        parts = urlsplit(url)
        # Reading the port raises ValueError if it is invalid.
        return parts if parts.hostname and parts.port != 0 else None
    except ValueError:
        return None
