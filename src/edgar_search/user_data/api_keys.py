"""An account's own API keys, as their user lists and changes them."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from edgar_search.access.api_keys import ApiKeys, NewKey, is_valid
from edgar_search.errors import BadRequest, NotFound
from edgar_search.stored.accounts import StoredApiKey

AREA = "api_keys"
# Valid keys of one account: more than anybody has a use for.
MAX_KEYS = 100


class KeyPage(NamedTuple):
    total: int
    keys: list[StoredApiKey]


class AccountKeys:
    """The keys of all accounts; NotFound in the same words for unknown ids and others' keys."""

    def __init__(self, keys: ApiKeys) -> None:
        self._keys = keys

    async def page(self, account: str, limit: int, offset: int) -> KeyPage:
        """A page of an account's keys, newest first, those that are valid no more too."""
        stored = await self._keys.list(account)
        return KeyPage(len(stored), stored[offset : offset + limit])

    async def create(
        self, account: str, name: str, scopes: Sequence[str] | None, expires_at: datetime | None
    ) -> NewKey:
        """Make a key; BadRequest if the account has `MAX_KEYS` valid ones."""
        _check_room(await self._keys.list(account))
        return await self._keys.create(name, account, scopes, expires_at)

    async def rotate(self, account: str, key_id: str, overlap: timedelta) -> NewKey:
        """A new key in the place of one that works on for `overlap`; BadRequest as in `create`."""
        keys = await self._keys.list(account)
        _find(keys, key_id)
        if overlap:
            _check_room(keys)
        return await self._keys.rotate(key_id, account, overlap)

    async def revoke(self, account: str, key_id: str) -> int:
        """Revoke a key for good; 0 if it was revoked already, else 1."""
        found = _find(await self._keys.list(account), key_id)
        await self._keys.revoke(key_id, account)
        return 0 if found.revoked_at else 1


def _find(keys: Sequence[StoredApiKey], key_id: str) -> StoredApiKey:
    for key in keys:
        if key.id == key_id:
            return key
    raise NotFound("no API key has this id")


def _check_room(keys: Sequence[StoredApiKey]) -> None:
    now = datetime.now(UTC)
    if sum(is_valid(key, now) for key in keys) >= MAX_KEYS:
        raise BadRequest(f"{AREA}: there are {MAX_KEYS} valid ones already; revoke one first")
