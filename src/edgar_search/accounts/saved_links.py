"""Saved links: addresses that a user keeps, with a title, a note and tags."""

from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

from msgspec import Struct, structs

from edgar_search.accounts.store import UserItems
from edgar_search.engine.engine import Engine
from edgar_search.stored.user_item import StoredUserItem

AREA: Literal["saved-links"] = "saved-links"


class Content(Struct, frozen=True, omit_defaults=True):
    """What is stored of a saved link; `updated_at` is None until it is changed."""

    url: str
    title: str | None = None
    note: str | None = None
    tags: list[str] = []
    updated_at: datetime | None = None


class SavedLink(Struct):
    """A saved link as users see it."""

    id: str
    url: str
    title: str | None
    note: str | None
    tags: list[str]
    created_at: datetime
    updated_at: datetime


class SavedLinkPage(NamedTuple):
    total: int
    links: list[SavedLink]


class SavedLinks:
    """The saved links of all accounts."""

    def __init__(self, engine: Engine) -> None:
        self._items = UserItems(engine, AREA, Content, "saved link")

    async def page(self, account: str, limit: int, offset: int) -> SavedLinkPage:
        """A page of an account's links, newest first."""
        page = await self._items.page(account, limit, offset)
        return SavedLinkPage(page.total, [_link(item) for item in page.items])

    async def add(self, account: str, content: Content) -> SavedLink:
        """Keep a link; the same address may be kept several times."""
        return _link(await self._items.add(account, content))

    async def update(self, account: str, link_id: str, fields: dict[str, Any]) -> SavedLink:
        """Change these fields of a link, which are fields of `Content`."""
        now = datetime.now(UTC)
        item = await self._items.change(
            account, link_id, lambda old: structs.replace(old, **fields, updated_at=now)
        )
        return _link(item)

    async def remove(self, account: str, link_id: str) -> None:
        """Remove a link."""
        await self._items.remove(account, link_id)


def _link(item: StoredUserItem[Any]) -> SavedLink:
    content: Content = item.content
    return SavedLink(
        id=item.id,
        url=content.url,
        title=content.title,
        note=content.note,
        tags=content.tags,
        created_at=item.created_at,
        updated_at=content.updated_at or item.created_at,
    )
