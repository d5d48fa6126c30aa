"""Credentials in texts: removed from every log line, and from what repeats a request."""

import re

# A key begins with this, and has then letters and digits.
KEY_PREFIX = "sk_live_"
# A JSON web token: its header is a JSON object, in base64.
_TOKEN = re.compile(r"eyJ[\w-]+\.[\w-]+(\.[\w-]*)?", re.ASCII)
# With the "_", so that of two keys without a gap between them the second goes too.
_KEY = re.compile(f"{KEY_PREFIX}[0-9A-Za-z_]+", re.IGNORECASE | re.ASCII)


def without_keys(text: str) -> str:
    """Remove API keys and tokens from a text, for logs and error messages."""
    return _TOKEN.sub("...", _KEY.sub(KEY_PREFIX + "...", text))
