"""Credentials in texts: removed from log lines, and from messages that repeat a request."""

import re

# A key begins with this; letters and digits follow.
KEY_PREFIX = "sk_live_"
# A JSON web token begins with a JSON object in base64, its header.
_TOKEN = re.compile(r"eyJ[\w-]+\.[\w-]+(\.[\w-]*)?", re.ASCII)
# Matches "_" too: if two keys follow each other without a gap, both are removed.
_KEY = re.compile(f"{KEY_PREFIX}[0-9A-Za-z_]+", re.IGNORECASE | re.ASCII)


def without_keys(text: str) -> str:
    """Remove API keys and tokens from a text, for logs and error messages."""
    return _TOKEN.sub("...", _KEY.sub(KEY_PREFIX + "...", text))
