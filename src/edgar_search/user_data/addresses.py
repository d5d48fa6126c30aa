"""Addresses that users give, for links and for webhooks; pure."""

from urllib.parse import SplitResult, urlsplit


def split_address(url: str) -> SplitResult | None:
    """Return the parts of an address with a host.

    None if browsers or clients may read it otherwise.
    """
    # Browsers take a backslash for a slash, and so another host for the host.
    if any(character.isspace() or character in '\\<>"' for character in url):
        return None
    try:
        parts = urlsplit(url)
        # The port is read, and refused, only when it is requested.
        return parts if parts.hostname and parts.port != 0 else None
    except ValueError:
        return None
