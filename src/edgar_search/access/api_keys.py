"""API keys: their form and scopes, their storage by hash, their verification from memory."""

import asyncio
import hashlib
import logging
import secrets
import zlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from edgar_search.engine.changes import Tries, change, change_once
from edgar_search.engine.engine import Engine
from edgar_search.engine.freshness import FreshValues
from edgar_search.errors import BadRequest, Conflict, EdgarSearchError, NotFound
from edgar_search.metrics.masking import KEY_PREFIX
from edgar_search.stored.accounts import StoredApiKey

# KEY_PREFIX + 22 characters of base62 (131 bits) + 6 characters of checksum, which lets a scanner
# for leaked keys, and us, tell a key from a random string.
RANDOM_LENGTH = 22
CHECKSUM_LENGTH = 6
# The part of a key in lists: enough to tell two keys apart, far too little to guess one.
VISIBLE_LENGTH = len(KEY_PREFIX) + 4
_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def new_key() -> str:
    """Generate a new random key."""
    random = "".join(secrets.choice(_BASE62) for _ in range(RANDOM_LENGTH))
    return KEY_PREFIX + random + _checksum(random)


def is_well_formed(key: str) -> bool:
    """Return True if a key's form and checksum are right, valid or not."""
    random = key.removeprefix(KEY_PREFIX)[:RANDOM_LENGTH]
    return key.isascii() and key == KEY_PREFIX + random + _checksum(random)


def key_hash(key: str) -> str:
    """Return the SHA-256 of a key, in hexadecimal, which is stored instead of the key.

    A slow hash would protect no better, since nobody can try 2^131 keys.
    """
    return hashlib.sha256(key.encode()).hexdigest()


def _checksum(random: str) -> str:
    value = zlib.crc32(random.encode())
    digits = []
    for _ in range(CHECKSUM_LENGTH):
        value, digit = divmod(value, len(_BASE62))
        digits.append(_BASE62[digit])
    return "".join(digits)


_log = logging.getLogger(__name__)

# Keys cached in a worker; a forgotten key costs one engine request again.
MAX_REMEMBERED = 10_000
_PAGE = 1000
MAX_NAME = 100
# The most valid keys of an account: more than anyone needs.
MAX_KEYS_OF_ACCOUNT = 100
# A rotated key still works for at most this long.
MAX_OVERLAP_HOURS = 30 * 24
# The precision of `last_used_at`: how often the entry of a key in use is written.
LAST_USED_STEP = timedelta(minutes=1)
_TRIES = Tries(20, 0, "too many requests are changing this key at once; try again later")
_SORT: list[dict[str, str]] = [{"created_at": "desc"}, {"id": "asc"}]


class KeyHit(Struct):
    source: StoredApiKey = msgspec.field(name="_source")


class KeyDocument(Struct):
    id: str = msgspec.field(name="_id")


class NewKey(NamedTuple):
    """A new key; `key` is shown only once, and is not stored."""

    key: str
    stored: StoredApiKey


