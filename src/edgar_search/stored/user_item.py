"""The index `user_items`."""

from datetime import datetime
from typing import Generic, Literal, TypeVar

from msgspec import Struct

C = TypeVar("C")

Area = Literal["favorites", "saved-links", "notifications", "alert_triggers"]

# The state of an item that stays only so that it is never made again: nobody finds it.
REMOVED = "removed"


def item_key(account: str, area: Area, item_id: str) -> str:
    """Under what an item is stored: the id that one account knows is no id in another's hands."""
    return f"{account} {area} {item_id}"


class StoredUserItem(Struct, Generic[C], frozen=True, omit_defaults=True):
    """One thing that belongs to an account.

    `content` is what its area keeps of it, which Elasticsearch does not look into; `state` is what
    items of an area are told apart by, such as `unread`.
    """

    account: str
    area: Area
    id: str
    created_at: datetime
    content: C
    state: str | None = None
