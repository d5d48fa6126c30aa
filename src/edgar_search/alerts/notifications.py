"""Notifications: documents that matched an alert trigger, at most one for each pair."""

import hashlib
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Literal, NamedTuple

from msgspec import structs

from edgar_search.engine.bulk_lines import chunks
from edgar_search.engine.engine import Engine, Stored
from edgar_search.search.filings import withdrawn_since
from edgar_search.stored.user_items import (
    REMOVED,
    DocumentMatch,
    StoredNotification,
    StoredUserItem,
    item_key,
)
from edgar_search.user_data.items import Items, UserItems, source

AREA: Literal["notifications"] = "notifications"
UNREAD, READ = "unread", "read"
# Notifications marked in one request: each takes about a kilobyte.
_BATCH = 500


class Notice(NamedTuple):
    """A notification to create, and the account that gets it."""

    account: str
    id: str
    content: StoredNotification


class Notifications:
    """The notifications of all accounts."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._items = UserItems(engine, AREA, StoredNotification, "notification")

    async def page(
        self, account: str, limit: int, offset: int, *, unread: bool = False
    ) -> Items[StoredNotification]:
        """Read a page of an account's notifications, newest first, or of the unread ones."""
        return await self._items.page(account, limit, offset, UNREAD if unread else None)

    async def unread(self, account: str) -> int:
        """Count an account's unread notifications."""
        return (await self._items.page(account, 0, 0, UNREAD)).total

    async def existing(
        self, account: str, ids: Sequence[str]
    ) -> list[StoredUserItem[StoredNotification]]:
        """Read notifications by id, in order and in real time; removed ones are left out."""
        return await self._items.existing(account, ids)

    async def notify(self, notices: Sequence[Notice]) -> int:
        """Create these notifications; return how many are new.

        No id is ever used twice, even after its first notification was removed. Lists include new
        ones after the next refresh. Raises EngineUnavailable if one could not be written.
        """
        now = datetime.now(UTC)
        new = 0
        for some in chunks(notices, _BATCH):
            documents = [
                (
                    item_key(notice.account, AREA, notice.id),
                    StoredUserItem(notice.account, AREA, notice.id, now, notice.content, UNREAD),
                )
                for notice in some
            ]
            new += await self._engine.create_many("user_items", documents)
        return new

    async def mark_read(self, account: str, ids: Sequence[str]) -> int:
        """Mark notifications as read; return how many were unread. NotFound for an unknown id."""
        unique_ids = list(dict.fromkeys(ids))

        async def unread() -> list[Stored[Any]]:
            stored = await self._items.stored(account, unique_ids)
            return [entry for entry in stored if source(entry).state == UNREAD]

        return await self._mark_read(unread)

    async def mark_all_read(self, account: str) -> int:
        """Mark all unread notifications as read; return their number."""
        return await self._mark_read(lambda: self._items.stored_page(account, UNREAD, _BATCH))

    async def remove(self, account: str, notification_id: str) -> None:
        """Remove a notification for good.

        A record of its removal stays, so that it is not created again.
        """
        await self._items.change(
            account, notification_id, lambda old: old, state_of=lambda content: REMOVED
        )

    async def _mark_read(self, unread: Callable[[], Awaitable[list[Stored[Any]]]]) -> int:
        now = datetime.now(UTC)
        return await self._items.change_all(
            unread, lambda old: structs.replace(old, read_at=now), READ
        )


async def withdrawn_documents(
    engine: Engine, items: Sequence[StoredUserItem[StoredNotification]]
) -> dict[str, str]:
    """Return when EDGAR removed filings of these notifications, by document."""
    documents = [item.content.document for item in items]
    return await withdrawn_since(
        engine, [document.accnum for document in documents if document is not None]
    )


def notification_id(trigger_id: str, document_id: str) -> str:
    """Return the id of a notification, derived from its trigger and document."""
    return hashlib.sha256(f"{trigger_id} {document_id}".encode()).hexdigest()[:24]


def document_notice(account: str, trigger_id: str, document: DocumentMatch) -> Notice:
    """Build a trigger's notification of a document."""
    notice_id = notification_id(trigger_id, document.document_id)
    return Notice(account, notice_id, StoredNotification(trigger_id, document))


def filing_notice(account: str, trigger_id: str, document: DocumentMatch) -> Notice:
    """Build the notification of a trigger for rows: one for each filing."""
    notice_id = notification_id(trigger_id, document.accnum)
    return Notice(account, notice_id, StoredNotification(trigger_id, document))
