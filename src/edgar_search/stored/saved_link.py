"""What the index `user_items` keeps of a saved link."""

from datetime import datetime

from msgspec import Struct


class StoredSavedLink(Struct, frozen=True, omit_defaults=True):
    """A saved link; `updated_at` is None until it is changed."""

    url: str
    title: str | None = None
    note: str | None = None
    tags: list[str] = []
    updated_at: datetime | None = None
