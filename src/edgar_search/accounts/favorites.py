"""Favorites: filings, entities and documents that a user marks, each at most once."""

import hashlib
from typing import Literal

from msgspec import UNSET, UnsetType, structs

from edgar_search.accounts.store import TRIES, Items, UserItems
from edgar_search.accounts.targets import checked_target, exists
from edgar_search.engine.changes import retried
from edgar_search.engine.engine import Engine
from edgar_search.errors import BadRequest, NotFound
from edgar_search.stored.favorite import StoredFavorite, TargetType
from edgar_search.stored.user_item import StoredUserItem

AREA: Literal["favorites"] = "favorites"

Favorite = StoredUserItem[StoredFavorite]


class Favorites:
    """The favorites of all accounts."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._items = UserItems(engine, AREA, StoredFavorite, "favorite")

    async def page(self, account: str, limit: int, offset: int) -> Items[StoredFavorite]:
        """A page of an account's favorites, newest first."""
        return await self._items.page(account, limit, offset)

    async def add(
        self, account: str, type_: TargetType, target_id: str, label: str | None | UnsetType
    ) -> tuple[Favorite, bool]:
        """The favorite of this target, and whether it is new; a label sent replaces the old one.

        BadRequest names `target_id` where it is malformed or nothing has it.
        """
        target = checked_target(type_, target_id)
        item_id = favorite_id(account, type_, target)

        async def once() -> tuple[Favorite, bool]:
            try:
                item = await self._items.change(account, item_id, lambda old: _labelled(old, label))
                return item, False
            except NotFound:
                if not await exists(self._engine, type_, target):
                    raise BadRequest(f"target_id: there is no {type_} {target}") from None
                content = StoredFavorite(type_, target, None if label is UNSET else label)
                # Conflict where another request adds the same one now.
                return await self._items.add(account, content, item_id=item_id), True

        return await retried(once, TRIES)

    async def remove(self, account: str, favorite_id: str) -> None:
        """Remove a favorite."""
        await self._items.remove(account, favorite_id)


def favorite_id(account: str, type_: TargetType, target: str) -> str:
    """The id that the favorite of a target has, so that there is one at most."""
    return hashlib.sha256(f"{account} {type_} {target}".encode()).hexdigest()[:24]


def _labelled(content: StoredFavorite, label: str | None | UnsetType) -> StoredFavorite:
    return content if label is UNSET else structs.replace(content, label=label)
