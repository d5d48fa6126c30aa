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

from edgar_search.engine.changes import Tries, change, change_once
from edgar_search.engine.engine import Engine
from edgar_search.engine.freshness import FreshValues
from edgar_search.engine.replies import IdHit, SourceHit
from edgar_search.errors import BadRequest, Conflict, EdgarSearchError, NotFound
from edgar_search.metrics.masking import KEY_PREFIX
from edgar_search.stored.accounts import StoredApiKey

# KEY_PREFIX, 22 base62 characters (131 bits), and a checksum of 6 characters, by which a scanner
# for leaked keys can tell a key from a random string.
RANDOM_LENGTH = 22
CHECKSUM_LENGTH = 6
# How much of a key lists show: enough to tell two keys apart, far too little to guess one.
VISIBLE_LENGTH = len(KEY_PREFIX) + 4
_BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def new_key() -> str:
    """Generate a new random key."""
    random = "".join(secrets.choice(_BASE62) for _ in range(RANDOM_LENGTH))
    return KEY_PREFIX + random + _checksum(random)


def is_well_formed(key: str) -> bool:
    """Return True if a key has the right form and checksum; it may still be unknown."""
    random = key.removeprefix(KEY_PREFIX)[:RANDOM_LENGTH]
    return key.isascii() and key == KEY_PREFIX + random + _checksum(random)


def key_hash(key: str) -> str:
    """Return the hexadecimal SHA-256 of a key, which is stored instead of the key.

    A slow hash would protect no better: nobody can try 2^131 keys.
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

# Keys that a worker caches; a key that it drops is read from the engine again.
MAX_REMEMBERED = 10_000
_PAGE = 1000
MAX_NAME = 100
# Valid keys that an account may have: more than anyone needs.
MAX_KEYS_OF_ACCOUNT = 100
# How long, at most, a rotated key still works.
MAX_OVERLAP_HOURS = 30 * 24
# The precision of `last_used_at`: how often it is written for a key in use.
LAST_USED_STEP = timedelta(minutes=1)
_TRIES = Tries(20, 0, "too many requests are changing this key at once; try again later")
_SORT: list[dict[str, str]] = [{"created_at": "desc"}, {"id": "asc"}]


class NewKey(NamedTuple):
    """A newly created key; `key` is shown only this once, and is not stored."""

    key: str
    stored: StoredApiKey


class ApiKeys:
    """The keys of an installation.

    A verified key is cached and read again soon, so that a revoked key is refused everywhere within
    `freshness.MAX_AGE`.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._remembered = FreshValues(self._read, MAX_REMEMBERED)
        self._used: dict[str, datetime] = {}

    async def verify(self, key: str) -> StoredApiKey | None:
        """Return the record of a key; None if it is unknown, malformed, revoked or expired.

        Raises EngineUnavailable if the key is not in the cache and cannot be read.
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
        """Create a key with `scopes`, already checked, or None for all.

        Raises BadRequest, which names the wrong parameter.
        """
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
        """Read all keys, or the keys of one account, newest first."""
        body: dict[str, Any] = {"size": _PAGE, "sort": _SORT}
        if account is not None:
            body["query"] = {"bool": {"filter": [{"term": {"account": account}}]}}
        keys: list[StoredApiKey] = []
        while True:
            page = await self._engine.search("api_keys", body, SourceHit[StoredApiKey])
            batch = [hit.source for hit in page.hits.hits]
            keys += batch
            if len(batch) < _PAGE:
                return keys
            last = batch[-1]
            body["search_after"] = [last.created_at.isoformat(), last.id]

    async def revoke(self, key_id: str, account: str | None = None) -> StoredApiKey:
        """Revoke the key with this id for good.

        Raises NotFound for an unknown id, or if `account` is given and the key is another
        account's.
        """
        now = datetime.now(UTC)
        return await self._change(
            key_id,
            account,
            lambda key: msgspec.structs.replace(key, revoked_at=key.revoked_at or now),
        )

    async def rotate(self, key_id: str, account: str | None, overlap: timedelta) -> NewKey:
        """Create a new key with the rights of an old one, which works for `overlap` longer.

        Raises NotFound for an unknown id or another account's key, BadRequest for a key no longer
        valid.
        """
        now = datetime.now(UTC)
        stored = await self._engine.get("api_keys", await self._hash(key_id), StoredApiKey)
        old = _require_own(stored.source if stored else None, key_id, account)
        if not is_valid(old, now):
            raise BadRequest("id: the key is revoked or expired; create a new one")
        replacement = await self.create(old.name, old.account, old.scopes, old.expires_at)
        ends = now + overlap
        await self._change(
            key_id,
            account,
            # A second rotation does not extend the time that the old key works.
            lambda key: msgspec.structs.replace(
                key, rotated_until=min(ends, key.rotated_until or ends)
            ),
        )
        return replacement

    async def run_forever(self) -> None:
        """Store when keys were last used, periodically, until the worker stops."""
        while True:
            await asyncio.sleep(LAST_USED_STEP.total_seconds())
            await self.close()

    async def close(self) -> None:
        """Store when keys were last used; failed writes are retried later."""
        used, self._used = self._used, {}
        while used:
            hashed, moment = next(iter(used.items()))
            try:
                await self._store_use(hashed, moment)
            except Conflict:
                pass  # A key in use is written next time; for any other, at most a minute is lost.
            except EdgarSearchError as error:
                # Writing the next key would only wait for the same unavailable engine.
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
        _, changed_key = await change(
            self._engine,
            "api_keys",
            hashed,
            StoredApiKey,
            lambda key: changed(_require_own(key, key_id, account)),
            _TRIES,
        )
        self._remembered.forget(hashed)
        return _require_own(changed_key, key_id, account)

    async def _hash(self, key_id: str) -> str:
        """Find the stored hash of the key with this id; NotFound if there is none."""
        query = {"bool": {"filter": [{"term": {"id": key_id}}]}}
        reply = await self._engine.search("api_keys", {"query": query, "size": 1}, IdHit)
        if not reply.hits.hits:
            raise _unknown_key(key_id)
        return reply.hits.hits[0].id

    async def _read(self, hashed: str) -> StoredApiKey | None:
        stored = await self._engine.get("api_keys", hashed, StoredApiKey)
        return stored.source if stored is not None else None


def _require_own(key: StoredApiKey | None, key_id: str, account: str | None) -> StoredApiKey:
    """Return the key; NotFound if it does not exist or is another account's."""
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
    """Return when a key stops being valid: at its expiry or the end of its overlap, or None."""
    return min((end for end in (key.expires_at, key.rotated_until) if end), default=None)


