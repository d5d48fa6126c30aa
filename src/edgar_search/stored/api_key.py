"""The index `api_keys`."""

from datetime import datetime

from msgspec import Struct


class StoredApiKey(Struct, frozen=True, omit_defaults=True):
    """An API key; `prefix` is its visible beginning, the document's id its SHA-256."""

    id: str
    account: str
    name: str
    prefix: str
    created_at: datetime
    revoked_at: datetime | None = None
