"""API keys: kept by their hash, verified from memory."""

import secrets
from collections import OrderedDict
from datetime import UTC, datetime

import msgspec
from msgspec import Struct

from edgar_search.access.api_key import VISIBLE_LENGTH, is_well_formed, key_hash, new_key
from edgar_search.engine import Engine
from edgar_search.errors import BadRequest, NotFound
from edgar_search.freshness import Fresh
from edgar_search.stored.api_key import StoredApiKey

# Keys remembered in a worker; a key that is forgotten costs one engine request again.
MAX_REMEMBERED = 10_000
_PAGE = 1000
MAX_NAME = 100


class KeyHit(Struct):
    source: StoredApiKey = msgspec.field(name="_source")


class ApiKeys:
    """The keys of an installation.

    A verified key is remembered and read again before it is too old, so that a revoked one is
    refused everywhere within `freshness.MAX_AGE`.
    """

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._remembered: OrderedDict[str, Fresh[StoredApiKey | None]] = OrderedDict()

    async def verify(self, key: str) -> StoredApiKey | None:
        """What is stored of a valid key; None for one that is unknown, malformed or revoked.

        Raises EngineUnavailable where a key can neither be read nor is fresh in memory.
        """
        if not is_well_formed(key):
            return None
        hashed = key_hash(key)
        remembered = self._remembered.get(hashed)
        if remembered is None:
            remembered = self._remembered[hashed] = Fresh(lambda: self._read(hashed))
            if len(self._remembered) > MAX_REMEMBERED:
                self._remembered.popitem(last=False)
        self._remembered.move_to_end(hashed)
        stored = await remembered.value()
        return stored if stored is not None and stored.revoked_at is None else None

    async def create(self, name: str, account: str) -> tuple[str, StoredApiKey]:
        """Make a key; the key itself, which is nowhere to be had again, and what is stored."""
        for field, text in (("name", name), ("account", account)):
            if not text.strip() or not text.isprintable() or len(text) > MAX_NAME:
                raise BadRequest(f"{field}: must be 1 to {MAX_NAME} printable characters")
        key = new_key()
        stored = StoredApiKey(
            id=secrets.token_hex(8),
            account=account,
            name=name,
            prefix=key[:VISIBLE_LENGTH],
            created_at=datetime.now(UTC),
        )
        await self._engine.create("api_keys", key_hash(key), stored)
        return key, stored

    async def list(self) -> list[StoredApiKey]:
        """All keys, newest first."""
        body = {"size": _PAGE, "sort": [{"created_at": "desc"}, {"id": "asc"}]}
        keys: list[StoredApiKey] = []
        while True:
            page = await self._engine.search("api_keys", body, KeyHit)
            found = [hit.source for hit in page.hits.hits]
            keys += found
            if len(found) < _PAGE:
                return keys
            last = found[-1]
            body["search_after"] = [last.created_at.isoformat(), last.id]

    async def revoke(self, key_id: str) -> StoredApiKey:
        """Revoke the key of this id for good; NotFound where there is none."""
        query = {"bool": {"filter": [{"term": {"id": key_id}}]}}
        reply = await self._engine.search("api_keys", {"query": query, "size": 1}, KeyDocument)
        if not reply.hits.hits:
            raise NotFound(f"no API key has the id {key_id}")
        stored = await self._engine.get("api_keys", reply.hits.hits[0].id, StoredApiKey)
        if stored is None or stored.source is None:
            raise NotFound(f"no API key has the id {key_id}")
        revoked_at = stored.source.revoked_at or datetime.now(UTC)
        revoked = msgspec.structs.replace(stored.source, revoked_at=revoked_at)
        await self._engine.replace("api_keys", stored, revoked)
        return revoked

    async def _read(self, hashed: str) -> StoredApiKey | None:
        stored = await self._engine.get("api_keys", hashed, StoredApiKey)
        return stored.source if stored is not None else None


class KeyDocument(Struct):
    id: str = msgspec.field(name="_id")
