"""What the index `user_items` keeps of a favorite."""

from typing import Literal

from msgspec import Struct

TargetType = Literal["filing", "entity", "document"]


class StoredFavorite(Struct, frozen=True, omit_defaults=True):
    """A favorite: what it points to, and its user's label."""

    type: TargetType
    target_id: str
    label: str | None = None
