"""The index `history`."""

from datetime import datetime

from msgspec import Struct


class StoredCall(Struct, frozen=True, omit_defaults=True):
    """A data call of an account, begun `at`.

    `parameters` are as received, without the key; `result_count` is the total that was answered,
    None for an error; `key_prefix` is the visible beginning of the key, "" of a page that was read.
    """

    id: str
    account: str
    at: datetime
    endpoint: str
    parameters: dict[str, list[str]]
    status: int
    duration_ms: float
    key_prefix: str
    result_count: int | None = None