class ApiKeys:
    """The keys of an installation.

    A verified key is cached and read again before it is too old, so that a revoked one is refused
    everywhere within `freshness.MAX_AGE`.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._remembered = FreshValues(self._read, MAX_REMEMBERED)
        self._used: dict[str, datetime] = {}

    async def verify(self, key: str) -> StoredApiKey | None:
        """Return the record of a valid key; None for an unknown, malformed, revoked or expired one.

        Raises EngineUnavailable if the key is not fresh in memory and cannot be read.
        """
        hashed = key_hash(key)
        if hashed not in self._remembered and not is_well_formed(key):
            return None
        stored = await self._remembered.value(hashed)
        now = datetime.now(UTC)
        if stored is None or not is_valid(stored, now):
            return None
        if stored.last_used_at is None or now - stored.last_used_at > LAST_USED_STEP:
            self._used[hashed] = now
        return stored

    async def create(
        self,
        name: str,
        account: str,
        scopes: Sequence[str] | None = None,
        expires_at: datetime | None = None,
    ) -> NewKey:
        """Make a key for checked `scopes`, None for all; BadRequest names a wrong parameter."""
        for field, text in (("name", name), ("account", account)):
            if not text.strip() or not text.isprintable() or len(text) > MAX_NAME:
                raise BadRequest(f"{field}: must be 1 to {MAX_NAME} printable characters")
        now = datetime.now(UTC)
        if expires_at is not None and expires_at <= now:
            raise BadRequest("expires_at: must be in the future")
        key = new_key()
        stored = StoredApiKey(
            id=secrets.token_hex(8),
            account=account,
            name=name,
            prefix=key[:VISIBLE_LENGTH],
            created_at=now,
            scopes=None if scopes is None else list(scopes),
            expires_at=expires_at,
        )
        await self._engine.create("api_keys", key_hash(key), stored)
        return NewKey(key, stored)

    async def list(self, account: str | None = None) -> list[StoredApiKey]:
        """Read all keys, or an account's, newest first."""
        body: dict[str, Any] = {"size": _PAGE, "sort": _SORT}
        if account is not None:
            body["query"] = {"bool": {"filter": [{"term": {"account": account}}]}}
        keys: list[StoredApiKey] = []
        while True:
            page = await self._engine.search("api_keys", body, KeyHit)
            found = [hit.source for hit in page.hits.hits]
            keys += found
            if len(found) < _PAGE:
                return keys
            last = found[-1]
            body["search_after"] = [last.created_at.isoformat(), last.id]

    async def revoke(self, key_id: str, account: str | None = None) -> StoredApiKey:
        """Revoke the key with this id for good.

        NotFound if there is none, or if `account` is given and the key belongs to another.
        """
        now = datetime.now(UTC)
        return await self._change(
            key_id,
            account,
            lambda key: msgspec.structs.replace(key, revoked_at=key.revoked_at or now),
        )

    async def rotate(self, key_id: str, account: str | None, overlap: timedelta) -> NewKey:
        """Create a new key like the one with this id; the old one still works for `overlap`.

        NotFound if there is none or it is another account's, BadRequest if it is no longer valid.
        """
        now = datetime.now(UTC)
        stored = await self._engine.get("api_keys", await self._hash(key_id), StoredApiKey)
        old = _require_own(stored.source if stored else None, key_id, account)
        if not is_valid(old, now):
            raise BadRequest("id: the key is revoked or expired; create a new one")
        made = await self.create(old.name, old.account, old.scopes, old.expires_at)
        ends = now + overlap
        await self._change(
            key_id,
            account,
            # If it is rotated again, the key does not work longer than before.
            lambda key: msgspec.structs.replace(
                key, rotated_until=min(ends, key.rotated_until or ends)
            ),
        )
        return made

    async def run_forever(self) -> None:
        """Store the last use of keys periodically, as long as the worker runs."""
        while True:
            await asyncio.sleep(LAST_USED_STEP.total_seconds())
            await self.close()

    async def close(self) -> None:
        """Store the last use of keys since the last time; failed writes are retried later."""
        used, self._used = self._used, {}
        while used:
            hashed, moment = next(iter(used.items()))
            try:
                await self._store_use(hashed, moment)
            except Conflict:
                pass  # A key in use is stored next time; for another one, a minute is lost.
            except EdgarSearchError as error:
                # The next key would wait just as long for an engine that is away.
                _log.warning("the last use of %d keys could not be saved yet: %s", len(used), error)
                self._used = used | self._used
                return
            del used[hashed]

    async def _store_use(self, hashed: str, moment: datetime) -> None:
        def used(key: StoredApiKey | None) -> StoredApiKey | None:
            return key and msgspec.structs.replace(key, last_used_at=moment)

        await change_once(self._engine, "api_keys", hashed, StoredApiKey, used, visible=False)

    async def _change(
        self, key_id: str, account: str | None, changed: Callable[[StoredApiKey], StoredApiKey]
    ) -> StoredApiKey:
        hashed = await self._hash(key_id)
        _, after = await change(
            self._engine,
            "api_keys",
            hashed,
            StoredApiKey,
            lambda key: changed(_require_own(key, key_id, account)),
            _TRIES,
        )
        self._remembered.forget(hashed)
        return _require_own(after, key_id, account)

    async def _hash(self, key_id: str) -> str:
        """Find the hash under which the key of this id is stored; NotFound if there is none."""
        query = {"bool": {"filter": [{"term": {"id": key_id}}]}}
        reply = await self._engine.search("api_keys", {"query": query, "size": 1}, KeyDocument)
        if not reply.hits.hits:
            raise _unknown_key(key_id)
        return reply.hits.hits[0].id

    async def _read(self, hashed: str) -> StoredApiKey | None:
        stored = await self._engine.get("api_keys", hashed, StoredApiKey)
        return stored.source if stored is not None else None


