"""The form of an API key: made, checked without a look-up, hashed; pure but for randomness."""

import hashlib
import re
import secrets
import zlib

# sk_live_ + 22 characters of base62 (131 bits) + 6 characters of checksum, which lets a scanner
# for leaked keys, and us, tell a key from a random string.
KEY_PREFIX = "sk_live_"
RANDOM_LENGTH = 22
CHECKSUM_LENGTH = 6
# What is shown of a key in lists: enough to tell two keys apart, far too little to guess one.
VISIBLE_LENGTH = len(KEY_PREFIX) + 4
_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
# A JSON web token: its header is a JSON object, in base64.
_TOKEN_IN_TEXT = re.compile(r"eyJ[\w-]+\.[\w-]+(\.[\w-]*)?", re.ASCII)
# With the "_", so that of two keys without a gap between them the second goes too.
_IN_TEXT = re.compile(f"{KEY_PREFIX}[{_BASE62}_]+", re.IGNORECASE)


def new_key() -> str:
    """A new random key."""
    random = "".join(secrets.choice(_BASE62) for _ in range(RANDOM_LENGTH))
    return KEY_PREFIX + random + _checksum(random)


def is_well_formed(key: str) -> bool:
    """Whether a key's form and checksum are right, which says nothing of whether it is valid."""
    random = key.removeprefix(KEY_PREFIX)[:RANDOM_LENGTH]
    return key.isascii() and key == KEY_PREFIX + random + _checksum(random)


def without_keys(text: str) -> str:
    """The text with nothing left of API keys and tokens in it, for logs and error messages."""
    return _TOKEN_IN_TEXT.sub("...", _IN_TEXT.sub(KEY_PREFIX + "...", text))


def key_hash(key: str) -> str:
    """The SHA-256 of a key, in hexadecimal: all that is stored of it.

    A slow hash would protect nothing more, since nobody can try 2^131 keys.
    """
    return hashlib.sha256(key.encode()).hexdigest()


def _checksum(random: str) -> str:
    value = zlib.crc32(random.encode())
    digits = []
    for _ in range(CHECKSUM_LENGTH):
        value, digit = divmod(value, len(_BASE62))
        digits.append(_BASE62[digit])
    return "".join(digits)