class KeyPage(NamedTuple):
    total: int
    keys: list[StoredApiKey]


class AccountKeys:
    """The keys of accounts, for their owners.

    Another account's key raises the same NotFound as an unknown one.
    """

    def __init__(self, keys: ApiKeys) -> None:
        self._keys = keys

    async def page(self, account: str, limit: int, offset: int) -> KeyPage:
        """Read a page of an account's keys, newest first, including those no longer valid."""
        stored = await self._keys.list(account)
        return KeyPage(len(stored), stored[offset : offset + limit])

    async def create(
        self, account: str, name: str, scopes: Sequence[str] | None, expires_at: datetime | None
    ) -> NewKey:
        """Create a key; BadRequest if the account already has `MAX_KEYS_OF_ACCOUNT` valid keys."""
        _require_room(await self._keys.list(account))
        return await self._keys.create(name, account, scopes, expires_at)

    async def rotate(self, account: str, key_id: str, overlap: timedelta) -> NewKey:
        """Replace a key by a new one; the old key works for `overlap` longer.

        Raises BadRequest as in `create`.
        """
        keys = await self._keys.list(account)
        _find_key(keys, key_id)
        if overlap:
            _require_room(keys)
        return await self._keys.rotate(key_id, account, overlap)

    async def revoke(self, account: str, key_id: str) -> int:
        """Revoke a key for good; return 1, or 0 if it was revoked already."""
        key = _find_key(await self._keys.list(account), key_id)
        await self._keys.revoke(key_id, account)
        return 0 if key.revoked_at else 1


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