def _require_own(key: StoredApiKey | None, key_id: str, account: str | None) -> StoredApiKey:
    """Return the key; NotFound if there is none, or if it belongs to another account."""
    if key is None or account not in (None, key.account):
        raise _unknown_key(key_id)
    return key


def _unknown_key(key_id: str) -> NotFound:
    return NotFound(f"no API key has the id {key_id}")


def is_valid(key: StoredApiKey, now: datetime) -> bool:
    """Return True if a key is neither revoked nor expired."""
    ends = ends_at(key)
    return key.revoked_at is None and (ends is None or now < ends)


def ends_at(key: StoredApiKey) -> datetime | None:
    """Return when a key stops being valid: at its expiry or its overlap's end; None if never."""
    return min((end for end in (key.expires_at, key.rotated_until) if end), default=None)


class KeyPage(NamedTuple):
    total: int
    keys: list[StoredApiKey]


class AccountKeys:
    """The keys of accounts; unknown ids and other accounts' keys raise the same NotFound."""

    def __init__(self, keys: ApiKeys) -> None:
        self._keys = keys

    async def page(self, account: str, limit: int, offset: int) -> KeyPage:
        """Read a page of an account's keys, newest first, including those no longer valid."""
        stored = await self._keys.list(account)
        return KeyPage(len(stored), stored[offset : offset + limit])

    async def create(
        self, account: str, name: str, scopes: Sequence[str] | None, expires_at: datetime | None
    ) -> NewKey:
        """Create a key; BadRequest if the account has `MAX_KEYS_OF_ACCOUNT` valid ones."""
        _require_room(await self._keys.list(account))
        return await self._keys.create(name, account, scopes, expires_at)

    async def rotate(self, account: str, key_id: str, overlap: timedelta) -> NewKey:
        """Replace a key by a new one; the old one still works for `overlap`.

        BadRequest as in `create`.
        """
        keys = await self._keys.list(account)
        _find_key(keys, key_id)
        if overlap:
            _require_room(keys)
        return await self._keys.rotate(key_id, account, overlap)

    async def revoke(self, account: str, key_id: str) -> int:
        """Revoke a key for good; return 0 if it was revoked already, else 1."""
        found = _find_key(await self._keys.list(account), key_id)
        await self._keys.revoke(key_id, account)
        return 0 if found.revoked_at else 1


def _find_key(keys: Sequence[StoredApiKey], key_id: str) -> StoredApiKey:
    for key in keys:
        if key.id == key_id:
            return key
    raise NotFound("no API key has this id")


def _require_room(keys: Sequence[StoredApiKey]) -> None:
    now = datetime.now(UTC)
    if sum(is_valid(key, now) for key in keys) >= MAX_KEYS_OF_ACCOUNT:
        raise BadRequest(
            f"api_keys: this account already has {MAX_KEYS_OF_ACCOUNT} valid keys; revoke one first"
        )
