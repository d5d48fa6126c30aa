"""The index `api_keys`."""

from datetime import datetime

from msgspec import Struct


class StoredApiKey(Struct, frozen=True, omit_defaults=True):
    """An API key; `prefix` is its visible beginning, the document's id its SHA-256.

    `scopes` are the endpoints that it reaches, None is all of them. `expires_at` is what its maker
    asked for, `rotated_until` the end of its overlap once another key took its place; it is refused
    from the earlier of them on. `last_used_at` is exact to a minute.
    """

    id: str
    account: str
    name: str
    prefix: str
    created_at: datetime
    revoked_at: datetime | None = None
    scopes: list[str] | None = None
    expires_at: datetime | None = None
    last_used_at: datetime | None = None
    rotated_until: datetime | None = None
