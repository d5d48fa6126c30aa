"""Favorites: filings, entities and documents that a user has marked, each at most once."""

import hashlib
import re
from typing import Literal

from msgspec import UNSET, Struct, UnsetType, structs

from edgar_search.edgar.identifiers import (
    ACCESSION_NUMBER,
    accession_of,
    is_accession_number,
    parse_cik,
)
from edgar_search.engine.changes import retry_on_conflict
from edgar_search.engine.engine import Engine
from edgar_search.engine.replies import SourceHit
from edgar_search.errors import BadRequest, NotFound
from edgar_search.stored.entities import StoredEntity
from edgar_search.stored.user_items import StoredFavorite, StoredUserItem, TargetType
from edgar_search.user_data.items import TRIES, Items, UserItems, filing_body, filings_of_body

_DOCUMENT_ID = re.compile(ACCESSION_NUMBER + "-[1-9][0-9]{0,8}")
_FORMS: dict[TargetType, str] = {
    "filing": "an accession number such as 0000320193-24-000123",
    "entity": "a CIK of 1 to 10 digits",
    "document": "a document id such as 0000320193-24-000123-1",
}


class _Document(Struct):
    document_id: str


class _Filing(Struct):
    documents: list[_Document] = []


def check_target(type_: TargetType, target_id: str) -> str:
    """Return the id as answers write it; BadRequest if it is not an id of this type."""
    if type_ == "entity":
        target = parse_cik(target_id)
    elif type_ == "filing":
        target = target_id if is_accession_number(target_id) else None
    else:
        target = target_id if _DOCUMENT_ID.fullmatch(target_id) else None
    if target is None:
        raise BadRequest(f"target_id: must be {_FORMS[type_]}")
    return target


async def exists(engine: Engine, type_: TargetType, target: str) -> bool:
    """Return True if the filing, entity or document exists, searchable or not."""
    if type_ == "entity":
        if await engine.get("entities", target, StoredEntity) is not None:
            return True
        reply = await engine.search("filings", filings_of_body(target), SourceHit[_Filing])
        return bool(reply.hits.hits)
    accession_number = accession_of(target) if type_ == "document" else target
    reply = await engine.search("filings", filing_body(accession_number), SourceHit[_Filing])
    listed = [document.document_id for hit in reply.hits.hits for document in hit.source.documents]
    return target in listed if type_ == "document" else bool(reply.hits.hits)


AREA: Literal["favorites"] = "favorites"

Favorite = StoredUserItem[StoredFavorite]


class Favorites:
    """The favorites of all accounts."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._items = UserItems(engine, AREA, StoredFavorite, "favorite")

    async def page(self, account: str, limit: int, offset: int) -> Items[StoredFavorite]:
        """Read a page of an account's favorites, newest first."""
        return await self._items.page(account, limit, offset)

    async def add(
        self, account: str, type_: TargetType, target_id: str, label: str | None | UnsetType
    ) -> tuple[Favorite, bool]:
        """Add a target to the favorites, or find it there; the flag is true if it is new.

        A given label replaces the old one. BadRequest names `target_id` if it is malformed or
        unknown.
        """
        target = check_target(type_, target_id)
        item_id = favorite_id(account, type_, target)

        def relabel(old: StoredFavorite) -> StoredFavorite:
            return old if label is UNSET else structs.replace(old, label=label)

        async def once() -> tuple[Favorite, bool]:
            try:
                return await self._items.change(account, item_id, relabel), False
            except NotFound:
                if not await exists(self._engine, type_, target):
                    raise BadRequest(f"target_id: there is no {type_} {target}") from None
                content = StoredFavorite(type_, target, None if label is UNSET else label)
                # Raises Conflict if another request has just added the same favorite.
                return await self._items.add(account, content, item_id=item_id), True

        return await retry_on_conflict(once, TRIES)

    async def remove(self, account: str, favorite_id: str) -> None:
        """Remove a favorite."""
        await self._items.remove(account, favorite_id)


def favorite_id(account: str, type_: TargetType, target: str) -> str:
    """Return the id of a target's favorite, the same each time, so that there is only one."""
    return hashlib.sha256(f"{account} {type_} {target}".encode()).hexdigest()[:24]
