"""Cursors: signed positions in a result, valid for one account only."""

import binascii
import hashlib
import hmac
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Any

import msgspec
from msgspec import Struct

from edgar_search.engine.engine import Engine
from edgar_search.engine.secret import Secret
from edgar_search.errors import BadRequest


class CursorPosition(Struct, frozen=True, array_like=True):
    """A position in a result; without any values it is the beginning.

    `after` holds the sort values of the last row, and `rows` counts the rows before the position.

    The other fields keep decisions made for the first page, because the order depends on them:
    wildcards that score as one word (`broad`), the weights of word forms (`weights`), and whether
    proximity scores (`close`). `respelled` maps tokens to the words searched instead of them.
    `totals` are the number of all documents, and of documents with all operands if others match
    too; they are kept only if they cannot change, within `snapshot`, the key of the view that is
    read. `records` counts the records exported so far. An export of matches can stop within a page:
    `documents` counts the documents after the position that were sent in full, and `matches` the
    matches sent of the next one.
    """

    after: list[Any] | None = None
    rows: int = 0
    broad: list[str] | None = None
    close: bool | None = None
    totals: tuple[int, int | None] | None = None
    snapshot: str = ""
    records: int = 0
    documents: int = 0
    matches: int = 0
    weights: list[float] | None = None
    respelled: dict[str, str] | None = None


BEGINNING = CursorPosition()


class Cursor(Struct, frozen=True, array_like=True):
    """A position with the request it belongs to, as the caller's API version writes it.

    `endpoint` is a path: a cursor is valid at its own endpoint only.
    """

    endpoint: str
    question: dict[str, list[str]]
    place: CursorPosition


# The key under which the secret of cursors is stored.
SECRET = "cursors"
# Half of SHA-256: nobody can find a second text for 128 bits.
_SIGNATURE_BYTES = 16
# Signed with the cursor, so that a cursor in another format is refused and never misread.
_VERSION = b"2"
_NOT_OURS = (
    "`cursor` was not made by this service for this account, or was cut off; send next_cursor as it"
    " came, or begin with cursor=*"
)


class CursorSigner:
    """Signs and verifies cursors, alike in all workers and hosts of an installation."""

    def __init__(self, engine: Engine) -> None:
        self._secret = Secret(engine, SECRET)

    async def sign(self, cursor: Cursor, account: str) -> str:
        """Encode and sign a cursor, as letters, digits, `-` and `_`.

        Raises EngineUnavailable.
        """
        body = zlib.compress(msgspec.msgpack.encode(cursor))
        signature = _signature(await self._secret.value(), account, body)
        return _text(signature + body)

    async def verify(self, text: str, account: str) -> Cursor:
        """Verify and decode a cursor.

        Raises BadRequest for a cursor that was not signed here for this account, and
        EngineUnavailable.
        """
        try:
            data = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
        except (UnicodeEncodeError, binascii.Error):
            raise BadRequest(_NOT_OURS) from None
        signature, body = data[:_SIGNATURE_BYTES], data[_SIGNATURE_BYTES:]
        wanted = _signature(await self._secret.value(), account, body)
        # Many texts decode to the same bytes; only the one that was issued is accepted.
        if not hmac.compare_digest(signature, wanted) or text != _text(data):
            raise BadRequest(_NOT_OURS)
        try:
            return msgspec.msgpack.decode(zlib.decompress(body), type=Cursor)
        except (zlib.error, msgspec.MsgspecError):
            # Signed here by a version with another cursor format.
            raise BadRequest(_NOT_OURS) from None


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


def _signature(secret: bytes, account: str, body: bytes) -> bytes:
    message = b"\0".join((_VERSION, account.encode(), body))
    return hmac.digest(secret, message, hashlib.sha256)[:_SIGNATURE_BYTES]
