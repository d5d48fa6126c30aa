"""Saved links: addresses that a user keeps, each with a title, a note and tags."""

from datetime import UTC, datetime
from typing import Any, Literal

from msgspec import structs

from edgar_search.engine.engine import Engine
from edgar_search.stored.user_items import StoredSavedLink, StoredUserItem
from edgar_search.user_data.items import Items, UserItems

AREA: Literal["saved-links"] = "saved-links"

SavedLink = StoredUserItem[StoredSavedLink]


class SavedLinks:
    """The saved links of all accounts."""

    def __init__(self, engine: Engine) -> None:
        self._items = UserItems(engine, AREA, StoredSavedLink, "saved link")

    async def page(self, account: str, limit: int, offset: int) -> Items[StoredSavedLink]:
        """Read a page of an account's links, newest first."""
        return await self._items.page(account, limit, offset)

    async def add(self, account: str, content: StoredSavedLink) -> SavedLink:
        """Save a link; an address may be saved several times."""
        return await self._items.add(account, content)

    async def update(self, account: str, link_id: str, fields: dict[str, Any]) -> SavedLink:
        """Change these fields of a link, by their names in `StoredSavedLink`."""
        now = datetime.now(UTC)
        return await self._items.change(
            account, link_id, lambda old: structs.replace(old, **fields, updated_at=now)
        )

    async def remove(self, account: str, link_id: str) -> None:
        """Remove a link."""
        await self._items.remove(account, link_id)
