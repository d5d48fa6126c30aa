"""Cursors as texts: opaque, signed, and of use to one account only."""

import binascii
import hashlib
import hmac
import secrets
import zlib
from base64 import urlsafe_b64decode, urlsafe_b64encode
from datetime import UTC, datetime

import msgspec

from edgar_search.engine.engine import Engine
from edgar_search.engine.freshness import Fresh
from edgar_search.errors import BadRequest, Conflict, EngineUnavailable
from edgar_search.search.walks.place import Cursor
from edgar_search.stored.secret import StoredSecret

# Under which the secret of cursors is stored.
SECRET = "cursors"
_SECRET_BYTES = 32
# Half of SHA-256: nobody finds a second text for 128 bits.
_SIGNATURE_BYTES = 16
# Signed with the cursor, so that one of another form is refused and never misread.
_VERSION = b"1"
_NOT_OURS = (
    "cursor: is none of this service's for this account, or was cut off; send next_cursor as it"
    " came, or begin with cursor=*"
)


class Seal:
    """Signs cursors and reads them again, in all workers and hosts of an installation alike."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._secret: Fresh[bytes] = Fresh(self._read)

    async def seal(self, cursor: Cursor, account: str) -> str:
        """The text of a cursor, of letters, digits, `-` and `_`; raises EngineUnavailable."""
        body = zlib.compress(msgspec.msgpack.encode(cursor))
        signature = _signature(await self._secret.value(), account, body)
        return _text(signature + body)

    async def opened(self, text: str, account: str) -> Cursor:
        """The cursor of a text.

        Raises BadRequest for what was not signed here for this account, and EngineUnavailable.
        """
        try:
            data = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
        except (UnicodeEncodeError, binascii.Error):
            raise BadRequest(_NOT_OURS) from None
        signature, body = data[:_SIGNATURE_BYTES], data[_SIGNATURE_BYTES:]
        wanted = _signature(await self._secret.value(), account, body)
        # Many texts decode to the same bytes: only the one that was given out is taken.
        if not hmac.compare_digest(signature, wanted) or text != _text(data):
            raise BadRequest(_NOT_OURS)
        return msgspec.msgpack.decode(zlib.decompress(body), type=Cursor)

    async def _read(self) -> bytes:
        """The secret, which whoever needs it first makes."""
        for _ in range(2):
            stored = await self._engine.get("secrets", SECRET, StoredSecret)
            if stored is not None and stored.source is not None:
                return stored.source.value
            made = StoredSecret(secrets.token_bytes(_SECRET_BYTES), datetime.now(UTC))
            try:
                await self._engine.create("secrets", SECRET, made, visible=False)
            except Conflict:
                continue  # Another worker was faster: its secret is the one.
            return made.value
        raise EngineUnavailable("the secret of cursors could not be read; try again later")


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


def _signature(secret: bytes, account: str, body: bytes) -> bytes:
    message = b"\0".join((_VERSION, account.encode(), body))
    return hmac.digest(secret, message, hashlib.sha256)[:_SIGNATURE_BYTES]
